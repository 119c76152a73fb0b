"""Services in the answer: what the report, the exports and the checker need of them."""

from __future__ import annotations

from typing import Any

from planner.domain.services_part import (
    ServiceLeafs,
    ServiceLinks,
    ServiceNetworkPart,
    ServicesPart,
)
from planner.domain.solution import Cable, Device, RackUse
from planner.physics.service_network import ServicePlan
from planner.program.market import Market
from planner.program.scan import Found
from planner.program.service_laying import LaidServices
from planner.program.service_links import LaidKind

WATTS_PER_KW = 1000.0


def all_racks(best: Found) -> list[RackUse]:
    """Return the racks in use: those of servers and fabric, then those of services."""
    services = best.column.services
    return [*best.placed.placement.racks, *(services.racks if services else ())]


def all_devices(best: Found) -> list[Device]:
    """Return every device: those of servers and fabric, then those of services."""
    services = best.column.services
    return [*best.placed.placement.devices, *(services.devices if services else ())]


def all_cables(best: Found) -> list[Cable]:
    """Return every link that no group stands for: those of the fabric, then those of services."""
    laid = best.placed.services
    return [*best.placed.placement.cables, *(laid.cables if laid else ())]


def services_part(market: Market, best: Found) -> ServicesPart | None:
    """Return the services of a design; None where the instance asks for none."""
    design = best.column.services
    if design is None:
        return None
    laid: LaidServices = best.placed.services
    return ServicesPart(
        racks=[rack.id for rack in design.racks],
        needed_m=laid.longest_m,
        max_power_kw=design.max_w / WATTS_PER_KW,
        networks=[_network(market, name, plan) for name, plan in design.networks.items()],
        managers=design.managers,
        links=[_links(one) for one in laid.kinds],
    )


def _links(laid: LaidKind) -> ServiceLinks:
    kind, medium = laid.kind, laid.medium
    modules = medium.module_a, medium.module_b
    glass = any(number < 0 for number in laid.assemblies)
    fields: dict[str, Any] = {
        "network": kind.network,
        "ends": kind.ends,
        "appliance": kind.appliance,
        "links": len(kind.joins),
        "cables": laid.cables,
        "parts": {part: n for part, n in laid.parts.items() if part not in modules},
        "module_a": medium.module_a if glass else "",
        "modules_a": laid.modules_a,
        "module_b": medium.module_b if glass else "",
        "modules_b": laid.modules_b,
    }
    return ServiceLinks.model_validate(fields)


def _network(market: Market, name: str, plan: ServicePlan) -> ServiceNetworkPart:
    services = market.instance.services
    assert services is not None
    wanted = services.networks[name]
    first = plan.rows[0]
    down = max(map(sum, zip(first.server_links, first.appliance_links, strict=True)))
    fields: dict[str, Any] = {
        "network": name,
        "family": market.catalog.switch(wanted.switch).family,
        "switch": wanted.switch,
        "link_gbps": wanted.link_gbps,
        "leafs": [
            ServiceLeafs(
                leafs=row.leafs,
                server_links=list(row.server_links),
                appliance_links=list(row.appliance_links),
                uplinks=row.uplinks,
            )
            for row in plan.rows
        ],
        "spines": plan.spines,
        "server_links": sum(sum(row.server_links) for row in plan.rows),
        "appliance_links": sum(sum(row.appliance_links) for row in plan.rows),
        "uplinks": plan.uplinks,
        "oversubscription": down / first.uplinks if plan.spines else 1.0,
    }
    return ServiceNetworkPart.model_validate(fields)
