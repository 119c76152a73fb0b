"""Write one file so that a reader, or a crash, finds the old one or the new one, both whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any


def flush_folder(folder: Path) -> None:
    """Make a rename in a folder survive a crash of the machine, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its name, flush it to the disk, and rename it.

    Whatever ends this, the old file stays as it was; only a kill leaves a hidden part behind.

    Raises
    ------
    OSError
        If the folder does not exist, cannot be written, or the disk is full.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    flush_folder(path.parent)


def _umask() -> int:
    """Return the bits that new files lack here; reading them means setting them twice."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def take_lock(file: Any, *, wait: bool) -> bool:
    """Lock an open file or folder for this process; the system frees it when the process ends.

    Returns False if another holds it. Where the system has no such locks, nothing is locked.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
