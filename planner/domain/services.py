"""What a cluster needs beside its servers and their fabric: managers, storage, management."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.text import Name

NETWORKS = ("storage_network", "in_band_network")
"""Networks beside the scale-out fabric, in the order in which they are counted."""


class ApplianceGroup(BaseModel):
    """Appliances of one model on one network."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    appliance: Name
    """Catalogue id."""
    count: Annotated[int, Field(ge=1, le=10_000)]
    links: Annotated[int, Field(ge=1, le=64)] = 2
    """Of each, on this network."""


class ServiceNetwork(BaseModel):
    """A network of switches of one model in one tier or two, at one rate."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    switch: Name
    """Catalogue id; it says whether the network is InfiniBand or Ethernet."""
    link_gbps: Annotated[float, Field(gt=0, le=3200)]
    """Rate of every link."""
    links_per_server: Annotated[int, Field(ge=1, le=16)]
    """Each goes to another leaf where there are two tiers."""
    server_connector: Name = "QSFP112"
    """Cage of each link at the server."""
    oversubscription: Annotated[float, Field(ge=1, le=64)] = 1.0
    """Down over up bandwidth of the leafs of servers, at most."""
    appliances: Annotated[list[ApplianceGroup], Field(max_length=20)] = []
    own_leafs: bool = False
    """Appliances have leafs of their own, 1:1; else they share those of the servers."""


class FabricManager(BaseModel):
    """Appliances on the reserved slots of an InfiniBand fabric; other fabrics need none."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    appliance: Name
    """Catalogue id."""
    count: Annotated[int, Field(ge=1, le=64)] = 2
    links: Annotated[int, Field(ge=1, le=16)] = 1
    """Of each, to leafs of the fabric at its rate."""


class Services(BaseModel):
    """Fabric manager, storage and in-band networks; they stand in the last racks of the room."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    racks: Annotated[int, Field(ge=1, le=1000)]
    """The last usable places of the room, kept for them alone."""
    fabric_manager: FabricManager | None = None
    storage_network: ServiceNetwork | None = None
    in_band_network: ServiceNetwork | None = None
    cable_m: Annotated[float, Field(gt=0, le=2000)] | None = None
    """Least length of every cable of theirs; each is at least as long as its route."""

    @property
    def networks(self) -> dict[str, ServiceNetwork]:
        """The networks that are asked for, by name."""
        both = {name: getattr(self, name) for name in NETWORKS}
        return {name: network for name, network in both.items() if network is not None}

    @model_validator(mode="after")
    def _holds_something(self) -> Self:
        if self.fabric_manager is None and not self.networks:
            raise ValueError(
                f"services name nothing to count; give fabric_manager, {' or '.join(NETWORKS)}"
            )
        return self
