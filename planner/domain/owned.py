"""What the buyer owns already: servers, switches, cables, racks, and the fabric that joins them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.existing_fabric import ExistingFabric
from planner.domain.text import Name

if TYPE_CHECKING:
    from planner.domain.catalog import Catalog

Units = Annotated[int, Field(ge=1, le=10_000_000)]
OUT_OF_BAND = ("sn2201", "cat6a-1g-20m")
"""Parts of the management network, which count there unless a tier says otherwise."""
COMPONENT_OF_TABLE = {
    "servers": "servers", "nics": "nics", "switches": "switches", "transceivers": "transceivers",
    "cables": "cables", "fibres": "cables", "racks": "racks", "pdus": "racks",
    "appliances": "appliances",
}  # fmt: skip
"""Cost component of the parts of each table."""

Stock = Mapping[tuple[str, str], int]
"""Units owned by (catalogue id, cost component)."""


class OwnedServers(BaseModel):
    """Servers of one model with their cards."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    server: Name
    """Catalogue id."""
    nic: Name | None = None
    """Catalogue id of the cards; those that the server usually has if absent."""
    count: Units
    racks: Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=20_000)] = []
    """Where they stand today; shown, and free to be moved."""


class OwnedSwitches(BaseModel):
    """Switches of one model and tier."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    switch: Name
    """Catalogue id."""
    tier: Literal["leaf", "spine", "core", "oob"] = "leaf"
    """oob: of the management network."""
    count: Units


class Owned(BaseModel):
    """What costs nothing to buy; its energy, support and space still count.

    What is left idle is taken out of the racks and draws nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    servers: Annotated[list[OwnedServers], Field(max_length=1000)] = []
    switches: Annotated[list[OwnedSwitches], Field(max_length=1000)] = []
    parts: Annotated[dict[Name, Units], Field(max_length=5000)] = {}
    """Cables, transceivers, fibres, racks, PDUs and cards by catalogue id."""
    bill: Annotated[str, Field(max_length=500)] | None = None
    """Solution file, relative to the instance, whose bill of materials is owned as well."""
    fabric: ExistingFabric | Annotated[str, Field(max_length=500)] | None = None
    """The fabric that exists (planner import ibnetdiscover and others), or its file: the servers
    then join its free ports. Without it switches are counted and wired anew."""
    new_fabric: bool = True
    """Whether a fabric of another family, rate or switch may be bought instead."""
    rewire: bool = True
    """Whether links that exist may be moved to other ports."""
    rewire_usd_per_link: Annotated[float, Field(ge=0, le=1e6)] = 100.0
    """Work to move one link; 100 is an estimate."""

    @property
    def existing(self) -> ExistingFabric | None:
        """The fabric as a document; None where there is none."""
        return self.fabric if isinstance(self.fabric, ExistingFabric) else None


def stock_of(owned: Owned | None, catalog: Catalog) -> dict[tuple[str, str], int]:
    """Return the units owned by part and cost component.

    Raises
    ------
    InputError
        If an id is unknown, with the nearest known one.
    """
    found: Counter[tuple[str, str]] = Counter()
    if owned is None:
        return dict(found)
    for row in owned.servers:
        catalog.server(row.server)
        found[row.server, "servers"] += row.count
        options = catalog.nic_options(row.server)
        options = tuple(o for o in options if row.nic in (None, o.nic, o.id))
        if not options:
            catalog.nic_option(row.nic or "")
        if options and not options[0].included:
            found[options[0].nic, "nics"] += row.count * options[0].count
    for item in owned.switches:
        catalog.switch(item.switch)
        component = "out_of_band" if item.tier == "oob" else "switches"
        found[item.switch, component] += item.count
    for part, count in owned.parts.items():
        table, _ = catalog.where(part)
        component = "out_of_band" if part in OUT_OF_BAND else COMPONENT_OF_TABLE.get(table, table)
        found[part, component] += count
    return dict(found)
