"""Faults speak of braces, brackets, quotes and dates, never of validators."""

from __future__ import annotations

import copy
import json

import pytest

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.json_file import parse_json, validate
from planner.domain.workload import StrategyChoice

GOOD = {
    "name": "a",
    "workloads": [
        {"name": "w", "network": "gpt2-xl", "sequence_length": 1024, "global_batch": 8,
         "step_time_s": 5}
    ],
    "site": {"racks": 2, "rack_kw": 20},
}  # fmt: skip


def said(path: str, value: object) -> str:
    """Return the message for an instance with one wrong value."""
    document = copy.deepcopy(GOOD)
    *parents, last = path.split(".")
    node = document
    for key in parents:
        node = node.setdefault(key, {})
    node[last] = value
    with pytest.raises(InputError) as caught:
        validate(Instance, document, "a.json")
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("site", [1], "braces {}"),
        ("workloads", {"a": 1}, "brackets []"),
        ("site.racks", "many", "whole number"),
        ("site.racks", 2.5, "whole number"),
        ("site.rack_kw", "much", "must be a number"),
        ("name", 7, "in quotes"),
        ("name", "clúster*", "begin with a letter or digit"),
        ("finance.report_currency", "euro", "three capital letters"),
        ("quotes", {"x": {"usd": 1, "date": "soon"}}, "2026-09-22"),
        ("fabric.even_spread", "perhaps", "true or false"),
        ("finance.years", 0.01, "0.25"),
    ],
)
def test_each_kind_of_fault_is_told_plainly(path, value, words):
    """The message says what to write and holds no regular expression or type of Python."""
    message = said(path, value)
    assert words in message
    for jargon in (
        "valid dictionary",
        "valid list",
        "valid string",
        "valid integer",
        "pattern",
        "[A-Z",
    ):
        assert jargon not in message


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_file_is_called_empty(text):
    """No talk of an expected value at line 1."""
    with pytest.raises(InputError, match="the file is empty"):
        parse_json(text, "a.json")


def test_a_fraction_is_not_told_to_lose_quotes():
    """It has none; text instead of a number has."""
    assert "quotes" not in said("site.racks", 2.5)
    assert "quotes" in said("site.racks", "many")


def test_the_good_one_is_good():
    """The base of these tests has no fault of its own."""
    assert validate(Instance, json.loads(json.dumps(GOOD)), "a.json").name == "a"


@pytest.mark.parametrize(
    "key", ["tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "etp", "nodes"]
)
@pytest.mark.parametrize("value", [0, -1, False, "0", 2**31, 10**38, [0], ["-1", 2]])
def test_a_pin_outside_what_can_be_counted_is_one_fault_of_its_field(key, value) -> None:
    """Where one value or a list may stand, only what is wrong with the one given is told."""
    with pytest.raises(InputError) as caught:
        validate(StrategyChoice, {key: value}, "i")
    (fault,) = caught.value.faults
    assert fault.where == (f"$.{key}[0]" if isinstance(value, list) else f"$.{key}")
