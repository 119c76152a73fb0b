"""What joins two cages: plugs fill their cages, optics match, protocols and rates agree."""

from __future__ import annotations

import pytest

from planner.domain.fabric_parts import CableAssembly, Connector, Fibre, Transceiver
from planner.physics.links import Cage, LinkMenu, link_menu

SOURCE = {"source": "made up for the test", "spec_confidence": "retrieved"}


def connector(name: str, *accepts: str) -> Connector:
    return Connector(id=name, lanes=8, lane_gbps=100, accepts=accepts or (name,), source="test")


TWIN = Cage(connector=connector("TWIN"), links=2)
NIC = Cage(connector=connector("NIC", "NIC", "OLD"), links=1)


def cable(part: str, a: str, b: str, modes: str, ends_b: int = 1, **other) -> CableAssembly:
    row = {"kind": "DAC", "families": "ethernet;infiniband", "length_m": 2, "power_w_per_end": 0.1}
    return CableAssembly(
        id=part, connector_a=a, connector_b=b, modes=modes, ends_b=ends_b, **row | other, **SOURCE
    )


def module(part: str, plug: str, modes: str, jumpers: int = 1, **other) -> Transceiver:
    row = {
        "vendor": "v", "model": part, "optics": "sr-100", "fibre_type": "OM4",
        "fibre_connector": "MPO", "reach_m": 50, "power_w": 8, "max_power_w": 9,
        "families": "ethernet;infiniband",
    }  # fmt: skip
    return Transceiver(
        id=part, connector=plug, modes=modes, jumpers=jumpers, **row | other, **SOURCE
    )


def fibre(part: str, length_m: float, **other) -> Fibre:
    row = {"fibre_type": "OM4", "connector_a": "MPO", "connector_b": "MPO"}
    return Fibre(id=part, length_m=length_m, **row | other, **SOURCE)


FIBRES = [fibre("f10", 10), fibre("f3", 3), fibre("f60", 60), fibre("split", 5, ends_b=2)]
MODULES = [
    module("nic-sr", "NIC", "1x400"),
    module("twin-sr", "TWIN", "2x400;1x800", jumpers=2),
    module("twin-dr", "TWIN", "2x400", jumpers=2, optics="dr-100", fibre_type="OS2"),
]


def menu(a: Cage, b: Cage, cables=(), modules=(), protocol="ethernet", gbps=400.0) -> LinkMenu:
    return link_menu(protocol, gbps, a, b, cables, modules, FIBRES)


def test_splitter_joins_one_switch_cage_to_two_nics():
    """A cable with one twin end and two single ends joins one cage to two, either way round."""
    split = cable("split", "TWIN", "NIC", "2x400", ends_b=2)
    up = menu(NIC, TWIN, [split]).fixed[0]
    assert (up.links, up.plugs_a, up.plugs_b) == (2, 2, 1)
    down = menu(TWIN, NIC, [split]).fixed[0]
    assert (down.links, down.plugs_a, down.plugs_b) == (2, 1, 2)


@pytest.mark.parametrize(
    "other",
    [
        cable("single", "TWIN", "NIC", "1x400"),
        cable("slow", "TWIN", "NIC", "2x200", ends_b=2),
        cable("plug", "TWIN", "TWIN", "2x400"),
        cable("speech", "TWIN", "NIC", "2x400", ends_b=2, families="infiniband"),
    ],
    ids=lambda part: part.id,
)
def test_what_does_not_fill_or_fit_is_left_out(other):
    """Half-filled cages, wrong rates, wrong plugs and wrong protocols join nothing."""
    assert menu(NIC, TWIN, [other]).empty


def test_an_accepted_older_plug_fits():
    """A cage takes every plug that its connector accepts."""
    assert menu(NIC, NIC, [cable("old", "OLD", "NIC", "1x400")]).fixed


def test_modules_of_the_same_optics_meet():
    """Modules pair by optics; straight jumpers no longer than the reach are kept, shortest first."""
    found = menu(NIC, TWIN, modules=MODULES).optics
    assert [(o.module_a, o.module_b) for o in found] == [("nic-sr", "twin-sr")]
    assert [f.part for f in found[0].fibres] == ["f3", "f10"]
    assert (found[0].links_a, found[0].links_b) == (1, 2)


def test_a_module_needs_a_jumper_for_each_link():
    """A module whose link takes two jumpers is not counted as one jumper a link."""
    wide = Cage(connector=connector("TWIN"), links=1)
    assert menu(wide, wide, modules=MODULES, gbps=800.0).empty


def test_parts_without_a_price_leave_the_menu():
    """`within` keeps only what is known, and an optic only with all three of its parts."""
    split = cable("split", "TWIN", "NIC", "2x400", ends_b=2)
    whole = menu(NIC, TWIN, [split], MODULES)
    assert whole.within({"split"}).optics == ()
    kept = whole.within({"nic-sr", "twin-sr", "f10"})
    assert kept.fixed == ()
    assert [f.part for f in kept.optics[0].fibres] == ["f10"]
    assert kept.assembly_links == 2
