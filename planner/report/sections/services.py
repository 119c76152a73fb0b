"""Networks and gear beside the cluster: what each takes of switches, links and parts."""

from __future__ import annotations

from planner.domain.services_part import ServiceNetworkPart, ServicesPart
from planner.report.extra import Extra
from planner.report.notation import Notation
from planner.report.plain import plain
from planner.report.racks_alike import span
from planner.report.sections.table_section import table_section
from planner.report.view import View
from planner.report.words import Words

HEADS = ("network", "links", "part", "cables", "module_a", "modules_a", "module_b", "modules_b")


def _make(view: View) -> Extra:
    """Return a sentence for every network and the parts of every kind of link."""
    w, n, part = view.w, view.n, view.solution.services
    assert part is not None
    rows = [
        (
            f"{w.label('component', lot.network)}: {w.label('service_ends', lot.ends)}"
            + (f" {plain(lot.appliance)}" if lot.appliance else ""),
            n.number(lot.links),
            "; ".join(f"{n.number(count)} x {plain(part)}" for part, count in lot.parts.items()),
            n.number(lot.cables),
            plain(lot.module_a) or "–",
            n.number(lot.modules_a),
            plain(lot.module_b) or "–",
            n.number(lot.modules_b),
        )
        for lot in part.links
    ]
    return Extra(
        caption=w("services.caption", length=n.number(part.needed_m, 1)),
        lines=tuple(service_lines(part, w, n)),
        heads=tuple(w(f"services.{key}") for key in HEADS),
        rows=tuple(rows),
    )


def service_lines(part: ServicesPart, w: Words, n: Notation) -> list[str]:
    """Return what services consist of, one sentence a line."""
    lines = [_network(network, w, n) for network in part.networks]
    if part.managers:
        links = sum(lot.links for lot in part.links if lot.network == "fabric_manager")
        lines.append(
            w("services.managers", managers=n.number(part.managers), links=n.number(links))
        )
    racks = span([plain(rack) for rack in part.racks])
    lines.append(w("services.racks", racks=racks, power=n.number(part.max_power_kw, 1)))
    return lines


def _network(network: ServiceNetworkPart, w: Words, n: Notation) -> str:
    return w(
        "services.line",
        name=w.label("component", network.network),
        leafs=n.number(network.leaf_count),
        spines=n.number(network.spines),
        switch=plain(network.switch),
        rate=n.number(network.link_gbps),
        servers=n.number(network.server_links),
        appliances=n.number(network.appliance_links),
        uplinks=n.number(network.uplinks),
        ratio=n.number(network.oversubscription, 2),
    )


SECTION = table_section(
    key="services",
    title="services.title",
    shown=lambda solution: solution.services is not None,
    make=_make,
)
