"""What placement decides: where the boxes of a fabric plan stand and how their links are built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from planner.domain.design import FabricChoice, FabricPlan
from planner.program.box import Box
from planner.program.link_prices import Medium
from planner.program.room import Room


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementProblem:
    """One design to place; devices are counted, not named."""

    plan: FabricPlan
    room: Room
    server: Box
    leaf: Box | None = None
    spine: Box | None = None
    oob: Box | None = None
    """Out-of-band switch."""
    oob_count: int = 0
    rack_cents: int
    """Present value of one rack in use with what belongs to it (PDUs, space); a server that is
    delivered as a rack brings its own (`placement_own_rack`)."""
    unit_cents: Mapping[str, int] = field(compare=False)
    """Present value of one unit of every cable, fibre and module, by catalogue id.

    Left out where problems are compared: the media hold the prices of all that can be built.
    """
    node_leaf: tuple[Medium, ...] = ()
    """Ways to build the links between servers (end a) and leafs (end b)."""
    leaf_spine: tuple[Medium, ...] = ()
    """Ways to build the links between leafs (end a) and spines (end b), or of a joined pair."""
    leaf_cages: int = 0
    """Cages of a leaf."""
    core: Box | None = None
    spine_core: tuple[Medium, ...] = ()
    """Ways to build the links between spines (end a) and cores (end b)."""
    spine_cages: int = 0
    """Cages of a spine, checked where cores stand above it."""
    whole_cages: bool = False
    """All links of a server's cage may join one leaf where its ports share several by turns."""
    rack_cents_in: tuple[int, ...] = ()
    """`rack_cents` of each rack of the room, where they are not all alike."""

    def racks_cents(self, racks: Iterable[int]) -> int:
        """Return the present value of racks that are bought, cents; each is counted once.

        Parameters
        ----------
        racks
            Where boxes stand that do not bring a rack of their own.
        """
        used = set(racks)
        if not self.rack_cents_in:
            return self.rack_cents * len(used)
        return sum(self.rack_cents_in[rack] for rack in used)

    def fewest_cents(self, racks: int) -> int:
        """Return the least that so many racks in use cost, cents."""
        bought = max(0, racks - self.own_racks)
        if not self.rack_cents_in:
            return self.rack_cents * bought
        return sum(sorted(self.rack_cents_in)[:bought])

    @property
    def own_racks(self) -> int:
        """Racks that servers bring."""
        return self.plan.servers if self.server.whole_rack else 0

    def nameless(self) -> PlacementProblem:
        """Return the problem without the names of products: equal ones have the same answers."""
        others = (self.leaf, self.spine, self.oob, self.core)
        leaf, spine, oob, core = (box and replace(box, part="") for box in others)
        return replace(
            self,
            plan=replace(self.plan, choice=FabricChoice(family="", topology="")),
            server=replace(self.server, part=""),
            leaf=leaf,
            spine=spine,
            oob=oob,
            core=core,
        )

    @property
    def group_leafs(self) -> int:
        """Leafs of one unit."""
        return self.plan.units[0].leafs

    @property
    def even(self) -> bool:
        """True where every leaf has the same number of links to every spine that it meets."""
        plan = self.plan
        met = plan.spine_groups[0].spines // plan.planes
        return not plan.spines or plan.links_per_leaf_spine * met == plan.uplinks_per_leaf
