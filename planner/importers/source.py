"""What a foreign file holds as text: size caps, decoding and signatures, in one place."""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from planner.domain.errors import Fault, InputError

MAX_BYTES = 10 * 1024 * 1024
MAX_DUMP_BYTES = 64 * 1024 * 1024
"""For dumps of whole fabrics."""
MAX_LINES = 1_000_000
MAX_LINE = 20_000
"""Characters of one line; a longer one is refused, never cut."""
STANDARD_INPUT = "-"

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = (
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"PK\x03\x04", "a ZIP archive or an Office document", "unpack it, or save it as text"),
    (b"%PDF", "a PDF document", "copy its text into a file"),
    (b"\x89PNG", "a picture", "give the text, not a screenshot"),
    (b"\xff\xd8\xff", "a picture", "give the text, not a screenshot"),
    (b"\x7fELF", "a program", "give the file that it writes"),
    (b"BZh", "a bzip2 archive", "unpack it first"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first"),
    (b"SQLite format 3", "a database", "export it as text"),
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[A-Za-z]|\][^\x07]{0,200}\x07|[()][A-Z0-9])")
_ALLOWED = frozenset("\t\n\r\x0b\x0c\x1b\x08")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file's name and text; `notes` say what was done to read it."""

    name: str
    text: str
    notes: tuple[str, ...] = ()

    def lines(self, longest: int = MAX_LINE) -> Iterator[str]:
        """Yield the lines without their ends and without colour codes.

        Raises
        ------
        InputError
            If there are more than `MAX_LINES`, or one has more than `longest` characters.
        """
        start, number, text = 0, 0, self.text
        while start <= len(text):
            number += 1
            if number > MAX_LINES:
                raise self.refuse(f"has more than {MAX_LINES:,} lines", "cut it to what matters")
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            if end - start > longest:
                what = f"has more than {longest:,} characters"
                raise self.refuse(what, "this is another kind of file", f"line {number}")
            line = text[start:end].rstrip("\r")
            yield _ESCAPES.sub("", line) if "\x1b" in line else line
            start = end + 1

    def refuse(self, what: str, right: str = "", where: str = "$") -> InputError:
        """Return the error that says why this file cannot be used."""
        return InputError(self.name, [Fault(where, what, right)])

    @property
    def stem(self) -> str:
        """The file's name without its folder and suffix."""
        return Path(self.name).stem if self.name != STANDARD_INPUT else "standard-input"


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return a file's bytes, or those of standard input for ``-``.

    Raises
    ------
    InputError
        If the file is missing, no regular file, unreadable, empty or larger than `max_bytes`.
    """
    name = str(path)
    try:
        if name == STANDARD_INPUT:
            data = sys.stdin.buffer.read(max_bytes + 1)
        else:
            data = _read_file(path, max_bytes)
    except OSError as error:
        raise InputError(name, [Fault("$", (error.strerror or "cannot be read").lower())]) from None
    except ValueError:  # a NUL in the path
        raise InputError(name.replace("\0", "?"), [Fault("$", "is no file name")]) from None
    if len(data) > max_bytes:
        raise _too_large(name, max_bytes)
    if not data:
        raise InputError(name, [Fault("$", "the file is empty")])
    return data


def _read_file(path: Path, max_bytes: int) -> bytes:
    if path.is_dir():
        raise InputError(str(path), [Fault("$", "this is a folder", "name a file")])
    status = path.stat()
    if S_ISREG(status.st_mode) and status.st_size > max_bytes:
        raise _too_large(str(path), max_bytes)
    with path.open("rb") as handle:
        return handle.read(max_bytes + 1)


def _too_large(name: str, max_bytes: int) -> InputError:
    limit = f"at most {max_bytes // 1024 // 1024} MiB of this kind are read"
    return InputError(name, [Fault("$", "the file is too large", limit)])


def _decode(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return data.decode(encoding), ()
            except UnicodeDecodeError:
                fault = Fault("$", f"begins as {encoding.upper()} text but is broken inside")
                raise InputError(name, [fault]) from None
    head = data[:4096]
    if head.count(0) > len(head) // 3 and len(data) % 2 == 0:
        try:
            encoding = "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"
            return data.decode(encoding), (f"read as {encoding.upper()} text",)
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
        return text, ("the file is not UTF-8; read as Windows-1252 text",)


def read_source(path: Path, max_bytes: int = MAX_BYTES) -> Source:
    """Return a text file's content.

    UTF-8, UTF-16 and UTF-32 are told apart by their marks; what is not UTF-8 is read as
    Windows-1252 with a note.

    Raises
    ------
    InputError
        As `read_bytes`; and if the content is an archive, a picture or other binary data.
    """
    data = read_bytes(path, max_bytes)
    name = str(path)
    for signature, what, right in _SIGNATURES:
        if data.startswith(signature):
            raise InputError(name, [Fault("$", f"the file is {what}, not text", right)])
    text, notes = _decode(data, name)
    sample = text[:65536] + text[-4096:]
    strange = sum(1 for char in sample if (char < " " and char not in _ALLOWED) or char == "\ufffd")
    if "\0" in text or strange > max(2, len(sample) // 200):
        raise InputError(name, [Fault("$", "the file is binary data, not text")])
    if not text.strip():
        raise InputError(name, [Fault("$", "the file is empty")])
    return Source(name=name, text=text, notes=notes)
