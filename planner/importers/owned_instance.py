"""The fabric that exists as what an instance owns, so that growth is planned on top of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from planner.domain.catalog import Catalog, load_catalog
from planner.domain.errors import Fault, InputError
from planner.domain.existing_fabric import ExistingFabric
from planner.domain.instance import Instance
from planner.domain.json_file import read_json, validate
from planner.domain.owned import Owned
from planner.importers.imported import Given, Imported, Notes
from planner.importers.kinds import FABRIC

INSTANCE = "owned_instance.json"
KEYS = ("instance", "server", "nic", "switch", "spine_switch", "bill")
TIERS = {1: "leaf", 2: "spine", 3: "core"}


def with_owned(result: Imported, given: Given) -> Imported:
    """Return an imported fabric with the part of an instance that owns it, if the user asks.

    Any of KEYS asks: `server` and `nic` say what the hosts are, `switch` and `spine_switch` name
    the models where the file does not, `bill` a solution whose bill is owned instead, `instance`
    the file to which all is added.

    Raises
    ------
    InputError
        If a given id is unknown or the instance has faults.
    """
    given.accept(*KEYS)
    asked = {key: value for key in KEYS if (value := given.text(key))}
    fabric = validate(ExistingFabric, dict(result.document), FABRIC)
    if not asked:
        return result
    notes = Notes(list(result.facts), list(result.warnings), list(result.missing))
    owned: dict[str, Any] = {"fabric": FABRIC}
    if "bill" in asked:
        owned["bill"] = asked["bill"]
    else:
        catalog = load_catalog()
        owned["servers"] = _servers(fabric, asked, catalog, notes)
        owned["switches"] = _switches(fabric, asked, catalog, notes)
    validate(Owned, owned, INSTANCE)
    fragment = _instance(asked.get("instance"), notes) | {"owned": owned}
    if "instance" in asked:
        validate(Instance, fragment, INSTANCE)
        notes.fact(f"{INSTANCE} is {asked['instance']} with what is owned; the same folder serves")
    else:
        notes.fact(f"{INSTANCE} is a fragment: put its 'owned' into your instance")
    return replace(
        result,
        documents={**result.documents, INSTANCE: fragment},
        facts=tuple(notes.facts),
        warnings=tuple(notes.warnings),
        missing=tuple(notes.missing),
    )


def _instance(name: str | None, notes: Notes) -> dict[str, Any]:
    if name is None:
        return {}
    path = Path(name)
    if not path.is_file():
        raise InputError("--set", [Fault("instance", f"no file {name[:80]!r}", "name a JSON file")])
    document = read_json(path)
    if not isinstance(document, Mapping):
        raise InputError(name, [Fault("$", "is no instance", "name an instance's JSON file")])
    if "owned" in document:
        notes.warn(f"{name[:80]} owns something already; that is replaced")
    return dict(document)


def _servers(
    fabric: ExistingFabric, asked: Mapping[str, str], catalog: Catalog, notes: Notes
) -> list[dict[str, Any]]:
    """Return the hosts as servers: those with as many links as the server has, else all."""
    if "server" not in asked:
        notes.lack("the server that the hosts are", "server")
        return []
    options = catalog.nic_options(asked["server"])
    nic = asked.get("nic")
    fitting = [option for option in options if nic in (None, option.nic, option.id)]
    if not fitting:
        right = f"one of {', '.join(sorted({option.nic for option in options}))}"
        raise InputError("--set", [Fault("nic", f"no cards {str(nic)[:60]!r} there", right)])
    links = fitting[0].links
    same = [host for host in fabric.hosts if host.links == links]
    if same and not fabric.logical:
        others = len(fabric.hosts) - len(same)
        notes.fact(f"{len(same)} hosts with {links} links are servers, {others} others keep ports")
    else:
        same = list(fabric.hosts)
        if not fabric.logical:
            notes.warn(f"no host has the {links} links of {asked['server']}; all count as servers")
    if not same:
        return []
    server: dict[str, Any] = {"server": asked["server"], "count": len(same)}
    return [server | ({"nic": nic} if nic else {})]


def _switches(
    fabric: ExistingFabric, asked: Mapping[str, str], catalog: Catalog, notes: Notes
) -> list[dict[str, Any]]:
    given = {"leaf": asked.get("switch"), "spine": asked.get("spine_switch", asked.get("switch"))}
    for wanted in filter(None, given.values()):
        catalog.switch(wanted)
    counts: Counter[tuple[str, str]] = Counter()
    for switch in fabric.switches:
        tier = TIERS.get(switch.tier or 0)
        if tier is None:
            notes.warn("switches that join no host, or above a third tier, are not counted")
            continue
        part = given.get(tier) or switch_id(switch.model, catalog)
        if part:
            counts[tier, part] += 1
        else:
            key = "spine_switch" if tier == "spine" else "switch"
            model = f" ({switch.model[:40]})" if switch.model else ""
            notes.lack(f"the catalogue id of the {tier} switches{model}", key)
    return [
        {"switch": part, "tier": tier, "count": count} for (tier, part), count in counts.items()
    ]


def switch_id(model: str, catalog: Catalog) -> str:
    """Return the catalogue id that a switch's model means, as ``MQM9700`` is qm9700; or nothing."""
    plain = re.sub(r"[^a-z0-9]", "", model.lower())
    found = [
        row
        for row in catalog.switches
        if len(key := re.sub(r"[^a-z0-9]", "", row)) >= 4 and plain and key in plain
    ]
    return max(found, key=len, default="")
