"""Several sites or regions that train one job together, and the links between them."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.site import Money
from planner.domain.text import Name, folder_name

Encryption = Literal["none", "macsec", "ipsec", "tls"]
ENCRYPTIONS: tuple[Encryption, ...] = ("none", "macsec", "ipsec", "tls")


Dimension = Literal["dp", "pp"]
REFUSED = {
    "tp": "tensor parallelism waits for an all-reduce twice a layer, forward and backward",
    "cp": "context parallelism passes keys and values around in every layer",
    "ep": "expert parallelism exchanges all tokens twice a layer, forward and backward",
}
"""Why a dimension may not cross the wide area."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Region(_Frozen):
    """One place where servers may stand; what is absent is as the instance's `site` says."""

    name: Name
    racks: Annotated[int, Field(ge=1, le=20_000)] | None = None
    rack_kw: Annotated[float, Field(gt=0, le=1000)] | None = None
    power_kw: Annotated[float, Field(gt=0, le=1e6)] | None = None
    electricity_usd_per_kwh: Annotated[float, Field(ge=0, le=10)] | None = None
    pue: Annotated[float, Field(ge=1, le=5)] | None = None
    space_usd_per_kw_month: Money | None = None


class WanOffer(_Frozen):
    """A bandwidth that may be rented between two sites."""

    gbps: Annotated[float, Field(gt=0, le=1e6)]
    """Gigabit/s in each direction at once."""
    usd_per_month: Money
    """Rent of the line, both ends."""
    usd_per_gbyte: Annotated[float, Field(ge=0, le=10)] = 0.0
    """Charged for what each site sends."""
    source: Annotated[str, Field(min_length=3, max_length=1000)]
    """Where the price comes from; say `estimate` if it is one."""


class WanLink(_Frozen):
    """A way between two sites."""

    between: tuple[Name, Name]
    km: Annotated[float, Field(ge=0, le=40_000)]
    """Length of the fibre, not of the map."""
    offers: Annotated[list[WanOffer], Field(min_length=1, max_length=20)]
    encryption: Annotated[list[Encryption], Field(min_length=1)] = list(ENCRYPTIONS)
    """What its equipment can do."""


class Regions(_Frozen):
    """One job over one or more of several sites.

    Where data parallelism crosses (DDP, ZeRO or HSDP within a site, replicas between sites), each
    site holds whole replicas, its share of the batch follows its servers, and gradients are summed
    between the sites after they were within each. Where the pipeline crosses, each site holds
    consecutive stages, as many as follow from its servers, and activations pass from one to the
    next.
    """

    sites: Annotated[list[Region], Field(min_length=1, max_length=10)]
    wan: Annotated[list[WanLink], Field(max_length=45)] = []
    encryption: Literal["any", "required"] = "any"
    """required: a line without encryption can never be chosen."""
    may_cross: Annotated[list[Literal["dp", "pp", "tp", "cp", "ep"]], Field(min_length=1)] = ["dp"]
    """Parallel dimensions that may cross the wide area: dp, pp, or both to weigh them."""
    most_sites: Annotated[int, Field(ge=1, le=5)] = 2
    """Sites that may train the job together."""
    gateway: Name = "bf3-b3240"
    """Catalogue id of the card that encrypts, at both ends, as many as the bandwidth needs."""

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions that may cross, without repeats."""
        known: tuple[Dimension, ...] = ("dp", "pp")
        return tuple(name for name in known if name in self.may_cross)

    @model_validator(mode="after")
    def _only_what_a_line_carries(self) -> Self:
        for name in self.may_cross:
            if name in REFUSED:
                raise ValueError(
                    f"{name} may not cross between sites: {REFUSED[name]}; name dp, pp or both"
                )
        return self

    @model_validator(mode="after")
    def _links_join_sites(self) -> Self:
        names = [site.name for site in self.sites]
        double = sorted({name for name in names if names.count(name) > 1})
        if double:
            raise ValueError(f"two sites are named {double[0]!r}; give each its own name")
        folders = [folder_name(name).casefold() for name in names]
        alike = [n for n, f in zip(names, folders, strict=True) if folders.count(f) > 1]
        if alike or "bi" in folders:
            which = " and ".join(alike) or "bi"
            raise ValueError(f"the report needs a folder for each site; rename {which}")
        seen: set[frozenset[str]] = set()
        for link in self.wan:
            ends = frozenset(link.between)
            unknown = sorted(ends - set(names))
            if unknown:
                raise ValueError(f"a link ends at {unknown[0]!r}; the sites are {', '.join(names)}")
            if len(ends) < 2:
                raise ValueError(f"a link joins {link.between[0]!r} with itself; name two sites")
            if ends in seen:
                raise ValueError(f"{' and '.join(sorted(ends))} are linked twice; list the offers")
            seen.add(ends)
        return self
