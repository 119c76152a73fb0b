"""The seal tells every changed figure, word and list, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.cli.main import run
from planner.domain.instance import load_instance
from planner.domain.regions_answer import RegionsAnswer
from planner.domain.resources import data_root
from planner.domain.seal import seal_of, sealed
from planner.domain.solution import Solution

SITES = data_root() / "instances" / "two-sites.json"
SAMPLE = Path(__file__).parents[2] / "reports" / "samples" / "flip-72-links" / "solution.json"


def leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every scalar and every list of a document."""
    found = []
    items: Any = ()
    if isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list):
        found = [path] if node else []
        items = enumerate(node)
    else:
        return [path]
    for key, value in items:
        found += leaves(value, (*path, key))
    return found


def change(document: Any, path: tuple[Any, ...]) -> Any:
    """Return a copy with one scalar altered or one list cut."""
    copy = json.loads(json.dumps(document))
    node = copy
    for key in path[:-1]:
        node = node[key]
    old = node[path[-1]]
    if isinstance(old, list):
        old.pop()
    elif isinstance(old, bool) or old is None:
        node[path[-1]] = not old
    else:
        node[path[-1]] = old + "x" if isinstance(old, str) else old + 1
    return copy


def unbroken(document: Any, model: Any, most: int) -> tuple[int, list[tuple[Any, ...]]]:
    """Return how many changes still read as an answer, and those that keep the seal."""
    paths = [p for p in leaves(document) if p[0] not in ("seal", "instance")]
    paths = [p for p in paths if p not in (("run", "wall_s"), ("run", "started"))]
    changed, kept = 0, []
    for path in paths[:: max(1, len(paths) // most)]:
        try:
            other = model.model_validate(change(document, path))
        except ValueError:
            continue
        changed += 1
        if other.seal == seal_of(other):
            kept.append(path)
    return changed, kept


@pytest.fixture(scope="module")
def over_sites() -> Any:
    """Return a sealed answer over several sites as plain JSON."""
    from planner.study.regions import decide_regions

    answer = decide_regions(load_instance(str(SITES))[0], SITES).answer
    return sealed(answer).model_dump(mode="json", by_alias=True)


@pytest.fixture(scope="module")
def document() -> Any:
    """Return a shipped solution as plain JSON, sealed."""
    solution = Solution.model_validate_json(SAMPLE.read_text(encoding="utf-8"))
    return sealed(solution).model_dump(mode="json", by_alias=True)


def test_every_change_breaks_the_seal(document: Any) -> None:
    """Whatever is changed and still reads as a solution no longer carries its own seal."""
    changed, kept = unbroken(document, Solution, 400)
    assert changed > 200
    assert kept == []


def test_every_change_of_an_answer_over_sites_breaks_its_seal(over_sites: Any) -> None:
    """The same of what joins the sites; an instance that asks otherwise breaks it too."""
    changed, kept = unbroken(over_sites, RegionsAnswer, 10**6)
    assert changed > 80
    assert kept == []
    over_sites["instance"]["site"]["racks"] += 1
    other = RegionsAnswer.model_validate(over_sites)
    assert other.seal != seal_of(other)


def test_times_layout_and_order_do_not_matter(document: Any) -> None:
    """A seal survives another clock, another indentation and another order of keys."""
    other = json.loads(json.dumps(document, indent=3, sort_keys=True))
    other["run"]["wall_s"] += 1
    again = Solution.model_validate(other)
    assert again.seal == seal_of(again)


@pytest.mark.parametrize("spoil", ["", "0" * 64])
def test_verify_wants_the_seal(
    document: Any, tmp_path: Path, spoil: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`planner verify` names a seal that is missing or wrong, and exits with 1."""
    file = tmp_path / "solution.json"
    file.write_text(json.dumps(document | {"seal": spoil}), encoding="utf-8")
    assert run(["verify", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["violations"]
    assert [v["check"] for v in found] == ["document-seal"]
