"""`planner export`: write a solution, or the program behind it, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

KINDS = ("bi", "lp", "mps")


@click.command()
@click.argument("solution", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(KINDS), required=True,
              help="bi: star schema of CSV files; lp, mps: the selection program.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="File (lp, mps) or folder (bi); standard output if absent for lp and mps.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(solution: Path, kind: str, output: Path | None, as_json: bool) -> None:
    """Write SOLUTION (a solution.json or the folder that holds one) for another program.

    The LP or MPS holds the selection program over every column whose physics was evaluated; its
    optimum plus the constant in the first comment is the solution's objective in US dollars.
    """
    from planner.domain.solution import load_solution

    file = solution / "solution.json" if solution.is_dir() else solution
    document = load_solution(file)
    if kind == "bi":
        from planner.export.star import write_star

        folder = output if output is not None else Path("bi")
        written = [str(path) for path in write_star(document, folder)]
        _said(written, as_json=as_json)
        return
    from planner.study.program_text import program_text

    text = program_text(document, file, kind)
    if output is None:
        click.echo(text, nl=False)
        return
    from planner.export.text_file import write_text

    write_text(output, text)
    _said([str(output)], as_json=as_json)


def _said(written: list[str], *, as_json: bool) -> None:
    import json

    click.echo(json.dumps({"written": written}) if as_json else "\n".join(written))
