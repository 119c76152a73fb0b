"""Write one file of an answer whole, or say in one line why not."""

from __future__ import annotations

from pathlib import Path

from planner.domain.errors import UsageError
from planner.domain.whole_file import write_whole


def write_text(path: Path, text: str) -> None:
    """Write a text file so that an interrupted run leaves the old one whole.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that an interrupted run leaves the old one whole.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written.
    """
    try:
        write_whole(path, data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
