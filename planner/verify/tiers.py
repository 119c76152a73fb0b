"""Pods, planes and cores counted from devices and links: who meets whom, how evenly, at what ratio."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator

from planner.domain.hardware import NicOption
from planner.domain.solution import Device, Fabric
from planner.verify.links import nic_option
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation

Place = tuple[int, int]
"""Pod and plane."""


def check_tiers(record: Record) -> Iterator[Violation]:
    """Yield leafs, spines and cores whose links do not make the stated pods and planes."""
    design = record.solution.design
    if design is None or design.fabric.topology == "direct":
        return
    fabric = design.fabric
    yield from _labels(record, fabric)
    yield from _planes_of_servers(record, fabric)
    yield from _leaf_spine(record, fabric)
    yield from _spine_core(record, fabric)
    yield from _even_spread(record, fabric)


def _even_spread(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield a wrong count or price of the spines that only the even spread takes (two tiers)."""
    spines = record.of_kind("spine")
    extra, cost = 0, 0.0
    if spines and not record.of_kind("core"):
        ports = record.catalog.switch(spines[0].part).ports_at(fabric.link_gbps)
        loads: Counter[int] = Counter()
        for (_, spine), links in _links(record, "leaf_spine", "leaf").items():
            loads[record.devices[spine].plane] += links
        extra = len(spines) - sum(math.ceil(links / ports) for links in loads.values())
        lines = (b for b in record.solution.bill_of_materials if b.part == spines[0].part)
        cost = extra * next((line.unit_price_usd for line in lines if not line.owned), 0.0)
    if fabric.even_spread_spines != extra:
        yield violation(
            "even-spread-spines", "$.design.fabric.even_spread_spines", extra,
            fabric.even_spread_spines, "spines beyond what the ports need",
        )  # fmt: skip
    elif not same(fabric.even_spread_usd, cost) and record.solution.instance.owned is None:
        yield violation(
            "even-spread-cost", "$.design.fabric.even_spread_usd", cost, fabric.even_spread_usd,
            "purchase price of these spines",
        )  # fmt: skip


def _place(device: Device) -> Place:
    return device.pod, device.plane


def _labels(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield switches without the pod or plane that they must name, others that name one."""
    for device in record.solution.devices:
        pod = fabric.pods > 0 and device.kind in ("leaf", "spine")
        plane = fabric.planes > 1 and device.kind in ("leaf", "spine", "core")
        for what, named, wanted, count in (
            ("pod", device.pod, pod, fabric.pods), ("plane", device.plane, plane, fabric.planes)
        ):  # fmt: skip
            if not (0 <= named < count if wanted else named == -1):
                expected = f"0 to {count - 1}" if wanted else "-1"
                yield violation(f"{what}-label", device.id, expected, named, f"names its {what}")
    for what, stated, field in (("pod", fabric.pods, "pod"), ("plane", fabric.planes, "plane")):
        named_by = {getattr(d, field) for d in record.of_kind("leaf")} - {-1}
        if named_by and len(named_by) != stated:
            yield violation(
                f"{what}-count", f"$.design.fabric.{what}s", len(named_by), stated,
                f"{what}s that the leafs name",
            )  # fmt: skip
    pod_of: dict[int, int] = {}
    for leaf in record.of_kind("leaf"):
        if pod_of.setdefault(leaf.group, leaf.pod) != leaf.pod:
            yield violation(
                "pod-unit", leaf.id, pod_of[leaf.group], leaf.pod, "a unit stands in one pod"
            )


def _planes_of_servers(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield servers whose links are not shared evenly over the planes, NIC by NIC of two planes."""
    if fabric.planes < 2:
        return
    nic = nic_option(record)
    dual = nic if fabric.topology == "dual_plane" else None
    adapters = adapters_of(record, nic) if nic else 0
    if dual and dual.links // adapters % fabric.planes:
        yield violation(
            "plane-nics", "$.design.platform.nic", f"a multiple of {fabric.planes} links a NIC",
            dual.links // adapters, "the GPUs of one NIC meet one plane only",
        )  # fmt: skip
    for node in record.of_kind("node"):
        counts: Counter[int] = Counter()
        cards: dict[int, Counter[int]] = defaultdict(Counter)
        for end in record.ends.get(node.id, []):
            leaf = record.devices.get(end.other)
            if end.cable.tier == "node_leaf" and leaf is not None:
                counts[leaf.plane] += 1
                if dual:
                    cards[card_of(end.port, dual, adapters)][leaf.plane] += 1
        if len(counts) != fabric.planes or len(set(counts.values())) > 1:
            yield violation(
                "plane-servers", node.id, f"as many links into each of {fabric.planes} planes",
                ", ".join(f"{plane}: {n}" for plane, n in sorted(counts.items())),
                "does not reach its planes equally",
            )  # fmt: skip
        for card, met in sorted(cards.items()):
            if len(met) != fabric.planes or len(set(met.values())) > 1:
                yield violation(
                    "plane-ports", f"{node.id} NIC {card + 1}", "as many ports in each plane",
                    ", ".join(f"{plane}: {n}" for plane, n in sorted(met.items())),
                    "the ports of one NIC do not join both planes alike",
                )  # fmt: skip


def adapters_of(record: Record, nic: NicOption) -> int:
    """Return the network adapters of a server; a twin-port module may hold two."""
    row = record.catalog.nics.get(nic.nic)
    return nic.count * (row.controllers if row else 1)


def card_of(port: str, nic: NicOption, adapters: int) -> int:
    """Return the number of the NIC that a port belongs to: ports are numbered NIC by NIC."""
    cage, _, link = port.partition("/")
    number = int("".join(filter(str.isdigit, cage)) or 1) - 1
    index = number * nic.links_per_cage + (int(link) - 1 if link.isdigit() else 0)
    return index * adapters // nic.links


def _links(record: Record, tier: str, lower: str) -> Counter[tuple[str, str]]:
    """Return the links of a tier by (lower device, upper device)."""
    found: Counter[tuple[str, str]] = Counter()
    for cable in record.links:
        if cable.tier == tier:
            pair = (cable.a, cable.b)
            found[pair if record.kind(cable.a) == lower else pair[::-1]] += 1
    return found


def _leaf_spine(record: Record, fabric: Fabric) -> Iterator[Violation]:
    """Yield leafs that do not reach every spine of their pod and plane alike, and others at all."""
    links = _links(record, "leaf_spine", "leaf")
    spines: dict[Place, list[str]] = defaultdict(list)
    for spine in record.of_kind("spine"):
        spines[_place(spine)].append(spine.id)
    uplinks: Counter[str] = Counter()
    reached: dict[str, dict[str, int]] = defaultdict(dict)
    for (low, high), count in links.items():
        uplinks[low] += count
        reached[low][high] = count
    where = "$.design.fabric.links_per_leaf_spine"
    if not spines and fabric.links_per_leaf_spine:
        yield violation(
            "leaf-spine-spread", where, 0, fabric.links_per_leaf_spine, "there is no spine"
        )
    first = True
    for leaf in record.of_kind("leaf"):
        met = spines.get(_place(leaf), [])
        if not spines:
            break
        few, rest = divmod(uplinks[leaf.id], max(len(met), 1))
        if first and few != fabric.links_per_leaf_spine:
            yield violation(
                "leaf-spine-spread", where, few, fabric.links_per_leaf_spine, f"links of {leaf.id}"
            )
        first = False
        yield from _row(record, leaf, met, reached.get(leaf.id, {}), (few, rest))
    yield from _uplinks_alike(uplinks, "leaf-uplinks", "uplinks of every leaf")


def _row(
    record: Record,
    leaf: Device,
    met: list[str],
    links: dict[str, int],
    share: tuple[int, int],
) -> Iterator[Violation]:
    few, rest = share
    even = record.solution.instance.fabric.even_spread
    counts = {spine: links.get(spine, 0) for spine in met}
    wrong = [spine for spine, n in counts.items() if n not in ((few, few + 1) if rest else (few,))]
    if wrong or (rest and even) or not few + rest:
        spine = wrong[0] if wrong else (met[0] if met else "no spine")
        yield violation(
            "leaf-spine-spread", leaf.id, f"{few} links to each of {len(met)} spines",
            f"{counts.get(spine, 0)} to {spine}", "does not reach its spines evenly",
        )  # fmt: skip
    foreign = [spine for spine in links if spine not in counts]
    if foreign:
        yield violation(
            "leaf-spine-foreign", leaf.id, "spines of its own pod and plane", foreign[0],
            "is wired to a spine of another pod or plane",
        )  # fmt: skip


def _uplinks_alike(uplinks: Counter[str], check: str, what: str) -> Iterator[Violation]:
    if len(set(uplinks.values())) > 1:
        least, most = min(uplinks.values()), max(uplinks.values())
        yield violation(check, "$.cables", most, least, f"{what} are not as many")


def _spine_core(record: Record, fabric: Fabric) -> Iterator[Violation]:
    cores = record.of_kind("core")
    links = _links(record, "spine_core", "spine")
    uplinks: Counter[str] = Counter({spine.id: 0 for spine in record.of_kind("spine")})
    loads: Counter[str] = Counter({core.id: 0 for core in cores})
    for (low, high), count in links.items():
        uplinks[low] += count
        loads[high] += count
    expected = max(uplinks.values(), default=0) if cores else 0
    if fabric.uplinks_per_spine != expected:
        yield violation(
            "spine-uplinks", "$.design.fabric.uplinks_per_spine", expected,
            fabric.uplinks_per_spine, "links of a spine to cores",
        )  # fmt: skip
    if not cores:
        if not same(fabric.spine_oversubscription, 1.0):
            yield violation(
                "spine-oversubscription", "$.design.fabric.spine_oversubscription", 1.0,
                fabric.spine_oversubscription, "there is no core",
            )  # fmt: skip
        return
    yield from _uplinks_alike(uplinks, "spine-uplinks", "uplinks of every spine")
    yield from _foreign_cores(record, links)
    by_plane: dict[int, list[int]] = defaultdict(list)
    for core in cores:
        by_plane[core.plane].append(loads[core.id])
    for plane, counts in by_plane.items():
        if max(counts) - min(counts) > 1:
            yield violation(
                "core-spread", f"plane {max(plane, 0)}", f"{min(counts)} or one more", max(counts),
                "cores do not share the links of the spines evenly",
            )  # fmt: skip
    yield from _pod_ratio(record, fabric, expected)


def _foreign_cores(record: Record, links: Counter[tuple[str, str]]) -> Iterator[Violation]:
    pods: dict[str, set[int]] = defaultdict(set)
    for low, high in links:
        spine, core = record.devices.get(low), record.devices.get(high)
        if spine is None or core is None:
            continue
        pods[high].add(spine.pod)
        if spine.plane != core.plane:
            yield violation(
                "spine-core-foreign", low, f"cores of plane {spine.plane}", high,
                "is wired to a core of another plane",
            )  # fmt: skip
    for name, met in sorted(pods.items()):
        if len(met) < 2:
            yield violation("core-pods", name, "two pods or more", len(met), "joins no pods")


def _pod_ratio(record: Record, fabric: Fabric, uplinks: int) -> Iterator[Violation]:
    """Yield a violation unless the stated ratio is that of a spine of the first, full pod."""
    first = min((s.pod for s in record.of_kind("spine")), default=0)
    pod = [s.id for s in record.of_kind("spine") if s.pod == first]
    below: Counter[str] = Counter()
    for (_, high), count in _links(record, "leaf_spine", "leaf").items():
        below[high] += count
    down = math.ceil(sum(below[spine] for spine in pod) / max(len(pod), 1))
    ratio = max(1.0, down / max(uplinks, 1))
    if not same(fabric.spine_oversubscription, ratio):
        yield violation(
            "spine-oversubscription", "$.design.fabric.spine_oversubscription", ratio,
            fabric.spine_oversubscription, "down over up links of a spine of a full pod",
        )  # fmt: skip
