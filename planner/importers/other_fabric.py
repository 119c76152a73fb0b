"""A fabric in one of the formats that no common tool writes, told apart by its first sign."""

from __future__ import annotations

from planner.importers.imported import Given, Imported
from planner.importers.netq import read_netq
from planner.importers.source import Source
from planner.importers.topograph import read_topograph


def read_other_fabric(source: Source, given: Given) -> Imported:
    """Return the fabric of NetQ's JSON or topograph's YAML; raises InputError as these do."""
    if source.text.lstrip()[:1] in ("[", "{"):
        return read_netq(source, given)
    return read_topograph(source, given)
