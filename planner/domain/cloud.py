"""Servers for rent: what an instance allows, and the offers of the catalogue."""

from __future__ import annotations

import csv
import io
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from planner.domain.errors import Fault, InputError
from planner.domain.json_file import read_text
from planner.domain.price import Date
from planner.domain.resources import data_root
from planner.domain.text import Name

OFFERS = "models/hardware/cloud.csv"
Term = Literal["on_demand", "spot", "1y", "3y"]
TERM_YEARS: dict[str, int] = {"1y": 1, "3y": 3}
Money = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]


class Cloud(BaseModel):
    """Renting beside buying: which offers may be taken, on which terms."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    allow: Annotated[list[Name], Field(max_length=200)] = []
    """Offers (`offer` of models/hardware/cloud.csv) or providers; all if empty."""
    terms: Annotated[list[Term], Field(min_length=1, max_length=4)] = ["on_demand", "1y", "3y"]
    """spot is taken at its price: what interruptions cost is not counted."""
    max_instances: Annotated[int, Field(ge=1, le=512)] = 32
    """Most rented servers that one workload may use."""
    price_factor: Annotated[float, Field(ge=0, le=100)] = 1.0
    """Multiplies every rate, for what-if questions."""
    usd_per_hour: dict[Name, Money] = {}
    """Negotiated rates by row of the table (`id`), before the factor."""
    egress_usd_per_gb: Annotated[float, Field(ge=0, le=100)] = 0.0
    """What leaving the cloud costs; 0.09 is the list price of the large providers' first 10 TB."""
    egress_gb_per_run: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    """Checkpoints and results that each run of a rented workload sends home."""


class CloudOffer(BaseModel):
    """One rate of one instance type."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: Name
    offer: Name
    """The instance type of a provider; its terms share it."""
    provider: Name
    instance: str
    region: str
    platform: Name
    """NIC option of the catalogue whose server and cards stand for it in the physics."""
    family: Literal["infiniband", "roce", "ethernet", "efa"]
    term: Term
    usd_per_hour: Annotated[float, Field(gt=0, le=1e5)]
    price_kind: str
    price_date: Date
    price_source: str
    source: str
    network: Literal["sourced", "estimated"]
    note: str


@lru_cache(maxsize=1)
def shipped_offers() -> tuple[CloudOffer, ...]:
    """Return the offers that ship with the program.

    Raises
    ------
    InputError
        Naming every faulty row.
    """
    return read_offers(data_root() / OFFERS)


def read_offers(path: Path) -> tuple[CloudOffer, ...]:
    """Return the offers of a table; raises InputError naming every faulty row."""
    found, faults = [], []
    for number, row in enumerate(csv.DictReader(io.StringIO(read_text(path))), 2):
        try:
            found.append(CloudOffer.model_validate(row))
        except ValidationError as error:
            for fault in error.errors():
                where = f"line {number}, {'.'.join(map(str, fault['loc']))}"
                faults.append(Fault(where, fault["msg"]))
    if faults:
        raise InputError(str(path), faults)
    return tuple(found)


def allowed_offers(cloud: Cloud, offers: tuple[CloudOffer, ...]) -> list[CloudOffer]:
    """Return what an instance may rent, with its own rates and factor.

    Raises
    ------
    InputError
        If it names an offer, provider or row that the table does not have.
    """
    known = {o.offer for o in offers} | {o.provider for o in offers}
    faults = [
        Fault(f"$.cloud.allow ({name})", "no such offer or provider", ", ".join(sorted(known)))
        for name in cloud.allow
        if name not in known
    ]
    rows = {o.id for o in offers}
    faults += [
        Fault(f"$.cloud.usd_per_hour ({name})", "no such row", ", ".join(sorted(rows)))
        for name in cloud.usd_per_hour
        if name not in rows
    ]
    if faults:
        raise InputError("cloud", faults)
    return [
        offer.model_copy(
            update={
                "usd_per_hour": cloud.usd_per_hour.get(offer.id, offer.usd_per_hour)
                * cloud.price_factor
            }
        )
        for offer in offers
        if offer.term in cloud.terms
        and (not cloud.allow or {offer.offer, offer.provider} & set(cloud.allow))
    ]


def term_order(term: str) -> int:
    """Return the place of a term, for a fixed order."""
    return get_args(Term).index(term)
