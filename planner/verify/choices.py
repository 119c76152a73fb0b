"""What the instance pins or forbids, and the declared grid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planner.domain.instance import HardwareChoice
from planner.domain.workload import StrategyChoice
from planner.verify.record import Record
from planner.verify.violation import Violation, violation


def check_choices(record: Record) -> Iterator[Violation]:
    """Yield choices that the instance excludes."""
    solution = record.solution
    if solution.design is None:
        return
    instance = solution.instance
    for key, values in _chosen(record).items():
        yield from _excluded(instance.fix, instance.forbid, key, values, "$.design")
    asked = {w.name: w for w in instance.workloads}
    for i, result in enumerate(solution.workloads):
        demand = asked.get(result.name)
        if demand is None:
            continue
        chosen = {key: getattr(result.strategy, key, None) for key in StrategyChoice.model_fields}
        chosen["nodes"] = result.nodes_used
        for key, value in chosen.items():
            where = f"$.workloads[{i}].strategy"
            yield from _excluded(demand.fix, demand.forbid, key, {value}, where)
    yield from _grid(record)


def _chosen(record: Record) -> dict[str, set[Any]]:
    """Return the values taken of each key of `fix` and `forbid`."""
    design = record.solution.design
    assert design is not None
    platform, fabric = design.platform, design.fabric
    switches = {d.part for d in record.solution.devices if d.kind in ("leaf", "spine", "core")}
    parts = {line.part for line in record.solution.bill_of_materials}
    chosen: dict[str, set[Any]] = {
        "server": {platform.server},
        "accelerator": {platform.accelerator},
        "scale_up": {platform.scale_up},
        "nic": {platform.nic},
        "nics_per_node": {platform.nics},
        "nodes": {len(record.of_kind("node"))},
        "topology": {fabric.topology},
        "product": parts | switches | {platform.server, platform.accelerator, platform.nic},
    }
    if switches:
        chosen["family"] = {fabric.family}
        chosen["switch"] = switches
    return chosen


def _excluded(
    fix: HardwareChoice | StrategyChoice,
    forbid: HardwareChoice | StrategyChoice,
    key: str,
    values: set[Any],
    where: str,
) -> Iterator[Violation]:
    pinned = fix.values().get(key)
    if pinned is not None and (
        not set(pinned) & values if key == "product" else not values <= set(pinned)
    ):
        yield violation(
            "choice-fixed", where, ", ".join(str(v) for v in pinned), _words(values),
            f"the instance fixes {key}",
        )  # fmt: skip
    banned = set(forbid.values().get(key, ())) & values
    if banned:
        yield violation(
            "choice-forbidden", where, f"another {key}", _words(banned),
            f"the instance forbids this {key}",
        )  # fmt: skip


def _words(values: set[Any]) -> str:
    return ", ".join(sorted(str(v) for v in values))


def _grid(record: Record) -> Iterator[Violation]:
    grid = record.solution.instance.grid
    nodes = len(record.of_kind("node"))
    above = grid.max_nodes is not None and nodes > grid.max_nodes
    if nodes < grid.min_nodes or above or (nodes - grid.min_nodes) % grid.step:
        most = "" if grid.max_nodes is None else f" to {grid.max_nodes}"
        yield violation(
            "grid-nodes", "$.design.nodes", f"{grid.min_nodes}{most} by {grid.step}", nodes,
            "is not in the declared grid",
        )  # fmt: skip
    design = record.solution.design
    assert design is not None
    fixed = record.solution.instance.fix.values()
    wanted = fixed.get("oversubscription", grid.oversubscription)
    allowed = [r for r in wanted if r in grid.oversubscription] or list(wanted)
    spines = fixed.get("spine_oversubscription", grid.spine_oversubscription)
    if design.fabric.spine_oversubscription > max(spines) * (1 + 1e-9):
        yield violation(
            "grid-oversubscription", "$.design.fabric.spine_oversubscription",
            f"at most {max(spines):g}", design.fabric.spine_oversubscription,
            "is above every declared ratio of spines",
        )  # fmt: skip
    if design.fabric.oversubscription > max(allowed) * (1 + 1e-9):
        yield violation(
            "grid-oversubscription", "$.design.fabric.oversubscription",
            f"at most {max(allowed):g}", design.fabric.oversubscription,
            "is above every declared ratio",
        )  # fmt: skip
