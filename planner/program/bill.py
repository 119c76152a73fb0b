"""The bill of materials of a placed design and its present value by component, to the cent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from planner.domain.instance import Instance
from planner.domain.services import NETWORKS, Services
from planner.domain.solution import BomLine, Cost, CostLine
from planner.physics.costs import COMPONENTS, UnitCost
from planner.program.columns import OOB_CABLE, OOB_SWITCH, Column, switch_counts
from planner.program.prices import PriceBook

KIND_OF_TABLE = {
    "servers": "server",
    "nics": "nic",
    "switches": "switch",
    "transceivers": "transceiver",
    "cables": "cable",
    "fibres": "fibre",
    "racks": "rack",
    "pdus": "pdu",
    "appliances": "appliance",
}
REWIRING = "rewiring"
NOT_PRICED = "not priced"
"""Kind of a price that nothing gives."""
NEVER_PRICED = (
    "in-band and storage network",
    "cluster management software",
    "in-rack power cords and cable management",
    "room and its cooling",
)
"""What a buyer also pays and the catalogue has no price for."""


class Quantity(NamedTuple):
    """How many of a part, for which component."""

    part: str
    component: str
    quantity: int


def quantities(
    column: Column,
    cabling: Mapping[str, int],
    racks: Mapping[str, int],
    book: PriceBook,
    service_links: Iterable[tuple[str, str, int]] = (),
) -> Iterator[Quantity]:
    """Yield every part of a placed column, in a fixed order.

    Parameters
    ----------
    column
        Servers and switches.
    cabling, racks
        Cables, fibres and modules, and cabinets and PDUs, by catalogue id.
    book
        Components of the parts.
    service_links
        Cables, fibres and modules of services: part, component, units.
    """
    option, plan = column.option, column.plan
    yield Quantity(option.server.id, "servers", column.nodes)
    if not option.nics.included:
        yield Quantity(option.nics.nic, "nics", column.nodes * option.nics.count)
    for switch, count in switch_counts(plan).items():
        yield Quantity(switch, "switches", count)
    for part in sorted(cabling, key=lambda p: (book.component(p) != "transceivers", p)):
        if cabling[part]:
            yield Quantity(part, book.component(part), cabling[part])
    yield Quantity(OOB_SWITCH, "out_of_band", column.out_of_band.switches)
    yield Quantity(OOB_CABLE, "out_of_band", column.out_of_band.ports)
    beside = column.services.quantities if column.services else ()
    for part, component, count in (*beside, *service_links):
        yield Quantity(part, component, count)
    for part in sorted(racks, key=lambda p: (book.table_of(p) != "racks", p)):
        yield Quantity(part, "racks", racks[part])


def bom_lines(parts: list[Quantity], book: PriceBook) -> list[BomLine]:
    """Return the bill of materials; total = quantity x unit price, to the cent."""
    lines = []
    for part, component, needed in parts:
        row, price = book.row(part), book.price(part)
        owned = min(needed, book.stock.get((part, component), 0))
        if owned:
            lines.append(owned_line(part, component, owned, book))
        count = needed - owned
        if not count:
            continue
        if price is None:
            if part in book.catalog.appliances:
                lines.append(_unpriced_line(part, component, count, book))
            continue
        factor = book.factor(component)
        cents = book.unit(part, component=component).capex
        lines.append(
            BomLine(
                part=part,
                kind=KIND_OF_TABLE[book.table_of(part)],
                description=description(row),
                component=component,
                quantity=count,
                unit_price_usd=cents / 100,
                total_usd=cents * count / 100,
                low_usd=None if price.low_usd is None else round(price.low_usd * factor, 2),
                high_usd=None if price.high_usd is None else round(price.high_usd * factor, 2),
                price_kind=price.kind,
                price_date=price.date,
                price_source=price.source,
            )
        )
    return lines


def _unpriced_line(part: str, component: str, count: int, book: PriceBook) -> BomLine:
    """Return the line of units that nothing gives a price: they are needed, and cost more."""
    return BomLine(
        part=part,
        kind=KIND_OF_TABLE[book.table_of(part)],
        description=description(book.row(part)),
        component=component,
        quantity=count,
        unit_price_usd=0.0,
        total_usd=0.0,
        low_usd=None,
        high_usd=None,
        price_kind=NOT_PRICED,
        price_date="",
        price_source="",
    )


def owned_line(part: str, component: str, count: int, book: PriceBook) -> BomLine:
    """Return the line of units that are owned: nothing to buy."""
    return BomLine(
        part=part,
        kind=KIND_OF_TABLE[book.table_of(part)],
        description=description(book.row(part)),
        component=component,
        quantity=count,
        unit_price_usd=0.0,
        total_usd=0.0,
        low_usd=None,
        high_usd=None,
        price_kind="owned",
        price_date="",
        price_source="owned already",
        owned=True,
    )


def rewiring_line(links: int, unit_cents: int) -> BomLine:
    """Return the line of links of the existing fabric that move."""
    return BomLine(
        part=REWIRING,
        kind="service",
        description="move a link of the existing fabric to another port",
        component=REWIRING,
        quantity=links,
        unit_price_usd=unit_cents / 100,
        total_usd=unit_cents * links / 100,
        low_usd=None,
        high_usd=None,
        price_kind="own estimate",
        price_date="",
        price_source="owned.rewire_usd_per_link",
    )


def description(row: object) -> str:
    """Return a part in words, from what its table knows."""
    vendor, model = getattr(row, "vendor", ""), getattr(row, "model", "")
    if model:
        return f"{vendor} {model}".strip()
    kind = getattr(row, "kind", "")
    length = f" {row.length_m:g} m" if hasattr(row, "length_m") else ""
    if kind:
        a, b = getattr(row, "connector_a", ""), getattr(row, "connector_b", "")
        rate = getattr(row, "link_gbps", 0)
        if a == "RJ45":
            return f"copper patch cable RJ45 {rate:g}G{length}"
        links = getattr(row, "links", 1)
        return f"{kind} {links}x{rate:g}G {a} to {b}{length}"
    fibre = getattr(row, "fibre_type", "")
    return f"{fibre} fibre {getattr(row, 'connector_a', '')}{length}".strip()


def cost_of(
    parts: list[Quantity],
    book: PriceBook,
    storage: UnitCost,
    not_priced: list[str],
    rewiring: UnitCost = UnitCost(),  # noqa: B008
) -> Cost:
    """Return the present value by component; its total is the objective."""
    sums = dict.fromkeys(COMPONENTS, UnitCost())
    for part, component, count in parts:
        sums[component] = sums[component] + book.net(part, component, count)
    sums["storage"] = sums["storage"] + storage
    sums[REWIRING] = rewiring
    total = UnitCost()
    for value in sums.values():
        total = total + value
    return Cost(
        capex_usd=total.capex / 100,
        energy_usd=total.energy / 100,
        support_usd=total.support / 100,
        other_usd=total.other / 100,
        total_usd=total.total / 100,
        components=[
            CostLine(
                component=name,
                capex_usd=value.capex / 100,
                energy_usd=value.energy / 100,
                support_usd=value.support / 100,
                other_usd=value.other / 100,
                total_usd=value.total / 100,
            )
            for name, value in sums.items()
            if value != UnitCost()
        ],
        not_priced=not_priced,
        years=book.rules.years,
    )


def not_priced(book: PriceBook) -> list[str]:
    """Return what the total leaves out because nothing gives it a price."""
    instance = book.instance
    found = list(NEVER_PRICED)
    if instance.services is not None:
        found[:1] = _beside(instance.services)
    finance, site = instance.finance, instance.site
    optional = [
        ("installation", finance.installation_share),
        ("freight", finance.freight_share),
        ("software licences", finance.software_usd_per_gpu_year),
        ("space or colocation", site.space_usd_per_kw_month),
    ]
    found += [name for name, value in optional if value is None]
    if instance.storage is None:
        found += ["storage"] if not _appliances(instance, "storage_network") else []
    elif instance.storage.price_usd is None:
        found.append("storage (no quote in the instance)")
    needed = _appliances(instance, *NETWORKS)
    if instance.services is not None and instance.services.fabric_manager is not None:
        needed.append(instance.services.fabric_manager.appliance)
    found += [f"{part}, no quote" for part in needed if book.price(part) is None]
    unpriced = sorted({part for part, _ in book.stock if book.price(part) is None})
    found += [f"support of {part}, owned" for part in unpriced]
    return found


def _beside(services: Services) -> list[str]:
    """Return the networks that the instance does not ask for."""
    missing = {"in_band_network": "in-band network", "storage_network": "storage network"}
    return [words for name, words in missing.items() if name not in services.networks]


def _appliances(instance: Instance, *names: str) -> list[str]:
    """Return the models of appliances on some networks of the instance, each once."""
    networks = instance.services.networks if instance.services else {}
    groups = [g for name in names if name in networks for g in networks[name].appliances]
    return list(dict.fromkeys(group.appliance for group in groups))
