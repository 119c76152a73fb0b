"""Why something cannot be built: one sentence in the buyer's words instead of a result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A design that cannot be built, wired or placed."""

    reason: str
    """One sentence that names the limit, what is needed and what there is."""
    limit: str = ""
    """Id of the limit in ``models/formulation/``, empty for a rule of the fabric."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.reason
