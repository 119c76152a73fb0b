"""Check what an answer over several sites claims beside its design: bound and forced choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planner.domain.regions_answer import SCHEMA_VERSION, RegionsAnswer, SecurityCost
from planner.domain.seal import seal_of
from planner.domain.solution import Solution
from planner.domain.units import cents
from planner.verify.region_lines import RELATIVE
from planner.verify.violation import Violation, violation


def check_seals(answer: RegionsAnswer, solutions: Sequence[Solution]) -> Iterator[Violation]:
    """Yield a version that the checker does not read, and seals of other documents."""
    if answer.schema_version != SCHEMA_VERSION:
        yield violation("regions-version", "$.schema_version", SCHEMA_VERSION,
                        answer.schema_version, "another version of the document")  # fmt: skip
    if answer.seal and answer.seal != seal_of(answer):
        yield violation("regions-seal", "$.seal", seal_of(answer), answer.seal,
                        "the document is not the one that was written; something in it was "
                        "changed")  # fmt: skip
    for index, (site, own) in enumerate(zip(answer.sites, solutions, strict=False)):
        if site.seal and site.seal != seal_of(own):
            yield violation("regions-site-seal", f"$.sites[{index}].seal", seal_of(own), site.seal,
                            "the site's solution is not the one that was written with this answer",
                            )  # fmt: skip


def check_claims(answer: RegionsAnswer) -> Iterator[Violation]:
    """Yield claims of bound, status and forced choices that the answer itself contradicts.

    The designs of forced choices are not in the document: each is held between the bound and what
    the answer itself costs where it makes that choice too.
    """
    yield from _bound(answer)
    names = [found.name for found in answer.alternatives]
    if names != _forced(answer):
        yield violation("regions-alternative", "$.alternatives", _forced(answer), names,
                        "other choices were to be forced")  # fmt: skip
    for index, found in enumerate(answer.alternatives):
        yield from _alternative(answer, found, f"$.alternatives[{index}]")
    if answer.splits < 1:
        yield violation("regions-splits", "$.splits", 1, answer.splits, "nothing was weighed")


def _bound(answer: RegionsAnswer) -> Iterator[Violation]:
    objective, bound = answer.objective_usd, answer.bound_usd
    if objective is None or bound is None or bound > objective:
        yield violation("regions-bound", "$.bound_usd", objective, bound, "above the objective")
        return
    proved = cents(bound) == cents(objective)
    if proved != (answer.status == "optimal"):
        yield violation("regions-status", "$.status", "optimal" if proved else "feasible",
                        answer.status, "the bound says otherwise")  # fmt: skip


def _forced(answer: RegionsAnswer) -> list[str]:
    regions = answer.instance.regions
    if regions is None:
        return []
    ciphers = dict.fromkeys(name for link in regions.wan for name in link.encryption)
    dimensions = regions.dimensions
    return ["one site", *ciphers, *(dimensions if len(dimensions) > 1 else ())]


def _made(answer: RegionsAnswer) -> set[str]:
    """Return the forced choices that the answer makes itself."""
    if answer.crossing is None:
        return {"one site"}
    ciphers = {line.encryption for line in answer.lines}
    return {answer.crossing.dimension, *(ciphers if len(ciphers) == 1 else ())}


def _alternative(answer: RegionsAnswer, found: SecurityCost, where: str) -> Iterator[Violation]:
    regions = answer.instance.regions
    demanded = regions is not None and regions.encryption == "required"
    if found.allowed == (demanded and found.name == "none"):
        yield violation("regions-alternative", f"{where}.allowed", not found.allowed, found.allowed,
                        "only plain lines are refused, where encryption is demanded")  # fmt: skip
    usd, step, exchange, lines = (
        found.objective_usd, found.step_time_s, found.exchange_s, found.lines_usd,
    )  # fmt: skip
    if usd is None or step is None or exchange is None or lines is None:
        if found.status == "optimal" or found.name in _made(answer):
            yield violation("regions-alternative", where, "figures", "none", "what it costs lacks")
        return
    if found.allowed and usd < (answer.bound_usd or 0.0):
        yield violation("regions-alternative", f"{where}.objective_usd", answer.bound_usd, usd,
                        "cheaper than the bound")  # fmt: skip
    if found.name in _made(answer) and cents(usd) != cents(answer.objective_usd or 0.0):
        yield violation("regions-alternative", f"{where}.objective_usd", answer.objective_usd, usd,
                        "the answer makes this choice at another cost")  # fmt: skip
    if step > answer.limit_s * (1 + 1e-6):
        yield violation("regions-alternative", f"{where}.step_time_s", answer.limit_s, step,
                        "the step is too slow")  # fmt: skip
    if not 0 <= exchange * (1 - RELATIVE) <= step or not 0 <= lines <= usd:
        yield violation("regions-alternative", where, (step, usd), (exchange, lines),
                        "a part is more than the whole")  # fmt: skip
    offers = [offer.gbps for link in regions.wan for offer in link.offers] if regions else []
    if found.gbps is not None and found.gbps not in offers:
        yield violation("regions-alternative", f"{where}.gbps", offers, found.gbps,
                        "nobody offers this line")  # fmt: skip
