"""Every field that the schema knows, with hostile values: of `solve` and of `sweep --vary`."""

from __future__ import annotations

import json
import random
import sys

import pytest

from planner.domain.errors import InputError, UsageError
from planner.domain.instance import Instance
from planner.domain.json_file import parse_json, validate
from planner.study import sweep_axes
from tests.domain.mutations import VALUES, text_of
from tests.domain.schema_fields import BASE, Path, fields, with_value
from tests.domain.test_hostile import MEMORY_BYTES, solved_apart

PATHS = sorted(set(fields()), key=str)
SCALARS = [v for v in VALUES if not isinstance(v, dict | list)]


def _said(error: InputError | UsageError) -> bool:
    """Return False, once a refusal says something."""
    assert str(error)
    return False


def taken(path: Path, value: object) -> bool:
    """Return whether an instance with a value at a field is valid; a refusal says where."""
    try:
        validate(Instance, parse_json(text_of(with_value(path, value)), "i"), "i")
    except InputError as error:
        return _said(error)
    return True


def test_the_fields_are_those_of_the_schema() -> None:
    """Deep ones too, and the instance around them is valid."""
    validate(Instance, BASE, "i")
    assert len(PATHS) > 250
    for path in (("fabric", "reserved_leafs"), ("growth", "phases", 0, "workloads", 0, "fix", "dp"),
                 ("quotes", "x", "usd"), ("site", "floor", "places", 0, "blocked")):  # fmt: skip
        assert path in PATHS


def test_every_field_takes_or_refuses_hostile_values() -> None:
    """Some values of each field, chosen by dice; no other exception."""
    dice = random.Random(0)
    found = [taken(path, value) for path in PATHS for value in dice.sample(VALUES, 4)]
    assert 0 < sum(found) < len(found)


@pytest.mark.slow
def test_every_field_takes_or_refuses_every_hostile_value() -> None:
    """All values of each field."""
    found = [taken(path, value) for path in PATHS for value in VALUES]
    print(f"\n{len(PATHS)} fields: {sum(found)} taken, {len(found) - sum(found)} refused")


def key_of(path: Path) -> str:
    """Return a path as `sweep` reads it."""
    parts = [f"[{p}]" if isinstance(p, int) else f"[{json.dumps(p)}]" for p in path[1:]]
    return str(path[0]) + "".join(parts)


def test_every_field_can_be_varied_by_hostile_values() -> None:
    """`sweep --vary` makes an instance or says what is wrong."""
    dice, made = random.Random(1), 0
    for path in PATHS:
        for value in dice.sample(SCALARS, 3):
            text = text_of(value) if value is not None else "null"
            try:
                axis = sweep_axes.parse_axis(f"{key_of(path)}={text}")
                parts = sweep_axes.parse_path(axis.key)
                assert parts == path
                document = sweep_axes.with_value(BASE, parts, axis.values[0], axis.key)
                validate(Instance, document, "i")
            except (InputError, UsageError) as error:
                _said(error)
                continue
            made += 1
    assert made > 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits and figures of Linux")
@pytest.mark.parametrize("path", PATHS, ids=key_of)
def test_what_a_field_takes_ends_in_an_exit_code(path: Path, tmp_path) -> None:
    """A few of the hostile values that a field takes, solved under a limit of two seconds."""
    dice = random.Random(str(path))
    values = [v for v in dice.sample(VALUES, len(VALUES)) if taken(path, v)][:3]
    for value in values:
        code, err, peak_bytes, _ = solved_apart(with_value(path, value), tmp_path)
        assert code in (0, 2, 3, 4), (value, err[-1500:])
        assert "Traceback" not in err, value
        assert peak_bytes < MEMORY_BYTES
