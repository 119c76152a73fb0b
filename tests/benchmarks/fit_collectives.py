"""Fit the constants of the collective model to published measurements, and leave platforms out.

    python -m tests.benchmarks.fit_collectives               fit and write models/hardware
    python -m tests.benchmarks.fit_collectives --leave-out   refit without each platform in turn

The second takes about a quarter of an hour and writes tests/data/collectives_left_out.json.

One fixed set of constants for all rows. Constants are shared by architecture, kind of scale-up
and kind of network; what no measurement speaks for stays at its prior (an L1 penalty on the
logarithm of constant over prior sees to it). Every platform weighs the same.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from planner.domain.physics_constants import CollectiveConstants, Figure
from planner.domain.resources import data_root
from planner.physics.collectives import collective_time
from planner.physics.wiring import Group, Wiring
from planner.study.collective_rows import CollectiveRow, group_of, read_table
from planner.study.error_figures import weighted_quantile
from planner.study.validate_collectives import LARGE_BYTES, map_rows

HERE = Path(__file__).parent
TABLE = HERE.parent / "data" / "collectives.csv"
PRIORS = HERE / "collective_priors.json"
LEFT_OUT = HERE.parent / "data" / "collectives_left_out.json"
SOURCE = "fitted to tests/data/collectives.csv by tests/benchmarks/fit_collectives.py"
PENALTY = 0.005
STEPS = (1.6, 1.25, 1.1, 1.04, 1.25, 1.1, 1.03)
NVLINK = ("nvlink_bridge", "nvlink_mesh", "nvswitch", "nvl72")
PCIE = ("none", "pcie_host", "pcie_p2p")
LAUNCHES = (
    ("volta", "turing", "ada"), ("ampere",), ("hopper",), ("blackwell",),
    ("cdna2", "cdna3", "cdna4"),
)  # fmt: skip
SOCKETS = ("tcp", "tcpx")
"""Networks whose hops cost processor time, whatever NCCL's protocol."""
LOSSLESS = ("none", "infiniband", "roce")


@dataclass(frozen=True, slots=True)
class Knob:
    """One free constant: its paths (tied to one value), and what is at most allowed."""

    paths: tuple[tuple[str, ...], ...]
    most: float = np.inf
    span: float = 4.0
    """Farthest from the prior, as a factor."""


@dataclass(slots=True)
class Batch:
    """Rows that one call predicts."""

    wiring: Wiring
    collective: str
    algorithm: str | None
    protocol: str | None
    size: Any
    group: Group
    log_measured: Any
    weight: Any
    platform: str
    large: Any


def knobs(priors: CollectiveConstants) -> list[Knob]:
    """Return every free constant."""
    found = []
    for name in priors.architectures:
        base = ("architectures", name)
        found += [
            Knob(((*base, key),), most)
            for key, most in (
                ("scale_up_efficiency", 1.0),
                ("pairwise_efficiency", 1.0),
                ("nvls_efficiency", 1.0),
                ("nvls_s", np.inf),
                ("nvls_fill_rank_s", np.inf),
                ("ll_gbytes_per_s", np.inf),
            )
        ]
    for together in LAUNCHES:
        found.append(Knob(tuple(("architectures", name, "launch_s") for name in together)))
    for kinds in (NVLINK, PCIE, ("xgmi",)):
        found += _tied("scale_ups", kinds)
    found += [Knob((("scale_ups", kind, "pcie_efficiency"),), 1.0) for kind in PCIE[1:]]
    for kinds in (LOSSLESS, ("efa",), ("slingshot",)):
        found += _tied("networks", kinds)
    for kind in SOCKETS:
        hops = [
            ("networks", kind, key, protocol)
            for key in ("ring_hop_s", "tree_hop_s")
            for protocol in ("LL", "LL128", "Simple")
        ]
        found += [Knob(tuple(hops)), Knob((("networks", kind, "fill_hop_s"),))]
    for kind in priors.networks:
        base = ("networks", kind)
        found += [
            Knob(((*base, "all_to_all_efficiency"),), 0.97),
            Knob(((*base, "offset_s"),)),
        ]
    for kinds in (LOSSLESS, ("tcp",), ("efa",), ("slingshot",), ("tcpx",)):
        found.append(Knob(tuple(("networks", k, "efficiency") for k in kinds), 0.97))
    found.append(Knob((("networks", "tcpx", "shared_nic_efficiency"),), 1.0))
    found.append(Knob((("scale_ups", "nvlink_bridge", "link_efficiency"),), 1.0))
    found += [
        Knob((("tree_efficiency",),), 1.0, span=1.25),
        Knob((("nvls_tree_efficiency",),), 1.0),
        Knob((("fill_bytes",),)),
        Knob((("exchange_s",),)),
        Knob((("nvls_slowdown_per_rank",),)),
    ]
    return found


def _tied(section: str, kinds: tuple[str, ...]) -> list[Knob]:
    span = 1.8 if kinds in (NVLINK, PCIE, LOSSLESS) else 4.0
    found = [
        Knob(
            tuple((section, k, key, protocol) for k in kinds),
            span=min(span, _narrow(kinds, protocol)),
        )
        for key in ("ring_hop_s", "tree_hop_s")
        for protocol in ("LL", "LL128", "Simple")
    ]
    return [*found, Knob(tuple((section, k, "fill_hop_s") for k in kinds))]


def _narrow(kinds: tuple[str, ...], protocol: str) -> float:
    """Return how far NCCL's own hop latencies may move where several things could explain a log."""
    if kinds == LOSSLESS and protocol != "Simple":
        return 1.3
    return 1.3 if kinds in (NVLINK, PCIE) and protocol == "LL128" else np.inf


def get(node: Any, path: tuple[str, ...]) -> float:
    """Return the value at a path."""
    for part in path:
        node = node[part] if isinstance(node, dict) else getattr(node, part)
    return node.value


def put(node: Any, path: tuple[str, ...], value: float) -> Any:
    """Return a copy with the value at a path replaced."""
    if not path:
        return node.model_copy(update={"value": value, "status": "fitted", "source": SOURCE})
    inner = node[path[0]] if isinstance(node, dict) else getattr(node, path[0])
    changed = put(inner, path[1:], value)
    if isinstance(node, dict):
        return {**node, path[0]: changed}
    return node.model_copy(update={path[0]: changed})


def set_knob(constants: CollectiveConstants, knob: Knob, value: float) -> CollectiveConstants:
    """Return the constants with a knob turned."""
    for path in knob.paths:
        constants = put(constants, path, value)
    return constants


def batches_of(rows: list[CollectiveRow]) -> list[Batch]:
    """Return the rows by wiring, platform and collective, each platform weighing 1 per class."""
    keys: dict[Any, list[CollectiveRow]] = {}
    for row in rows:
        key = (row.wiring, row.platform, row.collective, row.algorithm, row.protocol)
        keys.setdefault(key, []).append(row)
    counts: dict[tuple[str, bool], int] = {}
    for row in rows:
        place = (row.platform, row.size_bytes >= LARGE_BYTES)
        counts[place] = counts.get(place, 0) + 1
    result = []
    for (wiring, platform, collective, algorithm, protocol), members in keys.items():
        size = np.array([r.size_bytes for r in members])
        large = size >= LARGE_BYTES
        weight = np.array([1.0 / counts[platform, bool(x)] for x in large])
        result.append(
            Batch(wiring, collective, algorithm, protocol, size, group_of(members),
                  np.log([r.time_s for r in members]), weight, platform, large)
        )  # fmt: skip
    return result


def errors(batch: Batch, constants: CollectiveConstants) -> Any:
    """Return log(predicted / measured) of a batch."""
    timing = collective_time(
        batch.collective, batch.size, batch.group, batch.wiring, constants=constants,
        algorithm=batch.algorithm, protocol=batch.protocol,
    )  # fmt: skip
    return np.log(timing.time_s) - batch.log_measured


def loss(batch: Batch, constants: CollectiveConstants) -> float:
    """Return the weighted loss: absolute log error, and half more of what exceeds 0.2."""
    size = np.abs(errors(batch, constants))
    shaped = size + 0.5 * np.maximum(size - 0.2, 0.0)
    return float((shaped * batch.weight * np.where(batch.large, 2.0, 1.0)).sum())


def touches(knob: Knob, batch: Batch) -> bool:
    """Return whether a knob can move a batch."""
    section = knob.paths[0][0]
    names = {path[1] for path in knob.paths if len(path) > 1}
    if section == "architectures":
        return batch.wiring.architecture in names
    if section == "scale_ups":
        return batch.wiring.scale_up in names or (
            batch.wiring.scale_up == "nvlink_bridge" and "pcie_host" in names
        )
    if section == "networks":
        return batch.wiring.network in names
    return True


def fit(priors: CollectiveConstants, batches: list[Batch]) -> CollectiveConstants:
    """Return the constants that minimize loss and penalty, by cyclic descent from the priors."""
    constants = priors
    held = [loss(batch, constants) for batch in batches]
    free = []
    for knob in knobs(priors):
        own = [k for k, batch in enumerate(batches) if touches(knob, batch)]
        if own and get(priors, knob.paths[0]) > 0.0:
            free.append((knob, own))
    for step in STEPS:
        for knob, own in free:
            constants = _turn(knob, own, step, priors, constants, batches, held)
    return constants


def _turn(
    knob: Knob,
    own: list[int],
    step: float,
    priors: CollectiveConstants,
    constants: CollectiveConstants,
    batches: list[Batch],
    held: list[float],
) -> CollectiveConstants:
    """Return the constants with one knob moved as long as that helps; `held` follows."""
    prior, here = get(priors, knob.paths[0]), get(constants, knob.paths[0])
    best = sum(held[k] for k in own) + PENALTY * abs(np.log(here / prior))
    for factor in (step, 1.0 / step):
        while True:
            at = here * factor
            if abs(at / prior - 1.0) < 0.005:
                at = prior
            if at > knob.most or not 1.0 / knob.span < at / prior < knob.span:
                break
            candidate = set_knob(constants, knob, at)
            losses = [loss(batches[k], candidate) for k in own]
            reached = sum(losses) + PENALTY * abs(np.log(at / prior))
            if reached >= best - 1e-6:
                break
            constants, best, here = candidate, reached, at
            for k, value in zip(own, losses, strict=True):
                held[k] = value
    return constants


def figures(batches: list[Batch], predicted: list[Any]) -> dict[str, float]:
    """Return macro median and 90th percentile of the absolute error in per cent, by class."""
    error = np.abs(np.expm1(np.concatenate(predicted))) * 100.0
    weight = np.concatenate([b.weight for b in batches])
    large = np.concatenate([b.large for b in batches])
    result = {}
    for name, part in (("large", large), ("small", ~large)):
        result[f"{name}_median"] = weighted_quantile(error[part], weight[part], 0.5)
        result[f"{name}_p90"] = weighted_quantile(error[part], weight[part], 0.9)
    return result


def _unseen(priors: CollectiveConstants, batches: list[Batch], name: str) -> list[Any]:
    """Return the errors of a platform under the fit to all others."""
    constants = fit(priors, [b for b in batches if b.platform != name])
    return [errors(b, constants) for b in batches if b.platform == name]


def leave_out(priors: CollectiveConstants, batches: list[Batch]) -> dict[str, Any]:
    """Return the figures with each platform predicted by a fit that has not seen it."""
    kept, predicted, medians = [], [], {}
    names = sorted({b.platform for b in batches})
    with ProcessPoolExecutor(max_workers=2) as pool:
        found = pool.map(_unseen, *zip(*((priors, batches, name) for name in names), strict=True))
        for name, unseen in zip(names, found, strict=True):
            kept += [b for b in batches if b.platform == name]
            predicted += unseen
            worst = np.median(np.abs(np.expm1(np.concatenate(unseen)))) * 100.0
            medians[name] = round(float(worst), 1)
            print(f"{name}: median {worst:.1f} %", flush=True)
    return {"figures": figures(kept, predicted), "median_abs_error_pct": medians}


def main() -> None:
    """Fit, or leave out, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leave-out", action="store_true")
    parser.add_argument("--table", type=Path, default=TABLE)
    arguments = parser.parse_args()
    priors = CollectiveConstants.model_validate_json(PRIORS.read_text(encoding="utf-8"))
    rows, _ = map_rows(read_table(arguments.table))
    batches = batches_of(rows)
    if arguments.leave_out:
        found = leave_out(priors, batches)
        print(json.dumps(found["figures"], indent=1))
        LEFT_OUT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return
    constants = fit(priors, batches)
    rounded = _rounded(constants)
    print(json.dumps(figures(batches, [errors(b, rounded) for b in batches]), indent=1))
    target = data_root() / "models" / "hardware" / "collectives.json"
    target.write_text(json.dumps(rounded.model_dump(), indent=1) + "\n", encoding="utf-8")


def _rounded(node: Any) -> Any:
    """Return the constants with fitted figures rounded to three digits."""
    if isinstance(node, Figure):
        return (
            node.model_copy(update={"value": float(f"{node.value:.3g}")})
            if (node.status == "fitted")
            else node
        )
    if isinstance(node, dict):
        return {key: _rounded(value) for key, value in node.items()}
    if isinstance(node, BaseModel):
        names = type(node).model_fields
        return node.model_copy(update={n: _rounded(getattr(node, n)) for n in names})
    return node


if __name__ == "__main__":
    main()
