"""Strict JSON reading."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.json_file import parse_json, read_json, read_text, validate

GOOD = {
    "name": "x",
    "workloads": [{"name": "w", "network": "gpt2-xl", "global_batch": 8, "step_time_s": 1.0}],
    "site": {"racks": 2, "rack_kw": 20},
}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{"a": NaN}', "NaN"),
        ('{"a": Infinity}', "Infinity"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1, "a": 2}', "twice"),
        ("[" * 100_000, "nested"),
        ('{"a": ' + "9" * 5000 + "}", "digits"),
        ('{"a": 1,}', "line 1"),
        ("", "the file is empty"),
    ],
)
def test_refuses_what_json_does_not_define(text: str, word: str) -> None:
    """Each oddity that the standard parser lets through, or chokes on, is one clear fault."""
    with pytest.raises(InputError) as caught:
        parse_json(text, "f.json")
    assert word in str(caught.value)
    assert str(caught.value).startswith("f.json: ")


def test_braces_inside_strings_do_not_nest() -> None:
    """A string full of brackets is no nesting."""
    document = {"a": "[" * 500 + '\\"' + "{" * 500}
    assert parse_json(json.dumps(document), "f") == document


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=12,
    )
)
def test_reads_any_json_value_back(document: object) -> None:
    """What `json` writes is read back unchanged."""
    assert parse_json(json.dumps(document), "f") == document


def test_missing_folder_and_binary_files_are_faults(tmp_path) -> None:
    """Files that are no text give a sentence, not a traceback."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "large").write_bytes(b" " * 2000)
    for name in ("absent", "binary", "."):
        with pytest.raises(InputError):
            read_json(tmp_path / name)
    with pytest.raises(InputError, match="KiB"):
        read_text(tmp_path / "large", max_bytes=1000)


def test_all_faults_at_once_with_path_and_nearest_name() -> None:
    """A file with five faults gives five lines; a typo names the key that was meant."""
    bad = json.loads(json.dumps(GOOD))
    bad["workloads"][0]["gloabl_batch"] = 3
    bad["workloads"][0]["availability"] = 2
    bad["site"]["racks"] = -1
    bad["finance"] = {"years": "five"}
    bad["nam"] = "y"
    with pytest.raises(InputError) as caught:
        validate(Instance, bad, "i.json")
    lines = str(caught.value).splitlines()
    assert len(lines) == 5
    assert any("$.workloads[0].gloabl_batch" in li and "'global_batch'" in li for li in lines)
    assert any("$.site.racks" in line for line in lines)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"tokens": 1e9}, "two targets"),
        ({"step_time_s": None}, "no target"),
        ({"step_time_s": None, "tokens": 1e9}, "no target"),
        ({"step_time_s": None, "tokens": 1e9, "deadline_days": 9, "repeat_days": 1}, "repeat"),
    ],
)
def test_a_workload_has_exactly_one_target(change: dict[str, object], word: str) -> None:
    """Contradicting or missing targets are named."""
    bad = json.loads(json.dumps(GOOD))
    bad["workloads"][0].update(change)
    with pytest.raises(InputError, match=word):
        validate(Instance, bad, "i.json")


def test_target_follows_from_tokens_deadline_and_availability() -> None:
    """step time = days x availability / steps, and a run that exactly meets it fills its time."""
    good = json.loads(json.dumps(GOOD))
    good["workloads"][0] |= {
        "step_time_s": None,
        "tokens": 8 * 1024 * 1000,
        "deadline_days": 1,
        "sequence_length": 1024,
        "availability": 0.5,
    }
    workload = validate(Instance, good, "i").workloads[0]
    assert workload.steps == 1000
    assert workload.target_s == pytest.approx(86400 * 0.5 / 1000)
    assert workload.busy_fraction(workload.target_s) == pytest.approx(1.0)
