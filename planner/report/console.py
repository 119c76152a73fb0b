"""The table that `solve` prints: plain text of at most 100 columns, about 40 lines."""

from __future__ import annotations

from pathlib import Path

from planner.domain.solution import Binding, Solution
from planner.report import decision
from planner.report.alternatives import leading, losers, why_lost
from planner.report.binding import binding_text, shown_bindings, unbound_text
from planner.report.confidence import confidence_lines
from planner.report.inventory import inventory_text
from planner.report.notation import Notation, notation
from planner.report.plain import clip, plain, wrap
from planner.report.sections.goodput import goodput_line
from planner.report.sections.growth import growth_console
from planner.report.sections.portfolio import portfolio_console
from planner.report.targets import Target, hours_text, run_text, targets
from planner.report.words import Words, words

WIDTH = 100
MOST_LINES = 40
"""Beyond this the table is made again, tighter."""

_TIGHTER = ((2, 2), (2, 1), (1, 1))

MOST_WORKLOADS = 3
MOST_ALTERNATIVES = 6
MOST_BINDINGS = 4
_INDENT = "  "


def console_text(solution: Solution, lang: str = "en", folder: Path | None = None) -> str:
    """Return the answer as a person wants to read it on a terminal.

    Parameters
    ----------
    solution
        The answer.
    lang
        One of `words.LANGUAGES`.
    folder
        Where the report lies, named in the last line.

    Raises
    ------
    UsageError
        If the language is unknown.
    """
    n = notation(lang, solution.instance)
    w = words(lang, n)
    for steps, rows in _TIGHTER:
        lines = _lines(solution, w, n, folder, steps, rows)
        if len(lines) <= MOST_LINES:
            break
    return "\n".join(lines) + "\n"


def _lines(
    solution: Solution, w: Words, n: Notation, folder: Path | None, steps: int, rows: int
) -> list[str]:
    """Return the table; a step's parts take at most `steps` lines, other items `rows`."""
    blocks = [_head(solution, w, n)]
    if solution.portfolio is not None:
        blocks += [_portfolio(solution, w, n), _cost(solution, w, n)]
    elif solution.design is None:
        blocks += [_reasons(solution, w)]
    else:
        blocks += [_growth(solution, w, n), _reasons(solution, w), _cost(solution, w, n)]
        blocks += [_steps(solution, w, n, steps)]
    blocks += [_bindings(solution, w, n, rows), _alternatives(solution, w, n, rows)]
    blocks += [_confidence(solution, w, n, rows), _proof(solution, w, n, folder)]
    return [line.rstrip() for block in blocks for line in block]


def _head(solution: Solution, w: Words, n: Notation) -> list[str]:
    status = decision.status(solution, w, n)
    name = clip(decision.title(solution), WIDTH - len(status) - 2)
    lines = [f"{name}{status:>{WIDTH - len(name)}}"]
    lines += wrap(decision.headline(solution, w, n), WIDTH, 2, _INDENT)
    texts = (decision.fabric_text(solution, w, n), decision.place_text(solution, w, n))
    for text in (*texts, inventory_text(solution, w, n)):
        lines += [_INDENT + line for line in wrap(text, WIDTH - 2, 2, _INDENT)]
    return lines


def _portfolio(solution: Solution, w: Words, n: Notation) -> list[str]:
    lines = [w("portfolio.title")]
    for text in portfolio_console(solution, w, n):
        lines += [_INDENT + line for line in wrap(text, WIDTH - 2, 2, _INDENT)]
    return lines


def _growth(solution: Solution, w: Words, n: Notation) -> list[str]:
    lines = [w("growth.title")] if solution.growth else []
    for text in growth_console(solution, w, n):
        lines += [_INDENT + line for line in wrap(text, WIDTH - 2, 2, _INDENT)]
    return lines


def _cost(solution: Solution, w: Words, n: Notation) -> list[str]:
    cost = solution.cost
    if cost is None:
        return []
    years = w("cost.title", years=n.short(cost.years, 1))
    lines = [f"{years} ({n.currency})"]
    rows = (("capex", cost.capex_usd), ("energy", cost.energy_usd), ("support", cost.support_usd),
            ("other", cost.other_usd), ("total", cost.total_usd))  # fmt: skip
    for key, usd in rows:
        text = f"{_INDENT}{w(f'cost.{key}'):<12}{n.amount(usd, 0):>18}"
        if key == "capex":
            text += "   " + _components(solution, w, n, WIDTH - len(text) - 3)
        lines.append(text)
    return lines


def _components(solution: Solution, w: Words, n: Notation, width: int) -> str:
    assert solution.cost is not None
    parts = sorted(solution.cost.components, key=lambda c: -c.capex_usd)
    named = [f"{w.label('component', c.component)} {n.amount(c.capex_usd, 0)}"
             for c in parts if c.capex_usd]  # fmt: skip
    text = ""
    for part in named:
        longer = f"{text}, {part}" if text else part
        if len(longer) > width - 5:
            return f"{text}, ..."
        text = longer
    return text


def _steps(solution: Solution, w: Words, n: Notation, rows: int) -> list[str]:
    heads = ("step.time", "step.limit", "step.target", "step.spare", "step.run")
    widths = (12, 12, 12, 9, 26)
    columns = "".join(f"{w(h):>{size}}" for h, size in zip(heads, widths, strict=True))
    lines = [f"{w('step.title'):<29}{columns}"]
    found = targets(solution)
    for target in found[:MOST_WORKLOADS]:
        lines += _workload(target, w, n, widths, rows)
    if len(found) > MOST_WORKLOADS:
        lines.append(_INDENT + w("alternatives.more", n=len(found) - MOST_WORKLOADS))
    hours = hours_text(solution, w, n)
    return [*lines, *([_INDENT + x for x in wrap(hours, WIDTH - 2, 2)] if hours else [])]


def _workload(
    target: Target, w: Words, n: Notation, widths: tuple[int, ...], rows: int
) -> list[str]:
    result = target.result
    cells = (
        n.seconds(result.step_time_s),
        n.seconds(result.limit_s),
        n.seconds(result.target_s),
        n.percent(target.spare_share),
        run_text(target, w, n),
    )
    name = clip(plain(result.name), 26)
    row = "".join(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=True))
    parts = ", ".join(
        f"{w.label('part', part)} {n.seconds(seconds)}" for part, seconds in target.parts
    )
    how = w(
        "step.on",
        network=plain(result.network),
        gpus=n.number(result.gpus_used),
        strategy=w.said(plain(result.strategy_label)),
    )
    lines = [f"{_INDENT}{name:<27}{row}"]
    for text in (parts, how, *goodput_line(result, w, n)):
        lines += [_INDENT * 2 + line for line in wrap(text, WIDTH - 4, rows)]
    return lines


def _reasons(solution: Solution, w: Words) -> list[str]:
    lines = [w("reasons.title")] if solution.reasons else []
    for reason in solution.reasons[:8]:
        lines += [_INDENT + line for line in wrap(w.said(plain(reason)), WIDTH - 2, 3, _INDENT)]
    return lines


def _bindings(solution: Solution, w: Words, n: Notation, rows: int) -> list[str]:
    found: list[Binding] = shown_bindings(solution)
    lines = [w("binding.title" if solution.design else "binding.fails")]
    if not found:
        unbound = wrap(unbound_text(solution, w), WIDTH - 2, rows)
        return [*lines, *(_INDENT + line for line in unbound)] if solution.design else []
    for item in found[:MOST_BINDINGS]:
        text = f"{w.said(plain(item.limit))}: {binding_text(item, w, n)}"
        note = w.said(plain(item.note))
        lines += [_INDENT + x for x in wrap(f"{text}; {note}" if note else text, WIDTH - 2, rows)]
    if len(found) > MOST_BINDINGS:
        lines.append(_INDENT + w("alternatives.more", n=len(found) - MOST_BINDINGS))
    return lines


def _alternatives(solution: Solution, w: Words, n: Notation, rows: int) -> list[str]:
    found = losers(solution)
    if not found:
        return []
    lines = [w("alternatives.title")]
    for item in leading(solution, MOST_ALTERNATIVES):
        name = clip(w.said(plain(item.name)), 26)
        text = wrap(why_lost(solution, item, w, n), WIDTH - 29, rows)
        lines.append(f"{_INDENT}{name:<27}{text[0]}")
        lines += [f"{'':<29}{more}" for more in text[1:]]
    if len(found) > MOST_ALTERNATIVES:
        lines.append(_INDENT + w("alternatives.more", n=len(found) - MOST_ALTERNATIVES))
    return lines


def _confidence(solution: Solution, w: Words, n: Notation, rows: int) -> list[str]:
    lines = [w("confidence.title")]
    for text in confidence_lines(solution, w, n):
        lines += [_INDENT + line for line in wrap(text, WIDTH - 2, rows, _INDENT)]
    return lines


def _proof(solution: Solution, w: Words, n: Notation, folder: Path | None) -> list[str]:
    text = f"{w('proof.title')}: {decision.proof_text(solution, w, n)}"
    lines = wrap(text, WIDTH, 3, _INDENT)
    if folder is not None:
        lines.append(w("report.lies", path=folder / "index.html"))
        lines.append(w("report.next", path=folder / "solution.json"))
    return lines
