"""Write one text file whole: into a temporary sibling, then renamed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from planner.domain.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write a file so that an interrupted run leaves the old one whole.

    Raises
    ------
    UsageError
        If the folder does not exist or cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror})") from None
