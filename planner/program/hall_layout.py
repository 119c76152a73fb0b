"""A hall laid out in one style: clusters of units around their switches, the top tier in the middle.

Servers fill racks one after another. Leafs, and the spines of a pod, stand in switch racks in the
middle of their cluster; cores, or the spines of two tiers, in the middle of the floor; out-of-band
switches wherever a place is left.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from planner.program.box import Load, load_of, rack_load
from planner.program.hall_floor import Cell, Floor
from planner.program.placement_problem import PlacementProblem

Name = tuple[str, int]
"""Kind (node, leaf, spine, core, oob) and number of a device, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One way to lay out a hall."""

    width: int
    """Columns of the floor in use."""
    strip: int
    cluster: int
    """Units whose switches stand together; a pod holds whole clusters, the last what is left."""
    spines_in_clusters: bool
    servers: int
    """Servers of a full rack."""
    leafs_beside: bool
    """Leafs stand beside servers where there is room."""
    packed: bool = False
    """Racks of switches that other racks have room for are given up."""


@dataclass(slots=True)
class _Rack:
    left: Load
    inside: list[Name] = field(default_factory=list)

    def put(self, name: Name, load: Load) -> bool:
        if not self.left.holds((1, load)):
            return False
        self.left = self.left.less(load)
        self.inside.append(name)
        return True


@dataclass(slots=True)
class _Cluster:
    servers: list[_Rack] = field(default_factory=list)
    switches: list[_Rack] = field(default_factory=list)


@dataclass(slots=True)
class _Contents:
    clusters: list[_Cluster]
    middle: list[_Rack]
    extra: list[_Rack]
    """Of out-of-band switches alone."""

    @property
    def racks(self) -> int:
        """Racks in use."""
        clusters = sum(len(c.servers) + len(c.switches) for c in self.clusters)
        return clusters + len(self.middle) + len(self.extra)


Positions = dict[str, list[int]]
"""Rack of every device by kind and number."""


class HallLayout:
    """Lays out one problem; what does not depend on the style is kept."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem
        room = problem.room
        boxes = {
            "node": problem.server, "leaf": problem.leaf, "spine": problem.spine,
            "core": problem.core, "oob": problem.oob,
        }  # fmt: skip
        self.loads = {kind: load_of(box, room) for kind, box in boxes.items()}
        self.empty = rack_load(room)
        self._known: dict[Style, _Contents] = {}

    def lay(self, style: Style) -> Positions | None:
        """Return where everything stands, None where the room has too few racks."""
        contents = self._filled(replace(style, width=0, strip=0))
        floor = Floor(
            room=self.problem.room, racks=contents.racks, width=style.width, strip=style.strip
        )
        if len(floor.cells) < contents.racks:
            return None
        return self._positions(floor, contents)

    def _filled(self, style: Style) -> _Contents:
        """Return what stands in racks in one style, whatever the floor; kept."""
        if style not in self._known:
            clusters, middle = self._contents(style)
            if style.packed:
                middle = self._packed(clusters, middle)
            racks = [rack for c in clusters for rack in (*c.servers, *c.switches)] + middle
            self._known[style] = _Contents(clusters, middle, self._out_of_band(racks))
        return self._known[style]

    def _contents(self, style: Style) -> tuple[list[_Cluster], list[_Rack]]:
        """Return what stands in the racks of each cluster, and of the middle."""
        plan = self.problem.plan
        clusters: list[_Cluster] = []
        middle: list[Name] = [("core", k) for k in range(plan.cores)]
        unit, node, leaf, spine = 0, 0, 0, 0
        open_rack: _Rack | None = None
        for group in plan.spine_groups:
            size = min(style.cluster, group.units)
            parts = -(-group.units // size)
            last = unit + group.units
            spines = [("spine", spine + k) for k in range(group.spines)]
            spine += group.spines
            if not style.spines_in_clusters:
                middle += spines
                spines = []
            for part in range(parts):
                units = plan.units[unit : min(unit + size, last)]
                unit += len(units)
                cluster = _Cluster()
                clusters.append(cluster)
                names: list[Name] = []
                for one in units:
                    nodes = range(node, node + one.servers)
                    open_rack = self._servers(cluster, open_rack, nodes, style.servers)
                    names += [("leaf", leaf + k) for k in range(one.leafs)]
                    node, leaf = node + one.servers, leaf + one.leafs
                if style.leafs_beside:
                    names = self._beside(cluster.servers, names)
                share = spines[part * len(spines) // parts : (part + 1) * len(spines) // parts]
                cluster.switches = self._racks([*names, *share])
        return clusters, self._racks(middle)

    def _packed(self, clusters: list[_Cluster], middle: list[_Rack]) -> list[_Rack]:
        """Move what stands in the last rack of switches of every group beside servers, if all fits.

        Returns the racks of the middle that are left.
        """
        everywhere = [rack for cluster in clusters for rack in cluster.servers]
        for cluster in clusters:
            cluster.switches = self._without_last(cluster.switches, cluster.servers)
        return self._without_last(middle, everywhere)

    def _without_last(self, racks: list[_Rack], others: list[_Rack]) -> list[_Rack]:
        if not racks:
            return racks
        moves: list[tuple[_Rack, Name]] = []
        left = {id(rack): rack.left for rack in others}
        places = iter(others)
        place = next(places, None)
        for name in racks[-1].inside:
            load = self.loads[name[0]]
            while place is not None and not left[id(place)].holds((1, load)):
                place = next(places, None)
            if place is None:
                return racks
            left[id(place)] = left[id(place)].less(load)
            moves.append((place, name))
        for rack, name in moves:
            rack.put(name, self.loads[name[0]])
        return racks[:-1]

    def _servers(
        self, cluster: _Cluster, rack: _Rack | None, nodes: range, most: int
    ) -> _Rack | None:
        load = self.loads["node"]
        for node in nodes:
            if rack is None or len(rack.inside) >= most or not rack.put(("node", node), load):
                rack = _Rack(self.empty)
                cluster.servers.append(rack)
                rack.put(("node", node), load)
        return rack

    def _beside(self, racks: list[_Rack], names: list[Name]) -> list[Name]:
        """Put leafs beside servers, spread over the racks; return those without a place."""
        left = list(names)
        for rack in racks:
            even = -(-len(names) // max(1, len(racks)))
            for _ in range(even):
                if left and rack.put(left[0], self.loads[left[0][0]]):
                    left.pop(0)
        for rack in racks:
            while left and rack.put(left[0], self.loads[left[0][0]]):
                left.pop(0)
        return left

    def _racks(self, names: list[Name]) -> list[_Rack]:
        """Return racks that hold only these, filled evenly in order."""
        found: list[_Rack] = []
        for name in names:
            if not found or not found[-1].put(name, self.loads[name[0]]):
                found.append(_Rack(self.empty))
                found[-1].put(name, self.loads[name[0]])
        return found

    def _out_of_band(self, racks: list[_Rack]) -> list[_Rack]:
        """Put out-of-band switches where places are left; return the racks that are added."""
        count = self.problem.oob_count if self.problem.oob else 0
        left: list[Name] = [("oob", k) for k in range(count)]
        for rack in racks:
            while left and rack.put(left[0], self.loads["oob"]):
                left.pop(0)
        return self._racks(left)

    def _positions(self, floor: Floor, contents: _Contents) -> Positions:
        clusters, middle, extra = contents.clusters, contents.middle, contents.extra
        where: list[tuple[_Rack, Cell]] = []
        central = floor.nearest(floor.cells, len(middle))
        where += zip(middle, central, strict=True)
        taken = set(central)
        free = [cell for cell in floor.sequence if cell not in taken]
        start = 0
        for cluster in clusters:
            count = len(cluster.servers) + len(cluster.switches)
            cells = free[start : start + count]
            start += count
            hubs = floor.nearest(cells, len(cluster.switches)) if cluster.switches else []
            where += zip(cluster.switches, hubs, strict=True)
            inner = set(hubs)
            others = [cell for cell in cells if cell not in inner]
            where += zip(cluster.servers, others, strict=True)
        where += zip(extra, free[start:], strict=True)
        found: dict[Name, int] = {}
        for rack, cell in where:
            for name in rack.inside:
                found[name] = floor.rack(cell)
        counts = Counter(kind for kind, _ in found)
        kinds = ("node", "leaf", "spine", "core", "oob")
        return {kind: [found[kind, k] for k in range(counts[kind])] for kind in kinds}
