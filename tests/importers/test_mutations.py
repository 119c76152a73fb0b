from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.importers.imported import Given
from planner.importers.kinds import KINDS, import_file

DATA = Path(__file__).parents[1] / "data" / "importers"
SAMPLES = {
    "config.json": "hf-config",
    "ds_config.json": "deepspeed-config",
    "job.toml": "torchtitan",
    "launch.sh": "megatron-args",
    "launch_deepspeed.sh": "megatron-args",
    "topo.xml": "nccl-topology",
    "topo.txt": "nvidia-smi-topo",
    "topology.conf": "slurm-topology",
    "topology.yaml": "slurm-topology",
    "ibnetdiscover.txt": "ibnetdiscover",
    "iblinkinfo.txt": "iblinkinfo",
    "lldp.txt": "lldp",
    "cables.csv": "netbox-cables",
    "cluster.yaml": "topograph",
    "netq.json": "netq",
    "quote_en.csv": "quotes",
    "quote_es.csv": "quotes",
    "quote.xlsx": "quotes",
}
GIVEN = {
    "quotes": {"usd_per_eur": "1.1", "today": "2026-06-01"},
    "torchtitan": {"world_size": "32", "gpus_per_node": "8"},
    "megatron-args": {"deadline_days": "9", "racks": "2", "rack_kw": "30", "world_size": "32"},
}
PIECES = (
    b"\0", b"\xff\xfe", b"\xc3", b"\n", b"\r", b"\t", b" ", b'"', b"'", b"{", b"}", b"[", b"]", b"(",
    b")", b"<", b">", b",", b";", b"=", b":", b"-", b"$", b"#", b"\\", b"&x;", b"0", b"-1", b"1e999",
    b"9999999999999999999999", b"NaN", b"null", b"true", b"\xed\xa0\x80", b"\\ud800", b"[1-9]",
    b"[1-999999]", b"${X}", b"$((", b"NV18", b"GPU0", b"--", b"fi", b"done", b"esac", b"<<EOT",
    b"&a ", b"*a ", b"!!int ", b"- - - ", b"<!DOCTYPE a>", b"auto", "\u2194".encode(), b"%",
)  # fmt: skip


def workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in (
        ["Part", "Unit price USD", "Date"],
        ["qm9700", 21000, "2026-05-04"],
        ["X", 1, "2026-05-04"],
    ):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@cache
def samples():
    """Return the bytes of every sample by name."""
    held = {name: (DATA / name).read_bytes() for name in SAMPLES if name != "quote.xlsx"}
    return held | {"quote.xlsx": workbook()}


def attempt(path, kind):
    """Import a file; anything but a document that JSON holds or an InputError is a failure."""
    try:
        result = import_file(kind, path, Given(GIVEN.get(kind, {})))
    except InputError:
        return None
    json.dumps(
        {name: dict(document) for name, document in result.documents.items()}, allow_nan=False
    )
    assert all(isinstance(text, str) for text in (*result.facts, *result.warnings))
    return result


@pytest.mark.parametrize(("name", "kind"), SAMPLES.items())
def test_samples_import_as_they_stand(name, kind, tmp_path):
    """Every sample is read before it is spoiled, and is refused by no kind with a traceback."""
    path = tmp_path / name
    path.write_bytes(samples()[name])
    assert attempt(path, kind) is not None
    for other in KINDS:
        attempt(path, other)


edits = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.floats(0, 1), st.sampled_from(PIECES)),
        st.tuples(st.just("cut"), st.floats(0, 1), st.integers(1, 60)),
        st.tuples(st.just("flip"), st.floats(0, 1), st.integers(0, 255)),
        st.tuples(st.just("double"), st.floats(0, 1), st.integers(1, 200)),
        st.tuples(st.just("move"), st.floats(0, 1), st.floats(0, 1)),
        st.tuples(st.just("end"), st.floats(0, 1), st.none()),
        st.tuples(st.just("other"), st.floats(0, 1), st.sampled_from(sorted(SAMPLES))),
        st.tuples(
            st.just("digits"), st.floats(0, 1), st.sampled_from((b"0", b"-7", b"1e30", b"x"))
        ),
    ),
    min_size=1,
    max_size=6,
)


def spoil(data: bytes, operations) -> bytes:
    """Return the bytes after a list of edits."""
    for name, where, what in operations:
        place = int(where * len(data))
        if name == "put":
            data = data[:place] + what + data[place:]
        elif name == "cut":
            data = data[:place] + data[place + what :]
        elif name == "flip" and data:
            place = min(place, len(data) - 1)
            data = data[:place] + bytes([what]) + data[place + 1 :]
        elif name == "double":
            data = data[: place + what] + data[place:]
        elif name == "move":
            other = int(what * len(data))
            low, high = sorted((place, other))
            data = data[high:] + data[low:high] + data[:low]
        elif name == "end":
            data = data[:place]
        elif name == "other":
            data = data[:place] + samples()[what][:3000] + data[place:]
        elif name == "digits":
            end = place
            while end < len(data) and not data[end : end + 1].isdigit():
                end += 1
            stop = end
            while stop < len(data) and data[stop : stop + 1].isdigit():
                stop += 1
            data = data[:end] + what + data[stop:]
    return data[:200_000]


def check(name, operations, folder):
    path = folder / "spoiled"
    path.write_bytes(spoil(samples()[name], operations))
    attempt(path, SAMPLES[name])


QUIET = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}


@given(name=st.sampled_from(sorted(SAMPLES)), operations=edits)
@settings(max_examples=400, **QUIET)
def test_spoiled_files_are_read_or_refused(name, operations, tmp_path):
    """Cut, doubled, swapped and mixed files never end in another exception."""
    check(name, operations, tmp_path)


@pytest.mark.slow
@given(name=st.sampled_from(sorted(SAMPLES)), operations=edits)
@settings(max_examples=100_000, **QUIET)
def test_a_hundred_thousand_spoiled_files(name, operations, tmp_path):
    """The same, at length."""
    check(name, operations, tmp_path)
