"""A large JSON file read piece by piece: the entries of one array, never the whole file."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from planner.domain.errors import Fault, InputError

CHUNK_BYTES = 1 << 20
MAX_BYTES = 2 * 1024**3
"""Of the text, unpacked."""
MAX_VALUE = 4 << 20
"""Characters of one entry."""
GZIP = b"\x1f\x8b"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BLANK = " \t\r\n"


class JsonStream:
    """The text of a JSON file, plain or gzipped, of which only a window is held.

    Raises
    ------
    InputError
        From every method: the file cannot be read, is cut off, is no JSON or too large.
    """

    __slots__ = (
        "_at",
        "_decoder",
        "_ended",
        "_file",
        "_handle",
        "_json",
        "_name",
        "_read",
        "_text",
    )

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        if path.is_dir():
            raise self.refuse("this is a folder", "name a file")
        try:
            handle = path.open("rb")
            head = handle.read(4)
            handle.seek(0)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "cannot be read"
            raise self.refuse(str(reason).lower()) from None
        if not head:
            raise self.refuse("the file is empty")
        self._handle = handle
        self._file: BinaryIO = (
            cast("BinaryIO", gzip.GzipFile(fileobj=handle)) if head.startswith(GZIP) else handle
        )
        self._decoder: codecs.IncrementalDecoder | None = None
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._read = 0
        self._ended = False

    def __enter__(self) -> Self:
        """Return the stream itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()
        self._handle.close()

    def refuse(self, what: str, right: str = "") -> InputError:
        """Return the error that says why this file cannot be used."""
        return InputError(self._name, [Fault("$", what, right)])

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        try:
            data = self._file.read(CHUNK_BYTES)
        except EOFError:
            raise self.refuse("the gzip file is cut off", "copy it again") from None
        except (OSError, zlib.error):
            raise self.refuse("the gzip file is broken", "copy it again") from None
        if self._decoder is None:
            encoding = next((e for mark, e in _MARKS if data.startswith(mark)), "utf-8")
            self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        self._read += len(data)
        if self._read > MAX_BYTES:
            limit = f"at most {MAX_BYTES // 2**30} GiB are read; profile fewer steps"
            raise self.refuse("the file is too large", limit)
        self._ended = not data
        self._text = self._text[self._at :] + self._decoder.decode(data, final=self._ended)
        self._at = 0
        return not self._ended or bool(self._text)

    def peek(self) -> str:
        """Return the next character that is not blank without passing it; empty at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANK:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if self._ended or not self._more():
                return ""

    def take(self, wanted: str) -> None:
        """Pass one of some characters."""
        found = self.peek()
        if not found:
            raise self.refuse("the file is cut off", "export or copy it again")
        if found not in wanted:
            raise self.refuse(f"is no JSON: {found!r} where {' or '.join(wanted)} was due")
        self._at += 1

    def value(self) -> Any:
        """Return the next value, whatever it is."""
        if not self.peek():
            raise self.refuse("the file is cut off", "export or copy it again")
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except RecursionError:
                raise self.refuse("is nested too deep for a trace") from None
            except ValueError as error:
                if len(self._text) - self._at > MAX_VALUE:
                    raise self.refuse(self._why(error)) from None
                if not self._ended:
                    self._more()
                    continue
                raise self.refuse(self._why(error), "export or copy it again") from None
            if end < len(self._text) or self._ended:
                self._at = end
                return value
            self._more()  # a number may go on in the next piece

    def _why(self, error: ValueError) -> str:
        if isinstance(error, json.JSONDecodeError):
            if self._ended and error.pos >= len(self._text) - 2:
                return "the file is cut off"
            far = self._read - len(self._text) + error.pos
            open_text = error.msg.startswith("Unterminated string")
            if not self._ended and (open_text or len(self._text) - error.pos < CHUNK_BYTES):
                return f"one entry is longer than {MAX_VALUE // 2**20} MiB"
            return f"is no JSON near byte {max(far, 0):,}: {error.msg.lower()}"
        return "holds a number that is too long"

    def entries(self) -> Iterator[Any]:
        """Yield the entries of the array that begins here; the closing bracket may be missing.

        The Trace Event Format lets the bracket be left out at the end of a file.
        """
        self.take("[")
        while True:
            found = self.peek()
            if found in ("]", ""):
                if found:
                    self._at += 1
                return
            yield self.value()
            following = self.peek()
            if following == ",":
                self._at += 1
            elif following not in ("]", ""):
                raise self.refuse(f"is no JSON: {following!r} between two entries")
