"""`planner export`: write a solution, or the program behind it, for other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.domain.errors import NoDesignError, UsageError
from planner.domain.regions_answer import ANSWER

if TYPE_CHECKING:
    from planner.domain.catalog import Catalog
    from planner.domain.solution import Solution

LAUNCH = ("megatron", "deepspeed", "torchtitan", "nccl-env", "slurm", "slurm-yaml")
KINDS = ("bi", "parquet", "pbip", "xlsx", *LAUNCH, "netbox", "port-map", "infragraph", "graphml",
         "lp", "mps")  # fmt: skip
APPENDING = ("bi", "parquet", "pbip")
"""Kinds that take several solutions, appended into one model."""
PROGRAMS = ("lp", "mps")
OF_A_DESIGN = ("netbox", "port-map", "infragraph", "graphml")
"""Kinds that hold nothing where the answer has no design."""


@click.command()
@click.argument("solution", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--to", "kind", type=click.Choice(KINDS), required=True,
              help="bi, parquet: star schema; pbip: Power BI project; xlsx: workbook; "
              "megatron, deepspeed, torchtitan: launch flags; nccl-env; slurm: its topology; "
              "netbox: CSV files for its bulk import; port-map: every switch port; infragraph, "
              "graphml: the graph; lp, mps: the program.")  # fmt: skip
@click.option("--workload", default=None, metavar="NAME",
              help="Launch flags: which workload, where there are several.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=None,
              help="File, or folder of bi, parquet and pbip; texts go to standard output if "
              "absent.")  # fmt: skip
@click.option("--lang", type=click.Choice(["en", "es"]), default="en", show_default=True,
              help="Language of xlsx.")  # fmt: skip
@click.option("--link-folder", metavar="FOLDER", default=None,
              help="pbip: read the CSV files of all reports below FOLDER, as Power BI's computer "
              "names it, instead of holding the data.")  # fmt: skip
@click.option("--force", is_flag=True, help="pbip: replace a project that is there.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    solution: tuple[Path, ...], kind: str, output: Path | None, as_json: bool, **options: Any
) -> None:
    """Write SOLUTION (a solution.json or the folder that holds one) for another program.

    bi, parquet and pbip take several solutions and append them into one model. The LP or MPS
    holds the selection program over every column whose physics was evaluated; its optimum plus
    the constant in the first comment is the solution's objective in US dollars. Of a report of
    `planner regions` it holds every split over the sites and every line.
    """
    from planner.domain.solution import load_solution

    if kind in PROGRAMS and len(solution) == 1 and (solution[0] / ANSWER).is_file():
        _write_text(_regions_program(solution[0], kind), output, as_json=as_json)
        return
    if len(solution) > 1 and kind not in APPENDING:
        raise UsageError(f"--to {kind} takes one solution; {', '.join(APPENDING)} take several")
    if options["link_folder"] is not None and kind != "pbip":
        raise UsageError("--link-folder belongs to --to pbip")
    files = [path / "solution.json" if path.is_dir() else path for path in solution]
    documents = [load_solution(file) for file in files]
    if kind in OF_A_DESIGN and not documents[0].devices:
        raise _no_design(documents[0], kind)
    if kind in APPENDING:
        folder = output if output is not None else Path(kind)
        _said(_folder(kind, documents, folder, options), as_json=as_json)
    elif kind == "netbox":
        from planner.export.netbox.files import write_netbox

        folder = output if output is not None else Path(kind)
        catalog = _catalog(documents[0], files[0])
        _said(write_netbox(documents[0], catalog, folder), as_json=as_json)
    elif kind == "xlsx":
        from planner.export.xlsx.workbook import WORKBOOK, write_workbook

        path = output if output is not None else Path(WORKBOOK)
        write_workbook(documents[0], path, options["lang"])
        _said([path], as_json=as_json)
    else:
        text = _text(kind, documents[0], files[0], options["workload"])
        if not text.strip():
            raise _no_design(documents[0], kind)
        _write_text(text, output, as_json=as_json)


def _write_text(text: str, output: Path | None, *, as_json: bool) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    from planner.export.text_file import write_text

    write_text(output, text)
    _said([output], as_json=as_json)


def _regions_program(folder: Path, kind: str) -> str:
    from planner.domain.regions_answer import load_regions, load_sites
    from planner.study.program_text import regions_text

    answer = load_regions(folder / ANSWER)
    return regions_text(answer, load_sites(answer, folder), folder / ANSWER, kind)


def _no_design(document: Solution, kind: str) -> NoDesignError:
    """Return the error of a solution whose export would hold nothing; exit code 3."""
    why = f": {document.reasons[0]}" if document.reasons else ""
    return NoDesignError(f"This solution holds no design to export as {kind}{why}")


def _catalog(document: Solution, file: Path) -> Catalog:
    """Return the catalogue of a solution, with the folder that its instance names, if it is there."""
    from planner.domain.catalog import load_catalog

    name = document.instance.catalog
    folder = None if name is None else file.parent / name
    return load_catalog(folder if folder is not None and folder.is_dir() else None)


def _folder(
    kind: str, documents: list[Solution], folder: Path, options: dict[str, Any]
) -> list[Path]:
    """Write a kind that is a folder of files."""
    if kind == "pbip":
        from planner.export.pbip.project import write_project

        link = options["link_folder"]
        return write_project(documents, folder, link, force=bool(options["force"]))
    from planner.export.frames import write_parquet
    from planner.export.star import write_star

    write: Callable[[list[Solution], Path], list[Path]]
    write = write_star if kind == "bi" else write_parquet
    return write(documents, folder)


def _text(kind: str, document: Solution, file: Path, workload: str | None) -> str:
    """Return a kind that is one text."""
    if kind in LAUNCH:
        from planner.export.launch.text import launch_text

        return launch_text(document, kind, workload)
    if kind == "port-map":
        from planner.export.port_map import port_map_csv

        return port_map_csv(document, _catalog(document, file))
    if kind == "infragraph":
        from planner.export.infragraph import infragraph_text

        return infragraph_text(document)
    if kind == "graphml":
        from planner.export.graph import graphml_text

        return graphml_text(document)
    from planner.study.program_text import program_text

    return program_text(document, file, kind)


def _said(written: list[Path], *, as_json: bool) -> None:
    import json

    paths = [str(path) for path in written]
    click.echo(json.dumps({"written": paths}) if as_json else "\n".join(paths))
