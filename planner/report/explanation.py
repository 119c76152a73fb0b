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
    if explanation.together is not None:
        yield from _together(explanation.together, w, n)


def _item(text: str) -> list[str]:
    found = wrap(text, WIDTH - len(_ITEM), 4)
    return [(_MORE if index else _ITEM) + line for index, line in enumerate(found)]


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
        if answer.largest_tried is None:
            return w("explain.not_enough", words=said)
        tried = f"{n.short(answer.largest_tried)} {w.label('unit', answer.unit)}"
        return w("explain.not_enough.tried", words=said, tried=tried)
    design = _design(answer.design, w, n)
    if answer.needed is None or not answer.value:
        return w("explain.lifted", words=said, design=design)
    share = answer.needed / answer.value - 1
    return w(
        "explain.needed",
        words=w.said(plain(answer.needed_words)),
        change=("+" if share > 0 else "") + n.percent(share),
        design=design,
    )


def _together(found: Together, w: Words, n: Notation) -> Iterator[str]:
    yield w("explain.together", share=n.percent(found.share))
    for text in found.words:
        yield from _item(w.said(plain(text)))
    if found.lifted:
        yield from _item(w("explain.together.lifted", names=", ".join(found.lifted)))
    yield from _item(_design(found.design, w, n))


def _foot(explanation: Explanation, w: Words) -> Iterator[str]:
    given = [answer for answer in explanation.limits if answer.needed is not None]
    if given:
        together = explanation.together is None or explanation.together.proved
        proved = together and all(answer.proved for answer in given)
        yield from wrap(w("explain.proof" if proved else "explain.proof.not"), WIDTH, 2)
    if not explanation.complete:
        yield from wrap(w("explain.incomplete"), WIDTH, 2)
    yield w.count("explain.solves", explanation.solves)
