"""YAML of unknown origin as texts, lists and mappings; no tags, bounded depth and size."""

from __future__ import annotations

import re
from typing import Any

from planner.importers.source import Source

MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 60
_DASHES = re.compile(r"^(?:\s{0,200}[-?]\s)+")


def parse_yaml(source: Source) -> Any:
    """Return the first document; every scalar is text.

    Raises
    ------
    InputError
        If it is no YAML, too large or too deep.
    """
    import yaml

    if len(source.text) > MAX_CHARACTERS:
        raise source.refuse(f"has more than {MAX_CHARACTERS:,} characters", "give one topology")
    _check_depth(source)
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return yaml.load(source.text, Loader=loader)  # noqa: S506 - builds texts and lists only
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}" if mark else "$"
        raise source.refuse(f"is no YAML: {error.problem or 'broken'}"[:200], where=where) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        raise source.refuse("is no YAML that can be read") from None


def _check_depth(source: Source) -> None:
    """Refuse nesting by brackets, by dashes and by indentation above `MAX_DEPTH`."""
    depth = 0
    indents: list[int] = []
    for line in source.text.split("\n"):
        content = line.lstrip(" ")
        if not content or content.startswith("#"):
            continue
        indent = len(line) - len(content)
        while indents and indents[-1] >= indent:
            indents.pop()
        indents.append(indent)
        dashes = _DASHES.match(content[:2000])
        inline = len(re.findall(r"[-?]\s", dashes[0])) if dashes else 0
        depth = max(0, depth + line.count("[") + line.count("{"))
        if max(depth, len(indents) + inline) > MAX_DEPTH:
            raise source.refuse(f"nested deeper than {MAX_DEPTH} levels")
        depth = max(0, depth - line.count("]") - line.count("}"))
