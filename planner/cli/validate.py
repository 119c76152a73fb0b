"""`planner validate`: the model against measurements; each kind is a command of its own file."""

from __future__ import annotations

import importlib

import click

KINDS: dict[str, tuple[str, str]] = {
    "collectives": (
        "planner.cli.validate_collectives:collectives",
        "Collective times against nccl-tests figures.",
    ),
    "steps": ("planner.cli.validate_steps:steps", "Step times against published training runs."),
}


class KindGroup(click.Group):
    """A group that imports a kind's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the kinds in the order of the table."""
        del ctx
        return list(KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a kind's command."""
        del ctx
        if cmd_name not in KINDS:
            return None
        module, attribute = KINDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the kinds from their short texts, importing nothing."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in KINDS.items()])


@click.group(cls=KindGroup, context_settings={"help_option_names": ["-h", "--help"]})
def validate() -> None:
    """Hold the model against measurements.

    Rows that cannot be predicted are counted with their reasons, never dropped in silence.
    """
