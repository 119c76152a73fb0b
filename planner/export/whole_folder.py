"""Replace a whole folder in one step: old or new, never a mixture, also under `kill -9`.

The new folder is written beside the old one, flushed to the disk, and the two names are exchanged
by the system (Linux renameat2 with RENAME_EXCHANGE, macOS renamex_np with RENAME_SWAP). Where the
system or its file system cannot exchange names, two renames in a row do it, and a run that was
killed between them is finished by the next.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from planner.domain.errors import UsageError
from planner.domain.whole_file import flush_folder, take_lock

AT_FDCWD = -100
EXCHANGE = 2
"""RENAME_EXCHANGE of linux/fs.h, and RENAME_SWAP of macOS' sys/stdio.h."""
CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What a file system says that cannot exchange names."""


def real_place(folder: Path) -> Path:
    """Return a folder's absolute path; a link to a folder is followed, so that it stays a link."""
    target = Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100  resolve() follows links
    return target.resolve() if target.is_symlink() else target


@contextlib.contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `target` when the block ends well.

    Another run that writes the same folder at the same time writes its own; the last one stays.
    Blocks do not nest in one place: the folder that is yielded is locked.

    Raises
    ------
    OSError
        If the folder cannot be made, written or renamed; `target` is then as it was.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(target.parent):
        mend(target)
        new = target.with_name(f".{target.name}.new-{uuid.uuid4().hex[:8]}")
        new.mkdir()
        handle = _held(new)
    try:
        yield new
        _flush(new)
        with _alone_in(target.parent):
            _swap(target, new)
        flush_folder(target.parent)
    finally:
        if handle is not None:
            os.close(handle)
        shutil.rmtree(new, ignore_errors=True)


@contextlib.contextmanager
def report_folder(folder: Path, mark: str, own: Iterable[str]) -> Iterator[Path]:
    """Yield an empty folder that becomes the report `folder` when the block ends well.

    What others put beside an older report is kept.

    Parameters
    ----------
    folder
        The report's folder: absent, empty, or an older report.
    mark
        File by which an older report is known.
    own
        Names inside that belong to an older report even if the new one has no such file.

    Raises
    ------
    UsageError
        If the folder cannot be written, holds something other than a report, or is where the
        user works, who would be left in a folder that is gone.
    """
    target = real_place(folder)
    try:
        if target.parent.is_dir():
            mend(target)
        _check(target, mark)
        with whole_folder(target) as new:
            yield new
            _keep_foreign(target, new, {entry.name for entry in new.iterdir()} | set(own))
    except OSError as error:
        reason = error.strerror or "cannot be written"
        raise UsageError(f"{folder}: {reason}; name a folder that can be written") from error


def _check(target: Path, mark: str) -> None:
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target}: this is a file; name a folder for the report")
    if target.is_dir() and not (target / mark).is_file() and any(target.iterdir()):
        raise UsageError(
            f"{target}: holds files but no report; name an empty or a new folder for the report"
        )
    if Path.cwd().is_relative_to(target):
        raise UsageError(
            f"{target}: you work in this folder, and a report takes its place; "
            "name a folder inside it"
        )


def _keep_foreign(target: Path, new: Path, own: set[str]) -> None:
    """Copy what others put beside an old report, so that the swap does not lose it."""
    for entry in sorted(target.iterdir()) if target.is_dir() else ():
        if entry.name in own:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, new / entry.name, symlinks=True)
        else:
            shutil.copy2(entry, new / entry.name, follow_symlinks=False)


def mend(target: Path) -> None:
    """Finish what killed runs left beside a folder: half a new one goes, an old one comes back."""
    old = target.with_name(f".{target.name}.old")
    if old.is_dir():
        if target.exists():
            shutil.rmtree(old)
        else:
            old.rename(target)
    for left in target.parent.glob(f".{_literal(target.name)}.new-*"):
        handle = _held(left)
        if handle is not None or os.name != "posix":
            shutil.rmtree(left, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _literal(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder for a moment against other runs that make or swap folders in it."""
    if os.name != "posix":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        take_lock(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _held(folder: Path) -> int | None:
    """Return a lock on a folder, which ends with the process; None if another run holds it."""
    if os.name != "posix":
        return None
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    if take_lock(handle, wait=False):
        return handle
    os.close(handle)
    return None


def _flush(folder: Path) -> None:
    """Bring every file of a folder to the disk before its name changes."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            if os.name == "posix" and not path.is_symlink():
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        flush_folder(Path(place))


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two folders in one step; returns False where that cannot be done.

    Raises
    ------
    OSError
        If the system refuses for another reason.
    """
    if os.name != "posix":
        return False
    library: Any = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(one), os.fsencode(other)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, first, AT_FDCWD, second, EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, EXCHANGE)
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(one))


def _swap(target: Path, new: Path) -> None:
    """Put the new folder in the place of the old one, which then stands where the new one stood."""
    if not target.exists():
        new.rename(target)
        return
    if exchange(new, target):
        return
    old = target.with_name(f".{target.name}.old")
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
