"""What an answer rests on is told: choices that are not weighed, servers that cannot be."""

from __future__ import annotations

from pathlib import Path

from planner.domain.instance import Instance
from planner.program.assumptions import assumptions
from planner.program.columns import OOB_SWITCH
from planner.program.market import open_market

JOB = {"name": "job", "network": "llama3-8b", "sequence_length": 4096, "global_batch": 64,
       "step_time_s": 60}  # fmt: skip
IN_BAND = {"switch": "sn4600c", "link_gbps": 100, "links_per_server": 4,
           "appliances": [{"appliance": "management-server-1u", "count": 2}]}  # fmt: skip


def told(**fields):
    """Return what is assumed, by what it is about."""
    instance = Instance.model_validate(
        {"name": "told", "workloads": [JOB], "site": {"racks": 8, "rack_kw": 44}, **fields}
    )
    market = open_market(instance, Path("told.json"))
    return market, {item.what: item.value for item in assumptions(market, None, [])}


def test_the_management_switch_is_no_choice_and_says_what_another_saves():
    """The figure is the difference to the cheapest switch on sale with its ports."""
    market, found = told()
    switches = market.catalog.switches
    taken = switches[OOB_SWITCH]
    least = min(
        s.price.usd
        for s in switches.values()
        if s.buyable and s.price and s.connector == taken.connector and s.ports >= taken.ports
    )
    text = found["management switch"]
    assert f"would save {taken.price.usd - least:,.0f} USD each" in text


def test_servers_without_the_ports_that_services_link_are_named():
    """Left out is said, whether or not the instance names the server."""
    market, found = told(services={"racks": 1, "in_band_network": IN_BAND})
    few = {o.server.id for o in market.options if o.server.front_end_links < 4}
    assert few
    assert {what.split()[0] for what in found if what.endswith("is not weighed")} >= few
    _, plain = told()
    assert not any(what.endswith("is not weighed") for what in plain)
