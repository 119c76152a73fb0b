"""Dependencies: few, each declared, explained, licensed and locked."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DIRECT = [Requirement(text) for text in PROJECT["dependencies"]]
OPTIONAL = {"distributed", "pyarrow"}
"""What extras bring: Dask and Parquet."""
LOADERS = ("import_module", "find_spec")
FREE = ("MIT", "BSD", "Apache", "PSF", "Python Software Foundation", "0BSD", "Zlib", "CC0")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> dict[str, str]:
    """Return the version of each locked package; every line has one hash and nothing else."""
    found = {}
    for line in (ROOT / ".ci/lock.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r"([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", line)
            assert match, line
            found[match[1]] = match[2]
    return found


def test_every_import_is_declared_and_every_dependency_is_imported() -> None:
    """Nothing rests on what another package happens to bring, and nothing is installed in vain."""
    bring = metadata.packages_distributions()
    found: set[str] = set()
    for path in (ROOT / "planner").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in LOADERS:
                names += [a.value for a in node.args if isinstance(a, ast.Constant)]
            found |= {str(name).partition(".")[0] for name in names}
    foreign = found - set(sys.stdlib_module_names) - {"planner"}
    brought = {plain(name) for module in foreign for name in bring.get(module, [module])}
    declared = {plain(r.name) for r in DIRECT}
    assert brought - OPTIONAL - {"pydantic-core"} == declared


@pytest.mark.parametrize("requirement", DIRECT, ids=lambda r: r.name)
def test_each_has_a_reason_a_lowest_version_and_a_free_licence(requirement) -> None:
    """CONTRIBUTING says why it is needed, docs/licences.md what its own metadata says."""
    reasons = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Dependencies")[2]
    assert re.search(rf"(?i)^\| [^|]*\b{re.escape(requirement.name)}\b", reasons, re.MULTILINE)
    assert any(part.operator == ">=" for part in requirement.specifier)
    table = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    row = re.search(rf"(?im)^\| {re.escape(requirement.name)} \| ([^|]+) \|", table)
    assert row
    assert any(word in row[1] for word in FREE)
    known = metadata.metadata(requirement.name)
    said = " ".join(
        [known.get("License-Expression") or "", known.get("License") or "",
         *(known.get_all("Classifier") or [])]
    )  # fmt: skip
    family = next(word for word in FREE if word in row[1])
    assert family.split()[0].lower() in said.lower()


def test_the_lock_holds_what_pyproject_allows() -> None:
    """Every declared package in an allowed version; no address of any registry."""
    versions = locked()
    extras = PROJECT["optional-dependencies"]
    for text in (*PROJECT["dependencies"], *extras["test"], *extras["lint"], *extras["parquet"]):
        requirement = Requirement(text)
        assert requirement.specifier.contains(versions[plain(requirement.name)]), text
    assert "://" not in (ROOT / ".ci/lock.txt").read_text(encoding="utf-8")


def test_the_licence_table_covers_what_the_lock_brings_to_a_user() -> None:
    """Packages that only tests and linters need are not shipped, so they are not listed."""
    table = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    listed = {plain(n) for n in re.findall(r"(?m)^\| ([\w.-]+) \| [^|]+ \|", table)} - {"package"}
    assert {plain(r.name) for r in DIRECT} <= listed <= set(locked())
