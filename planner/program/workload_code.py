"""Codes of what refuses a design for one workload: `step_time_w0`, `memory_w3`."""

from __future__ import annotations

import re

_OF_WORKLOAD = re.compile(r"(.+)_w(\d+)")


def without_workload(code: str) -> tuple[str, bool]:
    """Return a code without the workload that it names, and whether it names one."""
    match = _OF_WORKLOAD.fullmatch(code)
    return (code, False) if match is None else (match[1], True)
