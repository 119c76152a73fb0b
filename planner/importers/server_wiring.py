"""How a server's GPUs and NICs are joined, whatever file said so; and where the wiring is poor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.domain.hardware import PCIE_GBYTES_PER_S_PER_LANE
from planner.importers.imported import Notes

PATHS = ("PIX", "PXB", "PHB", "NODE", "SYS")
"""From one PCIe bridge between two devices to the link between sockets, as nvidia-smi names them."""
NEAR = ("PIX", "PXB")
"""Paths that never leave the PCIe switches: GPUDirect at full rate."""
MAX_DEVICES = 512
MOST_LINKS_OF_A_GPU = 18
"""NVLink 4 and 5; pairs that together need more go through switches."""
PCIE_EFFICIENCY = 0.87
"""Share of the encoded rate that a NIC gets, as in the catalogue's `host_limit_gbps`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU or a NIC port; None where the file is silent."""

    name: str
    numa: str = ""
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    gbps: float | None = None
    """Of a NIC port."""
    label: str = ""
    """Name of the device in the operating system."""

    @property
    def pcie_gbps(self) -> float | None:
        """What the device's PCIe link carries after efficiency, gigabit/s."""
        lane = PCIE_GBYTES_PER_S_PER_LANE.get(self.pcie_gen or 0)
        if lane is None or not self.pcie_lanes:
            return None
        return lane * self.pcie_lanes * 8 * PCIE_EFFICIENCY


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """GPUs, NICs, and the path between any two of them."""

    gpus: tuple[Device, ...]
    nics: tuple[Device, ...]
    paths: Mapping[tuple[str, str], str]
    """PCIe path by pair of names, in both orders; pairs may be absent."""
    links: Mapping[tuple[str, str], int]
    """NVLinks (or xGMI links) between two GPUs, in both orders."""
    switch_links: Mapping[str, int] = field(default_factory=dict)
    """Links of a GPU into switches, where the file names the switches."""
    link_kind: str = "nvlink"
    accelerator: str = ""
    """Catalogue id, empty if unknown."""
    link_gbytes_per_s: float | None = None
    """Rate of one link, one direction; None if the generation is unknown."""
    joined_as: str | None = None
    """Kind of scale-up where the file does not show links: as given, empty if unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleUp:
    """How the GPUs of one host are joined."""

    kind: str
    domain_gpus: int
    links: int
    """Links of one GPU, 0 without."""


def scale_up(wiring: Wiring, notes: Notes) -> ScaleUp:
    """Return the kind of scale-up network; notes where links are missing."""
    names = [gpu.name for gpu in wiring.gpus]
    if wiring.joined_as is not None:
        return ScaleUp(kind=wiring.joined_as, domain_gpus=len(names), links=0)
    if wiring.switch_links:
        totals = {name: wiring.switch_links.get(name, 0) for name in names}
        _uneven(totals, notes)
        return ScaleUp(kind="nvswitch", domain_gpus=len(names), links=max(totals.values()))
    groups = _groups(names, wiring)
    largest = max(len(group) for group in groups)
    if largest == 1:
        kind = "none" if len(names) == 1 else "pcie_p2p"
        return ScaleUp(kind=kind, domain_gpus=len(names) if kind == "pcie_p2p" else 1, links=0)
    counts = {count for pair, count in wiring.links.items() if count}
    pairs = sum(1 for (a, b), count in wiring.links.items() if count and a < b)
    whole = largest == len(names)
    meshed = whole and pairs == len(names) * (len(names) - 1) // 2
    each = max(counts)
    if (
        meshed
        and len(counts) == 1
        and len(names) > 2
        and each * (len(names) - 1) > MOST_LINKS_OF_A_GPU
    ):
        return ScaleUp(kind="nvswitch", domain_gpus=len(names), links=each)
    if meshed and len(names) > 3 and each * (len(names) - 1) > MOST_LINKS_OF_A_GPU:
        _weak_pairs(wiring, each, notes)
        return ScaleUp(kind="nvswitch", domain_gpus=len(names), links=each)
    totals = {a: sum(wiring.links.get((a, b), 0) for b in names) for a in names}
    _uneven(totals, notes)
    if wiring.link_kind == "xgmi":
        kind = "xgmi"
    else:
        kind = "nvlink_mesh" if whole and len(names) > 2 else "nvlink_bridge"
    sizes = Counter(len(group) for group in groups)
    if len(sizes) > 1:
        shown = ", ".join(f"{number} of {size}" for size, number in sorted(sizes.items()))
        notes.warn(f"GPUs are linked in groups of different size ({shown}): links are missing")
    return ScaleUp(kind=kind, domain_gpus=largest, links=max(totals.values()))


def _groups(names: list[str], wiring: Wiring) -> list[set[str]]:
    left, groups = set(names), []
    while left:
        group, reach = set(), [left.pop()]
        while reach:
            one = reach.pop()
            group.add(one)
            found = {other for other in left if wiring.links.get((one, other))}
            left -= found
            reach += found
        groups.append(group)
    return groups


def _uneven(totals: Mapping[str, int], notes: Notes) -> None:
    most = max(totals.values())
    for name, count in totals.items():
        if count < most:
            notes.warn(f"{name} has {count} of {most} links: some are missing or down")


def _weak_pairs(wiring: Wiring, each: int, notes: Notes) -> None:
    for (a, b), count in sorted(wiring.links.items()):
        if a < b and count < each:
            notes.warn(f"{a} and {b} are joined by {count} of {each} links: some are down")


def describe(wiring: Wiring, notes: Notes) -> dict[str, Any]:
    """Return the server description: catalogue fields, NIC affinity, PCIe limits, candidates."""
    joined = scale_up(wiring, notes)
    server: dict[str, Any] = {
        "gpus": len(wiring.gpus),
        "host_gpus": len(wiring.gpus),
        **({"scale_up": joined.kind, "domain_gpus": joined.domain_gpus} if joined.kind else {}),
        "nic_slots": len(wiring.nics),
    }
    rate = wiring.link_gbytes_per_s
    if joined.links and rate:
        server["scale_up_gbytes_per_s"] = joined.links * rate
    generations = {nic.pcie_gen for nic in wiring.nics if nic.pcie_gen}
    generations = generations or {gpu.pcie_gen for gpu in wiring.gpus if gpu.pcie_gen}
    if generations:
        server["pcie_gen"] = min(generations)
    _affinity_warnings(wiring, notes)
    _pcie_warnings(wiring, notes)
    _crossings(wiring, joined, notes)
    document: dict[str, Any] = {"server": server}
    if wiring.accelerator:
        server["accelerator"] = wiring.accelerator
    if joined.links:
        document["links_of_a_gpu"] = joined.links
    document["gpus"] = [_gpu(wiring, gpu) for gpu in wiring.gpus]
    document["nics"] = [_nic(wiring, nic) for nic in wiring.nics]
    document["catalogue"] = _candidates(wiring, joined, notes)
    shown = f", {joined.links} links a GPU" if joined.links else ""
    notes.fact(
        f"{len(wiring.gpus)} GPUs, "
        f"{joined.kind or 'joined in an unknown way'} over {joined.domain_gpus}{shown}; "
        f"{len(wiring.nics)} NIC ports"
    )
    return document


def nearest(wiring: Wiring, gpu: str) -> tuple[str, list[str]]:
    """Return the nearest path from a GPU to any NIC and the NICs on it; empty without NICs."""
    by_path: dict[str, list[str]] = {}
    for nic in wiring.nics:
        path = wiring.paths.get((gpu, nic.name), "")
        if path in PATHS:
            by_path.setdefault(path, []).append(nic.name)
    for path in PATHS:
        if path in by_path:
            return path, by_path[path]
    return "", []


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "", [])}


def _gpu(wiring: Wiring, gpu: Device) -> dict[str, Any]:
    path, nics = nearest(wiring, gpu.name)
    return _known({
        "name": gpu.name, "bus": gpu.label, "numa": gpu.numa, "pcie_gen": gpu.pcie_gen,
        "pcie_lanes": gpu.pcie_lanes, "nearest_nics": nics, "nic_path": path,
    })  # fmt: skip


def _nic(wiring: Wiring, nic: Device) -> dict[str, Any]:
    limit = nic.pcie_gbps
    near = [gpu.name for gpu in wiring.gpus if wiring.paths.get((gpu.name, nic.name)) in NEAR]
    return _known({
        "name": nic.name, "device": nic.label, "numa": nic.numa, "gbps": nic.gbps,
        "pcie_gen": nic.pcie_gen, "pcie_lanes": nic.pcie_lanes,
        "pcie_limit_gbps": None if limit is None else round(limit, 1), "near_gpus": near,
    })  # fmt: skip


def _affinity_warnings(wiring: Wiring, notes: Notes) -> None:
    if not wiring.nics:
        notes.fact("no NIC is named: affinity is unknown")
        return
    if len(wiring.nics) == 1 and len(wiring.gpus) > 1:
        notes.warn(f"one NIC port serves all {len(wiring.gpus)} GPUs")
    far: dict[str, list[str]] = {}
    shared: Counter[str] = Counter()
    for gpu in wiring.gpus:
        path, nics = nearest(wiring, gpu.name)
        if path and path not in NEAR:
            far.setdefault(path, []).append(gpu.name)
        for nic in nics if path in NEAR else []:
            shared[nic] += 1
    meaning = {
        "PHB": "through the CPU's host bridge",
        "NODE": "across host bridges of one socket",
        "SYS": "across the sockets",
    }
    for path, names in far.items():
        notes.warn(
            f"{', '.join(names)}: the nearest NIC is {path} away ({meaning[path]}); "
            "GPUDirect is slower or off there"
        )
    near = set(shared)
    if near and len(near) * 2 < sum(
        1 for gpu in wiring.gpus if nearest(wiring, gpu.name)[0] in NEAR
    ):
        notes.warn(f"{len(near)} near NIC port(s) serve {max(shared.values())} GPUs each")
    idle = [
        nic.name
        for nic in wiring.nics
        if nic.name not in near and all((gpu.name, nic.name) in wiring.paths for gpu in wiring.gpus)
    ]
    if near and idle:
        notes.fact(f"{', '.join(idle)}: near no GPU, perhaps for storage or management")


def _pcie_warnings(wiring: Wiring, notes: Notes) -> None:
    for device in (*wiring.gpus, *wiring.nics):
        if device.pcie_lanes and device.pcie_lanes < 16:
            notes.warn(f"{device.name} sits on {device.pcie_lanes} PCIe lanes of 16")
        limit = device.pcie_gbps
        if device.gbps and limit and device.gbps > limit * 1.15:
            notes.warn(
                f"{device.name} is rated {device.gbps:g} Gb/s, its PCIe link carries {limit:.0f}"
            )
    generations = Counter(gpu.pcie_gen for gpu in wiring.gpus if gpu.pcie_gen)
    if len(generations) > 1:
        usual = max(generations)
        slow = [gpu.name for gpu in wiring.gpus if gpu.pcie_gen and gpu.pcie_gen < usual]
        notes.warn(f"{', '.join(slow)}: PCIe below generation {usual} of the other GPUs")


def _crossings(wiring: Wiring, joined: ScaleUp, notes: Notes) -> None:
    """Note GPU pairs that talk across the sockets."""
    if joined.kind in ("nvswitch", "xgmi", ""):
        return
    names = [gpu.name for gpu in wiring.gpus]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    across = [
        pair for pair in pairs if wiring.paths.get(pair) == "SYS" and not wiring.links.get(pair)
    ]
    if across:
        notes.warn(f"{len(across)} of {len(pairs)} GPU pairs have no direct link and cross the "
                   "sockets (SYS)")  # fmt: skip


def _candidates(wiring: Wiring, joined: ScaleUp, notes: Notes) -> list[str]:
    """Return the catalogue's servers that are wired alike."""
    from planner.domain.catalog import load_catalog

    catalog = load_catalog()
    found = []
    for row in catalog.servers.values():
        accelerator = catalog.accelerators.get(row.accelerator)
        if wiring.accelerator and row.accelerator != wiring.accelerator:
            continue
        tray = row.hosts > 1 and joined.kind == "nvswitch"
        alike = tray or joined.kind in ("", row.scale_up)
        if row.host_gpus != len(wiring.gpus) or not alike:
            continue
        steps = (wiring.link_gbytes_per_s,) if wiring.link_gbytes_per_s else (25.0, 50.0)
        rates = {joined.links * step for step in steps}
        known = accelerator.scale_up_gbytes_per_s if accelerator else None
        if wiring.link_kind == "nvlink" and joined.links and known and known not in rates:
            continue
        found.append(row.id)
    if any(catalog.servers[name].hosts > 1 for name in found):
        notes.warn("GPUs of a tray: the NVLink domain may span many hosts of a rack")
    return found
