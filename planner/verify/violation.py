"""What the checker reports: one number of the answer that its own documents contradict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One contradiction."""

    check: str
    """Id of the check, for instance ``port-single-link``."""
    where: str
    """JSON path, or the id of the device, rack or cable."""
    expected: str
    """What the recount gives."""
    found: str
    """What the document says."""
    sentence: str
    """The same for a person."""

    def __str__(self) -> str:
        """Return one line: where, what, expected against found."""
        return f"{self.where}: {self.sentence} (expected {self.expected}, found {self.found})"

    def as_dict(self) -> dict[str, Any]:
        """Return the violation as plain JSON."""
        return asdict(self)


def violation(check: str, where: str, expected: object, found: object, sentence: str) -> Violation:
    """Return a violation; numbers are written without a binary tail."""
    return Violation(
        check=check,
        where=where,
        expected=shown(expected),
        found=shown(found),
        sentence=sentence,
    )


def shown(value: object) -> str:
    """Return a value for a message: floats with at most ten digits."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)
