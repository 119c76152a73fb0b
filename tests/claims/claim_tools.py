"""Evaluate and solve variants of the instances of the claims."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from planner.cli.main import run
from planner.domain.calibration import Calibration, read_calibration
from planner.domain.instance import Instance
from planner.domain.json_file import read_json, validate
from planner.domain.solution import Solution, WorkloadResult
from planner.physics.collectives.model import collective_time
from planner.physics.wiring import Group, Wiring
from planner.program.market import open_market
from planner.program.pinned import as_pinned
from planner.program.wire import wiring_of as wire
from planner.study.decide import DecideOptions, decide
from planner.study.evaluate import evaluate, the_column
from planner.study.sweep_axes import parse_path, with_value

FOLDER = Path(__file__).parents[2] / "instances" / "claims"


def instance(name: str, changes: dict[str, Any]) -> tuple[Instance, Path]:
    """Return an instance of the claims with values at paths replaced."""
    path = FOLDER / f"{name}.json"
    document = read_json(path)
    for key, value in changes.items():
        document = with_value(document, parse_path(key), value, key)
    return validate(Instance, document, str(path)), path


def evaluated(name: str, **changes: Any) -> Solution:
    """Return what `planner evaluate` says of a variant; keys name fixes and strategies.

    `server`, `switch`, ... go under `fix`; `s_NAME` under the workload's `fix`; a path with
    dots goes where it says.
    """
    return _evaluated(name, json.dumps(_paths(changes)))


@functools.cache
def _evaluated(name: str, changes: str) -> Solution:
    loaded, path = instance(name, json.loads(changes))
    return evaluate(loaded, path).solution


def calibrated(profile: str, job: str) -> Calibration:
    """Return what `planner calibrate` makes of a profile and the instance that tells its job."""
    words = ["calibrate", str(FOLDER / profile), "--instance", str(FOLDER / f"{job}.json")]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "calibration.json"
        quiet = contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO())
        with quiet[0], quiet[1]:
            assert run([*words, "-o", str(out)]) == 0
        return read_calibration(out)


def solved(name: str, calibration: Calibration | None = None, **changes: Any) -> Solution:
    """Return the proved optimum of a variant."""
    loaded, path = instance(name, _paths(changes))
    options = DecideOptions(alternatives=False)
    found = decide(loaded, path, options, lambda _: None, calibration).solution
    assert found.status in ("optimal", "infeasible"), found.status
    return found


def _paths(changes: dict[str, Any]) -> dict[str, Any]:
    paths = {}
    for key, value in changes.items():
        if key.startswith("s_"):
            paths[f"workloads[0].fix.{key[2:]}"] = value
        elif "." in key or key == "congestion" or "[" in key:
            paths[key] = value
        else:
            paths[f"fix.{key}"] = value
    return paths


def job(solution: Solution) -> WorkloadResult:
    """Return the only workload's result."""
    assert solution.workloads, solution.reasons
    return solution.workloads[0]


def compute_s(solution: Solution) -> float:
    """Return the seconds of a step in which the job would compute alone."""
    parts = job(solution).breakdown
    return parts["compute"] + parts.get("recompute", 0.0)


def sent(solution: Solution, *names: str) -> list[Any]:
    """Return the communications of some kinds (all if none is named)."""
    return [c for c in job(solution).collectives if not names or c.name in names]


def total_s(solution: Solution, *names: str) -> float:
    """Return the seconds that communications take, hidden or not."""
    return sum(c.total_s for c in sent(solution, *names))


def exposed_s(solution: Solution, *names: str) -> float:
    """Return the seconds that the job waits for communications."""
    return sum(c.exposed_s for c in sent(solution, *names))


def calls(solution: Solution, *names: str) -> float:
    """Return the number of communications of one step."""
    return sum(c.count for c in sent(solution, *names))


def wiring_of(name: str, **changes: Any) -> tuple[Wiring, Any]:
    """Return how a pinned variant joins its GPUs, and the constants of the collectives."""
    loaded, path = instance(name, _paths(changes))
    market = open_market(loaded, path, None, change=as_pinned)
    column = the_column(market)
    wiring = wire(loaded, market.catalog, column, 5.0)
    return wiring, market.oracle.constants.collectives


def all_reduce_s(
    wiring: Wiring,
    constants: Any,
    size_bytes: float,
    ranks: int,
    per_host: int,
    algorithm: str | None,
) -> float:
    """Return the seconds of one all-reduce over `ranks` GPUs, by one algorithm or NCCL's choice."""
    one = np.array(1)
    group = Group(
        ranks=np.array(ranks), per_domain=np.array(min(per_host, wiring.domain_gpus)),
        per_host=np.array(per_host), nic_sharing=one, per_leaf=np.array(ranks),
        per_pod=np.array(ranks),
    )  # fmt: skip
    found = collective_time(
        "all_reduce", size_bytes, group, wiring, constants=constants, algorithm=algorithm
    )
    return float(found.time_s)
