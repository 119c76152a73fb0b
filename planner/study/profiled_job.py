"""The job that a profile was taken of: its network, machine and strategy, from an instance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from planner.domain.catalog import Catalog
from planner.domain.compute_constants import ComputeConstants, ModelConstants
from planner.domain.design import Platform
from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.profile import StepProfile
from planner.domain.strategy import Strategy
from planner.domain.workload import Workload
from planner.physics.costs import UnitCost
from planner.physics.enumeration import strategy_blocks
from planner.physics.job import Job
from planner.physics.machine import Machine
from planner.physics.steptime import step_times
from planner.physics.steptime.busy import busy_s
from planner.physics.strategies import StrategyTable, concatenate
from planner.physics.wiring import Wiring
from planner.program.platforms import PlatformOption, excluded
from planner.program.quotes import catalog_for
from planner.program.step_inputs import machine_of, options_of
from planner.program.steps import StepOracle
from planner.program.wire import ideal_wiring, platform_wiring

MAX_STRATEGIES = 200_000
ALIKE = 0.01
"""Strategies whose computation differs by less need not be told apart."""
INDIFFERENT = ("rank_order", "shard_group")
"""Columns that no kernel that computes depends on."""
DEGREES = ("tp", "pp", "cp", "dp")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledJob:
    """One workload as it ran when it was profiled."""

    workload: str
    network: str
    job: Job
    machine: Machine
    strategy: Strategy
    wiring: Wiring
    """Of the servers on the fabric that the instance fixes; without a network if it fixes none."""

    @property
    def hosts(self) -> int:
        """Hosts that took part."""
        return self.strategy.gpus // self.wiring.host_gpus

    @property
    def networked(self) -> bool:
        """Whether all that its ranks are joined by is known."""
        return self.hosts == 1 or self.wiring.network != "none"

    def computing_s(self, constants: ComputeConstants) -> float:
        """Return the seconds of a step in which the model computes on the slowest stage."""
        table = StrategyTable.of([self.strategy])
        return float(busy_s(self.job, self.machine, table, constants)[0])

    def slowed_s(self, constants: ModelConstants) -> float:
        """Return the seconds by which hidden communication prolongs kernels; 0 if unknown."""
        if not self.networked:
            return 0.0
        table = StrategyTable.of([self.strategy])
        times = step_times(
            self.job, self.machine, self.wiring, self.hosts, table,
            constants=constants, only_feasible=False,
        )  # fmt: skip
        return float(times.parts_s["overlap"][0])


def profiled_job(
    instance: Instance,
    file: Path,
    workload: str | None,
    profile: StepProfile,
    accelerator: str | None,
    constants: ComputeConstants,
) -> ProfiledJob:
    """Return the job of a profile.

    Parameters
    ----------
    workload
        Its name in the instance; may be None where there is only one.
    accelerator
        Catalogue id of the GPU that the profile names, None where it names none that is known.

    Raises
    ------
    InputError
        If the instance leaves open which accelerator or strategy it was, or excludes it.
    """
    catalog = catalog_for(instance, file)
    index = _index(instance, file, workload)
    chosen = instance.workloads[index]
    oracle = StepOracle.of(instance, catalog, file)
    option = _platform(instance, catalog, file, accelerator)
    wiring = platform_wiring(option)
    gpus = _gpus(chosen, file, index, profile, option)
    machine = machine_of(option.server, option.accelerator)
    if gpus % wiring.host_gpus:
        what = f"{gpus:,} ranks were profiled; hosts of {option.server.id} have {wiring.host_gpus}"
        raise InputError(str(file), [Fault("$.fix.server", what, "name the server they run on")])
    job = oracle.jobs[index]
    strategy = _strategy(
        job, machine, gpus // wiring.host_gpus, wiring, chosen, f"{file}", index, constants
    )
    family = instance.fix.values().get("family", ())
    return ProfiledJob(
        workload=chosen.name,
        network=chosen.network,
        job=job,
        machine=machine,
        strategy=strategy,
        wiring=ideal_wiring(instance, option, family[0]) if len(family) == 1 else wiring,
    )


def _index(instance: Instance, file: Path, name: str | None) -> int:
    names = [workload.name for workload in instance.workloads]
    if name is None and len(names) == 1:
        return 0
    if name in names:
        return names.index(name)
    what = "several workloads; which was profiled?" if name is None else f"no workload {name!r}"
    right = f"give --workload: {', '.join(names[:10])}"
    raise InputError(str(file), [Fault("$.workloads", what, right)])


def _platform(
    instance: Instance, catalog: Catalog, file: Path, accelerator: str | None
) -> PlatformOption:
    """Return the only kind of accelerator that fits, in the first server by id that has it."""
    rows = [
        option
        for option in sorted(catalog.server_nics.values(), key=lambda row: row.id)
        if not excluded(instance, option, catalog.server(option.server))
        and accelerator in (None, catalog.server(option.server).accelerator)
    ]
    found = sorted({catalog.server(row.server).accelerator for row in rows})
    if not found:
        named = accelerator or "any accelerator"
        what = f"the instance leaves no server with {named}, on which the profile was taken"
        raise InputError(str(file), [Fault("$.fix", what, "fix the server that was profiled")])
    if len(found) > 1:
        what = "the profile does not say on which accelerator it was taken"
        right = f"fix one: {', '.join(found[:8])}"
        raise InputError(str(file), [Fault("$.fix.accelerator", what, right)])
    row = rows[0]
    server = catalog.server(row.server)
    rate = catalog.nic_link_gbps(row)
    return PlatformOption(
        platform=Platform(server=server.id, nic=row.nic, nics=row.links, link_gbps=rate),
        server=server,
        accelerator=catalog.accelerator(server.accelerator),
        nics=row,
        nic_gbps=rate,
        unit=UnitCost(),
    )


def _gpus(
    workload: Workload, file: Path, index: int, profile: StepProfile, option: PlatformOption
) -> int:
    """Return the GPUs that took part: as profiled, as the degrees multiply, or as nodes hold."""
    fixed = workload.fix.values()
    degrees = [fixed[name][0] for name in DEGREES if len(fixed.get(name, ())) == 1]
    if profile.world_size is not None:
        return profile.world_size
    if "dp" in fixed and len(degrees) >= 1 and all(len(fixed.get(n, (1,))) == 1 for n in DEGREES):
        return int(np.prod(degrees))
    if len(fixed.get("nodes", ())) == 1:
        return int(fixed["nodes"][0]) * option.server.gpus
    where = f"$.workloads[{index}].fix"
    what = "neither the profile nor the instance says how many GPUs took part"
    raise InputError(str(file), [Fault(where, what, "fix nodes, or tp, pp, cp and dp")])


def _strategy(
    job: Job,
    machine: Machine,
    hosts: int,
    wiring: Wiring,
    workload: Workload,
    file: str,
    index: int,
    constants: ComputeConstants,
) -> Strategy:
    """Return the strategy that the workload's pins leave, up to what no computation depends on."""
    where = f"$.workloads[{index}].fix"
    tables: list[StrategyTable] = []
    for block in strategy_blocks(job, hosts, wiring, options_of(workload)):
        tables.append(block)
        if sum(len(table) for table in tables) > MAX_STRATEGIES:
            what = f"leaves more than {MAX_STRATEGIES:,} strategies"
            raise InputError(file, [Fault(where, what, "pin the one that was profiled")])
    if not tables:
        what = f"leaves no strategy for {hosts * wiring.host_gpus:,} GPUs"
        raise InputError(file, [Fault(where, what, "pin the one that was profiled")])
    table = concatenate(tables)
    times = busy_s(job, machine, table, constants)
    if float(times.max()) > float(times.min()) * (1.0 + ALIKE):
        names = [f.name for f in fields(StrategyTable) if f.name not in INDIFFERENT]
        open_ones = [name for name in names if len(np.unique(getattr(table, name))) > 1]
        what = f"leaves {len(table):,} strategies that compute for different times"
        raise InputError(file, [Fault(where, what, f"pin {', '.join(open_ones)}")])
    return table.row(0)
