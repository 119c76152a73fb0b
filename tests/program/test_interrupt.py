"""Ctrl-C ends a search with the best found so far, and never with a claim that is not proved."""

from __future__ import annotations

import os
import signal
import threading
from types import SimpleNamespace

import pytest

from planner.program import interrupt
from planner.program.scan import PlacedCost, StepTimes, scan

BOUNDS = (10, 20, 30)
COSTS = (100, 60, 90)


class Toy:
    """Three columns of one platform, of which the second is the best; calls are counted."""

    def __init__(self, at: str = "", number: int = 0) -> None:
        self.options = [SimpleNamespace(key="p", server=SimpleNamespace(model="p"))]
        self.at, self.number, self.calls = at, number, 0

    def _call(self, name: str) -> None:
        if name == self.at:
            self.calls += 1
            if self.calls == self.number:
                os.kill(os.getpid(), signal.SIGINT)

    def node_range(self, option):
        return range(1, 2)

    def choices(self, option):
        return [0, 1, 2]

    def least_cents(self, option, nodes):
        return 5

    def server_limit(self, option, nodes):
        self._call("server_limit")

    def beyond_reach(self, option, nodes):
        return None

    def column(self, option, nodes, choice):
        return SimpleNamespace(key=(choice,), rank=choice)

    def column_limit(self, column):
        self._call("column_limit")

    def column_cheap_bound_cents(self, column):
        return BOUNDS[column.rank]

    def column_bound_cents(self, column):
        self._call("column_bound_cents")
        return BOUNDS[column.rank]

    def free_steps(self, option, nodes):
        self._call("free_steps")
        return StepTimes((), "")

    def ideal_steps(self, option, nodes):
        self._call("ideal_steps")
        return StepTimes((), "")

    def steps(self, column):
        self._call("steps")
        return StepTimes((), "")

    def place(self, column):
        self._call("place")
        cost, bound = COSTS[column.rank], BOUNDS[column.rank]
        return PlacedCost(cost_cents=cost, bound_cents=bound, capex_cents=0, placement=None)

    def settle(self, column, placed):
        self._call("settle")
        return StepTimes((), "")


def test_without_a_signal_nothing_is_asked() -> None:
    """The search runs to its end; the figures below are measured against this."""
    with interrupt.armed():
        whole = scan(Toy())
        assert not interrupt.asked()
    assert (whole.best.placed.cost_cents, whole.bound_cents, whole.stopped) == (60, 10, False)
    assert whole.outcomes == {"feasible": 3}


@pytest.mark.parametrize("at", ["free_steps", "ideal_steps", "server_limit"])
def test_before_any_design_nothing_is_claimed(at) -> None:
    """Stopped, with no design and no proof that there is none."""
    with interrupt.armed():
        result = scan(Toy(at, 1))
    assert result.stopped
    assert result.best is None
    assert not result.proved


@pytest.mark.parametrize("at", ["column_limit", "column_bound_cents", "steps", "place", "settle"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_best_so_far_is_kept_with_a_true_bound(at, number) -> None:
    """Every column is either found or still bounded, whichever call the signal meets."""
    with interrupt.armed():
        result = scan(Toy(at, number))
        assert interrupt.asked()
    assert not interrupt.asked()
    counted = result.outcomes["feasible"] + result.outcomes["cost_bound"]
    assert counted == 3
    assert result.outcomes["feasible"] == len(result.feasible)
    assert result.bound_cents == 10
    costs = [found.placed.cost_cents for found in result.feasible]
    assert costs == list(COSTS[: len(costs)])
    assert (result.best and result.best.placed.cost_cents) == min(costs, default=None)
    assert not result.proved
    assert result.stopped or len(costs) == 3


def test_the_second_ends_at_once() -> None:
    """As Ctrl-C does outside."""

    def twice() -> None:
        with interrupt.armed():
            os.kill(os.getpid(), signal.SIGINT)
            assert interrupt.asked()
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job may start ignoring it
    try:
        with pytest.raises(KeyboardInterrupt):
            twice()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_thread_that_gets_no_signals_runs_as_before() -> None:
    """A library's user may solve in a thread."""
    found = []

    def run() -> None:
        with interrupt.armed():
            found.append(scan(Toy()).bound_cents)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [10]
