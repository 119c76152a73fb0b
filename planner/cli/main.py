"""The `planner` command: a table of commands, each loaded only when it is called."""

from __future__ import annotations

import importlib
import io
import math
import os
import sys
from typing import Any

import click

from planner import __version__
from planner.domain.address_space import LEAST_BYTES, address_space_bytes
from planner.domain.errors import PlannerError, SolverError

COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("planner.cli.solve:solve", "Decide what to buy, how to wire it, where it stands."),
    "evaluate": ("planner.cli.evaluate:evaluate", "Price and time one pinned design."),
    "explain": ("planner.cli.explain:explain", "Why nothing fits, or what each limit costs."),
    "compare": ("planner.cli.compare:compare", "Put designs and offers side by side."),
    "regions": ("planner.cli.regions:regions", "Spread one job over several sites."),
    "frontier": ("planner.cli.frontier:frontier", "Cost against step time, every point proved."),
    "sweep": ("planner.cli.sweep:sweep", "Solve an instance under many varied values."),
    "verify": ("planner.cli.verify:verify", "Recount every number of a solution independently."),
    "validate": ("planner.cli.validate:validate", "Hold the model against measurements."),
    "calibrate": ("planner.cli.calibrate:calibrate", "Fit constants to your own logs."),
    "import": ("planner.cli.import_:import_", "Read files that you already hold."),
    "export": ("planner.cli.export:export", "Write a solution for other programs."),
    "catalog": ("planner.cli.catalog:catalog", "List, show and check the hardware catalogue."),
    "schema": ("planner.cli.schema:schema", "Print a JSON Schema for your editor."),
}


LIGHT = ("schema",)
"""Commands that load no numeric library."""
NO_MAPPING = ("failed to map segment", "cannot allocate memory")
"""What a library's import error says when memory ran out."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in LIGHT and address_space_bytes() < LEAST_BYTES:
            raise MemoryError
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table from the short texts, importing nothing."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command; an unknown one names the nearest."""
        name = click.utils.make_str(args[0]) if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" One of: {', '.join(COMMANDS)}."
            ctx.fail(f"No such command {name!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="planner")
def cli() -> None:
    """Choose, wire, place and run a GPU training cluster in one optimization.

    Main call: planner solve instances/budget.json
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with the documented exit code.

    0 answered, 1 violations found, 2 bad input or usage, 3 infeasible, 4 stopped without a
    solution, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # letters that a terminal lacks are spelt out
            stream.reconfigure(errors="backslashreplace")
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            click.echo(f"standard output: {error.strerror}; the answer is not printed", err=True)
            code = code or 2
    sys.exit(code)


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code; messages go to standard error."""
    try:
        result: Any = cli.main(args=arguments, prog_name="planner", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted; nothing was written.", err=True)
        return 130
    except PlannerError as error:
        click.echo(str(error), err=True)
        return error.exit_code
    except BrokenPipeError:
        return 0
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        click.echo(f"{name}{error.strerror or error}", err=True)
        return 2
    except (MemoryError, ImportError, SystemError) as error:
        if isinstance(error, ImportError) and not any(t in str(error).lower() for t in NO_MAPPING):
            raise
        return _out_of_memory()
    return result if isinstance(result, int) else 0


def _out_of_memory() -> int:
    """Say that memory ran out, and what limits it; an older report is as it was."""
    limit = address_space_bytes()
    text = "Not enough memory for this problem; make the grid coarser."
    if limit < math.inf:
        text = (
            f"Not enough memory: this shell lets a program take {limit / 2**30:.2g} GiB of address "
            "space (ulimit -v). Raise that, or make the grid coarser."
        )
    click.echo(f"{text} Nothing was written.", err=True)
    return SolverError.exit_code
