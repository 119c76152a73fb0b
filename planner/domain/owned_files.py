"""Files that an instance's `owned` names, read into it, so that an answer holds everything."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from planner.domain.errors import Fault, InputError
from planner.domain.existing_fabric import ExistingFabric
from planner.domain.instance import Instance
from planner.domain.json_file import read_json, validate
from planner.domain.owned import OwnedServers, OwnedSwitches

BILL_KINDS = ("transceiver", "cable", "fibre", "rack", "pdu")
"""Kinds of lines that are counted by part; a server brings its cards."""


def with_owned_files(instance: Instance, file: Path) -> Instance:
    """Return the instance with the fabric and the bill of its `owned` in place of their files.

    Raises
    ------
    InputError
        If a file is missing or is none of its kind.
    """
    owned = instance.owned
    if owned is None:
        return instance
    update: dict[str, object] = {}
    if isinstance(owned.fabric, str):
        path = _there(file, owned.fabric, "$.owned.fabric")
        update["fabric"] = validate(ExistingFabric, read_json(path), str(path))
    if owned.bill is not None:
        update |= _bill(instance, _there(file, owned.bill, "$.owned.bill"))
    if not update:
        return instance
    return instance.model_copy(update={"owned": owned.model_copy(update=update)})


def _there(file: Path, name: str, where: str) -> Path:
    path = file.parent / name
    if not path.is_file():
        fault = Fault(where, f"no file {name!r}", "name a file relative to the instance")
        raise InputError(str(file), [fault])
    return path


def _bill(instance: Instance, path: Path) -> dict[str, object]:
    """Return the lists of `owned` with every line of a solution's bill added."""
    from planner.domain.solution import load_solution

    owned, solution = instance.owned, load_solution(path)
    assert owned is not None
    servers, switches = list(owned.servers), list(owned.switches)
    parts = Counter(owned.parts)
    design = solution.design
    tiers = {} if design is None else {t.switch: t.tier for t in design.fabric.tiers}
    nic = None if design is None else design.platform.nic
    lines: Counter[tuple[str, str, str]] = Counter()
    for line in solution.bill_of_materials:
        lines[line.part, line.kind, line.component] += line.quantity
    for (part, kind, component), count in lines.items():
        if kind == "server":
            servers.append(OwnedServers(server=part, nic=nic, count=count))
        elif kind == "switch":
            tier = "oob" if component == "out_of_band" else tiers.get(part, "leaf")
            switches.append(OwnedSwitches(switch=part, tier=tier, count=count))
        elif kind in BILL_KINDS:
            parts[part] += count
    return {"servers": servers, "switches": switches, "parts": dict(parts), "bill": None}
