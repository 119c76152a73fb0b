"""Communication of a step by the widest level of links that it crosses."""

from __future__ import annotations

from dataclasses import dataclass

from planner.domain.solution import CollectiveUse, Fabric, WorkloadResult
from planner.report.notation import Notation
from planner.report.words import Words

LEVELS = ("domain", "host", "leaf", "pod", "spine", "core")
"""From inside to outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelUse:
    """What crosses one level, and not a wider one, in one step on the slowest stage."""

    level: str
    purposes: list[str]
    sent_bytes: float
    """Message sizes times calls."""
    busy_s: float
    exposed_s: float
    """Time that computation does not hide."""
    step_s: float

    @property
    def busy_share(self) -> float:
        """Share of the step in which these links carry something; above 1 where calls overlap."""
        return self.busy_s / self.step_s if self.step_s else 0.0

    @property
    def exposed_share(self) -> float:
        """Share of the step that the GPUs wait for these links."""
        return self.exposed_s / self.step_s if self.step_s else 0.0


def level_uses(result: WorkloadResult, fabric: Fabric | None) -> list[LevelUse]:
    """Return the levels in use, from inside to outside."""
    inside: dict[str, list[CollectiveUse]] = {}
    for use in result.collectives:
        inside.setdefault(existing_level(use.level, fabric), []).append(use)
    return [
        LevelUse(
            level=level,
            purposes=list(dict.fromkeys(use.name for use in inside[level])),
            sent_bytes=sum(use.size_bytes * use.count for use in inside[level]),
            busy_s=sum(use.total_s for use in inside[level]),
            exposed_s=sum(use.exposed_s for use in inside[level]),
            step_s=result.step_time_s,
        )
        for level in sorted(inside, key=_place)
    ]


def existing_level(level: str, fabric: Fabric | None) -> str:
    """Return the level, or the widest that the fabric has where it ends below."""
    if level not in LEVELS or fabric is None:
        return level
    tiers = [tier.tier for tier in fabric.tiers]
    widest = max((_place(tier) for tier in tiers), default=_place("host"))
    return level if _place(level) <= widest else LEVELS[widest]


def _place(level: str) -> int:
    return LEVELS.index(level) if level in LEVELS else len(LEVELS)


def bottleneck_text(result: WorkloadResult, fabric: Fabric | None, w: Words, n: Notation) -> str:
    """Return what the step waits for most: computation, or a level of links."""
    uses = level_uses(result, fabric)
    worst = max(uses, key=lambda use: use.exposed_s)
    compute = result.breakdown.get("compute", 0.0)
    wait = w(
        "traffic.wait",
        level=w.label("level", worst.level),
        seconds=n.seconds(worst.exposed_s),
        share=n.percent(worst.exposed_share),
        busy=n.percent(worst.busy_share),
    )
    if worst.exposed_s > compute:
        return w("traffic.bound_links", wait=wait)
    share = n.percent(compute / result.step_time_s if result.step_time_s else 0.0)
    return w("traffic.bound_compute", share=share, wait=wait)
