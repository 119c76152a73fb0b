"""`planner compare`: designs, instances and vendors' offers side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.progress import progress_line
from planner.domain.errors import Fault, InputError, UsageError
from planner.domain.regions_answer import ANSWER

if TYPE_CHECKING:
    from planner.cli.progress import Line
    from planner.domain.instance import Instance
    from planner.study.compare import Subject

LISTS = (".csv", ".xlsx", ".tsv", ".txt")
MOST = 12


@click.command()
@click.argument("what", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=None,
              help="Folder for index.html, parts.csv, categories.csv, comparison.json.")  # fmt: skip
@click.option("--set", "given", multiple=True, metavar="KEY=VALUE",
              help="Of an offer: currency=EUR, usd_per_eur=1.08, catalog=FOLDER.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of text and page.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead.")
def compare(
    what: tuple[str, ...], output: Path | None, given: tuple[str, ...], lang: str, as_json: bool
) -> None:
    """Compare solutions, instances and offers, WHAT by WHAT, with the first of them.

    A report folder or solution file is read, an instance is solved (one whose `fix` leaves a
    single design is priced and timed as it is, limits that it breaks are told), a CSV or XLSX
    list with quantities and prices is a vendor's offer. An instance alone is compared with the
    optimum without its pins: what an offered design costs more than needed, or misses.
    """
    from planner.report.comparison import comparison_text
    from planner.report.notation import notation
    from planner.report.words import words
    from planner.study.compare import compare as run

    with progress_line("reading") as line:
        subjects = _subjects(what, given, line, words(lang)("compare.optimum"))
        found = run(subjects)
    instance = _an_instance(subjects)
    n = notation(lang, instance)
    w = words(lang, n)
    if output is not None:
        _write(found, output, w, n)
    if as_json:
        click.echo(found.model_dump_json())
        return
    click.echo(comparison_text(found, w, n), nl=False)
    if output is not None:
        click.echo(w("compare.lies", path=output / "index.html"))


def _subjects(
    what: tuple[str, ...], given: tuple[str, ...], line: Line, optimum: str
) -> list[Subject]:
    from planner.importers.imported import Given

    values = Given.parse(given)
    if len(what) > MOST:
        raise UsageError(f"{len(what)} things to compare; name at most {MOST}")
    found = [subject for name in what for subject in _read(name, values, line)]
    found = _with_optimum(found, what[0], line, optimum) if len(what) == 1 else found
    values.check_used("compare")
    if len(found) < 2:
        raise UsageError("one thing alone cannot be compared; name a second")
    seen: dict[str, int] = {}
    for index, subject in enumerate(found):
        seen[subject.name] = seen.get(subject.name, 0) + 1
        if seen[subject.name] > 1:
            from dataclasses import replace

            found[index] = replace(subject, name=f"{subject.name} ({seen[subject.name]})")
    return found


def _read(name: str, given: Any, line: Line) -> list[Subject]:
    """Return what a name stands for."""
    from planner.domain.solution import load_solution
    from planner.study.compare import Subject
    from planner.study.limit import listed

    path = Path(name)
    whole = path.parent if path.name == ANSWER else path
    if (whole / ANSWER).is_file():
        raise UsageError(
            f"{name} is an answer over several sites; compare the reports of its sites: "
            f"{listed(sorted(str(p.parent) for p in whole.glob('*/solution.json')))}"
        )
    if path.suffix.lower() in LISTS:
        from planner.importers.offer import read_offer

        return [Subject(name=path.name, what=read_offer(path, given))]
    if path.is_dir():
        path = path / "solution.json"
    if path.is_file() and _holds_solution(path):
        shown = path.parent.name if path.name == "solution.json" else path.stem
        return [Subject(name=shown or path.stem, what=load_solution(path))]
    from planner.domain.instance import load_instance

    instance, file = load_instance(name)
    return [Subject(name=instance.name, what=_solved(instance, file, line))]


def _with_optimum(found: list[Subject], name: str, line: Line, optimum: str) -> list[Subject]:
    """Return the subject of an instance with pins behind the optimum without them."""
    from planner.domain.instance import instance_path
    from planner.domain.solution import Solution
    from planner.study.compare import Subject

    what = found[0].what
    if not isinstance(what, Solution) or what.instance.unpinned() == what.instance:
        return found
    free = what.instance.unpinned()
    path = Path(name)
    file = (
        path if path.is_file() else path / "solution.json" if path.is_dir() else instance_path(name)
    )
    return [Subject(name=optimum, what=_solved(free, file, line)), *found]


def _solved(instance: Instance, file: Path, line: Line) -> Any:
    """Return the decision of an instance; a single pinned design as it is."""
    from planner.study.decide import DecideOptions, decide
    from planner.study.evaluate import evaluate

    if instance.fix.values() and not instance.split and instance.growth is None:
        try:
            return evaluate(instance, file).solution
        except UsageError:
            line.say(f"{instance.name}: solving")
    return decide(instance, file, DecideOptions(alternatives=False), line.say).solution


def _holds_solution(path: Path) -> bool:
    from planner.domain.json_file import read_json
    from planner.domain.solution import MAX_SOLUTION_BYTES

    document = read_json(path, MAX_SOLUTION_BYTES)
    return isinstance(document, dict) and "schema_version" in document


def _an_instance(subjects: list[Subject]) -> Instance:
    """Return the instance of the first solution, whose currency everything is written in."""
    from planner.domain.solution import Solution

    for subject in subjects:
        if isinstance(subject.what, Solution):
            return subject.what.instance
    raise UsageError("offers alone have no optimum beside them; name a report or an instance too")


def _write(found: Any, folder: Path, w: Any, n: Any) -> None:
    from planner.domain.whole_file import write_whole
    from planner.export.comparison import comparison_files
    from planner.report.comparison_page import comparison_page

    files = comparison_files(found)
    files["comparison.json"] = json.dumps(found.model_dump(mode="json"), ensure_ascii=False) + "\n"
    files["index.html"] = comparison_page(found, w, n)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_whole(folder / name, text.encode())
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(str(folder), [Fault("--output", reason, "name another place")]) from None
