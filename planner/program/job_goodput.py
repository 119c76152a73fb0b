"""Availability of an instance's workloads from failure rates, servers used and spares."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.domain.failure_rates import published_failures
from planner.domain.goodput import Goodput
from planner.domain.hardware import Server
from planner.domain.instance import Instance
from planner.domain.network import Network
from planner.domain.units import GIGA, SECONDS_PER_DAY
from planner.domain.workload import Workload
from planner.physics.goodput import FailureRates, GoodputTerms, goodput, per_second

SECONDS_PER_MINUTE = 60.0
THOUSAND_DAYS_S = 1000 * SECONDS_PER_DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGoodput:
    """One workload's checkpoints under an instance's failure rates."""

    rules: Goodput
    write_s: float
    restart_s: float
    repair_s: float
    _known: dict[tuple[int, int, int, int], GoodputTerms] = field(
        default_factory=dict, compare=False
    )

    def terms(self, server: Server, used: int, spares: int) -> GoodputTerms:
        """Return the availability on `used` servers with `spares` standing by."""
        key = (server.gpus, server.hosts, used, spares)
        if key not in self._known:
            self._known[key] = goodput(
                self.rates(server),
                servers=used,
                spares=spares,
                write_s=self.write_s,
                restart_s=self.restart_s,
                repair_s=self.repair_s,
            )
        return self._known[key]

    def rates(self, server: Server) -> FailureRates:
        """Return the failure rates of one server."""
        published, level = published_failures(), self.rules.failures
        every, broken = (
            published.per_thousand_days(server.gpus, server.hosts, level=level, repairs=repairs)
            * self.rules.rate_factor
            for repairs in (False, True)
        )
        return FailureRates(
            interrupting_per_s=per_second(every), repairing_per_s=per_second(broken)
        )


def job_goodput(instance: Instance, workload: Workload, network: Network) -> JobGoodput | None:
    """Return how a workload's availability is modelled; None where it is given."""
    rules = instance.goodput
    if rules is None or not modelled(instance, workload):
        return None
    defaults = published_failures().defaults
    adam = workload.optimizer == "adam"
    state = defaults.bytes_per_parameter if adam else defaults.bytes_per_parameter_sgd
    rate = rules.storage_gbytes_per_s
    if rate is None and instance.storage is not None:
        rate = instance.storage.gbytes_per_s
    assert rate is not None  # the instance's validator demands one
    restart = rules.restart_minutes or defaults.restart_minutes.value
    repair = rules.repair_days or defaults.repair_days.value
    seconds = network.parameters * state.value / (rate * GIGA)
    return JobGoodput(
        rules=rules,
        write_s=seconds * rules.blocking_share,
        restart_s=restart * SECONDS_PER_MINUTE,
        repair_s=repair * SECONDS_PER_DAY,
    )


def modelled(instance: Instance, workload: Workload) -> bool:
    """Whether a workload's availability follows from failure rates."""
    given = "availability" in workload.model_fields_set
    return instance.goodput is not None and workload.step_time_s is None and not given


def at_full_availability(workload: Workload) -> Workload:
    """Return the demand as if every hour counted: its step times are taken over availability."""
    return workload.model_copy(update={"availability": 1.0})
