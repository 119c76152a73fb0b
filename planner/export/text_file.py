"""Write one file whole: into a temporary sibling, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from planner.domain.errors import UsageError


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
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
