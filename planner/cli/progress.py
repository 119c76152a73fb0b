"""Progress of long work on standard error; silent where that is not a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SHOW_AFTER_S = 0.5
"""Work that ends sooner shows nothing."""


class Line:
    """One status line, redrawn at most ten times a second."""

    def __init__(self, status: Any) -> None:
        self._status = status
        self._began = self._last = time.monotonic()

    def say(self, text: str) -> None:
        """Show a text as the current step."""
        now = time.monotonic()
        if self._status is None or now - self._began < SHOW_AFTER_S or now - self._last < 0.1:
            return
        self._last = now
        self._status.update(text)


@contextmanager
def progress_line(first: str) -> Iterator[Line]:
    """Yield a status line on standard error."""
    if not sys.stderr.isatty():
        yield Line(None)
        return
    from rich.console import Console

    with Console(stderr=True).status(first) as status:
        yield Line(status)
