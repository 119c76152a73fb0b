"""The floor of a room that is not all alike: aisles, trays, kinds of rack, blocked and used places."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planner.domain.text import Name, Prose

Metres = Annotated[float, Field(ge=0, le=200, allow_inf_nan=False)]
MOST_PLACES = 1000
"""Places up to which a room may have places of their own: every pair of racks has its own route."""


class Aisle(BaseModel):
    """The space between a row and the next."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    width_m: Annotated[float, Field(gt=0, le=20)]
    """From the racks of one row to those of the next, metres; the racks' depth is added."""
    air: Literal["cold", "hot"] = "cold"
    """cold: both rows turn their fronts to it; hot: their backs, where ports and cables are."""


class RackKind(BaseModel):
    """Racks unlike the room's usual ones."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rack: Name | None = None
    """Catalogue id; the site's rack if absent."""
    rack_kw: Annotated[float, Field(gt=0, le=1000)] | None = None
    """The site's if absent."""
    rack_weight_kg: Annotated[float, Field(gt=0, le=10_000)] | None = None
    """The site's if absent."""
    cooling: Literal["air", "liquid"] | None = None
    """The site's if absent."""


class Places(BaseModel):
    """Places of one row that are not like the others."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    row: Annotated[int, Field(ge=1, le=1000)]
    """From 1."""
    columns: Annotated[list[Annotated[int, Field(ge=1, le=200)]], Field(min_length=1)]
    """From 1."""
    kind: Name | None = None
    """One of the floor's kinds of rack."""
    blocked: bool = False
    """Nothing can stand here: a pillar, a door, somebody else's rack."""
    used_units: Annotated[int, Field(ge=0, le=100)] = 0
    """Rack units that are taken, from the floor of the rack up; the rack and its PDUs are there."""
    used_kw: Annotated[float, Field(ge=0, le=1000)] = 0.0
    """Power that what stands there draws at most."""
    used_kg: Annotated[float, Field(ge=0, le=10_000)] = 0.0
    note: Prose = ""
    """Shown on the floor plan."""

    @property
    def partly_used(self) -> bool:
        """Whether a rack stands here with something in it."""
        return bool(self.used_units or self.used_kw or self.used_kg)

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        if self.blocked and (self.partly_used or self.kind):
            raise ValueError("a blocked place has no rack; leave out kind and used_*")
        if len(set(self.columns)) < len(self.columns):
            raise ValueError("columns names a place twice; name each once")
        return self


class Floor(BaseModel):
    """What is not alike in a room."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    aisles: Annotated[list[Aisle], Field(max_length=1000)] = []
    """Between the rows in order, one fewer than rows; all at row_pitch_m if absent."""
    cross_trays_m: Annotated[list[Metres], Field(max_length=100)] = []
    """Where trays cross between rows: metres from the left side of a row; everywhere if absent."""
    kinds: dict[Name, RackKind] = {}
    """Kinds of rack beside the site's usual one, by name."""
    places: Annotated[list[Places], Field(max_length=2000)] = []
    """Places with another kind of rack, blocked or partly used."""

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        seen: set[tuple[int, int]] = set()
        for entry in self.places:
            if entry.kind is not None and entry.kind not in self.kinds:
                known = ", ".join(self.kinds) or "none is given"
                raise ValueError(f"places name the kind {entry.kind!r}; kinds has: {known}")
            for column in entry.columns:
                if (entry.row, column) in seen:
                    raise ValueError(
                        f"row {entry.row}, column {column} stands in places twice; say all in one"
                    )
                seen.add((entry.row, column))
        return self
