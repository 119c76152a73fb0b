"""One accelerator in its host, as physics sees it: scalars of the data sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.domain.compute_constants import FAMILY_OF


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Figures of one accelerator; rates are the marketed peaks without sparsity."""

    accelerator: str
    """Catalogue id, for constants measured on that part."""
    architecture: str
    memory_bytes: float
    memory_bytes_per_s: float
    peak_flops: Mapping[str, float]
    """FLOP/s by kernel family: half, fp8, fp4, tf32, fp32 (those it has)."""
    host_memory_bytes: float = 0.0
    """Host memory per accelerator, for offload; 0 forbids it."""
    host_bytes_per_s: float = 0.0
    """Rate between host and accelerator, one direction."""

    def family(self, precision: str) -> str:
        """Return the kernel family that runs a precision here.

        A family that the accelerator lacks runs in the next wider one: fp4 as fp8, fp8 as half,
        half and tf32 as fp32.
        """
        wider = {"fp4": "fp8", "fp8": "half", "half": "fp32", "tf32": "fp32"}
        family = FAMILY_OF[precision]
        while family not in self.peak_flops and family in wider:
            family = wider[family]
        return family
