"""How many strategies one core examines in a second, and in how much memory.

Run with ``python tests/benchmarks/bench_steptime.py``; it prints one line per case.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "physics"))

from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import RANK_ORDERS
from planner.physics import steptime
from planner.physics.enumeration import StrategyOptions

WIDE = {
    "sequence_parallel": [True, False],
    "sharding": ["ddp", "zero1", "zero2", "zero3"],
    "offload": ["none", "optimizer_cpu"],
    "schedule": ["none", "gpipe", "1f1b", "interleaved", "zero_bubble"],
    "cp": [1, 2, 4, 8, 16],
}
"""Choices besides degrees and micro-batches, all of them kept open."""

CASES = (
    ("GPT-3 175B on 4,096 A100, default choices", {}),
    ("the same, every choice and 5 rank orders", WIDE | {"rank_order": RANK_ORDERS[:5]}),
    ("the same, every choice and 30 rank orders", WIDE | {"rank_order": RANK_ORDERS[:30]}),
)


def main() -> None:
    """Time the search of each case."""
    constants = shipped_constants()
    for name, choices in CASES:
        options = StrategyOptions(fix=choices)
        start = time.process_time()
        found = steptime.best(
            gpt_job("gpt3-175b", 4096), MACHINE, WIRING, 512, constants=constants, options=options
        )
        seconds = time.process_time() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        print(
            f"{name}: {found.evaluated:,} strategies in {seconds:.2f} CPU-s, "
            f"{found.evaluated / seconds / 1e6:.2f} million/s, peak {peak:.0f} MiB; "
            f"{found.strategy.label()}: {found.step_time_s:.2f} s"
        )


if __name__ == "__main__":
    main()
