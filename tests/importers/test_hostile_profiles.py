"""Profiles that are cut, spoiled, enormous or no profiles at all: one line, bounded memory."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.importers import json_stream
from planner.importers.imported import Given
from planner.importers.kinds import import_file
from planner.importers.nsys import nsys_profile
from planner.importers.torch_trace import torch_profile
from tests.importers.trace_builders import (
    GEMM,
    SCHEMA,
    Run,
    torch_document,
    two_steps,
    write_nsys,
    write_torch,
)

READERS = {"torch-trace": torch_profile, "nsys": nsys_profile}


def refused(kind, path):
    """Return the only line with which a file is refused."""
    with pytest.raises(InputError) as caught:
        import_file(kind, path, Given())
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert len(lines[0]) < 300 + len(str(path))
    return lines[0]


def attempt(kind, path):
    """Import a file: a document that JSON holds, or one line."""
    said = ""
    try:
        json.dumps(dict(import_file(kind, path, Given()).document), allow_nan=False)
    except InputError as error:
        said = str(error)
    assert len(said.splitlines()) <= 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"hello", "no JSON"),
        (b"\x89PNG\r\n", "no JSON"),
        (b"{}", "no traceEvents"),
        (b'{"traceEvents": []}', "no trace events"),
        (b'{"traceEvents": 7}', "no traceEvents"),
        (b"[]", "no trace events"),
        (b'{"traceEvents": [{"ph": "X"', "cut off"),
        (b'{"traceEvents": [{"ph": "X"}', "cut off"),
        (b'{"traceEvents": [{"ph": "X"}], "a"', "cut off"),
        (b'{"traceEvents": [{"ph": "X"} {"ph": "X"}]}', "between two entries"),
        (b'{"traceEvents": [{"ph": X}]}', "no JSON near byte"),
        (b'{"traceEvents": [' + b"[" * 200_000, "nested too deep"),
        (b'{"a": ' + b"[" * 200_000, "nested too deep"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "number that is too long"),
        (b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "x"}]}', "no kernel ran"),
        (gzip.compress(b'{"traceEvents": []}', mtime=0)[:-12], "cut off"),
        (b"\x1f\x8b" + b"junk" * 50, "gzip file is broken"),
    ],
)  # fmt: skip
def test_no_trace_is_refused_in_one_line(content, said, tmp_path):
    """Each says what is wrong with it."""
    path = tmp_path / "trace.json"
    path.write_bytes(content)
    assert said in refused("torch-trace", path)


@pytest.mark.parametrize("kind", READERS)
def test_folders_and_missing_files_are_named(kind, tmp_path):
    """As anywhere else."""
    assert "folder" in refused(kind, tmp_path)
    assert "no such file" in refused(kind, tmp_path / "missing")


def test_an_open_array_is_a_whole_trace(tmp_path):
    """The Trace Event Format lets the closing bracket be left out."""
    events = torch_document(two_steps())["traceEvents"]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(events)[:-1])
    assert torch_profile(path).mean.compute_s == pytest.approx(600e-6)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marked_encodings_are_read(encoding, tmp_path):
    """Editors on Windows write them."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(torch_document(two_steps())), encoding=encoding)
    assert len(torch_profile(path).steps) == 2


def test_bytes_that_are_no_text_stand_in_names_only(tmp_path):
    """A name in another encoding does not stop the reading."""
    data = json.dumps(torch_document(two_steps())).encode().replace(b"sm90_", b"sm\xff\xfe_")
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    assert torch_profile(path).mean.compute_s == pytest.approx(600e-6)


def test_events_across_pieces_are_whole(tmp_path, monkeypatch):
    """Reading in pieces of any size gives the same profile."""
    path = write_torch(tmp_path / "trace.json", two_steps())
    whole = torch_profile(path)
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(json_stream, "CHUNK_BYTES", size)
        assert torch_profile(path) == whole


def test_one_enormous_entry_is_refused(tmp_path, monkeypatch):
    """An entry is held whole, so its length is bounded."""
    monkeypatch.setattr(json_stream, "MAX_VALUE", 1 << 16)
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 1 << 14)
    path = tmp_path / "trace.json"
    path.write_text('{"traceEvents": [{"name": "' + "x" * (1 << 18) + '"}]}')
    assert "one entry is longer" in refused("torch-trace", path)


def test_a_bomb_is_stopped_by_its_unpacked_size(tmp_path, monkeypatch):
    """What unpacks to more than is read is refused while it unpacks."""
    monkeypatch.setattr(json_stream, "MAX_BYTES", 4 << 20)
    path = tmp_path / "trace.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": [' + b" " * (64 << 20)))
    assert "too large" in refused("torch-trace", path)


def test_memory_does_not_grow_with_what_is_not_kept(tmp_path):
    """Nine megabytes of operators leave less than six in memory at any time."""
    operator = json.dumps({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 1,
                           "args": {"Input Dims": [[1] * 200]}})  # fmt: skip
    kernels = json.dumps(torch_document(two_steps())["traceEvents"])[1:-1]
    path = tmp_path / "trace.json"
    with path.open("w") as handle:
        handle.write('{"traceEvents": [' + kernels)
        for _ in range(90):
            handle.write("," + ",".join([operator] * 150))
        handle.write("]}")
    assert path.stat().st_size > 9e6
    tracemalloc.start()
    try:
        torch_profile(path)
        assert tracemalloc.get_traced_memory()[1] < 6e6
    finally:
        tracemalloc.stop()


ODD = st.one_of(
    st.none(), st.booleans(), st.text(max_size=5), st.integers(), st.floats(), st.just([[]]),
    st.just(1e308), st.just(-(2**70)), st.just("9" * 50), st.just({"a": {}}),
)  # fmt: skip


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(
            st.integers(0, 40),
            st.sampled_from(
                [
                    "ph",
                    "cat",
                    "name",
                    "ts",
                    "dur",
                    "pid",
                    "tid",
                    "args",
                    "device",
                    "correlation",
                    "dtype",
                    "In msg nelems",
                    "Group size",
                    "Process Group Ranks",
                    "Collective name",
                ]
            ),
            ODD,
        ),
        max_size=8,
    )
)
def test_fields_of_any_value_never_break_the_reading(changes, tmp_path):
    """An event's fields may be anything; the result is a profile or a sentence."""
    document = torch_document(two_steps())
    events = document["traceEvents"]
    for place, key, value in changes:
        event = events[place % len(events)]
        inner = event.get("args")
        holder = inner if isinstance(inner, dict) and key in inner else event
        holder[key] = value
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(document))
    attempt("torch-trace", path)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    which=st.sampled_from(["torch", "gz", "nsys"]),
    edits=st.lists(
        st.tuples(st.sampled_from(["flip", "cut", "end"]), st.floats(0, 1), st.integers(0, 255)),
        min_size=1,
        max_size=5,
    ),
)
def test_spoiled_bytes_end_in_a_profile_or_a_sentence(which, edits, tmp_path):
    """Bytes flipped, cut out or cut off never end in a traceback."""
    name = {"torch": "t.json", "gz": "t.json.gz", "nsys": "t.sqlite"}[which]
    path = tmp_path / name
    (write_nsys if which == "nsys" else write_torch)(path, two_steps(20.0))
    data = bytearray(path.read_bytes())
    for how, where, value in edits:
        place = int(where * (len(data) - 1)) if data else 0
        if how == "flip" and data:
            data[place] = value
        elif how == "cut":
            del data[place : place + value]
        elif how == "end":
            del data[place:]
    path.write_bytes(bytes(data))
    attempt("nsys" if which == "nsys" else "torch-trace", path)


def database(path, script):
    """Write a database from SQL."""
    link = sqlite3.connect(path)
    link.executescript(script)
    link.commit()
    link.close()
    return path


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("CREATE TABLE a (b)", "no table of kernels"),
        (SCHEMA, "no kernel ran"),
        ("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (begin INTEGER)", "no table of kernels"),
        (("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL"
         " SELECT start + 1 FROM n) SELECT start, start + 1 AS end FROM n"), "no table of kernels"),
        (("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('a', 'b'), (NULL, 1), (5, 1)"),
         "no kernel ran"),
    ],
)  # fmt: skip
def test_other_databases_are_refused_in_one_line(script, said, tmp_path):
    """Views are no tables; rows without moments are no kernels."""
    assert said in refused("nsys", database(tmp_path / "t.sqlite", script))


def test_a_cut_database_is_refused(tmp_path):
    """Half an export is none."""
    path = write_nsys(tmp_path / "t.sqlite", two_steps(20.0, 400))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "cut off or broken" in refused("nsys", path)


def test_a_report_that_was_not_exported_is_told_how(tmp_path):
    """The profiler's own format is no database."""
    path = tmp_path / "t.nsys-rep"
    path.write_bytes(b"QDREP" * 100)
    assert "nsys export --type sqlite" in refused("nsys", path)


def test_the_database_is_left_as_it_was(tmp_path):
    """Reading writes nothing beside the file, nor into it."""
    path = write_nsys(tmp_path / "t.sqlite", two_steps())
    before = path.read_bytes()
    path.chmod(0o400)
    nsys_profile(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.sqlite"]


def test_oldest_columns_are_enough(tmp_path):
    """A table of kernels alone, with names as text, is a profile."""
    path = database(
        tmp_path / "t.sqlite",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, name TEXT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 50, 'gemm'),"
        " (50, 80, 'ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)')",
    )
    found = nsys_profile(path)
    assert found.mean.compute_s == pytest.approx(50e-9)
    assert found.collectives[0].collective == "all_reduce"


def test_more_activities_than_are_kept_is_said(tmp_path, monkeypatch):
    """The number of kernels that are held is bounded."""
    from planner.importers import gpu_timeline

    monkeypatch.setattr(gpu_timeline, "MAX_ACTIVITIES", 10)
    run = Run()
    for k in range(11):
        run.kernel(GEMM, k, 1)
    assert "more than 10 GPU activities" in refused(
        "torch-trace", write_torch(tmp_path / "t.json", run)
    )


@pytest.mark.parametrize(
    ("name", "kind"), [("rank0.json.gz", "torch-trace"), ("rank0.sqlite", "nsys")]
)
def test_samples_give_the_step_that_they_were_made_of(name, kind, data_folder):
    """The files beside the tests are read as they stand."""
    found = import_file(kind, data_folder / name, Given())
    assert found.document["mean"]["compute_s"] == pytest.approx(600e-6)
    assert found.document["mean"]["exposed_network_s"] == pytest.approx(200e-6)
