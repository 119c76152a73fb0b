"""Published step times of Korthikanti et al. 2022, arXiv:2205.05198, table 5."""

from __future__ import annotations

import pytest
from selene import MACHINE, WIRING, gpt_job

from planner.domain.compute_constants import shipped_constants
from planner.domain.strategy import Strategy
from planner.physics import steptime

ROWS = [
    ("megatron-22b", 1, 4, 4, 1, 1, 1.42, 1.10),
    ("gpt3-175b", 8, 64, 1, 8, 3, 18.13, 13.75),
    ("megatron-530b", 35, 280, 1, 35, 3, 49.05, 37.83),
    ("megatron-1t", 64, 512, 1, 64, 1, 94.42, 71.49),
]


def predict(network, nodes, batch, micro, pp, vpp, recompute):
    """Return the relative step time of one row."""
    schedule = "none" if pp == 1 else "interleaved" if vpp > 1 else "1f1b"
    strategy = Strategy(
        tp=8, pp=pp, vpp=vpp, micro_batch=micro, recompute=recompute, schedule=schedule,
        sequence_parallel=recompute == "selective", precision="fp16",
    )  # fmt: skip
    detail = steptime.explain(
        gpt_job(network, batch), MACHINE, WIRING, nodes, strategy, constants=shipped_constants()
    )
    assert detail.feasible
    return detail.step_time_s


@pytest.mark.parametrize(
    ("network", "nodes", "batch", "micro", "pp", "vpp", "full", "selective"), ROWS
)
def test_step_time(network, nodes, batch, micro, pp, vpp, full, selective):
    """Each published step is met within 8 %, and fits in memory as it did."""
    for recompute, measured in (("full", full), ("selective", selective)):
        predicted = predict(network, nodes, batch, micro, pp, vpp, recompute)
        assert predicted == pytest.approx(measured, rel=0.08)
