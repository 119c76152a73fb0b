"""Which architecture an accelerator named in a table of measurements belongs to."""

from __future__ import annotations

from collections.abc import Iterator

_PREFIXES = (
    ("volta", ("v100", "titan-v")),
    ("turing", ("t4", "rtx-20", "rtx-6000-turing", "quadro-rtx", "titan-rtx")),
    ("ampere", ("a100", "a800", "a10", "a16", "a2", "a30", "a40", "a4000", "a5000", "a6000",
                "rtx-30", "rtx-a")),
    ("ada", ("l4", "l20", "l40", "rtx-40", "rtx-6000-ada", "rtx-5000-ada")),
    ("hopper", ("h100", "h200", "h800", "h20", "gh200")),
    ("blackwell", ("b100", "b200", "b300", "gb10", "gb200", "gb300", "rtx-50", "rtx-pro")),
    ("cdna2", ("mi210", "mi250")),
    ("cdna3", ("mi300", "mi308", "mi325")),
    ("cdna4", ("mi350", "mi355")),
    ("gaudi", ("gaudi",)),
)  # fmt: skip
_OLDEST_FIRST = tuple(name for name, _ in _PREFIXES)


def _matches(gpu: str) -> Iterator[tuple[int, str]]:
    for name, prefixes in _PREFIXES:
        for prefix in prefixes:
            if gpu.startswith(prefix):
                yield len(prefix), name


def architecture_of(gpu: str) -> str:
    """Return the architecture of an accelerator id, ``unknown`` if no prefix of it is known.

    Of several accelerators joined by ``+`` the oldest counts: the slowest sets the pace.
    """
    found = []
    for part in gpu.lower().split("+"):
        matches = sorted(_matches(part.strip()))
        found.append(matches[-1][1] if matches else "unknown")
    known = [name for name in _OLDEST_FIRST if name in found]
    return known[0] if known and "unknown" not in found else "unknown"
