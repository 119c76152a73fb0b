"""Modules in switches of another maker are told by name, and no others."""

from __future__ import annotations

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.solution import Cable, Device
from planner.program.module_makers import foreign_modules

CATALOG = load_catalog()
OWN = next(t.id for t in CATALOG.transceivers.values() if t.vendor == "NVIDIA")
THIRD = next(t.id for t in CATALOG.transceivers.values() if t.vendor == "third party")


def link(switch, a_module, b_module):
    """Return a server, a switch and the link between them."""
    devices = [
        Device(id=name, kind=kind, part=part, rack="r", unit=1, height_units=1, max_w=1.0,
               weight_kg=1.0, group=0, rail=-1)
        for name, kind, part in (("n1", "node", "hgx-h100-8"), ("l1", "leaf", switch))
    ]  # fmt: skip
    cable = Cable(id="c", tier="node_leaf", a="n1", a_port="1", b="l1", b_port="1", needed_m=1.0,
                  length_m=2.0, part="f", assembly="c", a_module=a_module, b_module=b_module)  # fmt: skip
    return devices, [cable]


@pytest.mark.parametrize("switch", sorted(CATALOG.switches))
def test_a_module_of_another_maker_is_named(switch):
    """For every switch of the catalogue; what sits in the server says nothing of the switch."""
    maker = CATALOG.switches[switch].vendor
    (line,) = foreign_modules(*link(switch, OWN, THIRD), CATALOG)
    assert line.what == f"modules in {switch}"
    assert THIRD in line.value
    assert maker in line.value
    foreign = list(foreign_modules(*link(switch, THIRD, OWN), CATALOG))
    assert len(foreign) == ("NVIDIA" not in maker)
    assert list(foreign_modules(*link(switch, "", ""), CATALOG)) == []
