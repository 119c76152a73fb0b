from __future__ import annotations

import json

from planner.domain.seal import sealed
from planner.domain.solution import Solution
from planner.report.document import solution_json


def test_the_document_reads_back_equal(large, lost, hostile_plan):
    """Nothing is lost or rounded on the way through the file; only the seal is added."""
    for solution in (large, lost, hostile_plan):
        assert Solution.model_validate(json.loads(solution_json(solution))) == sealed(solution)


def test_the_schema_link_keeps_its_name(sample):
    """An instance inside a solution can be taken out and solved again."""
    plan = sample.feasible(4, sample.instance(**{"$schema": "../schema.json"}))
    assert json.loads(solution_json(plan))["instance"]["$schema"] == "../schema.json"
