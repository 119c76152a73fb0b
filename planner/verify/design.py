"""The design's headline figures against the devices and the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import DesignPart, PlatformPart
from planner.verify.links import nic_option
from planner.verify.record import SCALE_OUT, Record, same
from planner.verify.violation import Violation, violation


def check_design(record: Record) -> Iterator[Violation]:
    """Yield headline figures that the devices or the catalogue contradict."""
    design = record.solution.design
    if design is None:
        return
    yield from _platform(record, design.platform)
    yield from _counts(record, design)
    yield from _fabric(record, design)
    yield from _careless(record, design)


def _careless(record: Record, design: DesignPart) -> Iterator[Violation]:
    """Yield a comparison with a careless placement that the bill or the step times contradict."""
    careless = design.careless
    if careless is None:
        return
    where = "$.design.careless"
    bill = (
        line.total_usd
        for line in record.solution.bill_of_materials
        if line.component in ("cables", "transceivers")
    )
    laid = round(sum(bill), 2)
    if not same(careless.links_usd, laid):
        yield violation(
            "careless-links", f"{where}.links_usd", laid, careless.links_usd,
            "purchase of cables and modules",
        )  # fmt: skip
    longest = max((cable.needed_m for cable in record.links if cable.tier in SCALE_OUT), default=0)
    if not same(careless.longest_m, longest):
        yield violation(
            "careless-longest", f"{where}.longest_m", longest, careless.longest_m, "longest link",
        )  # fmt: skip
    steps = {result.name: result.step_time_s for result in record.solution.workloads}
    for name, slow in careless.careless_step_times_s.items():
        if slow < steps.get(name, slow + 1.0):
            yield violation(
                "careless-steps", f"{where}.careless_step_times_s", f"{steps.get(name)} s or more",
                slow, f"{name} is faster without care, or no workload",
            )  # fmt: skip


def _platform(record: Record, platform: PlatformPart) -> Iterator[Violation]:
    where = "$.design.platform"
    server = record.catalog.servers.get(platform.server)
    if server is None:
        yield violation(
            "platform-facts", where, "a server of the catalogue", platform.server,
            "the server is unknown",
        )  # fmt: skip
        return
    accelerator = record.catalog.accelerators.get(server.accelerator)
    facts: dict[str, tuple[object, object]] = {
        "model": (server.model, platform.model),
        "accelerator": (server.accelerator, platform.accelerator),
        "gpus": (server.gpus, platform.gpus),
        "scale_up": (server.scale_up, platform.scale_up),
        "domain_gpus": (server.domain_gpus, platform.domain_gpus),
        "scale_up_gbytes_per_s": (server.scale_up_gbytes_per_s, platform.scale_up_gbytes_per_s),
    }
    if accelerator is not None:
        facts["accelerator_model"] = (accelerator.model, platform.accelerator_model)
    for name, (expected, found) in facts.items():
        if expected != found:
            yield violation(
                "platform-facts", f"{where}.{name}", expected, found,
                f"{platform.server} in the catalogue",
            )  # fmt: skip
    if nic_option(record) is None:
        yield violation(
            "platform-nics", where, "NICs that the server can carry",
            f"{platform.nics} x {platform.link_gbps:g} of {platform.nic}",
            f"{platform.server} has no such option in the catalogue",
        )  # fmt: skip
    for device in record.of_kind("node"):
        if device.part != platform.server:
            yield violation(
                "platform-servers", device.id, platform.server, device.part,
                "is not the server of the design",
            )  # fmt: skip


def _counts(record: Record, design: DesignPart) -> Iterator[Violation]:
    nodes = len(record.of_kind("node"))
    if design.nodes != nodes:
        yield violation(
            "design-nodes", "$.design.nodes", nodes, design.nodes, "servers in the racks"
        )
    server = record.catalog.servers.get(design.platform.server)
    gpus = nodes * (server.gpus if server else design.platform.gpus)
    if design.gpus != gpus:
        yield violation("design-gpus", "$.design.gpus", gpus, design.gpus, "GPUs of the servers")


def _fabric(record: Record, design: DesignPart) -> Iterator[Violation]:
    fabric = design.fabric
    if not same(fabric.link_gbps, design.platform.link_gbps):
        yield violation(
            "fabric-rate", "$.design.fabric.link_gbps", design.platform.link_gbps,
            fabric.link_gbps, "the fabric runs at the rate of the NICs",
        )  # fmt: skip
    if fabric.topology == "direct":
        return
    option = nic_option(record)
    if option is not None and fabric.family not in option.families:
        yield violation(
            "fabric-family", "$.design.fabric.family", ", ".join(option.families), fabric.family,
            "the NICs do not speak this",
        )  # fmt: skip
    speaks = "infiniband" if fabric.family == "infiniband" else "ethernet"
    for tier in fabric.tiers:
        switch = record.catalog.switches.get(tier.switch)
        if switch is None:
            continue
        if switch.family != speaks or (fabric.family == "roce" and not switch.roce):
            yield violation(
                "fabric-family", "$.design.fabric.tiers", fabric.family, switch.family,
                f"{switch.id} does not carry this",
            )  # fmt: skip
        if switch.ports_at(fabric.link_gbps) == 0:
            yield violation(
                "fabric-rate", "$.design.fabric.tiers", f"{fabric.link_gbps:g} Gb/s",
                f"{switch.port_gbps:g} Gb/s", f"{switch.id} has no port of this rate",
            )  # fmt: skip
