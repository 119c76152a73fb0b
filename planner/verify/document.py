"""The document as a whole: parts present for its status, ids that are unique and known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from planner.domain.seal import seal_of
from planner.domain.solution import SCHEMA_VERSION, Solution
from planner.verify.record import Record, unreadable
from planner.verify.violation import Violation, violation

ANSWERED = ("optimal", "feasible")


def check_document(record: Record) -> Iterator[Violation]:
    """Yield contradictions of the status with what stands in the document, and unknown ids."""
    solution = record.solution
    yield from check_identity(solution)
    yield from _status(solution)
    yield from _duplicates(solution)
    yield from _groups(solution)
    yield from _parts(record)


def check_identity(solution: Solution) -> Iterator[Violation]:
    """Yield a version that the checker does not read, and a seal of another document."""
    if solution.schema_version != SCHEMA_VERSION:
        yield violation(
            "document-version", "$.schema_version", SCHEMA_VERSION, solution.schema_version,
            "the checker reads this version of the document only",
        )  # fmt: skip
    if solution.seal and solution.seal != seal_of(solution):
        yield violation(
            "document-seal", "$.seal", seal_of(solution), solution.seal,
            "the document is not the one that was written; something in it was changed",
        )  # fmt: skip


def _status(solution: Solution) -> Iterator[Violation]:
    answered = solution.status in ANSWERED
    if solution.question == "evaluate" and solution.status == "infeasible":
        answered = solution.design is not None
    parts = {
        "objective_usd": solution.objective_usd,
        "cost": solution.cost,
        "design": solution.design,
    }
    for name, value in parts.items():
        if answered != (value is not None):
            yield violation(
                "document-status", f"$.{name}", "present" if answered else "absent",
                "present" if value is not None else "absent",
                f"does not go with the status {solution.status}",
            )  # fmt: skip
    lists = {
        "workloads": solution.workloads,
        "devices": solution.devices,
        "racks": solution.racks,
        "bill_of_materials": solution.bill_of_materials,
    }
    for name, rows in lists.items():
        if answered and not rows:
            yield violation(
                "document-status", f"$.{name}", "some", "none",
                f"an answer that is {solution.status} lists them",
            )  # fmt: skip
    if solution.status not in ANSWERED and not solution.reasons:
        yield violation(
            "document-reasons", "$.reasons", "at least one", "none",
            f"the status {solution.status} needs its reason",
        )  # fmt: skip


def _duplicates(solution: Solution) -> Iterator[Violation]:
    ids = {
        "devices": [d.id for d in solution.devices],
        "racks": [r.id for r in solution.racks],
        "cables": [c.id for c in solution.cables],
        "cable_groups": [g.id for g in solution.cable_groups],
        "workloads": [w.name for w in solution.workloads],
    }
    for name, values in ids.items():
        for value, times in Counter(values).items():
            if times > 1:
                yield violation(
                    "document-ids", f"$.{name}", 1, times, f"{value} stands several times"
                )


def _groups(solution: Solution) -> Iterator[Violation]:
    """Yield groups of links that end nowhere or hold another number of links than they say."""
    place = {device.id: k for k, device in enumerate(solution.devices)}
    for i, group in enumerate(solution.cable_groups):
        where = f"$.cable_groups[{i}]"
        ends = [group.a_first, group.a_last, group.b_first, group.b_last]
        missing = [name for name in ends if name not in place]
        if missing:
            yield violation(
                "group-ends", where, "devices of the document", ", ".join(missing),
                f"{group.id} ends at nothing",
            )  # fmt: skip
            continue
        if unreadable(group):
            yield violation(
                "group-counts", where, "links and cages of at least 1, in a fabric's numbers",
                f"{group.links_each} links each, {group.assembly_links} an assembly",
                f"{group.id} cannot be read link by link",
            )  # fmt: skip
            continue
        a, b = (place[ends[k + 1]] - place[ends[k]] + 1 for k in (0, 2))
        counted = max(0, a) * max(0, b) * group.links_each
        if counted != group.links or not counted:
            yield violation(
                "group-links", f"{where}.links", counted, group.links,
                f"{group.id}: devices a x devices b x links of each pair",
            )  # fmt: skip


def _parts(record: Record) -> Iterator[Violation]:
    catalog = record.catalog
    switches = catalog.switches
    tables: dict[str, Mapping[str, object]] = {
        "node": catalog.servers,
        "leaf": switches,
        "spine": switches,
        "core": switches,
        "oob": switches,
        "storage_switch": switches,
        "in_band_switch": switches,
        "fabric_manager": catalog.appliances,
        "appliance": catalog.appliances,
    }
    for device in record.solution.devices:
        table = tables.get(device.kind)
        if table is not None and device.part not in table:
            yield violation(
                "device-part", device.id, f"a {device.kind} of the catalogue", device.part,
                "the device is of no model that the catalogue knows",
            )  # fmt: skip
        if device.rack not in record.racks:
            yield violation(
                "device-rack", device.id, "a rack of the document", device.rack,
                "the device stands in a rack that is not listed",
            )  # fmt: skip
    for i, cable in enumerate(record.links):
        if cable.part not in catalog.cables and cable.part not in catalog.fibres:
            yield violation(
                "cable-part", f"$.cables[{i}]", "a cable or fibre of the catalogue", cable.part,
                f"{cable.id} is of no part that the catalogue knows",
            )  # fmt: skip
        for module in (cable.a_module, cable.b_module):
            if module and module not in catalog.transceivers:
                yield violation(
                    "module-part", f"$.cables[{i}]", "a transceiver of the catalogue", module,
                    f"{cable.id} has a module that the catalogue does not know",
                )  # fmt: skip
