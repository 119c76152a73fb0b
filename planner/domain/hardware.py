"""What can be bought to compute: accelerators, servers, NICs and the NICs a server can carry."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from planner.domain.price import Price
from planner.domain.text import Name

SpecKind = Literal["retrieved", "from memory", "own estimate"]
Confidence = Literal["retrieved", "retrieved in part", "from memory"]
Availability = Literal["on-sale", "end-of-sale", "used-only", "roadmap", "included"]
"""`included`: part of something else, never sold alone."""

Architecture = Literal[
    "volta", "turing", "ampere", "ada", "hopper", "blackwell",
    "cdna2", "cdna3", "cdna4", "gaudi", "tpu", "unknown",
]  # fmt: skip
ScaleUp = Literal[
    "none", "pcie_host", "pcie_p2p", "nvlink_bridge", "nvlink_mesh", "nvswitch", "nvl72", "xgmi"
]
FabricFamily = Literal["infiniband", "roce", "ethernet"]
"""What a NIC speaks: InfiniBand, RDMA over Ethernet, or plain TCP over Ethernet."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=400)]
Positive = Annotated[float, Field(gt=0, le=1e9)]
NonNegative = Annotated[float, Field(ge=0, le=1e9)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]

PCIE_GBYTES_PER_S_PER_LANE = {3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
"""Rate of one PCIe lane after line encoding, one direction (PCI-SIG base specifications)."""


def split_list(value: object) -> object:
    """Return a cell ``a;b`` as its parts; anything but text unchanged."""
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(";") if part.strip())


Names = Annotated[tuple[str, ...], BeforeValidator(split_list)]
Families = Annotated[
    tuple[FabricFamily, ...], BeforeValidator(split_list), Field(min_length=1, max_length=3)
]


class CatalogRow(BaseModel):
    """One row of a table: an id and where its figures come from."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=()
    )

    id: Name
    source: Text
    note: str = ""


class HardwareRow(CatalogRow):
    """A product: its specification with its confidence, its price and whether it is on sale."""

    spec_confidence: Confidence
    fields_from_memory: Names = ()
    """Fields not read from the source; ``all`` or ``unlisted`` stand for every field."""
    fields_estimated: Names = ()
    """Fields that we took from a sibling product or computed."""
    availability: Availability = "on-sale"
    price: Price | None = None

    def spec_kind(self, field: str) -> SpecKind:
        """Return how far a field can be trusted; no test may assert one from memory."""
        if field in self.fields_estimated:
            return "own estimate"
        whole = {"all", "unlisted"} & set(self.fields_from_memory)
        if self.spec_confidence == "from memory" or whole or field in self.fields_from_memory:
            return "from memory"
        return "retrieved"

    @property
    def not_buyable(self) -> str:
        """Why the product cannot be chosen without a quote; empty where it can."""
        if self.availability == "included":
            return "is part of the server and not sold alone"
        if self.price is None:
            return "has no known price: add a quote"
        if self.price.kind == "quote":
            return ""
        reasons = {
            "end-of-sale": "is out of sale: add a quote",
            "used-only": "is sold used only: add a quote",
            "roadmap": "is not on sale yet: add a quote",
        }
        if self.availability in reasons:
            return reasons[self.availability]
        return "is priced on the used market: add a quote" if self.price.market == "used" else ""

    @property
    def buyable(self) -> bool:
        """True where the product can be chosen at its catalogue price."""
        return not self.not_buyable


class Accelerator(HardwareRow):
    """A GPU or another accelerator; peak rates are dense, links count one direction."""

    vendor: Text
    model: Text
    year: Annotated[int, Field(ge=2010, le=2040)]
    architecture: Architecture
    form_factor: Text
    memory_gib: Positive
    """As marketed; the memory model keeps a reserve."""
    memory_type: Text
    memory_gbytes_per_s: Positive
    fp32_tflops: Positive | None = None
    tf32_tflops: Positive | None = None
    bf16_tflops: Positive | None = None
    fp16_tflops: Positive | None = None
    fp8_tflops: Positive | None = None
    fp4_tflops: Positive | None = None
    tdp_w: Positive | None = None
    pcie_gen: Annotated[int, Field(ge=3, le=7)] | None = None
    host_link: str = ""
    host_gbytes_per_s: Positive | None = None
    scale_up_link: Text
    scale_up_gbytes_per_s: Positive | None = None
    scale_up_domain_max: Count = 1


class Server(HardwareRow):
    """A server, or a whole rack of `hosts` trays that is bought and placed as one."""

    vendor: Text
    model: Text
    accelerator: Name
    gpus: Count
    scale_up: ScaleUp
    domain_gpus: Count
    host_gpus: Count
    hosts: Count = 1
    scale_up_gbytes_per_s: Positive
    """Rate of one GPU into its scale-up domain, one direction."""
    pcie_gen: Annotated[int, Field(ge=3, le=7)]
    """Of the slots that carry the NICs."""
    cpu: str = ""
    dram_gib: Positive
    nic_slots: Annotated[int, Field(ge=0, le=200)]
    front_end_links: Annotated[int, Field(ge=0, le=200)]
    """Links to the in-band and storage network that the server carries."""
    front_end_gbps: Positive
    out_of_band_ports: Annotated[int, Field(ge=0, le=200)]
    """1 GbE ports of the baseboard controllers."""
    rack_units: Count
    max_power_w: Positive
    typical_power_w: Positive | None = None
    weight_kg: Positive
    cooling: Literal["air", "liquid"]
    takes_whole_rack: bool = False

    def average_power_w(self, share_of_max: float) -> float:
        """Return watts under training load: typical if known, else `share_of_max` of the maximum."""
        return self.typical_power_w or self.max_power_w * share_of_max

    @property
    def average_power_is_estimate(self) -> bool:
        """True where the average power was not read from a source."""
        return self.typical_power_w is None or self.spec_kind("typical_power_w") != "retrieved"


class Nic(HardwareRow):
    """A network card, or a group of ports that is part of the server."""

    vendor: Text
    model: Text
    part_number: str = ""
    families: Families
    ports: Count
    controllers: Count = 1
    """Adapters that one item holds; GPUs use one each where a module serves several."""
    port_gbps: Positive
    total_gbps: Positive
    connector: Name
    pcie_gen: Annotated[int, Field(ge=3, le=7)] | None = None
    pcie_lanes: Count | None = None
    host_limit_gbps: Positive | None = None
    """What the card's own PCIe link carries: encoded rate x lanes x 0.87 (own efficiency)."""
    form_factor: Text
    dpu: bool = False
    typical_power_w: NonNegative | None = None
    max_power_w: NonNegative | None = None
    gpudirect: Literal["yes", "no", "limited"]
    inline_crypto: str = ""

    def host_limit_at_gbps(self, pcie_gen: int) -> float | None:
        """Return the card's host limit in a slot of an older generation; None if it has no PCIe."""
        if self.host_limit_gbps is None or self.pcie_gen is None or pcie_gen >= self.pcie_gen:
            return self.host_limit_gbps
        lanes = PCIE_GBYTES_PER_S_PER_LANE
        return self.host_limit_gbps * lanes[pcie_gen] / lanes[self.pcie_gen]


class NicOption(CatalogRow):
    """One way to equip a server: cards, the links they give and the cages that take the cables."""

    server: Name
    nic: Name
    count: Count
    """Cards (or twin-port modules, or on-chip groups) of the whole server."""
    links: Count
    """Links into the fabric of the whole server."""
    link_gbps: Positive
    connector: Name
    links_per_cage: Count = 1
    included: bool
    """True where the server's price includes these cards; else count x price of the card is added."""
    default: bool = False
    families: Families

    @property
    def cages(self) -> int:
        """Cages of the whole server that take a plug."""
        return -(-self.links // self.links_per_cage)
