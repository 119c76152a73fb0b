"""What a strategy says fits together, on owned servers and on rented ones."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.strategy import Strategy
from planner.verify.violation import Violation, violation


def check_strategy(strategy: Strategy, label: str, where: str, name: str) -> Iterator[Violation]:
    """Yield what contradicts itself in a strategy, whichever servers it runs on.

    Parameters
    ----------
    label
        The words that the answer has for it.
    where
        Path of the strategy inside the answer.
    name
        Workload that runs so.
    """
    facts = (
        ("strategy-experts", (strategy.dp * strategy.cp * strategy.tp)
         % (strategy.ep * strategy.etp) == 0, "ep x etp divides dp x cp x tp",
         strategy.ep * strategy.etp, "experts do not spread evenly"),
        ("strategy-chunks", strategy.vpp == 1 or strategy.schedule in ("interleaved", "zero_bubble"),
         "1 chunk a stage", strategy.vpp, "several chunks need an interleaved schedule"),
        ("strategy-schedule", (strategy.pp > 1) == (strategy.schedule != "none"),
         "a schedule with pipeline stages only", strategy.schedule, f"pp is {strategy.pp}"),
        ("strategy-shards", strategy.shard_group == 1 or (strategy.sharding == "hsdp"
         and (strategy.dp * strategy.cp) % strategy.shard_group == 0),
         "1, or with HSDP a divisor of dp x cp", strategy.shard_group, "shards of the weights"),
        ("strategy-label", label == strategy.label(), strategy.label(), label,
         "the words do not describe the strategy"),
    )  # fmt: skip
    for check, holds, expected, found, text in facts:
        if not holds:
            yield violation(check, where, expected, found, f"{name}: {text}")
