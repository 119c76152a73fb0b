"""Ctrl-C as a limit of the search: the first ends it with what was found, the second at once.

The search asks `asked()` between its steps, and runs what may take long through `long()`, which
the first Ctrl-C leaves by an exception. Nothing is half changed then: a step changes what the
search holds only between its long calls.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

NOTE = "\nStopping with the best found so far; Ctrl-C again ends at once.\n"


class InterruptedSearchError(BaseException):
    """Leaves a long call; no `except Exception` on the way may take it for a failure."""


class _State:
    """Signals belong to the process, so this does."""

    armed = False
    asked = False
    inside = False


def asked() -> bool:
    """Return whether the user has asked this search to stop."""
    return _State.asked


@contextmanager
def armed() -> Iterator[None]:
    """Take the first Ctrl-C inside this block as a limit of the search.

    Outside, or in a thread that gets no signals, Ctrl-C stays a `KeyboardInterrupt`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _State.armed, _State.asked, _State.inside = True, False, False
    before = signal.signal(signal.SIGINT, _on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _State.armed = _State.asked = False


def long(call: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    """Return what a call returns; the first Ctrl-C leaves it.

    Raises
    ------
    InterruptedSearchError
        If the user asks to stop meanwhile.
    """
    _State.inside = True
    try:
        return call(*given, **named)
    finally:
        _State.inside = False


def _on_signal(number: int, frame: FrameType | None) -> None:
    del number, frame
    if _State.asked:
        raise KeyboardInterrupt
    _State.asked = True
    with suppress(OSError):  # not through sys.stderr, which may be in the middle of a write
        os.write(2, NOTE.encode())
    if _State.inside:
        raise InterruptedSearchError
