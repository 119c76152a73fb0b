"""How much address space this process may take, where the system limits it (`ulimit -v`)."""

from __future__ import annotations

import math

LEAST_BYTES = 768 * 2**20
"""Below, the numeric libraries end the process themselves while they load (measured)."""
DRAWING_BYTES = 48 * 2**30
"""What the engine that draws charts reserves, not uses: about 33 GiB (measured), and room."""


def address_space_bytes() -> float:
    """Return the limit in bytes; infinite where there is none."""
    try:
        import resource
    except ImportError:
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if limit == resource.RLIM_INFINITY else float(limit)
