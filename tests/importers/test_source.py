from __future__ import annotations

import gzip

import pytest

from planner.domain.errors import InputError
from planner.importers.imported import Given, Notes
from planner.importers.source import MAX_LINES, Source, read_source


def write(tmp_path, data: bytes):
    path = tmp_path / "file.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings_are_told_apart(tmp_path, encoding):
    """Text saved by Windows tools reads as text saved elsewhere."""
    content = "switch leaf-01 links to node[1-8]\r\nport 3\r\n"
    assert list(read_source(write(tmp_path, content.encode(encoding))).lines()) == [
        "switch leaf-01 links to node[1-8]",
        "port 3",
        "",
    ]


def test_text_that_is_not_utf8_is_read_with_a_note(tmp_path):
    """A quote saved by an old spreadsheet keeps its accents and says how it was read."""
    source = read_source(write(tmp_path, "descripción;precio\n".encode("cp1252")))
    assert source.text.startswith("descripción")
    assert "Windows-1252" in source.notes[0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(b"text" * 50, mtime=0), "gzip"),
        (b"PK\x03\x04" + b"\0" * 40, "ZIP"),
        (b"%PDF-1.7\n" + b"x" * 40, "PDF"),
        (bytes(range(256)) * 20, "binary"),
        (b"abc\0def ghi jkl mno" * 10, "binary"),
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\xff\xfe" + b"a\0" * 5 + b"\x00\xd8", "broken"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path, data, words):
    """Archives, documents and junk end in one sentence."""
    with pytest.raises(InputError, match=words) as caught:
        read_source(write(tmp_path, data))
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_over_the_cap_is_refused_before_it_is_read(tmp_path):
    """A sparse file of 100 MB costs neither time nor memory."""
    path = tmp_path / "large.txt"
    with path.open("wb") as handle:
        handle.truncate(100 * 1024 * 1024)
    with pytest.raises(InputError, match="too large; at most 10 MiB"):
        read_source(path)


def test_devices_and_folders_are_no_files(tmp_path):
    """An endless device stops at the cap; a folder and a missing file say so."""
    with pytest.raises(InputError, match="too large"):
        read_source(type(tmp_path)("/dev/zero"), 1000)
    with pytest.raises(InputError, match="folder"):
        read_source(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_source(tmp_path / "absent")


def test_lines_lose_colours_and_are_counted():
    """Colour codes of a terminal vanish; a flood of lines is refused."""
    assert list(Source(name="a", text="\x1b[4mGPU0\x1b[0m\tGPU1").lines()) == ["GPU0\tGPU1"]
    with pytest.raises(InputError, match="line 2: has more than 5 characters"):
        list(Source(name="a", text="12345\n123456").lines(5))
    with pytest.raises(InputError, match="lines"):
        list(Source(name="a", text="\n" * (MAX_LINES + 1)).lines())


def test_given_values_are_checked_and_used_up():
    """A wrong or unknown --set is a fault that names the keys."""
    given = Given.parse(["world_size=64", "deadline_days=30.5"])
    assert given.count("world_size") == 64
    with pytest.raises(InputError, match="deadline_days: is no key of x; known keys: world_size"):
        given.check_used("x")
    assert given.number("deadline_days") == 30.5
    assert Given.parse(["usd_per_eur=1,08"]).number("usd_per_eur") == 1.08
    with pytest.raises(InputError, match="not usable"):
        Given.parse(["usd_per_eur=1,080"]).number("usd_per_eur")
    given.check_used("x")
    for wrong in ("nan", "-1", "1.5", "many", "1e30"):
        with pytest.raises(InputError, match="n"):
            Given({"n": wrong}).count("n")
    for pair in ("alone", "=1"):
        with pytest.raises(InputError, match="KEY=VALUE"):
            Given.parse([pair])


def test_notes_do_not_flood():
    """A file with a thousand doubtful lines gives a bounded list."""
    notes = Notes()
    for number in range(1000):
        notes.warn(f"line {number}")
        notes.warn("twice")
    assert len(notes.warnings) == 101
    assert "left out" in notes.warnings[-1]
