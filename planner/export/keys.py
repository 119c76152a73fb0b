"""Stable text keys: readable, the same for the same run, distinct across appended runs."""

from __future__ import annotations

import datetime
import hashlib

from planner.domain.solution import Cable, Solution


def run_key(solution: Solution) -> str:
    """Return the key of a run: its id, which hashes instance, catalogue, version and options."""
    return solution.run.run_id


def within_run(solution: Solution, name: str) -> str:
    """Return the key of something that exists in one run only, such as a rack or a workload."""
    return f"{run_key(solution)}/{name}"


def cost_key(component: str, category: str) -> str:
    """Return the key of a cost category."""
    return f"{component}/{category}"


def links(solution: Solution) -> list[Cable]:
    """Return every link, also of a large fabric whose document holds groups of links."""
    return solution.links()


def scenario_key(solution: Solution) -> str:
    """Return the key of the question: the instance's name and a hash of what it states.

    Defaults are left out, so that a key that a later version adds does not change the hash.
    """
    stated = solution.instance.model_dump_json(by_alias=True, exclude_defaults=True)
    return f"{solution.instance.name}-{hashlib.sha256(stated.encode()).hexdigest()[:8]}"


def started(solution: Solution) -> datetime.datetime | None:
    """Return the start of a run in UTC without zone, None if it is not stated as ISO 8601."""
    try:
        moment = datetime.datetime.fromisoformat(solution.run.started)
    except ValueError:
        return None
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.UTC).replace(tzinfo=None)
    return moment
