from __future__ import annotations

from planner.report.cabling import cable_groups


def test_groups_hold_every_link_once(large):
    """The summary adds up to the schedule."""
    groups = cable_groups(large.cables)
    assert sum(group.links for group in groups) == len(large.cables)
    modules = sum(bool(c.a_module) + bool(c.b_module) for c in large.cables)
    assert sum(group.modules for group in groups) == modules


def test_links_of_one_assembly_count_as_one_cable(plan):
    """A twin-port cable is bought once."""
    twins = [c.model_copy(update={"assembly": "asm-1"}) for c in plan.cables[:2]]
    (group,) = cable_groups(twins)
    assert (group.links, group.assemblies) == (2, 1)


def test_tiers_stand_from_servers_upwards(plan):
    """The order is the tiers' own, not the alphabet's."""
    assert [g.tier for g in cable_groups(plan.cables)] == ["node_leaf", "leaf_spine"]
