"""The text that `planner explain` prints."""

from __future__ import annotations

from collections.abc import Iterator

from planner.domain.explanation import Conflict, DesignFigures, Explanation, LimitAnswer, Together
from planner.domain.instance import Instance
from planner.report.notation import Notation, notation
from planner.report.plain import plain, wrap
from planner.report.words import Words, words

WIDTH = 100
MOST_REASONS = 5
_ITEM = "  - "
_MORE = "    "


def explanation_text(explanation: Explanation, instance: Instance, lang: str = "en") -> str:
    """Return the answer as a person wants to read it on a terminal.

    Parameters
    ----------
    explanation
        The answer.
    instance
        Its instance, for the report currency.
    lang
        One of `words.LANGUAGES`.
    """
    n = notation(lang, instance)
    w = words(lang, n)
    lines = [*_head(explanation, w), *_body(explanation, w, n), *_foot(explanation, w)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _head(explanation: Explanation, w: Words) -> list[str]:
    key = f"explain.{explanation.status}"
    if explanation.status == "infeasible" and not explanation.conflicts:
        key = "explain.impossible"
    if explanation.status == "feasible" and not explanation.limits:
        key = "explain.feasible.none"
    return wrap(w(key, name=plain(explanation.instance)), WIDTH, 3)


def _body(explanation: Explanation, w: Words, n: Notation) -> Iterator[str]:
    by_key = {answer.limit: answer for answer in explanation.limits}
    if explanation.design is not None:
        yield from wrap(w("explain.best", design=_design(explanation.design, w, n)), WIDTH, 3)
    yield from _reasons(explanation.reasons, w)
    for conflict in explanation.conflicts:
        yield from _conflict(conflict, by_key, w)
    if explanation.status == "feasible":
        for answer in explanation.limits:
            yield from _item(_saving(answer, w, n))
        return
    if explanation.limits:
        yield w("explain.alone")
    for answer in explanation.limits:
        yield from _item(_alone(answer, w, n))
        for text in answer.in_the_way_words:
            yield from _item(w.said(plain(text)), _MORE)
    if explanation.together is not None:
        yield from _together(explanation.together, by_key, w, n)


def _item(text: str, indent: str = "") -> list[str]:
    found = wrap(text, WIDTH - len(_ITEM) - len(indent), 4)
    return [indent + (_MORE if index else _ITEM) + line for index, line in enumerate(found)]


def _conflict(conflict: Conflict, answers: dict[str, LimitAnswer], w: Words) -> Iterator[str]:
    key = "explain.conflict" if conflict.minimal else "explain.conflict.unproved"
    if len(conflict.limits) == 1:
        key = "explain.conflict.one"
    yield w(key)
    for limit in conflict.limits:
        yield from _item(w.said(plain(answers[limit].words)))
    yield from _reasons(conflict.reasons, w)


def _reasons(reasons: list[str], w: Words) -> Iterator[str]:
    if reasons:
        yield w("explain.why")
    for reason in reasons[:MOST_REASONS]:
        yield from _item(w.said(plain(reason)))


def _design(design: DesignFigures, w: Words, n: Notation) -> str:
    return w(
        "explain.design",
        summary=w.said(plain(design.summary)),
        capex=n.money(design.capex_usd),
        total=n.money(design.total_usd),
    )


def _saving(answer: LimitAnswer, w: Words, n: Notation) -> str:
    assert answer.design is not None
    return w(
        "explain.saving",
        words=w.said(plain(answer.words)),
        saving=n.money(answer.saving_usd or 0.0),
        design=_design(answer.design, w, n),
    )


def _alone(answer: LimitAnswer, w: Words, n: Notation) -> str:
    said = w.said(plain(answer.words))
    if answer.alone == "stopped":
        return w("explain.undecided", words=said)
    if answer.design is None:
        more = ".way" if answer.in_the_way else ""
        if answer.largest_tried is None:
            return w(f"explain.not_enough{more}", words=said)
        tried = _amount(answer.largest_tried, answer.unit, w, n)
        return w(f"explain.not_enough.tried{more}", words=said, tried=tried)
    design = _design(answer.design, w, n)
    if answer.needed is None or not answer.value:
        return w("explain.lifted", words=said, design=design)
    return w(
        "explain.needed",
        words=w.said(plain(answer.needed_words)),
        change=_change(answer.needed, answer.value, n),
        design=design,
    )


def _amount(value: float, unit: str, w: Words, n: Notation) -> str:
    if unit == "share":
        return n.percent(value)
    return f"{n.short(value)} {w.said(unit)}"


def _change(needed: float, value: float, n: Notation) -> str:
    share = needed / value - 1
    return ("+" if share > 0 else "") + n.percent(share)


def _looser(needed: float, value: float) -> float:
    """Return by what share a value is looser, whether it had to rise or to fall."""
    return max(needed, value) / min(needed, value) - 1 if min(needed, value) > 0 else 1.0


def _together(
    found: Together, answers: dict[str, LimitAnswer], w: Words, n: Notation
) -> Iterator[str]:
    values = [(needed, answers[key].value) for key, needed in found.values.items()]
    most = max(_looser(needed, value) for needed, value in values if value)
    yield from wrap(w("explain.together", share=n.percent(most)), WIDTH, 2)
    for text, (key, needed) in zip(found.words, found.values.items(), strict=True):
        said, value = w.said(plain(text)), answers[key].value
        if value is None or needed == value:
            yield from _item(w("explain.together.as_it_is", words=said))
            continue
        change = _change(needed, value, n)
        instead = _amount(value, answers[key].unit, w, n)
        yield from _item(w("explain.together.needed", words=said, instead=instead, change=change))
    if found.lifted:
        yield from _item(w("explain.together.lifted", names=", ".join(found.lifted)))
    yield from _item(_design(found.design, w, n))


def _foot(explanation: Explanation, w: Words) -> Iterator[str]:
    given = [answer for answer in explanation.limits if answer.needed is not None]
    if given or explanation.together is not None:
        together = explanation.together is None or explanation.together.proved
        proved = together and all(answer.proved for answer in given)
        yield from wrap(w("explain.proof" if proved else "explain.proof.not"), WIDTH, 2)
    if not explanation.complete:
        yield from wrap(w("explain.incomplete"), WIDTH, 2)
    yield w.count("explain.solves", explanation.solves)
