from __future__ import annotations

from planner.report.racks_alike import rack_groups, rack_role, span


def test_identical_racks_are_one_group(large):
    """32 server racks need one drawing; every rack is in one group."""
    groups = rack_groups(large.racks, large.devices)
    assert sorted(len(group.racks) for group in groups) == [1, 1, 1, 32]
    assert sum(len(group.racks) for group in groups) == len(large.racks)


def test_a_moved_box_makes_another_group(plan):
    """Installers need the difference of one rack unit."""
    devices = list(plan.devices)
    last = max(k for k, d in enumerate(devices) if d.kind == "node")
    devices[last] = devices[last].model_copy(update={"unit": devices[last].unit + 1})
    before = rack_groups(plan.racks, plan.devices)
    assert len(rack_groups(plan.racks, devices)) == len(before) + 1


def test_a_rack_with_servers_and_switches_is_mixed(plan):
    """The floor plan colours by role."""
    node = next(d for d in plan.devices if d.kind == "node")
    leaf = next(d for d in plan.devices if d.kind == "leaf")
    assert rack_role([node, leaf]) == "mixed"
    assert rack_role([node]) == "servers"
    assert rack_role([leaf]) == "network"
    assert rack_role([]) == "empty"


def test_a_long_row_of_names_is_shortened():
    """Never a thousand names."""
    assert span([f"r{k}" for k in range(9)]) == "r0 … r8"
