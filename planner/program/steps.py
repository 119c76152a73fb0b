"""Step times of an instance's workloads on columns; what was computed once is kept."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from planner.domain.calibration import Calibration
from planner.domain.catalog import Catalog
from planner.domain.compute_constants import ModelConstants
from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.model_constants import model_constants
from planner.domain.network import Network, load_network
from planner.domain.workload import Workload
from planner.physics.collectives import Choice
from planner.physics.enumeration import StrategyOptions
from planner.physics.goodput import GoodputTerms
from planner.physics.job import Job
from planner.physics.steptime import (
    BestStep,
    StepDetail,
    best,
    compute_bound_s,
    explain,
    free_network_best,
)
from planner.physics.strategies import StrategyTable
from planner.physics.wiring import Wiring
from planner.program.columns import Column
from planner.program.concurrent import concurrent_steps
from planner.program.contexts import check_contexts
from planner.program.job_goodput import JobGoodput, at_full_availability, job_goodput
from planner.program.kept_strategies import KeptStrategies
from planner.program.margins import Margin, margin_of
from planner.program.platforms import PlatformOption
from planner.program.scan import StepTimes
from planner.program.shared_hours import SharedHours, judged
from planner.program.step_inputs import job_of, machine_of, options_of
from planner.program.wire import ideal_wiring, platform_wiring, wiring_of

IDEAL_SLACK = 1 + 1e-9
"""Rounding that an ideal fabric's step is allowed before its servers are given up."""
REPLACEMENTS = 100
"""Servers that a provider is taken to have in store for a broken one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedStep:
    """The fastest step of a workload and the servers that it uses."""

    best: BestStep
    servers: int
    goodput: GoodputTerms | None = None
    """Where availability follows from failure rates: that of these servers and their spares."""

    @property
    def step_time_s(self) -> float:
        """Seconds of one step."""
        return self.best.step_time_s

    @property
    def availability(self) -> float:
        """Modelled availability; 1 where the demand's own is already in its limit."""
        return 1.0 if self.goodput is None else self.goodput.availability

    @property
    def wall_s(self) -> float:
        """Wall time that a step takes of what the limit counts: step time over availability."""
        return self.step_time_s / self.availability


class _Usable(NamedTuple):
    """Numbers of servers with their step times on a free network."""

    finite: list[tuple[int, float]]
    """(servers, seconds) that meet the limit, ascending in servers."""
    fastest: list[float]
    """By number of servers: the fastest with at most so many."""


@dataclass
class StepOracle:
    """Answers how fast each workload steps on a column."""

    instance: Instance
    catalog: Catalog
    networks: tuple[Network, ...]
    jobs: tuple[Job, ...]
    margins: tuple[Margin, ...]
    limits: tuple[float, ...]
    """Target / (1 + margin) by workload, seconds."""
    options: tuple[StrategyOptions, ...]
    constants: ModelConstants
    goodputs: tuple[JobGoodput | None, ...]
    """By workload; None where availability is given."""
    demands: tuple[Workload, ...]
    """The workloads; at full availability where it is modelled."""
    ids: tuple[int, ...]
    """Number of each workload in the whole instance: subsets share what was computed."""
    ceilings: tuple[float, ...] = ()
    """Up to these step times are bounds on a free network kept: the limits if absent. A variant with
    tighter limits and the same ceilings computes none of them again."""
    slower: float = 1.0
    """Factor by which steps take longer of the hours than they are timed."""
    _free: dict[tuple[int, str, int, float], float] = field(default_factory=dict)
    _usable: dict[tuple[int, str, float], _Usable] = field(default_factory=dict)
    _best: dict[tuple[int, Wiring, int, Choice], BestStep | None] = field(default_factory=dict)
    _kept: KeptStrategies = field(default_factory=KeptStrategies)

    @classmethod
    def of(
        cls,
        instance: Instance,
        catalog: Catalog,
        file: Path,
        calibration: Calibration | None = None,
        known: Mapping[str, Network] | None = None,
    ) -> StepOracle:
        """Return the oracle of an instance; `known` networks are not read from files.

        Raises
        ------
        InputError
            If a network is unknown or faulty; names the workload.
        """
        networks = tuple(_networks(instance, file, known or {}))
        check_contexts(instance, networks, file)
        jobs = tuple(job_of(w, n) for w, n in zip(instance.workloads, networks, strict=True))
        margins = tuple(
            margin_of(w, n.family) for w, n in zip(instance.workloads, networks, strict=True)
        )
        goodputs, demands = _goodputs(instance, networks)
        return cls(
            instance=instance,
            catalog=catalog,
            networks=networks,
            jobs=jobs,
            margins=margins,
            goodputs=goodputs,
            demands=demands,
            limits=_limits(demands, margins),
            ids=tuple(range(len(jobs))),
            options=tuple(options_of(w) for w in instance.workloads),
            constants=model_constants(calibration),
        )

    def variant(self, instance: Instance) -> StepOracle:
        """Return the oracle of an instance whose jobs are the same; targets may differ."""
        margins = tuple(
            margin_of(w, n.family) for w, n in zip(instance.workloads, self.networks, strict=True)
        )
        goodputs, demands = _goodputs(instance, self.networks)
        return replace(
            self,
            instance=instance,
            margins=margins,
            goodputs=goodputs,
            demands=demands,
            limits=_limits(demands, margins),
            ceilings=(),
        )

    def subset(self, instance: Instance, kept: Sequence[int]) -> StepOracle:
        """Return the oracle of an instance with only some of the workloads."""
        return replace(
            self,
            instance=instance,
            networks=tuple(self.networks[k] for k in kept),
            jobs=tuple(self.jobs[k] for k in kept),
            margins=tuple(self.margins[k] for k in kept),
            limits=tuple(self.limits[k] for k in kept),
            options=tuple(self.options[k] for k in kept),
            goodputs=tuple(self.goodputs[k] for k in kept),
            demands=tuple(self.demands[k] for k in kept),
            ids=tuple(self.ids[k] for k in kept),
            ceilings=tuple(self.ceilings[k] for k in kept) if self.ceilings else (),
        )

    def limited(
        self,
        limits: tuple[float, ...],
        *,
        slower: float | None = None,
        ceilings: tuple[float, ...],
    ) -> StepOracle:
        """Return the oracle under other limits; what was computed up to the ceilings serves both.

        Parameters
        ----------
        limits
            Step times that must be held, seconds, one a workload; at most the ceilings.
        slower
            Factor by which steps take longer of the hours than they are timed; as before if absent.
        ceilings
            Step times up to which bounds are kept, seconds.
        """
        slower = self.slower if slower is None else slower
        return replace(self, limits=limits, slower=slower, ceilings=ceilings)

    @property
    def hours(self) -> SharedHours:
        """What the workloads ask of the pool's hours."""
        return SharedHours(demands=self.demands, margins=self.margins, slower=self.slower)

    def _ceiling(self, index: int) -> float:
        return self.ceilings[index] if self.ceilings else self.limits[index]

    @property
    def choice(self) -> Choice:
        """Whether collectives run as the tuner would choose or at their best."""
        return "best" if self.instance.tuner == "best" else "tuner"

    def free(self, option: PlatformOption, nodes: int) -> StepTimes:
        """Return whether a free network could meet every limit, with the times it would give."""
        hours, times = self.hours, []
        for index, limit in enumerate(self.limits):
            times.append(self._fastest_free(index, option, nodes))
            if times[-1] > limit and not hours.contended:
                break
        return judged((), times, self.limits, hours)

    def known_slow(self, option: PlatformOption) -> int:
        """Return up to how many servers a limit is known to be out of reach; computes nothing.

        More servers never make a free network's fastest step slower, as any number of them may be
        left idle; none is known where availability depends on how many are.
        """
        slow = 0
        for index, limit in enumerate(self.limits):
            usable = self._usable.get((self.ids[index], option.server.id, self._ceiling(index)))
            if usable is not None and self.goodputs[index] is None:
                times = usable.fastest  # falling
                slow = max(slow, bisect_left(times, -limit, key=operator.neg) - 1)
        return slow

    def ideal(self, option: PlatformOption, nodes: int, families: Iterable[str]) -> StepTimes:
        """Return step times on the best fabric that a family could have, best algorithms chosen.

        No fabric of these families is faster. It has one switch and no latency, so no link and no
        hop of any algorithm is slower, and every collective takes its fastest algorithm: every
        call is as fast or faster. A step never grows when calls get faster: what stays visible
        (the longest call, or what the window cannot take in) does not grow, and hiding a second
        costs less than a second. `tests/program/test_ideal_steps.py` holds this against columns.
        """
        steps: list[UsedStep] = []
        hours, late = self.hours, False
        for index, limit in enumerate(self.limits):
            wirings = [ideal_wiring(self.instance, option, family) for family in families]
            found = [self._fastest(index, option, nodes, w, "best") for w in wirings]
            fitting = [step for step in found if step is not None]
            if not fitting and not late:
                return StepTimes((), f"memory_w{index}")
            if fitting:
                steps.append(min(fitting, key=lambda step: (step.wall_s, step.servers)))
                late = late or steps[-1].wall_s > limit * IDEAL_SLACK
            walls_s = [step.wall_s / IDEAL_SLACK for step in steps]
            if not fitting or (late and hours.settled(walls_s)):
                break
        return judged(steps, [s.wall_s for s in steps], self.limits, hours, IDEAL_SLACK)

    def on_column(self, column: Column, cable_m: float) -> StepTimes:
        """Return the fastest step of every workload on a column with links of a length."""
        wiring = wiring_of(self.instance, self.catalog, column, cable_m)
        if any(demand.runs == "concurrent" for demand in self.demands):
            return concurrent_steps(self, column, wiring)
        steps: list[UsedStep] = []
        hours, late = self.hours, False
        for index, limit in enumerate(self.limits):
            step = self._fastest(index, column.option, column.nodes, wiring, self.choice)
            if step is None and not late:
                return StepTimes((*steps, None), f"memory_w{index}")
            if step is not None:
                steps.append(step)
                late = late or step.wall_s > limit
            if step is None or (late and hours.settled([s.wall_s for s in steps])):
                break
        return judged(steps, [s.wall_s for s in steps], self.limits, hours)

    def on_servers(
        self, index: int, option: PlatformOption, servers: int, wiring: Wiring
    ) -> UsedStep | None:
        """Return the fastest step of one workload on at most so many servers of a wiring."""
        return self._fastest(index, option, servers, wiring, self.choice)

    def free_s(self, index: int, option: PlatformOption, servers: int) -> float:
        """Return a bound on a workload's step on exactly so many servers; infinite if too slow."""
        return next(
            (t for used, t in self._free_times(index, option, servers) if used == servers),
            math.inf,
        )

    def exactly(
        self, index: int, option: PlatformOption, servers: int, wiring: Wiring
    ) -> UsedStep | None:
        """Return the fastest step on exactly so many rented servers, which are always there.

        None where it does not fit, or cannot meet the limit even with a free network.
        """
        if math.isinf(self.free_s(index, option, servers)):
            return None
        step = self._best_on(index, option, servers, wiring, self.choice)
        if step is None:
            return None
        terms = self._terms(index, option, servers + REPLACEMENTS, servers)
        return UsedStep(best=step, servers=servers, goodput=terms)

    def fastest(self, index: int, column: Column, cable_m: float) -> UsedStep | None:
        """Return the fastest step of one workload on a column with links of a length.

        None where nothing fits the memory, or no number of servers could meet the limit even with
        a free network.
        """
        wiring = wiring_of(self.instance, self.catalog, column, cable_m)
        return self._fastest(index, column.option, column.nodes, wiring, self.choice)

    def kept_hours(self, steps: StepTimes) -> float:
        """Return the share of all hours kept for the workloads at these steps, with margins."""
        return self.hours.kept([step.wall_s for step in steps.steps])

    def detail(self, index: int, column: Column, cable_m: float, step: UsedStep) -> StepDetail:
        """Return every part of a workload's step on a column."""
        wiring = wiring_of(self.instance, self.catalog, column, cable_m)
        return self.detail_on(index, column.option, wiring, step)

    def detail_on(
        self, index: int, option: PlatformOption, wiring: Wiring, step: UsedStep
    ) -> StepDetail:
        """Return every part of a workload's step on servers of a wiring."""
        return explain(
            self.jobs[index],
            machine_of(option.server, option.accelerator, self.jobs[index].precision),
            wiring,
            self._hosts(index, option, step.servers),
            step.best.strategy,
            constants=self.constants,
            choice=self.choice,
        )

    def _free_times(
        self, index: int, option: PlatformOption, nodes: int
    ) -> Iterator[tuple[int, float]]:
        """Yield (servers used, step with a free network) for every number that can be used."""
        for used, seconds in self._usable_upto(index, option, nodes).finite:
            if used > nodes:
                return
            if seconds <= self.limits[index]:
                yield used, seconds

    def _fastest_free(self, index: int, option: PlatformOption, nodes: int) -> float:
        usable = self._usable_upto(index, option, nodes)
        job = self.goodputs[index]
        if job is None:
            return usable.fastest[nodes]
        walls = (
            seconds / job.terms(option.server, used, nodes - used).availability
            for used, seconds in usable.finite
            if used <= nodes
        )
        return min(walls, default=math.inf)

    def _terms(
        self, index: int, option: PlatformOption, nodes: int, used: int
    ) -> GoodputTerms | None:
        """Return the modelled goodput on `used` of `nodes` servers; None where it is given."""
        job = self.goodputs[index]
        return None if job is None else job.terms(option.server, used, nodes - used)

    def _usable_upto(self, index: int, option: PlatformOption, nodes: int) -> _Usable:
        """Return what numbers of servers up to `nodes` give with a free network, each timed once."""
        found = self._usable.setdefault(
            (self.ids[index], option.server.id, self._ceiling(index)),
            _Usable(finite=[], fastest=[math.inf]),
        )
        wanted = self.options[index].fix.get("nodes")
        banned = self.options[index].forbid.get("nodes", ())
        for used in range(len(found.fastest), nodes + 1):
            seconds = math.inf
            if (wanted is None or used in wanted) and used not in banned:
                seconds = self._free_time(index, option, used)
            if seconds < math.inf:
                found.finite.append((used, seconds))
            found.fastest.append(min(seconds, found.fastest[-1]))
        return found

    def _free_time(self, index: int, option: PlatformOption, used: int) -> float:
        key = (
            self.ids[index],
            option.server.id,
            used,
            self._ceiling(index),
        )  # none is timed above it
        if key not in self._free:
            self._free[key] = self._compute_free(index, option, used)
        return self._free[key]

    def _compute_free(self, index: int, option: PlatformOption, used: int) -> float:
        """Return a lower bound on the step time; infinite where it exceeds the ceiling."""
        job, limit = self.jobs[index], self._ceiling(index)
        machine = machine_of(option.server, option.accelerator, self.jobs[index].precision)
        gpus = (used + self.demands[index].pipeline_nodes_elsewhere) * option.server.gpus
        if compute_bound_s(job, machine, gpus, constants=self.constants) > limit:
            return math.inf
        found = free_network_best(
            job,
            machine,
            platform_wiring(option),
            self._hosts(index, option, used),
            constants=self.constants,
            options=self.options[index],
            limit_s=limit,
            blocks=self._strategies(
                index, platform_wiring(option), self._hosts(index, option, used)
            ),
        )
        return math.inf if found is None else found.step_time_s

    def _fastest(
        self, index: int, option: PlatformOption, nodes: int, wiring: Wiring, choice: Choice
    ) -> UsedStep | None:
        """Return the fastest step over all numbers of servers used, the fewest on a tie.

        The servers beyond those in use are spares; fastest is what takes the least wall time.
        """
        bounds = [(seconds, used) for used, seconds in self._free_times(index, option, nodes)]
        if self.goodputs[index] is not None:
            bounds = [
                (seconds / terms.availability, used)
                for seconds, used in bounds
                if (terms := self._terms(index, option, nodes, used)) is not None
            ]
        fastest: UsedStep | None = None
        for bound, used in sorted(bounds):
            if fastest is not None and bound >= fastest.wall_s:
                break
            step = self._best_on(index, option, used, wiring, choice)
            if step is None:
                continue
            terms = self._terms(index, option, nodes, used)
            found = UsedStep(best=step, servers=used, goodput=terms)
            if fastest is None or (found.wall_s, used) < (fastest.wall_s, fastest.servers):
                fastest = found
        return fastest

    def _best_on(
        self, index: int, option: PlatformOption, used: int, wiring: Wiring, choice: Choice
    ) -> BestStep | None:
        if used == 1 and not self.demands[index].pipeline_nodes_elsewhere:
            wiring = platform_wiring(option)
        key = (self.ids[index], wiring, used, choice)
        if key not in self._best:
            self._best[key] = best(
                self.jobs[index],
                machine_of(option.server, option.accelerator, self.jobs[index].precision),
                wiring,
                self._hosts(index, option, used),
                constants=self.constants,
                options=self.options[index],
                choice=choice,
                blocks=self._strategies(index, wiring, self._hosts(index, option, used)),
            )
        return self._best[key]

    def _hosts(self, index: int, option: PlatformOption, used: int) -> int:
        """Return the hosts of a job on some servers, those of its stages elsewhere included."""
        elsewhere = self.demands[index].pipeline_nodes_elsewhere
        return (used + elsewhere) * option.server.hosts

    def _strategies(self, index: int, wiring: Wiring, hosts: int) -> Iterable[StrategyTable]:
        """Return a job's strategies on a number of hosts."""
        job, options = self.jobs[index], self.options[index]
        return self._kept.of(self.ids[index], job, hosts, wiring, options)


def _networks(instance: Instance, file: Path, known: Mapping[str, Network]) -> Iterator[Network]:
    for index, workload in enumerate(instance.workloads):
        if workload.network in known:
            yield known[workload.network]
            continue
        try:
            yield load_network(workload.network, near=file.parent)
        except InputError as error:
            faults = [
                Fault(f"$.workloads[{index}].network", f"{error.file}: {f.where} {f.what}", f.right)
                for f in error.faults
            ]
            raise InputError(str(file), faults) from None


def _goodputs(
    instance: Instance, networks: tuple[Network, ...]
) -> tuple[tuple[JobGoodput | None, ...], tuple[Workload, ...]]:
    """Return how availability is modelled, and the demands that limits and hours follow from."""
    jobs = instance.workloads
    goodputs = tuple(job_goodput(instance, w, n) for w, n in zip(jobs, networks, strict=True))
    pairs = zip(jobs, goodputs, strict=True)
    return goodputs, tuple(w if g is None else at_full_availability(w) for w, g in pairs)


def _limits(demands: tuple[Workload, ...], margins: tuple[Margin, ...]) -> tuple[float, ...]:
    pairs = zip(demands, margins, strict=True)
    return tuple(w.target_s / (1 + m.value) for w, m in pairs)
