"""All benchmarks as one table: medians in CPU seconds, and ratios to the baseline kept beside this.

    python -m tests.benchmarks.suite [--repeat N] [--write-baseline]

Each figure is a median of its repetitions in processor time, so that a busy machine moves it less
than a clock would. `docs/performance.md` explains each one. The long ones (rooms of 128 to 12,500
servers, the sweep) have files of their own; `--large` runs those that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BASELINE = Path(__file__).with_name("baseline.json")
LARGE = ("scale.py", "sweep.py", "bench_sweep.py")
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Benchmark:
    """One figure and how to measure it once."""

    name: str
    unit: str
    more_is_better: bool
    measure: Callable[[], float]


def cpu_of(*words: str) -> float:
    """Return the processor seconds of a planner command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "planner", *words], capture_output=True, text=True, check=False,
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"planner {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up() -> float:
    """Return the seconds of `planner --help`."""
    return cpu_of("--help")


def solve(name: str) -> Callable[[], float]:
    """Return a measurement of solving a shipped instance, report included."""

    def measure() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return cpu_of("solve", f"instances/{name}.json", "-o", folder, "--json")

    return measure


def check() -> float:
    """Return the seconds of verifying the sample of the main job."""
    return cpu_of("verify", "reports/samples/budget")


def strategies() -> float:
    """Return millions of strategies that a processor second examines, every choice open."""
    sys.path.insert(0, str(ROOT / "tests" / "physics"))
    from selene import MACHINE, WIRING, gpt_job

    from planner.domain.compute_constants import shipped_constants
    from planner.domain.strategy import RANK_ORDERS
    from planner.physics import steptime
    from planner.physics.enumeration import StrategyOptions
    from tests.benchmarks.bench_steptime import WIDE

    options = StrategyOptions(fix=WIDE | {"rank_order": RANK_ORDERS[:5]})
    constants, job = shipped_constants(), gpt_job("gpt3-175b", 4096)
    began = time.process_time()
    found = steptime.best(job, MACHINE, WIRING, 512, constants=constants, options=options)
    return found.evaluated / (time.process_time() - began) / 1e6


def collectives() -> float:
    """Return millions of all-reduces that a processor second times, as the tuner would choose."""
    import numpy as np

    from planner.domain.physics_constants import shipped_collective_constants
    from planner.physics.collectives import collective_time
    from tests.benchmarks.bench_collectives import HGX, random_groups

    count, rng = 500_000, np.random.default_rng(1)
    groups, size = random_groups(count, rng), 2.0 ** rng.uniform(3.0, 34.0, count)
    constants = shipped_collective_constants()
    began = time.process_time()
    collective_time("all_reduce", size, groups, HGX, constants=constants, choice="tuner")
    return count / (time.process_time() - began) / 1e6


BENCHMARKS = (
    Benchmark("start-up", "CPU s", False, start_up),
    Benchmark("strategies", "million / CPU s", True, strategies),
    Benchmark("collectives", "million / CPU s", True, collectives),
    Benchmark("solve tiny", "CPU s", False, solve("tiny")),
    Benchmark("solve budget", "CPU s", False, solve("budget")),
    Benchmark("solve flip-72-links", "CPU s", False, solve("flip-72-links")),
    Benchmark("verify budget", "CPU s", False, check),
)


def table(medians: dict[str, float], baseline: dict[str, float]) -> str:
    """Return the figures with their ratios; above 1 is better than the baseline."""
    lines = [f"{'benchmark':22} {'median':>9}  {'unit':16} {'baseline':>9} {'times as good':>14}"]
    for one in BENCHMARKS:
        if one.name not in medians:
            continue
        now, before = medians[one.name], baseline.get(one.name)
        ratio = "" if not before else f"{now / before if one.more_is_better else before / now:.2f}"
        stood = "" if before is None else f"{before:.3g}"
        lines.append(f"{one.name:22} {now:9.3g}  {one.unit:16} {stood:>9} {ratio:>14}")
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table, and keep it as the baseline if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", choices=[b.name for b in BENCHMARKS])
    parser.add_argument("--write-baseline", action="store_true")
    parser.add_argument("--large", action="store_true", help="also the long ones, each by itself")
    asked = parser.parse_args()
    stored = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.is_file() else {}
    medians: dict[str, float] = {}
    for one in BENCHMARKS:
        if asked.only is None or one.name in asked.only:
            medians[one.name] = statistics.median(one.measure() for _ in range(asked.repeat))
    print(table(medians, stored.get("medians", {})))
    if asked.write_baseline:
        kept = {"machine": f"{os.cpu_count()} cores, Python {sys.version.split()[0]}",
                "medians": stored.get("medians", {}) | medians}  # fmt: skip
        BASELINE.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    for name in LARGE if asked.large else ():
        if Path(__file__).with_name(name).is_file():
            print(f"\n{name}", flush=True)
            subprocess.run(
                [sys.executable, "-m", f"tests.benchmarks.{name.removesuffix('.py')}"],
                check=True, cwd=ROOT,
            )  # fmt: skip


if __name__ == "__main__":
    main()
