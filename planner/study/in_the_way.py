"""What still stands in the way where a limit alone is lifted and no design appears."""

from __future__ import annotations

from collections.abc import Sequence

from planner.domain.explanation import LimitAnswer
from planner.domain.instance import Instance
from planner.study.conflict import kept_of_conflict
from planner.study.feasibility import Feasibility
from planner.study.limit import Limit


def in_the_way(
    feasibility: Feasibility,
    instance: Instance,
    limits: Sequence[Limit],
    limit: Limit,
    answer: LimitAnswer,
) -> LimitAnswer:
    """Return the answer of a limit with the conflict that remains once it is lifted.

    Nothing is added where the limit alone is enough, or where time ends the search.
    """
    if answer.alone != "not_enough":
        return answer
    others = [other for other in limits if other.key != limit.key]
    kept = kept_of_conflict(feasibility, instance, others, [limit])
    if feasibility.out_of_time():
        return answer
    return answer.model_copy(
        update={
            "in_the_way": [other.key for other in kept],
            "in_the_way_words": [other.words(None) for other in kept],
        }
    )
