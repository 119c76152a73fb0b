"""Spines are drawn as they are joined: by pod below cores, by plane, else as one bar."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from planner.domain.solution import Tier
from planner.report.drawings.spine_groups import MOST_PLANES, spine_groups
from planner.report.drawings.topology import topology_drawing
from planner.report.notation import notation
from planner.report.words import words


def _grouped(plan, key, groups):
    """Return a plan whose spines, and the leafs of each unit, are of so many pods or planes."""
    devices, spine = [], 0
    for device in plan.devices:
        if device.kind == "spine":
            device = device.model_copy(update={key: spine % groups})
            spine += 1
        elif device.kind == "leaf" and key == "pod":
            device = device.model_copy(update={key: device.group % groups})
        devices.append(device)
    assert spine >= groups
    return plan.model_copy(update={"devices": devices})


@pytest.mark.parametrize("lang", ["en", "es"])
def test_pods_stand_over_their_units(large, lang) -> None:
    """Each pod has a box with its own spines, below the cores, and none is lost."""
    plan = _grouped(large, "pod", 4)
    fabric = plan.design.fabric
    tiers = [*fabric.tiers, Tier(tier="core", switch="qm9700", count=4)]
    fabric = fabric.model_copy(update={"pods": 4, "tiers": tiers})
    plan = plan.model_copy(update={"design": plan.design.model_copy(update={"fabric": fabric})})
    groups = spine_groups(plan, [0, 1, 2, 3], [0, 1, 2, 3], 4, words(lang))
    assert [(g.left, g.right) for g in groups] == [(0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1)]
    spines = sum(device.kind == "spine" for device in plan.devices)
    assert sum(g.spines for g in groups) == spines
    drawn = topology_drawing(plan, words(lang), notation(lang, plan.instance))
    texts = [
        e.text or "" for e in ET.fromstring(drawn.file_text()).iter() if e.tag.endswith("text")
    ]
    for pod in range(1, 5):
        assert sum(text.endswith(f"pod {pod}") for text in texts) == 1


def test_units_of_one_pod_share_its_box(large) -> None:
    """The box spans the slots of all units of the pod that are drawn."""
    plan = _grouped(large, "pod", 2)
    devices = [
        d.model_copy(update={"pod": 0 if d.group < 2 else 1}) if d.kind == "leaf" else d
        for d in plan.devices
    ]
    plan = plan.model_copy(update={"devices": devices})
    groups = spine_groups(plan, [0, 1, 3], [0, 1, 3], 4, words("en"))
    assert [(g.label, g.left, g.right) for g in groups] == [("pod 1", 0, 0.5), ("pod 2", 0.75, 1)]


def test_planes_stand_side_by_side(large) -> None:
    """Two planes share the width; a plan without either has one bar."""
    groups = spine_groups(_grouped(large, "plane", 2), [0, 1], [0, 1], 2, words("es"))
    assert [(g.label, g.left, g.right) for g in groups] == [
        ("plano 1", 0, 0.5),
        ("plano 2", 0.5, 1),
    ]
    assert spine_groups(large, [0, 1], [0, 1], 2, words("en")) == []
    assert MOST_PLANES >= 8
