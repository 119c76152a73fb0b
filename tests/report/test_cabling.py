from __future__ import annotations

from planner.domain.solution import CableGroup
from planner.report.cabling import cable_lines


def test_groups_hold_every_link_once(large):
    """The summary adds up to the schedule."""
    groups = cable_lines(large)
    assert sum(group.links for group in groups) == len(large.cables)
    modules = sum(bool(c.a_module) + bool(c.b_module) for c in large.cables)
    assert sum(group.modules for group in groups) == modules


def test_links_of_one_assembly_count_as_one_cable(plan):
    """A twin-port cable is bought once."""
    twins = [c.model_copy(update={"assembly": "asm-1"}) for c in plan.cables[:2]]
    (group,) = cable_lines(plan.model_copy(update={"cables": twins}))
    assert (group.links, group.assemblies) == (2, 1)


def test_tiers_stand_from_servers_upwards(plan):
    """The order is the tiers' own, not the alphabet's."""
    assert [g.tier for g in cable_lines(plan)] == ["node_leaf", "leaf_spine"]


def test_groups_of_links_count_like_the_links_they_stand_for(plan):
    """A document with groups shows the same lines as one with every link."""
    c = plan.cables[0]
    group = CableGroup(
        id="g1", tier=c.tier, a_first=c.a, a_last=c.a, b_first=c.b, b_last=c.b, links_each=4,
        links=4, needed_m=c.needed_m, length_m=c.length_m, part=c.part, assembly_links=2,
        a_cage_links=2, b_cage_links=2, a_module="", b_module="",
    )  # fmt: skip
    grouped = plan.model_copy(update={"cables": [], "cable_groups": [group]})
    single = grouped.model_copy(update={"cables": grouped.links(), "cable_groups": []})
    assert cable_lines(grouped) == cable_lines(single)
    assert cable_lines(grouped)[0].assemblies == 2
