"""Consistency of the catalogue beyond types: named checks, each a function of the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from planner.domain.catalog import POWER_SHARE, Catalog
from planner.domain.catalog_load import TABLES
from planner.domain.errors import Fault
from planner.domain.fabric_parts import CableAssembly, Connector, Fibre
from planner.domain.hardware import HardwareRow, NicOption, Server
from planner.domain.links import LinkEnd, link_offers, nic_end, protocol_of, switch_end

LENGTHS_M = (2.0, 10.0, 30.0)
"""Lengths at which every buyable port must have a priced link."""

NEEDED_RATES = (
    POWER_SHARE, "el-default-us", "el-default-eu", "pue-own-colo", "pue-own-liquid", "mnt-server",
    "mnt-network", "mnt-spares", "life-gpu", "life-switch", "lat-fibre", "lat-copper-twinax",
)  # fmt: skip

SHARE_KINDS = ("support", "spares", "utilisation", "reliability", "host")

Check = Callable[[Catalog], Iterator[Fault]]


def check_ids_are_unique(catalog: Catalog) -> Iterator[Fault]:
    """Yield ids that name more than one row of the whole catalogue."""
    tables: dict[str, str] = {}
    for name in TABLES:
        for row_id in catalog.table(name):
            if row_id in tables:
                yield Fault(f"{name}/{row_id}", f"the id stands in {tables[row_id]} too")
            tables[row_id] = name


def check_price_kinds(catalog: Catalog) -> Iterator[Fault]:
    """Yield prices whose kind and source disagree on whether they are our own."""
    for name, row in _products(catalog):
        if row.price is not None:
            own = row.price.source.startswith("own")
            if own != (row.price.kind == "own interpolation"):
                what = f"kind {row.price.kind!r} against source {row.price.source[:40]!r}"
                yield Fault(
                    f"{name}/{row.id}", what, "an own interpolation's source begins with own"
                )


def check_spec_confidence(catalog: Catalog) -> Iterator[Fault]:
    """Yield rows whose fields from memory or estimates do not fit their confidence."""
    for name, row in _products(catalog):
        where = f"{name}/{row.id}"
        fields = type(row).model_fields
        for field in (*row.fields_from_memory, *row.fields_estimated):
            if field not in fields and field not in {"all", "unlisted"}:
                yield Fault(where, f"{field!r} is no field of {name}")
        expected = {
            "retrieved": not row.fields_from_memory,
            "retrieved in part": bool(row.fields_from_memory or row.fields_estimated),
            "from memory": "all" in row.fields_from_memory,
        }
        if not expected[row.spec_confidence]:
            yield Fault(where, f"{row.spec_confidence!r} does not fit its fields from memory")


def check_servers(catalog: Catalog) -> Iterator[Fault]:
    """Yield servers whose hosts, domains, power or NIC options do not add up."""
    for server in catalog.servers.values():
        where = f"servers/{server.id}"
        if server.hosts * server.host_gpus != server.gpus:
            yield Fault(where, f"{server.hosts} hosts x {server.host_gpus} GPUs != {server.gpus}")
        if server.gpus % server.domain_gpus:
            yield Fault(where, f"domains of {server.domain_gpus} do not divide {server.gpus} GPUs")
        domain_max = catalog.accelerator(server.accelerator).scale_up_domain_max
        joined = server.scale_up not in {"pcie_host", "pcie_p2p", "none"}
        if joined and server.domain_gpus > domain_max:
            yield Fault(
                where, f"domain of {server.domain_gpus} above the accelerator's {domain_max}"
            )
        if server.typical_power_w is not None and server.typical_power_w > server.max_power_w:
            yield Fault(where, "typical power above maximum power")
        options = catalog.nic_options(server.id)
        if sum(option.default for option in options) != 1:
            yield Fault(where, "needs exactly one default row in server_nics")


def check_nic_options(catalog: Catalog) -> Iterator[Fault]:
    """Yield options whose cards do not fit the slots, the links or the families."""
    for option in catalog.server_nics.values():
        server = catalog.server(option.server)
        yield from (
            Fault(f"server_nics/{option.id}", what)
            for what in _option_faults(catalog, option, server)
        )


def _option_faults(catalog: Catalog, option: NicOption, server: Server) -> Iterator[str]:
    nic = catalog.nic(option.nic)
    if nic.form_factor == "PCIe card" and option.count > server.nic_slots:
        yield f"{option.count} cards in {server.nic_slots} slots"
    if option.links * option.link_gbps > option.count * nic.total_gbps:
        yield f"{option.links} x {option.link_gbps:g} Gbit/s above the cards' {nic.total_gbps:g} each"
    if option.links % server.hosts:
        yield f"{option.links} links do not divide by {server.hosts} hosts"
    if option.links % option.links_per_cage:
        yield f"{option.links} links do not fill cages of {option.links_per_cage}"
    if not set(option.families) <= set(nic.families):
        yield f"{nic.id} speaks {', '.join(nic.families)} only"
    if option.connector != nic.connector:
        yield f"cage {option.connector!r} against {nic.connector!r} of {nic.id}"
    if not option.included and nic.price is None:
        yield f"{nic.id} is extra but has no price"


def check_switches(catalog: Catalog) -> Iterator[Fault]:
    """Yield switches whose ports, power or family disagree, or that are too little known to buy."""
    for switch in catalog.switches.values():
        where = f"switches/{switch.id}"
        if switch.cages * switch.cage_gbps != switch.ports * switch.port_gbps:
            yield Fault(where, "cages x cage_gbps differs from ports x port_gbps")
        if switch.cage_gbps > _capacity(catalog.connectors[switch.connector]):
            yield Fault(
                where, f"a cage {switch.connector!r} carries less than {switch.cage_gbps:g}"
            )
        if (switch.typical_power_w or 0.0) > (switch.max_power_w or float("inf")):
            yield Fault(where, "typical power above maximum power")
        if switch.family == "infiniband" and switch.roce:
            yield Fault(where, "an InfiniBand switch carries no RoCE")
        if switch.family == "ethernet" and switch.sharp:
            yield Fault(where, "an Ethernet switch has no SHARP")
        if switch.buyable:
            needed = ("latency_ns", "typical_power_w", "max_power_w", "weight_kg", "rack_units")
            missing = [field for field in needed if getattr(switch, field) is None]
            if missing:
                yield Fault(where, f"can be bought but lacks {', '.join(missing)}")


def check_link_parts(catalog: Catalog) -> Iterator[Fault]:
    """Yield plugs that cannot carry their modes and modules that find no fibre."""
    for cable in catalog.cables.values():
        where = f"cables/{cable.id}"
        for mode in cable.modes:
            gbps = mode.links * mode.link_gbps
            if gbps > _capacity(catalog.connectors[cable.connector_a]):
                yield Fault(where, f"plug {cable.connector_a!r} carries less than {gbps:g} Gbit/s")
            if mode.links % cable.ends_b:
                yield Fault(where, f"{mode.links} links over {cable.ends_b} ends")
    fibres = {(f.fibre_type, f.connector_a) for f in catalog.fibres.values() if f.ends_b == 1}
    for module in catalog.transceivers.values():
        where = f"transceivers/{module.id}"
        if (module.fibre_type, module.fibre_connector) not in fibres:
            yield Fault(where, f"no {module.fibre_type} fibre with {module.fibre_connector!r}")
        if module.power_w > module.max_power_w:
            yield Fault(where, "typical power above maximum power")
        if module.gbps > _capacity(catalog.connectors[module.connector]):
            yield Fault(
                where, f"plug {module.connector!r} carries less than {module.gbps:g} Gbit/s"
            )


def check_price_rises_with_length(catalog: Catalog) -> Iterator[Fault]:
    """Yield cables and fibres that cost less than a shorter one of their type."""
    types: dict[tuple[object, ...], list[CableAssembly | Fibre]] = {}
    for cable in catalog.cables.values():
        key = (cable.kind, cable.connector_a, cable.connector_b, cable.ends_b, cable.modes)
        types.setdefault(key, []).append(cable)
    for fibre in catalog.fibres.values():
        plugs = (fibre.fibre_type, fibre.connector_a, fibre.connector_b, fibre.ends_b)
        types.setdefault(plugs, []).append(fibre)
    for parts in types.values():
        ordered = sorted((p for p in parts if p.price is not None), key=lambda part: part.length_m)
        for short, long in pairwise(ordered):
            assert short.price is not None
            assert long.price is not None
            if long.price.usd < short.price.usd:
                yield Fault(long.id, f"costs less than the shorter {short.id}")


def check_every_port_can_be_wired(catalog: Catalog) -> Iterator[Fault]:
    """Yield ports that no priced link joins to a switch at 2, 10 and 30 m."""
    switches = [switch for switch in catalog.switches.values() if switch.buyable]
    for option in catalog.server_nics.values():
        if not catalog.server(option.server).buyable:
            continue
        for family in option.families:
            protocol = protocol_of(family)
            meets = any(
                switch.family == protocol
                and _wired(catalog, nic_end(option), switch.id, option.link_gbps)
                for switch in switches
                if switch.ports_at(option.link_gbps)
            )
            if not meets:
                yield Fault(f"server_nics/{option.id}", f"no buyable {family} switch can be wired")
    for switch in switches:
        end = switch_end(switch, switch.port_gbps)
        if not _wired(catalog, end, switch.id, switch.port_gbps):
            yield Fault(f"switches/{switch.id}", "no priced link joins two of them")


def _wired(catalog: Catalog, end: LinkEnd, switch_id: str, link_gbps: float) -> bool:
    switch = catalog.switch(switch_id)
    return all(
        link_offers(
            catalog,
            switch_end(switch, link_gbps),
            end,
            link_gbps=link_gbps,
            protocol=switch.family,
            length_m=length_m,
        )
        for length_m in LENGTHS_M
    )


def check_rates(catalog: Catalog) -> Iterator[Fault]:
    """Yield rates out of their range, and those the model needs that are missing."""
    for rate in catalog.rates.values():
        where = f"rates/{rate.id}"
        low = rate.value if rate.low is None else rate.low
        high = rate.value if rate.high is None else rate.high
        if not low <= rate.value <= high:
            yield Fault(where, f"{rate.value:g} is outside {low:g} to {high:g}")
        if rate.kind in SHARE_KINDS and rate.unit in {"1", "1/year"} and not 0 <= rate.value <= 1:
            yield Fault(where, f"{rate.value:g} is no share")
        if rate.kind == "pue" and rate.value < 1:
            yield Fault(where, "a PUE below 1")
    for needed in NEEDED_RATES:
        if needed not in catalog.rates:
            yield Fault(f"rates/{needed}", "is missing", "the model needs it")


CHECKS: tuple[Check, ...] = (
    check_ids_are_unique,
    check_price_kinds,
    check_spec_confidence,
    check_servers,
    check_nic_options,
    check_switches,
    check_link_parts,
    check_price_rises_with_length,
    check_every_port_can_be_wired,
    check_rates,
)


def check_catalog(catalog: Catalog) -> dict[str, tuple[Fault, ...]]:
    """Return the faults of every check, by the check's name without ``check_``."""
    return {check.__name__.removeprefix("check_"): tuple(check(catalog)) for check in CHECKS}


def quality(catalog: Catalog) -> dict[str, Counter[str]]:
    """Return, for each table of products, how many rows are known how well and priced how."""
    counts: dict[str, Counter[str]] = {}
    for name, row in _products(catalog):
        count = counts.setdefault(name, Counter())
        count[row.spec_confidence] += 1
        count[row.price.kind if row.price else "not priced"] += 1
        count["buyable"] += row.buyable
        count["rows"] += 1
    return counts


def _products(catalog: Catalog) -> Iterator[tuple[str, HardwareRow]]:
    for name in TABLES:
        for row in catalog.table(name).values():
            if isinstance(row, HardwareRow):
                yield name, row


def _capacity(connector: Connector) -> float:
    return connector.lanes * connector.lane_gbps
