"""What is wrong with the names and rates of an instance's services."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.catalog import Catalog
from planner.domain.catalog_load import nearest
from planner.domain.errors import Fault
from planner.domain.instance import Instance
from planner.domain.services import ServiceNetwork


def service_faults(instance: Instance, catalog: Catalog) -> Iterator[Fault]:
    """Yield unknown names, and switches that cannot be bought, run at the rate or be cooled."""
    services = instance.services
    if services is None:
        return
    air = instance.site.cooling == "air"
    for name, network in services.networks.items():
        where = f"$.services.{name}"
        yield from _switch(instance, catalog, network, where, air=air)
        if network.server_connector not in catalog.connectors:
            wrong = network.server_connector
            yield Fault(
                f"{where}.server_connector",
                f"unknown connector {wrong!r}",
                nearest(wrong, catalog.connectors, f"one of {', '.join(catalog.connectors)}"),
            )
        for k, group in enumerate(network.appliances):
            yield from _appliance(
                catalog, group.appliance, f"{where}.appliances[{k}].appliance", "", air=air
            )
    if services.fabric_manager is not None:
        part, where = services.fabric_manager.appliance, "$.services.fabric_manager.appliance"
        yield from _appliance(catalog, part, where, "fabric_manager", air=air)


def _switch(
    instance: Instance, catalog: Catalog, network: ServiceNetwork, where: str, *, air: bool
) -> Iterator[Fault]:
    switch = catalog.switches.get(network.switch)
    at = f"{where}.switch"
    if switch is None:
        right = nearest(network.switch, catalog.switches, "run 'planner catalog list switches'")
        yield Fault(at, f"unknown switch {network.switch!r}", right)
        return
    if switch.not_buyable:
        yield Fault(at, f"{switch.id} {switch.not_buyable}", "give it a quote or name another")
    elif switch.rack_units is None or not (switch.max_power_w or switch.typical_power_w):
        yield Fault(at, f"{switch.id} has no known height or power", "add it to your catalogue")
    if switch.id in instance.forbid.values().get("product", ()):
        yield Fault(at, f"{switch.id} is a forbidden product", "name another, or allow it")
    if switch.ports_at(network.link_gbps) < 2:
        yield Fault(
            f"{where}.link_gbps",
            f"{switch.id} has no ports of {network.link_gbps:g} Gb/s",
            f"its ports run at {switch.port_gbps:g} Gb/s",
        )
    if air and switch.cooling == "liquid":
        yield Fault(at, f"{switch.id} needs liquid cooling; the site has air", "name another")


def _appliance(catalog: Catalog, part: str, where: str, role: str, *, air: bool) -> Iterator[Fault]:
    row = catalog.appliances.get(part)
    if row is None:
        right = nearest(part, catalog.appliances, "run 'planner catalog list appliances'")
        yield Fault(where, f"unknown appliance {part!r}", right)
        return
    if role and row.role != role:
        yield Fault(where, f"{part} is no fabric manager", "name one of that role")
    if air and row.cooling == "liquid":
        yield Fault(where, f"{part} needs liquid cooling; the site has air", "name another")
