"""Where the shipped data lies: in the installed wheel, or in the checkout beside the package."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from planner.domain.errors import Fault, InputError

DISTRIBUTION = "gpu-cluster-planner"


@lru_cache(maxsize=1)
def data_root() -> Path:
    """Return the folder that holds ``models/`` and ``instances/``.

    Raises
    ------
    InputError
        If neither the wheel's data nor a checkout of this project is found.
    """
    package = Path(__file__).resolve().parents[1]
    wheel = package / "_data"
    if (wheel / "models").is_dir():
        return wheel
    checkout = package.parent
    project = checkout / "pyproject.toml"
    if project.is_file():
        name = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {}).get("name")
        if name == DISTRIBUTION and (checkout / "models").is_dir():
            return checkout
    fault = Fault("models", "the shipped data is missing", "install the package again")
    raise InputError(str(package), [fault])


def find_data(kind: str, name: str, suffix: str = ".json", near: Path | None = None) -> Path | None:
    """Return the file of a named datum, or None.

    A name with a path separator or the suffix is only ever that path (relative to `near`);
    a bare name is looked up beside `near` first, so that a user's own file overrides ours.

    Parameters
    ----------
    kind
        Folder below the data root, for instance ``models/networks`` or ``instances``.
    name
        Bare name, or a path.
    """
    base = near if near is not None else Path()
    if "/" in name or "\\" in name or name.endswith(suffix):
        path = base / name
        return path if path.is_file() else None
    for folder in (base, base / kind, data_root() / kind):
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    return None


def known_names(kind: str, suffix: str = ".json") -> list[str]:
    """Return the bare names shipped under a kind, sorted."""
    return sorted(p.name.removesuffix(suffix) for p in (data_root() / kind).glob(f"*{suffix}"))
