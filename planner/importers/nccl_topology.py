"""The topology that NCCL dumps or reads (XML): PCIe tree, GPUs, NVLinks, NICs of one server."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from planner.importers.imported import Given, Imported, Notes
from planner.importers.pci_devices import accelerator_of, generation_of, kind_of, link_rate
from planner.importers.server_wiring import MAX_DEVICES, Device, Wiring, describe
from planner.importers.source import Source
from planner.importers.xml_source import Element, parse_xml

KIND = "nccl-topology"
_DUMP = "dump it where the job runs: NCCL_TOPO_DUMP_FILE=topo.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A device with the bridges above it, outermost first."""

    device: Device
    cpu: int
    bridges: tuple[int, ...]


@dataclass(slots=True)
class _Tree:
    """What was found while walking the tree."""

    gpus: list[_Placed] = field(default_factory=list)
    nics: list[_Placed] = field(default_factory=list)
    gpu_elements: list[tuple[str, Element]] = field(default_factory=list)
    """Name and `gpu` element, or the bare `pci` element where there is none."""
    bus_names: dict[str, str] = field(default_factory=dict)
    accelerators: set[str] = field(default_factory=set)
    unknown: int = 0
    bridges: int = 0


def read_nccl_topology(source: Source, given: Given) -> Imported:
    """Return the server that a topology describes.

    Raises
    ------
    InputError
        If the file is no such XML, is NCCL's graph file, or names no GPU.
    """
    given.accept("scale_up")
    notes = Notes(warnings=list(source.notes))
    root = parse_xml(source)
    if root.tag == "graphs":
        raise source.refuse("is NCCL's graph file: the channels it chose, not the server", _DUMP)
    if root.tag != "system":
        raise source.refuse(f"is no NCCL topology: its root is <{root.tag[:40]}>", _DUMP)
    tree = _walk(root, source)
    if not tree.gpus:
        raise _no_gpus(tree, root, source)
    if tree.unknown:
        notes.warn(f"{tree.unknown} PCI devices without a class are neither GPU nor NIC here")
    wiring = _wiring(tree, notes)
    if not any(element.tag == "gpu" for _, element in tree.gpu_elements):
        notes.warn("a hand-written topology without GPU elements: NVLinks are filled in by NCCL "
                   f"at run time and are not seen here; {_DUMP}")  # fmt: skip
        kind = given.text("scale_up")
        if kind is None:
            notes.lack("how the GPUs are joined (nvswitch, pcie_p2p, ...)", "scale_up")
        wiring = replace(wiring, joined_as=kind or "")
    return notes.imported(KIND, {"server.json": describe(wiring, notes)})


def _no_gpus(tree: _Tree, root: Element, source: Source) -> Exception:
    if any(child.tag == "gpu" for child in root.children):
        return source.refuse("has GPUs outside any PCIe tree: it is not NCCL's dump", _DUMP)
    what = "names no GPU"
    if tree.unknown:
        what += f": {tree.unknown} PCI devices have no class, NCCL fills them in at run time"
    return source.refuse(what, _DUMP)


def _walk(root: Element, source: Source) -> _Tree:
    tree = _Tree()
    cpus = [child for child in root.children if child.tag == "cpu"]
    for number, cpu in enumerate(cpus):
        for child in cpu.children:
            _visit(child, number, cpu.get("numaid"), (), tree)
    if len(tree.gpus) > MAX_DEVICES or len(tree.nics) > MAX_DEVICES:
        raise source.refuse(f"names more than {MAX_DEVICES} GPUs or NICs", "give one server's")
    return tree


def _visit(element: Element, cpu: int, numa: str, bridges: tuple[int, ...], tree: _Tree) -> None:
    if element.tag == "nic":
        _ports(element, None, cpu, numa, bridges, tree)
        return
    if element.tag != "pci":
        return
    inner = [child for child in element.children if child.tag == "pci"]
    gpu = next((child for child in element.children if child.tag == "gpu"), None)
    cards = [child for child in element.children if child.tag in ("nic", "net")]
    kind = kind_of(element.get("class"))
    if gpu is not None or (kind == "gpu" and not inner):
        _gpu(element, gpu, cpu, numa, bridges, tree)
    elif cards or (kind == "nic" and not inner):
        for card in cards:
            _ports(card, element, cpu, numa, bridges, tree)
        if not cards:
            _port(element, element, cpu, numa, bridges, tree)
    elif inner:
        tree.bridges += 1
        own = (*bridges, tree.bridges)
        for child in inner:
            _visit(child, cpu, numa, own, tree)
    elif kind == "":
        tree.unknown += 1


def _gpu(
    element: Element, gpu: Element | None, cpu: int, numa: str, bridges: tuple[int, ...],
    tree: _Tree,
) -> None:  # fmt: skip
    if len(tree.gpus) > MAX_DEVICES:
        return
    number = gpu.get("dev") if gpu is not None else ""
    name = f"GPU{number if number.isdigit() and len(number) < 5 else len(tree.gpus)}"
    if any(name == placed.device.name for placed in tree.gpus):
        name = f"GPU{len(tree.gpus)}-{element.get('busid')[:20]}"
    device = Device(
        name=name,
        numa=numa[:8],
        pcie_gen=generation_of(element.get("link_speed")),
        pcie_lanes=_whole(element.get("link_width")),
        label=element.get("busid")[:20],
    )
    tree.gpus.append(_Placed(device=device, cpu=cpu, bridges=bridges))
    tree.gpu_elements.append((name, gpu if gpu is not None else element))
    tree.bus_names[element.get("busid").lower()] = name
    known = accelerator_of(element.get("vendor"), element.get("device"))
    tree.accelerators.add(known)


def _ports(
    card: Element, pci: Element | None, cpu: int, numa: str, bridges: tuple[int, ...], tree: _Tree
) -> None:
    nets = [card] if card.tag == "net" else [net for net in card.children if net.tag == "net"]
    for net in nets:
        _port(net, pci, cpu, numa, bridges, tree)


def _port(
    net: Element, pci: Element | None, cpu: int, numa: str, bridges: tuple[int, ...], tree: _Tree
) -> None:
    if len(tree.nics) > MAX_DEVICES:
        return
    speed = _whole(net.get("speed"))
    name = (net.get("name") or net.get("busid") or f"NIC{len(tree.nics)}")[:40]
    if any(name == placed.device.name for placed in tree.nics):
        name = f"{name}-{len(tree.nics)}"
    device = Device(
        name=name,
        numa=numa[:8],
        gbps=speed / 1000 if speed else None,
        pcie_gen=generation_of(pci.get("link_speed")) if pci is not None else None,
        pcie_lanes=_whole(pci.get("link_width")) if pci is not None else None,
        label=pci.get("busid")[:20] if pci is not None else "",
    )
    tree.nics.append(_Placed(device=device, cpu=cpu, bridges=bridges))


def _whole(text: str) -> int | None:
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 10 else None


def _path(a: _Placed, b: _Placed) -> str:
    """Return the path type as NCCL and nvidia-smi name it."""
    if a.cpu != b.cpu:
        return "SYS"
    shared = 0
    for one, other in zip(a.bridges, b.bridges, strict=False):
        if one != other:
            break
        shared += 1
    if shared == 0:
        return "PHB"
    crossed = len(a.bridges) + len(b.bridges) - 2 * shared + 1
    return "PIX" if crossed == 1 else "PXB"


def _wiring(tree: _Tree, notes: Notes) -> Wiring:
    placed = [*tree.gpus, *tree.nics]
    paths = {
        (a.device.name, b.device.name): _path(a, b) for a in placed for b in placed if a is not b
    }
    links: dict[tuple[str, str], int] = {}
    switch_links: dict[str, int] = {}
    kinds: set[str] = set()
    for name, element in tree.gpu_elements:
        for child in element.children:
            if child.tag not in ("nvlink", "xgmi"):
                continue
            kinds.add(child.tag)
            count = _whole(child.get("count")) or 0
            target = tree.bus_names.get(child.get("target").lower())
            if target is not None and target != name:
                links[name, target] = links.get((name, target), 0) + count
            elif kind_of(child.get("tclass")) == "switch":
                switch_links[name] = switch_links.get(name, 0) + count
    for (a, b), count in list(links.items()):
        if links.get((b, a)) != count:
            notes.warn(f"{a} names {count} links to {b}, {b} names {links.get((b, a), 0)} back")
            links[b, a] = max(count, links.get((b, a), 0))
    capabilities = {_whole(element.get("sm")) or 0 for _, element in tree.gpu_elements}
    known = tree.accelerators
    if len(known) > 1:
        notes.warn("GPUs of more than one model stand in this server")
    return Wiring(
        gpus=tuple(item.device for item in tree.gpus),
        nics=tuple(item.device for item in tree.nics),
        paths=paths,
        links=links,
        switch_links=switch_links,
        link_kind="xgmi" if kinds == {"xgmi"} else "nvlink",
        accelerator=next(iter(known)) if len(known) == 1 else "",
        link_gbytes_per_s=link_rate(max(capabilities)) if "nvlink" in kinds else None,
    )
