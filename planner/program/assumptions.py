"""What the answer rests on that the instance did not give: defaults, estimates, sourced rates."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.catalog import POWER_SHARE, Catalog
from planner.domain.failure_rates import published_failures
from planner.domain.instance import Instance
from planner.domain.solution import Assumption
from planner.program.columns import OOB_SWITCH, Column
from planner.program.contexts import long_contexts
from planner.program.job_goodput import modelled
from planner.program.market import Market
from planner.program.prices import ELECTRICITY, PUE, SPARES
from planner.program.wire import congestion


def assumptions(
    market: Market, column: Column | None, margins: list[Assumption]
) -> list[Assumption]:
    """Return every assumption behind an answer, in a fixed order."""
    found = [*margins, *_money(market), *_site(market.instance), *_jobs(market.instance)]
    found += long_contexts(market.instance, market.oracle.networks)
    found += [*_goodput(market.instance), *_without_ports(market)]
    if column is not None:
        found += _design(market, column)
    return found


def _of(what: str, value: str, kind: str, source: str) -> Assumption:
    return Assumption.model_validate({"what": what, "value": value, "kind": kind, "source": source})


def _money(market: Market) -> Iterator[Assumption]:
    instance, rules, rate = market.instance, market.book.rules, market.catalog.rate
    finance = instance.finance
    given = finance.model_fields_set
    if "years" not in given:
        yield _of("finance years", f"{finance.years:g}", "default", "accounting practice 5 to 6")
    if "discount_rate" not in given:
        yield _of("discount rate", f"{finance.discount_rate:.1%}", "estimate", "default")
    if instance.site.electricity_usd_per_kwh is None:
        row = rate(ELECTRICITY)
        yield _of("electricity", f"{row.value:g} USD/kWh", "estimate", row.source)
    if instance.site.pue is None:
        row = rate(PUE)
        yield _of("PUE", f"{row.value:g}", "estimate", row.source)
    for component, share in rules.support_share_per_year.items():
        row = rate(market.book.support[component])
        value = f"{share:.0%} of the price a year"
        yield _of(f"support of {component.replace('_', ' ')}", value, "estimate", row.source)
    for component, share in rules.spares_share.items():
        row = rate(SPARES[component])
        yield _of(f"spare {component}", f"{share:.0%} of the price", "estimate", row.source)
    row = rate(POWER_SHARE)
    value = f"{row.value:.0%} of the maximum where no typical power is known"
    yield _of("average power of servers", value, "estimate", row.source)
    pdus = market.placer.rack.pdus
    feeds = f"{pdus} PDUs a rack (feed A or B may fail)"
    yield _of(
        "redundant rack power",
        feeds if instance.site.pdu_redundancy == "2n" else f"{pdus} PDUs a rack (one may fail)",
        "estimate",
        "NVIDIA DGX SuperPOD H100 bill of materials: 3 PDUs of 34.5 kVA for 40.8 kW",
    )
    yield _of(
        "airflow of switches",
        "ports at the back of the rack beside the servers' network ports, in the hot aisle: order "
        "switches that blow from the power side to the ports",
        "default",
        "own layout",
    )
    yield _of(
        "out-of-band network",
        "one 1 GbE port for every controller and switch, 20 m of copper each, not routed",
        "estimate",
        "own count",
    )
    yield from _management_switch(market.catalog)


def _management_switch(catalog: Catalog) -> Iterator[Assumption]:
    """Yield which management switch is bought, as it is no choice, and what the cheapest saves."""
    taken = catalog.switch(OOB_SWITCH)
    paid = taken.price.usd if taken.price else 0.0
    saved = [
        (paid - other.price.usd, other.id)
        for other in catalog.switches.values()
        if other.buyable and other.price and other.connector == taken.connector
        and other.ports >= taken.ports and other.price.usd < paid
    ]  # fmt: skip
    value = f"{taken.id}, not weighed against others"
    if saved:
        most, name = max(saved)
        value = f"{taken.id}, not weighed against others: {name} would save {most:,.0f} USD each"
    yield _of("management switch", value, "default", "own choice")


def _without_ports(market: Market) -> Iterator[Assumption]:
    """Yield the servers that cannot be bought as services link more than their ports."""
    planner = market.service_planner
    if planner is None:
        return
    refusals = {
        option.server.id: refusal.reason
        for option in market.options
        if (refusal := planner.server_limit(option)) is not None
    }
    for server, reason in sorted(refusals.items()):
        yield _of(f"{server} is not weighed", reason, "default", "catalogue of servers")


def _site(instance: Instance) -> Iterator[Assumption]:
    site = instance.site
    given = site.model_fields_set
    lengths = {
        "row_pitch_m": "distance between rows of racks",
        "rise_m": "rise from a device to the tray",
        "slack_m": "slack of a cable between racks",
        "inside_rack_m": "cable inside a rack",
    }
    for name, what in lengths.items():
        if name not in given:
            yield _of(what, f"{getattr(site, name):g} m", "estimate", "default of the site")
    if "rack_weight_kg" not in given:
        yield _of("load of one rack", f"{site.rack_weight_kg:g} kg", "estimate", "default")


def _jobs(instance: Instance) -> Iterator[Assumption]:
    for workload in instance.workloads:
        given = "availability" in workload.model_fields_set or modelled(instance, workload)
        if not given and workload.step_time_s is None:
            value = f"{workload.availability:.0%}"
            yield _of(f"availability of {workload.name}", value, "estimate", "default")
        for name in ("precision", "optimizer"):
            if name not in workload.model_fields_set:
                value = str(getattr(workload, name))
                yield _of(f"{name} of {workload.name}", value, "default", "default")
    yield _of(
        "choice of collective algorithm",
        "as NCCL's tuner chooses" if instance.tuner == "tuner" else "the best algorithm",
        "default",
        "NCCL 2.30 cost tables",
    )


def _goodput(instance: Instance) -> Iterator[Assumption]:
    """Yield what the modelled availability rests on, with the range of the sources."""
    rules = instance.goodput
    if rules is None:
        return
    published = published_failures()
    level, levels = published.levels[rules.failures], published.levels
    low, high = (levels[name].failures_per_1000_node_days for name in ("low", "high"))
    each = level.failures_per_1000_node_days * rules.rate_factor
    value = f"{each:.3g} per 1,000 days of a server of eight GPUs (published: {low:g} to {high:g})"
    yield _of("failures that stop a job", value, "sourced", level.source)
    for name, given, unit in (
        ("restart_minutes", rules.restart_minutes, "minutes"),
        ("repair_days", rules.repair_days, "days"),
    ):
        if given is None:
            row = getattr(published.defaults, name)
            value = f"{row.value:g} {unit} ({row.low:g} to {row.high:g})"
            yield _of(f"{name.partition('_')[0]} after a failure", value, row.status, row.source)
    row = published.defaults.bytes_per_parameter
    value = f"{row.value:g} bytes a parameter with Adam ({row.low:g} to {row.high:g})"
    yield _of("size of a checkpoint", value, row.status, row.source)


def _design(market: Market, column: Column) -> Iterator[Assumption]:
    family = column.plan.choice.family
    catalog = market.catalog
    if family in ("roce", "ethernet") and market.instance.congestion is None:
        share = congestion(market.instance, family)
        yield _of(
            "share of the Ethernet line rate under load",
            f"{share:.2f} (tuned; untuned 0.60)",
            "sourced",
            "NVIDIA Spectrum-X at xAI, vendor claim",
        )
    if (
        family == "infiniband"
        and not (column.services and column.services.managers)
        and "(managed)" not in catalog.switch(column.plan.choice.leaf_switch).model
    ):
        yield _of(
            "subnet manager", "runs on a server (OpenSM) or UFM, not priced", "default", "default"
        )
    accelerator = column.option.accelerator
    if not market.oracle.constants.compute.validated(accelerator.id, accelerator.architecture):
        yield _of(
            f"speed of {accelerator.id}",
            "not held against measurements; stands in for it: another vendor's part",
            "estimate",
            "models/hardware/compute.json",
        )
    if column.plan.by_turns and not market.placer.whole_cages(column):
        yield _of(
            "cables between servers and leafs",
            "modules and fibre only: the ports of one NIC share a cage and go to different leafs, "
            "so that a cable with fixed ends would carry all of them to one",
            "default",
            "models/formulation/cabling.md",
        )
    for part, row in _devices(market, column):
        doubtful = sorted({*row.fields_estimated, *row.fields_from_memory})
        if row.spec_confidence != "retrieved" or doubtful:
            value = f"{row.spec_confidence}; doubtful: {', '.join(doubtful) or 'none'}"
            yield _of(f"specification of {part}", value, "estimate", row.source)


def _devices(market: Market, column: Column):  # type: ignore[no-untyped-def]
    catalog, option = market.catalog, column.option
    yield option.server.id, option.server
    yield option.accelerator.id, option.accelerator
    yield option.nics.nic, catalog.nic(option.nics.nic)
    choice = column.plan.choice
    switches = {choice.leaf_switch, choice.spine_switch} - {""}
    beside = [part for part, _, _ in column.services.quantities] if column.services else []
    switches |= {part for part in beside if part in catalog.switches}
    for switch in sorted(switches):
        yield switch, catalog.switch(switch)
    for part in beside:
        if part in catalog.appliances:
            yield part, catalog.appliance(part)
