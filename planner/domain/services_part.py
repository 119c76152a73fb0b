"""What an answer says of its services: networks beside the fabric, their links, their places."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ServiceLinks(_Part):
    """Links of one kind, summed up from the cable schedule."""

    network: Literal["storage_network", "in_band_network", "fabric_manager"]
    ends: Literal["server", "appliance", "uplink", "manager"]
    """What they join to the leafs: servers, appliances of one model, spines, fabric managers."""
    appliance: str = ""
    """Catalogue id of the appliances, empty for other ends."""
    links: int
    cables: int
    """Physical ones."""
    parts: dict[str, int]
    """Fixed-end cables and fibres by catalogue id."""
    module_a: str
    """Transceiver at the server, the appliance or the leaf below a spine; empty without."""
    modules_a: int
    module_b: str
    """Transceiver at the leaf, or at the spine."""
    modules_b: int
    """Modules to buy; 0 where the links fill halves of modules that are there."""


class ServiceLeafs(_Part):
    """Leafs of one kind of one network."""

    leafs: int
    server_links: list[int]
    """By leaf."""
    appliance_links: list[int]
    uplinks: int
    """Of each leaf."""


class ServiceNetworkPart(_Part):
    """One network in counts."""

    network: Literal["storage_network", "in_band_network"]
    family: str
    switch: str
    link_gbps: float
    leafs: list[ServiceLeafs]
    """Leafs that carry servers, then leafs of appliances if they have their own."""
    spines: int
    server_links: int
    appliance_links: int
    uplinks: int
    oversubscription: float
    """Down over up bandwidth of the fullest leaf of servers; 1 without spines."""

    @property
    def leaf_count(self) -> int:
        """Leafs of all kinds."""
        return sum(row.leafs for row in self.leafs)


class ServicesPart(_Part):
    """Everything beside servers and scale-out fabric."""

    racks: list[str]
    """Ids of the racks that hold it."""
    needed_m: float
    """Longest route of a cable of theirs."""
    max_power_kw: float
    networks: list[ServiceNetworkPart]
    managers: int
    """Fabric managers; 0 on a fabric that needs none."""
    links: list[ServiceLinks]
