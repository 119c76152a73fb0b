"""An instance: what to train, by when, for how much, where, and what may be bought."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.cloud import Cloud
from planner.domain.errors import Fault, InputError
from planner.domain.goodput import Goodput
from planner.domain.growth import Growth, grown
from planner.domain.json_file import read_json, validate
from planner.domain.owned import Owned
from planner.domain.price import Date
from planner.domain.regions import Regions
from planner.domain.resources import find_data, known_names
from planner.domain.services import Services
from planner.domain.site import Budget, Finance, Site, Storage
from planner.domain.text import Name, Prose
from planner.domain.workload import Count, StrategyChoice, Workload

FAMILIES = ("infiniband", "roce", "ethernet")
MOST_SPLIT = 6
"""Workloads of an instance with several pools or a cloud: every subset may be a pool."""
TOPOLOGIES = (
    "direct",
    "single",
    "joined_pair",
    "rail_only",
    "dual_plane",
    "leaf_spine",
    "rail_optimised",
    "top_of_rack",
    "rack_rails",
    "three_tier",
)
ASKED_TOPOLOGIES = ("joined_pair", "top_of_rack", "rack_rails")
"""Considered only where `fix.topology` names them: what they are for is not the least cost."""


class HardwareChoice(BaseModel):
    """Pinned (`fix`) or excluded (`forbid`) hardware; each key takes one value or a list."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    server: str | list[str] | None = None
    accelerator: str | list[str] | None = None
    scale_up: str | list[str] | None = None
    nic: str | list[str] | None = None
    nics_per_node: Count | list[Count] | None = None
    nodes: Count | list[Count] | None = None
    family: str | list[str] | None = None
    switch: str | list[str] | None = None
    """Any switch of the scale-out fabric, whatever its tier."""
    topology: str | list[str] | None = None
    """`joined_pair`, `top_of_rack` and `rack_rails` are considered only where they are named here."""
    oversubscription: float | list[float] | None = None
    """Down over up bandwidth of a leaf; 1 is non-blocking."""
    spine_oversubscription: float | list[float] | None = None
    """Down over up bandwidth of a spine below cores."""
    product: str | list[str] | None = None
    """Any catalogue id."""

    def values(self) -> dict[str, tuple[Any, ...]]:
        """Return the keys that are set, each with a tuple of its values."""
        result: dict[str, tuple[Any, ...]] = {}
        for key in type(self).model_fields:
            value = getattr(self, key)
            if value is not None:
                result[key] = tuple(value) if isinstance(value, list) else (value,)
        return result


class Grid(BaseModel):
    """The declared grid of node counts; optimality is relative to it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    min_nodes: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    max_nodes: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """What racks, power and budget can hold if absent."""
    step: Annotated[int, Field(ge=1, le=100_000)] = 1
    oversubscription: Annotated[list[float], Field(min_length=1, max_length=20)] = [1.0, 2.0, 4.0]
    spine_oversubscription: Annotated[list[float], Field(min_length=1, max_length=20)] = [1.0]
    """Of spines below cores, where two tiers do not reach or three are fixed."""

    mixed_tiers: bool = False
    """Whether spines may be of another model than the leafs."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.max_nodes is not None and self.max_nodes < self.min_nodes:
            raise ValueError("max_nodes is below min_nodes; raise it or leave it out")
        ratios = (*self.oversubscription, *self.spine_oversubscription)
        if any(not 1 <= ratio <= 64 for ratio in ratios):
            raise ValueError("oversubscription is down over up bandwidth; give ratios from 1 to 64")
        return self


class FabricRules(BaseModel):
    """What every fabric must keep free or hold to."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    reserved_slots: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Server slots kept free when units are sized, for a fabric manager or for growth."""
    reserved_leafs: Annotated[int, Field(ge=0, le=1000)] = 0
    """Leafs beyond those there are for which spines keep ports free."""
    even_spread: bool = True
    """Spines divide a leaf's uplinks, so that every leaf has the same links to each of them."""


class Quote(BaseModel):
    """A price that replaces the catalogue's."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    usd: Annotated[float, Field(ge=0, le=1e10, allow_inf_nan=False)]
    date: Date
    """A year, a month or a day: 2026, 2026-09 or 2026-09-22."""
    source: Annotated[str, Field(min_length=3, max_length=1000)] = "quote in the instance"


class Instance(BaseModel):
    """One purchase to decide."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, use_attribute_docstrings=True
    )

    schema_: Annotated[str | None, Field(alias="$schema", max_length=500)] = None
    name: Name
    title: Prose = ""
    note: Prose = ""
    workloads: Annotated[list[Workload], Field(min_length=1, max_length=50)]
    """They share one pool of servers in time: their hours add up."""
    site: Site
    budget: Budget = Budget()
    finance: Finance = Finance()
    storage: Storage | None = None
    services: Services | None = None
    """Fabric manager, storage and in-band networks are counted and bought; off if absent."""
    pools: Annotated[int, Field(ge=1, le=8)] = 1
    """Most pools of different servers that may be bought; the program assigns the workloads."""
    colocation: Site | None = None
    """A hall for rent where pools may stand instead of `site`; its rent is space_usd_per_kw_month."""
    cloud: Cloud | None = None
    """Servers for rent compete with buying; off if absent."""
    goodput: Goodput | None = None
    """Availability from failure rates, with spares; off if absent."""
    growth: Growth | None = None
    """Later phases, decided with the first: what to buy when; off if absent."""
    regions: Regions | None = None
    """Several sites that train the one workload together (planner regions)."""
    grid: Grid = Grid()
    fabric: FabricRules = FabricRules()
    fix: HardwareChoice = HardwareChoice()
    forbid: HardwareChoice = HardwareChoice()
    owned: Owned | None = None
    """What exists already and costs nothing to buy."""
    catalog: Annotated[str, Field(max_length=500)] | None = None
    """Folder whose tables override the shipped catalogue, relative to the instance."""
    quotes: dict[Name, Quote] = {}
    """Prices by catalogue id; a quote also makes a product buyable that has no price."""
    network_price_factor: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Multiplies every price of the scale-out network, for what-if questions."""
    congestion: Annotated[float, Field(gt=0, le=1)] | None = None
    """Share of the RoCE line rate left under congestion; 0.95 (tuned) if absent."""
    tuner: Annotated[str, Field(pattern="^(tuner|best)$")] = "tuner"
    """Whether a collective runs as NCCL's tuner would choose, or at its best algorithm."""

    @model_validator(mode="after")
    def _choices_leave_something(self) -> Self:
        forbidden = self.forbid.values()
        for key, values in self.fix.values().items():
            if not values:
                raise ValueError(f"fix.{key} is empty; name what may be bought or leave it out")
            if set(values) <= set(forbidden.get(key, ())):
                raise ValueError(f"fix.{key} keeps only what forbid.{key} excludes; change one")
        return self

    @model_validator(mode="after")
    def _products_are_only_forbidden(self) -> Self:
        if self.fix.product is not None:
            raise ValueError(
                "fix.product says nothing; name products under forbid, or fix a server"
            )
        return self

    @model_validator(mode="after")
    def _few_enough_to_split(self) -> Self:
        if self.split and len(self.workloads) > MOST_SPLIT:
            raise ValueError(f"pools and cloud take at most {MOST_SPLIT} workloads; join some")
        names = {w.pool for w in self.workloads if w.pool is not None}
        if self.pools > 1 and self.owned is not None:
            raise ValueError("owned hardware joins one pool; leave pools at 1")
        if self.colocation is not None:
            if self.owned is not None:
                raise ValueError("owned hardware stands in the site; leave colocation out")
            if self.colocation.space_usd_per_kw_month is None:
                raise ValueError("colocation needs its rent; give space_usd_per_kw_month")
        if (self.pools > 1 or self.colocation is not None) and not self.site.plain:
            raise ValueError(
                "site.floor is for one pool; leave it out, or pools at 1 and colocation out"
            )
        if len(names) > self.pools:
            raise ValueError(f"workloads name {len(names)} pools; raise pools from {self.pools}")
        return self

    @property
    def split(self) -> bool:
        """Whether workloads may run in several places: pools, or a pool and the cloud."""
        return self.pools > 1 or self.cloud is not None or self.colocation is not None

    @model_validator(mode="after")
    def _growth_is_of_one_pool(self) -> Self:
        if self.growth is None:
            return self
        others = {"owned": self.owned, "regions": self.regions, "cloud": self.cloud,
                  "colocation": self.colocation}  # fmt: skip
        beside = [name for name, value in others.items() if value is not None]
        beside += ["pools above 1"] if self.pools > 1 else []
        if beside:
            raise ValueError(f"growth is of one new pool; leave out {', '.join(beside)}")
        if not self.site.plain and any(p.racks is not None for p in self.growth.phases):
            raise ValueError("a phase adds racks only to a room whose racks are alike")
        last = self.growth.phases[-1].month if self.growth.phases else 0
        if last >= self.finance.years * 12:
            raise ValueError(
                f"a phase begins in month {last}, when the life of {self.finance.years:g} years "
                "is over; raise finance.years or leave the phase out"
            )
        for phase in self.growth.phases:
            names = [w.name for w in phase.workloads]
            if len(set(names)) != len(names):
                raise ValueError(f"phase {phase.name} names a workload twice")
        return self

    @model_validator(mode="after")
    def _services_are_of_one_new_pool(self) -> Self:
        if self.services is None:
            return self
        others = {"owned": self.owned, "regions": self.regions, "cloud": self.cloud,
                  "colocation": self.colocation, "growth": self.growth}  # fmt: skip
        beside = [name for name, value in others.items() if value is not None]
        beside += ["pools above 1"] if self.pools > 1 else []
        if beside:
            raise ValueError(f"services are of one new pool; leave out {', '.join(beside)}")
        if self.services.racks >= self.site.usable_racks:
            raise ValueError(
                f"services keep {self.services.racks} of {self.site.usable_racks} racks and leave "
                "none for servers; raise site.racks or lower services.racks"
            )
        if self.services.fabric_manager is not None and not self.fabric.reserved_slots:
            raise ValueError(
                "a fabric manager takes a server's slot; give fabric.reserved_slots of at least 1"
            )
        return self

    @model_validator(mode="after")
    def _checkpoints_have_a_rate(self) -> Self:
        rate = self.storage.gbytes_per_s if self.storage else None
        if self.goodput and self.goodput.storage_gbytes_per_s is None and rate is None:
            raise ValueError(
                "goodput needs the rate at which checkpoints are written; "
                "give goodput.storage_gbytes_per_s or storage.gbytes_per_s"
            )
        return self

    @model_validator(mode="after")
    def _unique_names(self) -> Self:
        names = [w.name for w in self.workloads]
        double = sorted({n for n in names if names.count(n) > 1})
        if double:
            raise ValueError(f"two workloads are named {double[0]!r}; give each its own name")
        return self

    @model_validator(mode="after")
    def _regions_train_one_workload(self) -> Self:
        if self.regions is not None and len(self.workloads) != 1:
            raise ValueError("regions train one workload together; give each job its own instance")
        return self

    def phases(self) -> list[Instance]:
        """Return one instance for each phase of growth: what is asked then, nothing of other times.

        Each is a purchase of its own without a budget, which growth counts by phase.
        """
        growth = self.growth or Growth()
        site, jobs = self.site, list(self.workloads)
        budget = self.budget.model_copy(update={"capex_usd": None})
        first = {"growth": None, "budget": budget}
        found = [self.model_copy(update={"name": f"{self.name}-now", **first})]
        for phase in growth.phases:
            changes = {"racks": phase.racks, "power_kw": phase.power_kw}
            changes = {key: value for key, value in changes.items() if value is not None}
            site = site.model_copy(update=changes)
            jobs = [grown(w, phase.demand) for w in phase.workloads or jobs]
            update = {"name": f"{self.name}-{phase.name}", "site": site, "workloads": jobs}
            found.append(self.model_copy(update={**first, **update}))
        return found

    def unpinned(self) -> Instance:
        """Return the instance without anything that `fix` pins, of hardware and of strategies."""
        jobs = [job.model_copy(update={"fix": StrategyChoice()}) for job in self.workloads]
        return self.model_copy(update={"fix": HardwareChoice(), "workloads": jobs})


def instance_path(name: str) -> Path:
    """Return the file of an instance: a path, or the bare name of a shipped one.

    Raises
    ------
    InputError
        If there is no such file; names the nearest shipped instance.
    """
    found = find_data("instances", name)
    if found is not None:
        return found
    import difflib

    near = difflib.get_close_matches(Path(name).stem, known_names("instances"), n=1, cutoff=0.5)
    right = f"did you mean {near[0]!r}?" if near else "name a JSON file"
    raise InputError(name, [Fault("$", "no such file", right)])


def load_instance(name: str) -> tuple[Instance, Path]:
    """Return a validated instance and its file.

    Raises
    ------
    InputError
        With every fault of the file at once.
    """
    from planner.domain.owned_files import with_owned_files

    path = instance_path(name)
    return with_owned_files(validate(Instance, read_json(path), str(path)), path), path
