"""Limits of money and room: budget, power, racks, weight, cooling, floor, cable routes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planner.domain.catalog import Catalog
from planner.domain.floor import MOST_PLACES
from planner.domain.instance import Instance
from planner.domain.site import Budget, Site
from planner.study.limit import Limit

MUCH = 4
"""How many times today's racks, and today's power of a rack, are looked at."""
AT_LEAST_RACKS = 64
"""Small rooms are looked at with so many racks."""
HALL = "colocation hall: "
MOST_RACKS = 20_000
MOST_KG = 10_000.0
TINY_M = 0.01


def limits_of_budget(budget: Budget) -> Iterator[Limit]:
    """Yield the limits of purchase, power and GPUs."""
    rows: tuple[tuple[str, str, Callable[[float], str]], ...] = (
        ("capex_usd", "USD", lambda v: f"at most {v:,.0f} USD to buy"),
        ("power_kw", "kW", lambda v: f"at most {v:,.7g} kW of IT power (budget)"),
        ("gpus", "GPUs", lambda v: f"at most {v:,.0f} GPUs"),
    )
    for name, unit, words in rows:
        value = getattr(budget, name)
        if value is not None:
            yield Limit(
                key=f"budget.{name}",
                words=_words(words, value),
                put=_put_budget(name),
                value=value,
                unit=unit,
                whole=name == "gpus",
            )


def _words(words: Callable[[float], str], value: float) -> Callable[[float | None], str]:
    return lambda new: words(value if new is None else new)


def _put_budget(name: str) -> Callable[[Instance, float | None], Instance]:
    def put(instance: Instance, value: float | None) -> Instance:
        new = int(value) if value is not None and name == "gpus" else value
        budget = instance.budget.model_copy(update={name: new})
        return instance.model_copy(update={"budget": budget})

    return put


def limits_of_site(site: Site, catalog: Catalog, where: str = "site") -> Iterator[Limit]:
    """Yield the limits of a room; `where` is the key of the instance that holds it."""
    hall = "" if where == "site" else HALL
    if site.power_kw is not None:
        yield _number(
            where, "power_kw", site.power_kw, None, "kW",
            lambda v: hall + f"at most {v:,.7g} kW of IT power in all",
        )  # fmt: skip
    yield Limit(
        key=f"{where}.racks",
        words=_words(lambda v: hall + f"{v:,.0f} places for racks", site.racks),
        put=_putter(where, lambda old, v: with_racks(old, _most(old) if v is None else int(v))),
        value=site.racks,
        end=_most(site),
        unit="racks",
        whole=True,
    )
    yield _number(
        where, "rack_kw", site.rack_kw, min(1000.0, max(MUCH * site.rack_kw, 160.0)), "kW",
        lambda v: hall + f"{v:,.7g} kW in each rack", costly=True,
    )  # fmt: skip
    yield _number(
        where, "rack_weight_kg", site.rack_weight_kg, MOST_KG, "kg",
        lambda v: hall + f"{v:,.7g} kg in each rack",
    )  # fmt: skip
    yield from _routes(site, where, hall)
    yield from _choices(site, catalog, where, hall)


def _number(
    where: str,
    name: str,
    value: float,
    end: float | None,
    unit: str,
    words: Callable[[float], str],
    *,
    costly: bool = False,
) -> Limit:
    return Limit(
        key=f"{where}.{name}",
        words=_words(words, value),
        put=_putter(
            where, lambda old, v: old.model_copy(update={name: end if v is None else v})
        ),
        value=value,
        end=end,
        unit=unit,
        costly=costly,
    )  # fmt: skip


def _putter(
    where: str, change: Callable[[Site, float | None], Site]
) -> Callable[[Instance, float | None], Instance]:
    def put(instance: Instance, value: float | None) -> Instance:
        return instance.model_copy(update={where: change(getattr(instance, where), value)})

    return put


def _most(site: Site) -> int:
    ceiling = MOST_RACKS if not (site.floor.places or site.floor.cross_trays_m) else MOST_PLACES
    return max(site.racks, min(ceiling, max(MUCH * site.racks, AT_LEAST_RACKS)))


def with_racks(site: Site, racks: int) -> Site:
    """Return the room with more places; aisles between new rows are as the last one."""
    larger = site.model_copy(update={"racks": racks})
    aisles = site.floor.aisles
    if aisles:
        more = [aisles[-1]] * (larger.rows - 1 - len(aisles))
        floor = site.floor.model_copy(update={"aisles": [*aisles, *more]})
        larger = larger.model_copy(update={"floor": floor})
    return larger


def _routes(site: Site, where: str, hall: str) -> Iterator[Limit]:
    """Yield the limit of reach: how long the cables are that the room asks for."""

    def put(old: Site, share: float | None) -> Site:
        by = 0.0 if share is None else share
        aisles = [
            aisle.model_copy(update={"width_m": max(TINY_M, by * aisle.width_m)})
            for aisle in old.floor.aisles
        ]
        return old.model_copy(
            update={
                "rise_m": by * old.rise_m,
                "slack_m": by * old.slack_m,
                "row_pitch_m": max(TINY_M, by * old.row_pitch_m),
                "floor": old.floor.model_copy(update={"aisles": aisles}),
            }
        )

    def words(share: float | None) -> str:
        by = 1.0 if share is None else share
        return hall + (
            f"cable routes of {by * site.rise_m:.3g} m up to the tray, "
            f"{by * site.slack_m:.3g} m of slack, {by * site.row_pitch_m:.3g} m from row to row"
        )

    yield Limit(
        key=f"{where}.routes", words=words, put=_putter(where, put), value=1.0, end=0.0,
        unit="of today's routes",
    )  # fmt: skip


def _choices(site: Site, catalog: Catalog, where: str, hall: str) -> Iterator[Limit]:
    def choice(key: str, text: str, costly: bool = False, **changes: Any) -> Limit:
        return Limit(
            key=f"{where}.{key}",
            words=lambda _: hall + text,
            put=_putter(where, lambda old, _: old.model_copy(update=changes)),
            costly=costly,
        )

    if site.cooling == "air":
        yield choice("cooling", "air cooling only", cooling="liquid")
    if site.pdu_redundancy == "2n":
        text = "racks keep their power with one of two feeds lost"
        yield choice("pdu_redundancy", text, pdu_redundancy="n+1")
    usual = catalog.racks[site.rack]
    taller = [row for row in catalog.racks.values() if row.rack_units > usual.rack_units]
    taller = [row for row in taller if row.width_mm == usual.width_mm]
    if taller:
        best = max(taller, key=lambda row: (row.rack_units, row.id))
        text = f"racks of {usual.rack_units} units"
        yield choice("rack", text, costly=True, rack=best.id)
    if site.floor.places:
        text = "blocked, used and different places of the floor"
        floor = site.floor.model_copy(update={"places": [], "kinds": {}})
        yield choice("floor.places", text, floor=floor)
