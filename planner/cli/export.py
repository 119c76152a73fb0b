"""`planner export`: write a solution, or the program behind it, for other programs."""

from __future__ import annotations

from pathlib import Path

import click

KINDS = ("bi", "parquet", "graphml", "lp", "mps")


@click.command()
@click.argument("solution", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(KINDS), required=True,
              help="bi, parquet: star schema; graphml: topology; lp, mps: the program.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="File, or folder of bi and parquet; texts go to standard output if absent.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(solution: Path, kind: str, output: Path | None, as_json: bool) -> None:
    """Write SOLUTION (a solution.json or the folder that holds one) for another program.

    The LP or MPS holds the selection program over every column whose physics was evaluated; its
    optimum plus the constant in the first comment is the solution's objective in US dollars.
    """
    from planner.domain.solution import load_solution

    file = solution / "solution.json" if solution.is_dir() else solution
    document = load_solution(file)
    if kind in ("bi", "parquet"):
        from planner.export.frames import write_parquet
        from planner.export.star import write_star

        folder = output if output is not None else Path(kind)
        write = write_star if kind == "bi" else write_parquet
        _said([str(path) for path in write(document, folder)], as_json=as_json)
        return
    if kind == "graphml":
        from planner.export.graph import graphml_text

        text = graphml_text(document)
    else:
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
