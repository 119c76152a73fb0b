from __future__ import annotations

import csv
import datetime
import io
import json
import re

import pytest

from planner.export.star import star_files, write_star
from planner.export.tables import TABLES


def _descriptor(solution):
    return json.loads(dict(star_files(solution))["datapackage.json"])


READ = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": {"TRUE": True, "FALSE": False}.__getitem__,
    "date": datetime.date.fromisoformat,
    "datetime": datetime.datetime.fromisoformat,
}


@pytest.mark.parametrize("name", ["plan", "large", "hostile_plan", "lost", "euro_plan"])
def test_every_cell_is_of_the_type_that_the_descriptor_states(request, name):
    """Header by header, and required cells are filled."""
    solution = request.getfixturevalue(name)
    files = dict(star_files(solution))
    for resource in _descriptor(solution)["resources"]:
        rows = list(csv.reader(io.StringIO(files[resource["path"]][1:], newline="")))
        fields = resource["schema"]["fields"]
        assert rows[0] == [field["name"] for field in fields]
        for row in rows[1:]:
            for cell, field in zip(row, fields, strict=True):
                if cell:
                    READ[field["type"]](cell)
                else:
                    assert "constraints" not in field, (resource["name"], field["name"])


def test_keys_point_at_tables_and_columns_that_exist(plan):
    """Primary keys are columns; a foreign key ends at the primary key of its dimension."""
    resources = {item["name"]: item for item in _descriptor(plan)["resources"]}
    assert list(resources) == [table.name for table in TABLES]
    for resource in resources.values():
        names = {field["name"] for field in resource["schema"]["fields"]}
        assert set(resource["schema"]["primaryKey"]) <= names
        for key in resource["schema"].get("foreignKeys", []):
            target = resources[key["reference"]["resource"]]
            assert set(key["fields"]) <= names
            assert key["reference"]["fields"] == target["schema"]["primaryKey"]


def test_names_and_paths_are_legal(plan):
    """As the standard's pattern asks; files lie beside the descriptor."""
    found = _descriptor(plan)
    assert re.fullmatch(r"[-a-z0-9._/]+", found["name"])
    for resource in found["resources"]:
        assert re.fullmatch(r"[-a-z0-9._/]+", resource["name"])
        assert resource["path"] == f"{resource['name']}.csv"
        for field in resource["schema"]["fields"]:
            assert field["description"]
    assert found["runs"] == [plan.run.run_id]


@pytest.mark.parametrize("name", ["plan", "hostile_plan", "lost", "euro_plan"])
def test_the_frictionless_package_finds_no_fault(request, name, tmp_path):
    """Types, primary and foreign keys of every table, by the standard's own checker."""
    frictionless = pytest.importorskip("frictionless")
    write_star(request.getfixturevalue(name), tmp_path)
    report = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert report.valid, report.flatten(["title", "fieldName", "rowNumber", "message"])[:5]
    assert len(report.tasks) == len(TABLES)


def test_the_frictionless_package_finds_a_planted_orphan(plan, tmp_path):
    """So that its silence means something."""
    frictionless = pytest.importorskip("frictionless")
    write_star(plan, tmp_path)
    path = tmp_path / "fact_cost.csv"
    text = path.read_text(encoding="utf-8-sig").replace("servers/capex", "unknown/capex", 1)
    path.write_text(text, encoding="utf-8-sig", newline="")
    report = frictionless.validate(str(tmp_path / "datapackage.json"))
    assert not report.valid
    assert "unknown/capex" in str(report.flatten(["message"]))
