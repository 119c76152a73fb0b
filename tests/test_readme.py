"""README tells the truth: its commands run, its two main lines are those that the release check runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from planner.cli.main import COMMANDS, run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced_commands() -> list[str]:
    """Return every line of a fenced block that calls planner."""
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("planner ")]


def test_there_are_commands_to_test() -> None:
    """The pattern still finds the README's examples."""
    assert len(fenced_commands()) >= 6


def test_every_command_in_readme_runs(tmp_path, monkeypatch, capsys) -> None:
    """In the order of the page, from a folder that holds the shipped instances."""
    for folder in ("instances", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    assert run(["solve", "instances/budget.json", "--no-alternatives"]) == 0
    for command in fenced_commands():
        words = [w for w in shlex.split(command)[1:] if w != "|"]
        assert run(words) == 0, command
        capsys.readouterr()
    assert (tmp_path / "reports" / "budget" / "index.html").is_file()


@pytest.mark.parametrize("marker", ["main command", "test command"])
def test_the_release_check_runs_readmes_two_lines(marker: str) -> None:
    """Each marker stands once, before a fenced block of one line."""
    found = re.findall(rf"<!-- {marker} -->\n```\n(.*)\n```", README)
    assert len(found) == 1
    assert found[0].startswith("python -m pip install")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 'test command'" in script


def test_every_command_has_help_and_a_short_text() -> None:
    """`--help` of each command works and says something."""
    import click

    from planner.cli.main import cli

    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        assert command.help or command.short_help, name


def test_help_loads_nothing_heavy() -> None:
    """`planner --help` must start in 0.3 s: none of the heavy packages is imported."""
    import subprocess
    import sys

    script = (
        "import sys\nfrom planner.cli.main import run\nrun(['--help'])\n"
        "heavy = {'numpy', 'pandas', 'networkx', 'ortools', 'pulp', 'highspy', 'pydantic'}\n"
        "loaded = heavy & set(sys.modules)\nassert not loaded, loaded"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert "solve" in done.stdout


@pytest.mark.skipif(
    tuple(map(int, version("pydantic").split(".")[:2])) < (2, 14),
    reason="older versions of pydantic write the same schema in other words",
)
def test_instance_schema_is_fresh() -> None:
    """`instances/schema.json` is what `planner schema instance` prints."""
    from planner.cli.schema import schema_text

    assert (ROOT / "instances" / "schema.json").read_text() == schema_text("instance")


def test_every_shipped_instance_is_described_and_valid() -> None:
    """instances/README.md has one row a file, and each file validates."""
    from planner.domain.instance import load_instance

    page = (ROOT / "instances" / "README.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "instances").glob("*.json")):
        if path.name == "schema.json":
            continue
        assert f"`{path.name}`" in page, path.name
        assert load_instance(str(path))[0].name == path.stem
