"""The lanes of one step: the GPUs' lane is the whole step, and every communication has a bar."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from planner.domain.instance import Instance
from planner.report.drawings.step_lanes import lanes_drawing, merged, slots
from planner.report.notation import notation
from planner.report.words import words
from planner.study.decide import DecideOptions, decide


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory):
    """Return a solved workload that sends tensor, pipeline and gradient messages."""
    instance = Instance.model_validate(
        {
            "name": "lanes",
            "workloads": [
                {"name": "train", "network": "llama3-8b", "sequence_length": 4096,
                 "global_batch": 128, "step_time_s": 60,
                 "fix": {"tp": 4, "pp": 2, "sharding": "zero1", "micro_batch": 1}}
            ],
            "site": {"racks": 4, "rack_kw": 44},
            "fix": {"server": "hgx-h100-8", "nodes": 2, "family": "infiniband"},
        }
    )  # fmt: skip
    file = tmp_path_factory.mktemp("lanes") / "lanes.json"
    options = DecideOptions(alternatives=False)
    return decide(instance, file, options, lambda _: None).solution.workloads[0]


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_gpus_lane_adds_up_to_the_step(result, lang: str) -> None:
    """No second of the step is drawn twice or left out."""
    total = sum(slot.seconds for slot in slots(result, words(lang)))
    assert total == pytest.approx(result.step_time_s)


def test_each_communication_has_a_bar_inside_the_drawing(result) -> None:
    """One labelled lane a purpose; no bar leaves the drawing on either side."""
    names = {"en": words("en")}
    instance = Instance.model_validate(
        {"name": "x", "workloads": [{"name": "w", "network": "n", "global_batch": 1,
                                     "step_time_s": 1}], "site": {"racks": 1, "rack_kw": 1}}
    )  # fmt: skip
    drawing = lanes_drawing(result, 0, names["en"], notation("en", instance))
    root = ET.fromstring(drawing.file_text())
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    for name in merged(result.collectives):
        assert names["en"].label("part", name) in texts
    for rect in (e for e in root.iter() if e.tag.endswith("rect")):
        assert float(rect.get("x")) >= 0
        assert float(rect.get("x")) + float(rect.get("width")) <= drawing.width + 1
