"""`planner schema`: the JSON Schema of a file, for completion in an editor."""

from __future__ import annotations

import json
from typing import Any

import click

KINDS = ("instance", "solution", "network")


def schema_text(kind: str) -> str:
    """Return the JSON Schema of a kind of file, one document ending in a newline."""
    from pydantic import BaseModel

    model: type[BaseModel]
    if kind == "instance":
        from planner.domain.instance import Instance as model  # noqa: N813
    elif kind == "solution":
        from planner.domain.solution import Solution as model  # noqa: N813
    else:
        from planner.domain.network import Network as model  # noqa: N813
    document: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(by_alias=True),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--json", "as_json", is_flag=True, help="The schema is JSON in any case.")
def schema(kind: str, as_json: bool) -> None:
    """Print the JSON Schema of KIND; name it as "$schema" in your file."""
    del as_json
    click.echo(schema_text(kind), nl=False)
