"""Every limit of an instance that a buyer may give up, the most technical first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planner.domain.instance import Instance
from planner.program.market import Market
from planner.study.limit import Limit, listed
from planner.study.limits_of_jobs import limits_of_jobs
from planner.study.limits_of_site import limits_of_budget, limits_of_site

MOST_POOLS = 8
MOST_RENTED = 512
_LAST = ("power_kw", "racks", "rack_kw", "budget", "step_time_s", "deadline_days")
"""Ends or beginnings of the keys that a buyer thinks of first, in ascending order."""


def limits_of(market: Market) -> list[Limit]:
    """Return the limits in the order in which a conflict is rid of them.

    What is left of a conflict depends on the order: technical details and what planner assumes go
    first, so that the limits that buyers set themselves stay.
    """
    instance, catalog = market.instance, market.catalog
    found = [
        *_of_grid(instance),
        *_of_rules(instance),
        *_of_hardware(instance),
        *_of_pools(instance),
        *limits_of_site(instance.site, catalog),
        *limits_of_jobs(instance, market.oracle.margins),
        *limits_of_budget(instance.budget),
    ]
    if instance.colocation is not None:
        found += limits_of_site(instance.colocation, catalog, "colocation")
    return sorted(found, key=lambda limit: _rank(limit.key))


def _rank(key: str) -> int:
    if key.endswith((".margin", ".availability", ".routes", "rack_weight_kg", ".rack")):
        return 0
    for place, text in enumerate(_LAST, 2):
        if key.endswith(f".{text}") or key.startswith(f"{text}."):
            return place
    return 1


def _choice(key: str, words: str, change: Callable[[Instance], Instance]) -> Limit:
    return Limit(key=key, words=lambda _: words, put=lambda instance, _: change(instance))


def _part(name: str, **changes: Any) -> Callable[[Instance], Instance]:
    def change(instance: Instance) -> Instance:
        part = getattr(instance, name).model_copy(update=changes)
        return instance.model_copy(update={name: part})

    return change


def _whole(key: str, value: int, end: int, unit: str, words: Callable[[int], str]) -> Limit:
    name, _, field = key.rpartition(".")

    def put(instance: Instance, new: float | None) -> Instance:
        number = end if new is None else int(new)
        if not name:
            return instance.model_copy(update={field: number})
        return _part(name, **{field: number})(instance)

    return Limit(
        key=key, words=lambda new: words(value if new is None else int(new)), put=put, value=value,
        end=end, unit=unit, whole=True,
    )  # fmt: skip


def _of_grid(instance: Instance) -> Iterator[Limit]:
    grid = instance.grid
    if grid.max_nodes is not None:
        text = f"at most {grid.max_nodes:,} servers"
        yield _choice("grid.max_nodes", text, _part("grid", max_nodes=None))
    if grid.min_nodes > 1:
        yield _whole(
            "grid.min_nodes", grid.min_nodes, 1, "servers", lambda v: f"at least {v:,} servers"
        )
    if grid.step > 1:
        text = f"servers in steps of {grid.step:,}"
        yield _choice("grid.step", text, _part("grid", step=1))
    usual = type(grid)().oversubscription
    if not set(usual) <= set(grid.oversubscription):
        wider = sorted({*usual, *grid.oversubscription})
        shown = ", ".join(f"{ratio:g}" for ratio in grid.oversubscription)
        change = _part("grid", oversubscription=wider)
        yield _choice("grid.oversubscription", f"oversubscription only {shown}", change)


def _of_rules(instance: Instance) -> Iterator[Limit]:
    rules, owned = instance.fabric, instance.owned
    if rules.reserved_slots:
        yield _whole(
            "fabric.reserved_slots", rules.reserved_slots, 0, "slots",
            lambda v: f"{v:,} server slots kept free in the fabric",
        )  # fmt: skip
    if rules.even_spread:
        text = "every leaf has the same links to each spine"
        yield _choice("fabric.even_spread", text, _part("fabric", even_spread=False))
    if owned is not None and not owned.new_fabric:
        text = "no new fabric is bought"
        yield _choice("owned.new_fabric", text, _part("owned", new_fabric=True))
    if owned is not None and not owned.rewire:
        text = "links that exist stay where they are"
        yield _choice("owned.rewire", text, _part("owned", rewire=True))


def _of_hardware(instance: Instance) -> Iterator[Limit]:
    for kind, said in (("fix", "fixed"), ("forbid", "forbidden")):
        for key, values in getattr(instance, kind).values().items():
            shown = listed(values)
            yield _choice(
                f"{kind}.{key}", f"hardware {said}: {key} {shown}", _part(kind, **{key: None})
            )


def _of_pools(instance: Instance) -> Iterator[Limit]:
    free = instance.owned is None and instance.site.plain
    if instance.split and instance.pools < MOST_POOLS and free:
        yield _whole(
            "pools", instance.pools, MOST_POOLS, "pools", lambda v: f"at most {v} pools of servers"
        )
    cloud = instance.cloud
    if cloud is None:
        return
    if cloud.max_instances < MOST_RENTED:
        yield _whole(
            "cloud.max_instances", cloud.max_instances, MOST_RENTED, "servers",
            lambda v: f"at most {v} rented servers for a workload",
        )  # fmt: skip
    if cloud.allow:
        text = f"rented only from {', '.join(cloud.allow)}"
        yield _choice("cloud.allow", text, _part("cloud", allow=[]))
    terms = type(cloud)().terms
    if not set(terms) <= set(cloud.terms):
        text = f"rented only for {', '.join(cloud.terms)}"
        wider = [*cloud.terms, *(t for t in terms if t not in cloud.terms)]
        yield _choice("cloud.terms", text, _part("cloud", terms=wider))
