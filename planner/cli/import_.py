"""`planner import`: files that people already hold, each kind a command of its own."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.log_options import log_options
from planner.importers.kinds import ALIASES, KINDS, Kind, import_file, nearest_kind

if TYPE_CHECKING:
    from planner.importers.imported import Imported

HELP = {"help_option_names": ["-h", "--help"]}


class KindGroup(click.Group):
    """A group whose commands are the kinds, under their other names too."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the kinds in the order of their table."""
        return [*KINDS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a kind or of its alias."""
        name = ALIASES.get(cmd_name, cmd_name)
        if name in KINDS:
            return _command(name, KINDS[name])
        return super().get_command(ctx, name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a kind; an unknown one is refused by name."""
        name = click.utils.make_str(args[0]) if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            right = nearest_kind(name, self.list_commands(ctx))
            ctx.fail(f"{name[:60]!r} is no kind of file that can be imported; {right}")
        return super().resolve_command(ctx, args)


@click.group(cls=KindGroup, context_settings=HELP)
def import_() -> None:
    """Read files that you already hold.

    The answer goes to standard output, what is doubtful or missing to standard error.
    """


def _command(name: str, kind: Kind) -> click.Command:
    def run(file: Path, output: Path | None, given: tuple[str, ...], as_json: bool) -> None:
        from planner.importers.imported import Given

        result = import_file(name, file, Given.parse(given))
        if as_json:
            click.echo(_json(_whole(result, file)))
        if output is not None:
            _write_documents(result, output)
        if kind.table and not as_json:
            click.echo(_table(kind.table, result))
        elif output is None and not as_json:
            click.echo(_json(result.document))
        _tell(result, output is None and not as_json)

    return click.Command(
        name,
        callback=run,
        help=kind.about,
        context_settings=HELP,
        params=[
            click.Argument(["file"], type=click.Path(path_type=Path, allow_dash=True)),
            click.Option(
                ["-o", "--output"],
                type=click.Path(path_type=Path),
                help="JSON file for the answer, others beside it; or a folder for all.",
            ),
            click.Option(
                ["--set", "given"],
                multiple=True,
                metavar="KEY=VALUE",
                help="Say what the file leaves open; the keys are named when it is read.",
            ),
            click.Option(["--json", "as_json"], is_flag=True, help="One JSON document."),
        ],
    )


def _table(maker: str, result: Imported) -> str:
    """Return the answer as the table that its kind is shown as."""
    import importlib

    module, function = maker.split(":")
    text = str(getattr(importlib.import_module(module), function)(result.document))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(document: Any) -> str:
    """Return a document as text; what no encoding holds is escaped as JSON escapes it."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _whole(result: Imported, file: Path) -> dict[str, Any]:
    return {
        "kind": result.kind,
        "file": str(file),
        "documents": dict(result.documents),
        "facts": list(result.facts),
        "warnings": list(result.warnings),
        "missing": [{"what": entry.what, "key": entry.key} for entry in result.missing],
    }


def _write_documents(result: Imported, output: Path) -> None:
    """Write the answer to a JSON file and the others beside it, or all into a folder."""
    from planner.domain.errors import Fault, InputError
    from planner.domain.whole_file import write_whole

    single = output.suffix == ".json" and not output.is_dir()
    folder = output.parent if single else output
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place, (name, document) in enumerate(result.documents.items()):
            path = output if single and place == 0 else folder / name
            write_whole(path, (_json(document) + "\n").encode())
            click.echo(f"wrote {path}", err=True)
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        raise InputError(str(output), [Fault("--output", reason, "name another place")]) from None


def _tell(result: Imported, on_screen: bool) -> None:
    """Print facts, doubts and gaps; files that are not on the screen are named."""
    lines = list(result.facts)
    lines += [f"warning: {warning}" for warning in result.warnings]
    lines += [f"missing: {entry}" for entry in result.missing]
    others = list(result.documents)[1:]
    if on_screen and others:
        lines.append(f"-o FOLDER also writes {', '.join(others)}")
    for line in lines:
        click.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)


@import_.command("nccl-tests", context_settings=HELP)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file for 'planner validate collectives' and 'planner calibrate'.",
)
@log_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def nccl_tests(
    files: tuple[Path, ...],
    output: Path | None,
    collective: str | None,
    ranks: int | None,
    as_json: bool,
    **facts: Any,
) -> None:
    """Read logs of nccl-tests or rccl-tests as a table of measured collectives."""
    from planner.importers.nccl_table import Facts, table_rows
    from planner.importers.nccl_tests import read_nccl_log

    runs = [run for file in files for run in read_nccl_log(file, collective, ranks)]
    rows = [row for run in runs for row in table_rows(run, Facts(**facts))]
    for run in runs:
        for note in run.notes:
            click.echo(f"{run.file}: {note}", err=True)
    if as_json:
        click.echo(json.dumps({"runs": len(runs), "rows": rows}, indent=2))
    if output is not None:
        from planner.export.text_file import write_text

        text = io.StringIO()
        _write(text, rows)
        write_text(output, text.getvalue())
        click.echo(f"{len(rows)} rows of {len(runs)} runs in {output}", err=True)
    elif not as_json:
        _write(sys.stdout, rows)


def _write(handle: Any, rows: list[dict[str, str]]) -> None:
    import csv

    from planner.importers.nccl_table import COLUMNS

    writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
