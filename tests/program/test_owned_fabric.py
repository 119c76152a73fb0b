"""Growth of a fabric that exists: free ports, links that move, another fabric, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from planner.domain.catalog import load_catalog
from planner.domain.design import FabricChoice, FabricPlan
from planner.domain.existing_fabric import ExistingFabric
from planner.domain.owned import Owned
from planner.physics.fabric import size_fabric
from planner.physics.refusal import Refusal
from planner.program.owned_fabric import Joining, join

SWITCH, SERVER = "qm9700", "hgx-h100-8"
PORTS = 64


def plan_of(nodes: int, topology: str = "rail_optimised", reserved: int = 0) -> FabricPlan:
    """Return the plan of servers with eight links of 400 Gb/s."""
    switch = load_catalog().switch(SWITCH)
    choice = FabricChoice(
        family="infiniband", topology=topology, leaf_switch=SWITCH,
        spine_switch="" if topology == "single" else SWITCH,
    )  # fmt: skip
    plan = size_fabric(choice, nodes, 8, 400, switch, switch, reserved)
    assert isinstance(plan, FabricPlan)
    return plan


def fabric_of(plan: FabricPlan, storage: int = 0) -> ExistingFabric:
    """Return the fabric of a plan as a discovery would find it, with storage hosts on each leaf."""
    leafs = [f"leaf-{k}" for k in range(plan.leafs)]
    spines = [f"spine-{k}" for k in range(plan.spines)]
    group = plan.units[0].leafs
    links: list[dict[str, Any]] = []
    hosts = []
    for node in range(plan.servers):
        hosts.append({"name": f"node-{node}"})
        unit = node // plan.hosts_per_leaf
        for rail in range(plan.links_per_server):
            leaf = leafs[unit * group + rail % group]
            links.append({"a": f"node-{node}", "b": leaf, "gbps": 400, "a_port": str(rail)})
    for k, leaf in enumerate(leafs):
        for n in range(storage):
            hosts.append({"name": f"store-{k}-{n}"})
            links.append({"a": f"store-{k}-{n}", "b": leaf, "gbps": 200})
        for spine in spines:
            pairs = plan.links_per_leaf_spine
            links += [{"a": leaf, "b": spine, "a_port": str(n), "gbps": 400} for n in range(pairs)]
    switches = [{"name": s, "tier": 1, "ports": PORTS} for s in leafs]
    switches += [{"name": s, "tier": 2, "ports": PORTS} for s in spines]
    return ExistingFabric.model_validate(
        {"family": "infiniband", "switches": switches, "hosts": hosts, "links": links}
    )


def joined(today: FabricPlan, wanted: FabricPlan, **fields: Any) -> Joining | Refusal:
    """Return how a plan joins the fabric of another."""
    storage = fields.pop("storage", 0)
    owned = Owned.model_validate({
        "servers": [{"server": SERVER, "count": today.servers}],
        "switches": [
            {"switch": SWITCH, "tier": "leaf", "count": today.leafs},
            *([{"switch": SWITCH, "tier": "spine", "count": today.spines}] if today.spines else []),
        ],
        "fabric": fabric_of(today, storage), **fields,
    })  # fmt: skip
    found = join(owned, load_catalog(), wanted, SERVER, "infiniband")
    assert found is not None
    return found


@pytest.mark.parametrize("topology", ["rail_optimised", "leaf_spine", "single"])
def test_the_same_plan_moves_nothing(topology: str) -> None:
    """What stands is joined by itself without a move."""
    plan = plan_of(6 if topology == "single" else 24, topology)
    assert joined(plan, plan) == Joining(kept=True, moved_links=0)


def test_growth_within_free_ports_moves_nothing() -> None:
    """Reserved slots are taken by more servers: 24 of 31 grow to 31 on the same switches."""
    today = plan_of(24, reserved=7)
    assert joined(today, plan_of(31)) == Joining(kept=True, moved_links=0)


def test_growth_that_spreads_over_more_spines_moves_links() -> None:
    """With twice the spines, half of each leaf's uplinks move: 8 leafs x 32 x 1/2."""
    today, wanted = plan_of(31), plan_of(62)
    assert (today.spines, wanted.spines) == (4, 8)
    assert joined(today, wanted) == Joining(kept=True, moved_links=8 * 32 // 2)
    refusal = joined(today, wanted, rewire=False)
    assert isinstance(refusal, Refusal)
    assert refusal.limit == "owned_wiring"


def test_ports_of_other_devices_are_not_free() -> None:
    """Storage hosts on every leaf leave room for fewer servers than the plan has."""
    today = plan_of(24, reserved=7)
    refusal = joined(today, plan_of(32), storage=4)
    assert isinstance(refusal, Refusal)
    assert refusal.limit == "owned_leaf_ports"
    assert "room for 28" in refusal.reason
    assert joined(today, plan_of(28), storage=4) == Joining(kept=True, moved_links=0)


def test_spine_ports_that_others_take_are_counted() -> None:
    """Eight gateways on a spine take ports that the leafs of a second unit need."""
    today, wanted = plan_of(62), plan_of(62)
    document = fabric_of(today).model_dump()
    document["hosts"] += [{"name": f"gateway-{k}"} for k in range(8)]
    document["links"] += [{"a": f"gateway-{k}", "b": "spine-0", "a_port": "1"} for k in range(8)]
    owned = Owned.model_validate(
        {"switches": [{"switch": SWITCH, "count": 12}], "fabric": document}
    )
    found = join(owned, load_catalog(), wanted, SERVER, "infiniband")
    assert isinstance(found, Refusal)
    assert found.limit == "owned_spine_ports"


def test_another_family_is_a_new_fabric() -> None:
    """It is refused unless a new fabric may be bought; then the servers' links move."""
    today = plan_of(24)
    wanted = plan_of(24)
    owned = {"servers": [{"server": SERVER, "count": 24}], "fabric": fabric_of(today)}
    one = join(Owned.model_validate(owned), load_catalog(), wanted, SERVER, "ethernet")
    assert one == Joining(kept=False, moved_links=24 * 8)
    none = Owned.model_validate(owned | {"new_fabric": False})
    refusal = join(none, load_catalog(), wanted, SERVER, "ethernet")
    assert isinstance(refusal, Refusal)
    assert refusal.limit == "owned_fabric"


def test_nothing_is_asked_without_a_fabric() -> None:
    """Counted switches alone put no rule on ports."""
    assert join(Owned(), load_catalog(), plan_of(24), SERVER, "infiniband") is None
