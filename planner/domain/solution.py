"""The answer: everything that reports, exports and the checker need, as one JSON document.

Amounts are US dollars with whole cents; a list's order is fixed, so that equal inputs give equal
files. Fields named ``*_s`` are seconds, ``*_w`` watts, ``*_m`` metres, ``*_kg`` kilograms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from planner.domain.calibration import Calibration
from planner.domain.combination import Combination
from planner.domain.frontier import Frontier
from planner.domain.goodput_part import GoodputPart
from planner.domain.growth_part import GrowthPart
from planner.domain.instance import Instance
from planner.domain.json_file import read_json, validate
from planner.domain.network import Network
from planner.domain.portfolio_part import PortfolioPart
from planner.domain.sensitivity import Sensitivity
from planner.domain.services_part import ServicesPart
from planner.domain.strategy import Strategy

SCHEMA_VERSION = 1
MAX_SOLUTION_BYTES = 400 * 1024 * 1024


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Run(_Part):
    """How the answer was found; the only place where times stand."""

    planner_version: str
    run_id: str
    """Hash of instance, catalogue, version and options."""
    solver: str
    solver_version: str
    seed: int
    threads: int
    wall_s: float
    started: str
    """ISO 8601, UTC."""


class Tier(_Part):
    """The switches of one tier."""

    tier: Literal["leaf", "spine", "core"]
    switch: str
    count: int


class CableCounts(_Part):
    """Links by tier."""

    node_leaf: int
    leaf_spine: int
    spine_core: int = 0
    leaf_leaf: int = 0
    """Between the two leafs of a joined pair."""


class Fabric(_Part):
    """The scale-out network."""

    family: str
    topology: str
    oversubscription: float
    """Exact down over up bandwidth of a full leaf; 1 is non-blocking."""
    link_gbps: float
    tiers: list[Tier]
    cables: CableCounts
    transceivers: int
    units: int
    """Groups of servers that share leafs."""
    servers_per_unit: int
    kept_slots_per_unit: int = 0
    """Further servers for which leafs keep ports where racks hold no more (top of rack)."""
    links_per_server: int
    links_per_leaf_spine: int
    """Between each leaf and each spine of its plane, of its own (full) pod if there are several."""
    pods: int = 0
    """Groups of units whose leafs share spines; 0 without a core tier."""
    uplinks_per_spine: int = 0
    """Links of each spine to cores."""
    spine_oversubscription: float = 1.0
    """Exact down over up bandwidth of a spine of a full pod; 1 without cores."""
    planes: int = 1
    """Equal fabrics side by side that no switch joins: rails of a rail-only fabric, dual planes."""
    even_spread_spines: int = 0
    """Spines beyond what the ports need, so that every leaf reaches each alike; of two tiers."""
    even_spread_usd: float = 0.0
    """Purchase price of these spines."""


class CarelessPart(_Part):
    """The same devices in any order in the same racks: what care in placing them saves."""

    draws: int
    """Orders drawn at random."""
    links_usd: float
    """Purchase of cables, fibres and modules as laid."""
    careless_links_usd: float | None
    """The mean of the draws; None where no stocked cable reaches in one of them."""
    longest_m: float
    careless_longest_m: float
    """The longest link of any draw."""
    careless_step_times_s: dict[str, float]
    """By workload: the chosen strategy where no two servers of a group share a leaf."""
    dealt_step_times_s: dict[str, float] = {}
    """By workload: the chosen strategy where ranks are dealt to the servers by turns, so that as few
    of a group share a server, leaf or pod as can be."""


class PlatformPart(_Part):
    """The server that is bought."""

    server: str
    model: str
    accelerator: str
    accelerator_model: str
    gpus: int
    scale_up: str
    domain_gpus: int
    scale_up_gbytes_per_s: float
    nic: str
    nics: int
    """NIC ports of one server on the scale-out fabric."""
    link_gbps: float


class DesignPart(_Part):
    """What is bought."""

    platform: PlatformPart
    nodes: int
    gpus: int
    racks: int
    """Racks in use."""
    fabric: Fabric
    max_power_kw: float
    average_power_kw: float
    careless: CarelessPart | None = None
    """Against a placement without care; None without switches, or where parts are owned."""


class Device(_Part):
    """One box in a rack."""

    id: str
    """For instance node-007, leaf-03, spine-01, oob-1."""
    kind: Literal[
        "node", "leaf", "spine", "core", "oob", "storage",
        "storage_switch", "in_band_switch", "fabric_manager", "appliance",
    ]  # fmt: skip
    part: str
    """Catalogue id."""
    rack: str
    unit: int
    """Lowest rack unit that it fills, from 1 at the floor."""
    height_units: float
    max_w: float
    weight_kg: float
    group: int
    """Unit (group of servers that share leafs) it belongs to, -1 for spines and others."""
    rail: int
    """Of a leaf that serves one rail: its number; else -1."""
    pod: int = -1
    """Pod of a leaf or spine below cores; -1 where there is none."""
    plane: int = -1
    """Plane of a switch where there are several; else -1."""


class RackPdu(_Part):
    """One power distribution unit, upright at the back of a rack: it takes no rack unit."""

    id: str
    part: str
    """Catalogue id."""
    feed: Literal["A", "B"]
    side: Literal["left", "right"]
    """Of the back of the rack."""


class RackUse(_Part):
    """One rack and what stands in it."""

    id: str
    row: int
    column: int
    x_m: float
    y_m: float
    units: int
    used_units: float
    limit_w: float
    max_w: float
    limit_kg: float
    weight_kg: float
    width_m: float = 0.0
    model: str = ""
    """Catalogue id of the cabinet."""
    taken_units: int = 0
    """Filled already by what is not part of the answer, from the lowest unit up."""
    taken_w: float = 0.0
    taken_kg: float = 0.0
    pdus: list[RackPdu] = []
    delivered_whole: bool = False
    """Its server is delivered as a rack with power of its own: no cabinet and no PDU is bought."""

    @property
    def bought(self) -> bool:
        """Whether cabinet and PDUs are bought: they neither stood there nor come with a server."""
        return not (self.partly_used or self.delivered_whole)

    @property
    def partly_used(self) -> bool:
        """Whether something stood in it before."""
        return bool(self.taken_units or self.taken_w or self.taken_kg)


class Cable(_Part):
    """One link, both ends named."""

    id: str
    tier: Literal[
        "node_leaf", "leaf_leaf", "leaf_spine", "spine_core", "oob",
        "storage_network", "in_band_network", "fabric_manager",
    ]  # fmt: skip
    a: str
    a_port: str
    b: str
    b_port: str
    needed_m: float
    """Length of the route."""
    length_m: float
    """Stocked length that is bought."""
    part: str
    """Catalogue id of the fixed-end cable or of the fibre."""
    assembly: str
    """Physical cable; links of one twin-port assembly share it. Quantity = distinct assemblies."""
    a_module: str
    """Catalogue id of the transceiver at end a, empty for a fixed-end cable."""
    b_module: str


class CableGroup(_Part):
    """Links of one kind in a large fabric: every device a to every device b, all of one route.

    Devices are those of the document, in its order, from the first to the last named. Ports
    follow from the order of the groups (`planner/domain/cable_groups.py`).
    """

    id: str
    tier: Literal["node_leaf", "leaf_spine", "spine_core"]
    a_first: str
    a_last: str
    b_first: str
    b_last: str
    links_each: int
    """Links between one device a and one device b."""
    links: int
    needed_m: float
    length_m: float
    part: str
    assembly_links: int
    """Links of one fixed-end cable; 1 for a fibre."""
    a_cage_links: int
    """Links of one cage at end a, which decide the names of ports."""
    b_cage_links: int
    a_module: str
    b_module: str


class BomLine(_Part):
    """One line of the bill of materials; total = quantity x unit, to the cent."""

    part: str
    kind: str
    """server, nic, switch, transceiver, cable, fibre, rack, pdu, storage, service, other."""
    description: str
    component: str
    """Cost component: servers, fabric, cabling, out_of_band, racks, storage, ..."""
    quantity: int
    unit_price_usd: float
    total_usd: float
    low_usd: float | None
    high_usd: float | None
    price_kind: str
    price_date: str
    price_source: str
    owned: bool = False
    """True where these units are owned already; they then cost nothing to buy."""


class OwnedUse(_Part):
    """One part of which some units are owned; needed = used + bought."""

    part: str
    component: str
    description: str
    owned: int
    used: int
    """Of the owned ones; the rest stays idle."""
    bought: int


class InventoryResult(_Part):
    """What the design makes of what is owned."""

    uses: list[OwnedUse]
    joining: Literal["", "joined", "replaced"] = ""
    """What becomes of the fabric that exists; empty where the instance gives none."""
    moved_links: int = 0
    """Links of that fabric that move to other ports."""


class CostLine(_Part):
    """One line of the present value: a component over the years."""

    component: str
    capex_usd: float
    energy_usd: float
    support_usd: float
    other_usd: float
    """Spares reserve, freight, installation, software, space, less resale."""
    total_usd: float


class Cost(_Part):
    """Present value over the finance years; `total_usd` is the objective."""

    capex_usd: float
    energy_usd: float
    support_usd: float
    other_usd: float
    total_usd: float
    components: list[CostLine]
    not_priced: list[str]
    years: float


class CollectiveUse(_Part):
    """One communication of a training step, as the chosen strategy sends it."""

    name: str
    """What for: tp, pp, dp_grad, zero_gather, ..."""
    collective: str
    algorithm: str
    protocol: str
    size_bytes: float
    count: float
    """Times a step on the slowest stage."""
    ranks: int
    level: str
    """Widest level it crosses: domain, host, leaf, spine, core."""
    time_s: float
    """One call."""
    total_s: float
    exposed_s: float


class WorkloadResult(_Part):
    """One job on the chosen design."""

    name: str
    network: str
    parameters: int
    step_time_s: float
    target_s: float
    """As the instance demands, without the margin."""
    margin: float
    limit_s: float
    """target / (1 + margin): what the program enforces."""
    nodes_used: int
    gpus_used: int
    strategy: Strategy
    strategy_label: str
    breakdown: dict[str, float]
    """Seconds by part; they add up to step_time_s."""
    collectives: list[CollectiveUse]
    memory_gib: dict[str, float]
    """By part on the fullest GPU, with `total` and `limit`."""
    mfu: float
    hfu: float
    tokens_per_s_per_gpu: float
    busy_fraction: float
    """Share of all hours that it holds the cluster."""
    run_days: float | None
    """Days of one run at this step time and availability."""
    goodput: GoodputPart | None = None
    """Availability from failure rates; None where the instance gives it."""


class Binding(_Part):
    """One limit and how much of it is used."""

    limit: str
    constraint: str
    """Id in models/formulation/."""
    used: float
    available: float
    unit: str
    binding: bool
    note: str = ""


class Alternative(_Part):
    """The best design under one forced choice, or the reason why there is none."""

    name: str
    question: str
    """For instance `InfiniBand or RoCE?`."""
    forced: dict[str, Any]
    status: Literal["optimal", "feasible", "infeasible", "stopped", "chosen"]
    objective_usd: float | None = None
    delta_usd: float | None = None
    summary: str = ""
    reason: str = ""
    step_times_s: dict[str, float] = {}


class Assumption(_Part):
    """A figure the answer rests on that the instance did not give."""

    what: str
    value: str
    kind: Literal["default", "estimate", "sourced"]
    source: str


class Scan(_Part):
    """The certificate: what became of every column of the declared grid."""

    columns: int
    outcomes: dict[str, int]
    """Columns by the reason they were rejected or bounded."""


class Solution(_Part):
    """The whole answer of `solve` or `evaluate`."""

    schema_version: int = SCHEMA_VERSION
    question: Literal["solve", "evaluate"] = "solve"
    """evaluate: the instance left one design; a limit that it breaks is a reason."""
    instance: Instance
    status: Literal["optimal", "feasible", "infeasible", "stopped"]
    objective_usd: float | None
    bound_usd: float | None
    gap: float | None
    placement_gap: float | None
    cost: Cost | None
    design: DesignPart | None
    workloads: list[WorkloadResult]
    binding: list[Binding]
    alternatives: list[Alternative]
    combinations: list[Combination] = []
    """Every scale-up kind with every family and topology, each answered; empty where not asked."""
    racks: list[RackUse]
    devices: list[Device]
    cables: list[Cable]
    """Every link that no group of `cable_groups` stands for."""
    cable_groups: list[CableGroup] = []
    """Links of a large fabric (above 20,000 links) by group instead of one by one."""
    bill_of_materials: list[BomLine]
    services: ServicesPart | None = None
    """Networks and gear beside servers and scale-out fabric; None where none are asked for."""
    inventory: InventoryResult | None = None
    """What is owned and what becomes of it, if the instance names anything."""
    assumptions: list[Assumption]
    networks: dict[str, Network] = {}
    """The network of every workload, by the name that the instance gives it."""
    calibration: Calibration | None = None
    """The user's own measurements that the step times rest on, if any."""
    calibration_effect: str = ""
    """What they change, in one sentence: whether design or strategies would be others without."""
    portfolio: PortfolioPart | None = None
    """Several pools, or pools and rented servers; then `design` is empty."""
    pools: list[Solution] = []
    """The documents of the pools, each as if it were bought alone."""
    sensitivity: Sensitivity | None = None
    """What would change the decision; None where it was not asked."""
    frontier: Frontier | None = None
    """Cost against step time; None where it was not asked."""
    growth: GrowthPart | None = None
    """What is bought when; then design, workloads, racks, devices and cables are those of the first
    phase, the bill is what is ordered now, and cost and objective are of all phases."""
    phases: list[Solution] = []
    """The documents of the phases, each as if it were bought alone and now."""
    reasons: list[str]
    """Why infeasible or stopped; empty otherwise."""
    scan: Scan
    run: Run
    seal: str = ""
    """Checksum of all the rest but the times of the run (`planner/domain/seal.py`)."""

    @property
    def link_count(self) -> int:
        """Links of all cables and groups."""
        return len(self.cables) + sum(group.links for group in self.cable_groups)

    def links(self) -> list[Cable]:
        """Return every link: the cables as listed, then those of the groups one by one."""
        from planner.domain.cable_groups import expand

        if not self.cable_groups:
            return self.cables
        return [*self.cables, *expand(self.cable_groups, [d.id for d in self.devices])]


def load_solution(path: Path) -> Solution:
    """Return a solution file, validated.

    Raises
    ------
    InputError
        With every fault of the file.
    """
    return validate(Solution, read_json(path, MAX_SOLUTION_BYTES), str(path))
