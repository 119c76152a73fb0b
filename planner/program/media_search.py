"""The search of one pair of media: first in as few racks as hold the boxes, then as far as pays."""

from __future__ import annotations

from planner.program.floor_region import region, useful
from planner.program.leaf_racks import Incumbent, LeafSearch
from planner.program.link_prices import Medium
from planner.program.placement_counts import Counts
from planner.program.placement_problem import PlacementProblem


class MediaSearch:
    """Places one problem with one medium for each tier."""

    def __init__(
        self,
        problem: PlacementProblem,
        media: tuple[Medium | None, Medium | None],
        incumbent: Incumbent,
        work_limit: int,
    ) -> None:
        self.problem = problem
        self.media = media
        self.incumbent = incumbent
        self.work_limit = work_limit
        self.stopped = False
        self._whole = self._search(problem.room.racks)
        self.root = self._whole.root()
        """Lower bound of this pair over the whole room, cents."""

    def run(self, needed: int) -> int:
        """Search and return the proven lower bound of this pair, cents.

        Parameters
        ----------
        needed
            Fewest racks that hold all boxes.
        """
        racks = self.problem.room.racks
        if self.root >= self.incumbent.cents:
            return self.root
        if not self.problem.room.alike:
            return min(self._run(racks), self.incumbent.cents)
        tried = max(needed, self._whole.likely_racks())
        bound = self._run(tried)
        while self.incumbent.at is None and not self.stopped and tried < racks:
            tried += 1
            bound = self._run(tried)
        worth = max(
            (n for n in range(needed, racks + 1) if self._whole.root(n) < self.incumbent.cents),
            default=needed,
        )
        if worth > tried:
            bound = self._run(worth)
        return min(bound, self.incumbent.cents)

    def _run(self, used: int) -> int:
        search = self._search(used)
        bound = search.run()
        self.stopped = search.stopped
        return bound

    def _search(self, used: int) -> LeafSearch:
        down, up = self.media
        room = self.problem.room
        places = region(room, used) if room.alike else useful(self.problem)
        counts = Counts(problem=self.problem, down=down, up=up, places=places)
        return LeafSearch(counts=counts, incumbent=self.incumbent, work_limit=self.work_limit)
