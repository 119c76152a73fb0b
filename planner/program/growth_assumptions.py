"""What a plan over phases rests on that the instance did not give."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.solution import Assumption
from planner.program.phase_prices import DECLINE_NETWORK, DECLINE_SERVERS, Timeline


def growth_assumptions(timeline: Timeline) -> Iterator[Assumption]:
    """Yield how prices fall, what moving a link costs, and how phases are laid out."""
    given, rate = timeline.growth.price_decline_per_year, timeline.book.catalog.rate
    for what, share, row in (
        ("fall of server prices", given.servers, rate(DECLINE_SERVERS)),
        ("fall of network prices", given.network, rate(DECLINE_NETWORK)),
    ):
        if share is None:
            value = f"{row.value:.0%} a year ({row.low or 0:.0%} to {row.high or 0:.0%})"
            yield Assumption(what=what, value=value, kind="estimate", source=row.source)
    if "rewire_usd_per_link" not in timeline.growth.model_fields_set:
        value = f"{timeline.growth.rewire_usd_per_link:g} USD"
        yield Assumption(what="moving one link", value=value, kind="estimate", source="default")
    yield Assumption(
        what="layout of each phase",
        value="at least cost by itself; moving boxes between racks is not counted",
        kind="default",
        source="own count",
    )
