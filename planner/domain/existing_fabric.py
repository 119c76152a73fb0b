"""The fabric that exists: switches with their free ports, hosts, links; what is owned already."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Text = Annotated[str, Field(max_length=300)]
Label = Annotated[str, Field(min_length=1, max_length=300)]
Count = Annotated[int, Field(ge=0, le=10_000_000)]
Rate = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExistingSwitch(_Part):
    """A switch, or one chip of a modular one."""

    name: Label
    system: Text = ""
    """Box that it belongs to; its own name if empty."""
    model: Text = ""
    tier: Annotated[int, Field(ge=1, le=20)] | None = None
    """1 next to the hosts, then upwards; None where it is joined to no host."""
    ports: Count | None = None
    """Ports for cables; None where the source does not count them."""
    ports_used: Count = 0
    ports_free: Count | None = None
    """Of `ports`, those without a link."""


class ExistingHost(_Part):
    """A host with links into the fabric."""

    name: Label
    links: Count = 0
    gpus: Count | None = None
    domain: Text = ""
    """Scale-up domain (NVLink rack) or block that it belongs to."""


class ExistingLink(_Part):
    """A cable between two ports; a port is empty where the source does not name it."""

    a: Label
    a_port: Text = ""
    b: Label
    b_port: Text = ""
    gbps: Rate | None = None


class ExistingFabric(_Part):
    """Everything that a discovery, a cable list or a scheduler's topology says of a fabric."""

    family: Literal["infiniband", "ethernet", "unknown"] = "unknown"
    logical: bool = False
    """True where the source is a scheduler's tree: links then stand for any number of cables."""
    switches: list[ExistingSwitch] = []
    hosts: list[ExistingHost] = []
    links: list[ExistingLink] = []
    block_sizes: list[Count] = []
    """Hosts of an allocation that stay within blocks, as the scheduler is told."""
    counts: dict[str, int | None] = {}
    """As `count_up` gives them, for people who read the file."""

    @model_validator(mode="after")
    def _joined(self) -> Self:
        names = [switch.name for switch in self.switches] + [host.name for host in self.hosts]
        known = set(names)
        if len(known) != len(names):
            double = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two devices are named {double!r}; give each its own name")
        for link in self.links:
            for end in (link.a, link.b):
                if end not in known:
                    raise ValueError(f"a link ends at {end!r}, which is no device; add it")
        return self

    def count_up(self) -> dict[str, int | None]:
        """Return devices, links by kind and ports; None where the source does not count ports."""
        switches = {switch.name for switch in self.switches}
        inside = sum(1 for link in self.links if link.a in switches and link.b in switches)
        free = [switch.ports_free for switch in self.switches]
        used = sum(switch.ports_used for switch in self.switches)
        return {
            "switches": len(self.switches),
            "systems": len({switch.system or switch.name for switch in self.switches}),
            "hosts": len(self.hosts),
            "switch_links": inside,
            "host_links": len(self.links) - inside,
            "domains": len({host.domain for host in self.hosts if host.domain}),
            "ports_used": None if self.logical else used,
            "ports_free": None if None in free else sum(value or 0 for value in free),
        }
