"""Limits of the workloads: targets, margins, availability, shares of time, pinned parallelism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from planner.domain.instance import Instance
from planner.domain.workload import Workload
from planner.program.job_goodput import modelled
from planner.program.margins import Margin
from planner.study.limit import Limit, listed

MOST_S = 1e9
MOST_DAYS = 1e6


def limits_of_jobs(instance: Instance, margins: tuple[Margin, ...]) -> Iterator[Limit]:
    """Yield the limits of every workload; `margins` are those in force."""
    for index, job in enumerate(instance.workloads):
        yield from _choices(index, job)
        yield from _safety(index, job, margins[index].value, modelled(instance, job))
        yield from _times(index, job)


def _safety(
    index: int, job: Workload, margin: float, availability_modelled: bool
) -> Iterator[Limit]:
    if margin > 0:
        yield _number(
            index, "margin", margin, 0.0, "share",
            lambda v: f"a margin of {100 * v:.7g} % on the step time of {job.name}",
        )  # fmt: skip
    if job.step_time_s is None and job.availability < 1 and not availability_modelled:
        yield _number(
            index, "availability", job.availability, 1.0, "share",
            lambda v: f"{100 * v:.7g} % of the hours are useful steps of {job.name}",
        )  # fmt: skip


def _times(index: int, job: Workload) -> Iterator[Limit]:
    if job.hours_per_day is not None:
        yield _number(
            index, "hours_per_day", job.hours_per_day, 0.01, "h",
            lambda v: f"{job.name} holds the cluster {v:.7g} h a day",
        )  # fmt: skip
    if job.repeat_days is not None:
        yield _number(
            index, "repeat_days", job.repeat_days, MOST_DAYS, "days",
            lambda v: f"{job.name} comes back every {v:.7g} days",
        )  # fmt: skip
    if job.step_time_s is not None:
        yield _number(
            index, "step_time_s", job.step_time_s, MOST_S, "s",
            lambda v: f"{job.name} steps within {v:,.7g} s",
        )  # fmt: skip
    elif job.deadline_days is not None:
        end = job.repeat_days or MOST_DAYS
        if end > job.deadline_days:
            yield _number(
                index, "deadline_days", job.deadline_days, end, "days",
                lambda v: f"{job.name} ends within {v:,.7g} days",
            )  # fmt: skip


def _putter(
    index: int, change: Callable[[Workload, float | None], dict[str, Any]]
) -> Callable[[Instance, float | None], Instance]:
    def put(instance: Instance, value: float | None) -> Instance:
        jobs = list(instance.workloads)
        jobs[index] = jobs[index].model_copy(update=change(jobs[index], value))
        return instance.model_copy(update={"workloads": jobs})

    return put


def _number(
    index: int, name: str, value: float, end: float, unit: str, words: Callable[[float], str]
) -> Limit:
    return Limit(
        key=f"workloads[{index}].{name}",
        words=lambda new: words(value if new is None else new),
        put=_putter(index, lambda _, v: {name: end if v is None else v}),
        value=value,
        end=end,
        unit=unit,
    )


def _choices(index: int, job: Workload) -> Iterator[Limit]:
    for kind in ("fix", "forbid"):
        for key, values in getattr(job, kind).values().items():
            shown = listed(values)
            said = "fixed" if kind == "fix" else "forbidden"
            yield Limit(
                key=f"workloads[{index}].{kind}.{key}",
                words=_said(f"parallelism of {job.name} {said}: {key} {shown}"),
                put=_lift_strategy(index, kind, key),
            )
    if job.runs == "concurrent":
        yield Limit(
            key=f"workloads[{index}].runs",
            words=lambda _: f"{job.name} runs on servers of its own",
            put=_putter(index, lambda _job, _v: {"runs": "time_shared"}),
        )
    if job.pool is not None:
        yield Limit(
            key=f"workloads[{index}].pool",
            words=lambda _: f"{job.name} runs in the pool {job.pool}",
            put=_putter(index, lambda _job, _v: {"pool": None}),
        )


def _said(text: str) -> Callable[[float | None], str]:
    return lambda _: text


def _lift_strategy(index: int, kind: str, key: str) -> Callable[[Instance, float | None], Instance]:
    def change(job: Workload, _: float | None) -> dict[str, Any]:
        return {kind: getattr(job, kind).model_copy(update={key: None})}

    return _putter(index, change)
