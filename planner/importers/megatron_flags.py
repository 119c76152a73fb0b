"""The options of a Megatron launch, wherever they stand: script, bare line, YAML list, log."""

from __future__ import annotations

import re
from collections.abc import Mapping

from planner.domain.errors import Fault
from planner.importers.shell_script import Script, follow
from planner.importers.source import Source

_TELLING = (
    "--num-layers", "--hidden-size", "--tensor-model-parallel-size", "--micro-batch-size",
    "--num-attention-heads", "--seq-length",
)  # fmt: skip
_DUMPED = re.compile(r"(?:^|[\]:>\s])\s*([a-z][a-z0-9_]{2,60}) \.{2,} ?(.*)$")
_LISTED = re.compile(r"^\s*(--[a-z][a-z0-9-]{1,60}):\s*(.{0,200}?)\s*$")
_UNSET = re.compile(r"<([A-Za-z_]\w*|\d+)>")
MAX_COUNT = 10**13
MAX_LINE = 10_000_000
"""An argument line may name many data files."""


class Flags:
    """Options by name; faults are collected, and unset variables that were asked for."""

    __slots__ = ("faults", "script", "unset", "values")

    def __init__(self, values: Mapping[str, list[str]], script: Script | None = None) -> None:
        self.values = values
        self.script = script
        self.faults: list[Fault] = []
        self.unset: dict[str, str] = {}
        """Variable by the option that needs it."""

    def has(self, *names: str) -> bool:
        """Return whether one of these options stands there."""
        return any(name in self.values for name in names)

    def text(self, *names: str) -> str:
        """Return the first value of the first of these options, empty if none."""
        for name in names:
            words = self.values.get(name)
            if words:
                found = _UNSET.fullmatch(words[0])
                if found is None:
                    return words[0]
                self.unset[name] = found[1]
        return ""

    def count(self, *names: str, low: int = 1) -> int | None:
        """Return an option as a whole number, None if absent; a wrong one becomes a fault."""
        text = self.text(*names)
        if not text:
            return None
        try:
            value = int(text.replace("_", ""))
        except ValueError:
            try:
                value = int(float(text))
            except (ValueError, OverflowError):
                value = low - 1
        if not low <= value <= MAX_COUNT:
            right = f"give a whole number from {low}"
            self.faults.append(Fault(names[0], f"{text[:40]!r} is not usable", right))
            return None
        return value


def read_flags(source: Source, given: Mapping[str, str]) -> Flags:
    """Return the options of a launch script, an argument line, a YAML list or a training log.

    Raises
    ------
    InputError
        If there is none of the options that make up a Megatron job.
    """
    dumped = _from_dump(source)
    if dumped is not None:
        return Flags(dumped)
    listed = _from_list(source)
    if listed is not None:
        return Flags(listed)
    script = follow(source, given)
    flags = Flags(_split(_words(script)), script)
    if not flags.has(*_TELLING):
        right = f"give a script or line with {', '.join(_TELLING[:3])}, ..."
        raise source.refuse("has no options of Megatron", right)
    return flags


def _from_dump(source: Source) -> dict[str, list[str]] | None:
    """Return the options that a training log prints as ``name .... value``."""
    values: dict[str, list[str]] = {}
    for line in source.lines(MAX_LINE):
        if " .." not in line:
            continue
        found = _DUMPED.search(line[:500])
        if found is None:
            continue
        text = found[2].strip()
        if text in ("False", "None", ""):
            if found[1] == "add_bias_linear":
                values["--disable-bias-linear"] = []
            continue
        values["--" + found[1].replace("_", "-")] = [] if text == "True" else [text]
    if not any(name in values for name in _TELLING):
        return None
    return values


def _from_list(source: Source) -> dict[str, list[str]] | None:
    """Return the options of a YAML list ``--name: value``."""
    values: dict[str, list[str]] = {}
    for line in source.lines(MAX_LINE):
        found = _LISTED.match(line)
        if found is None:
            continue
        text = found[2].split(" #")[0].strip("\"' ")
        if text.lower() != "false":
            values[found[1]] = [] if text.lower() in ("true", "") else [text]
    return values if any(name in values for name in _TELLING) else None


def _words(script: Script) -> list[str]:
    """Return the words of the command that launches, or of all variables that hold options."""
    best, most = "", 0
    for command in script.commands:
        score = sum(name in command for name in _TELLING)
        if score >= most and score:
            best, most = command, score
    texts = [best] if most else []
    whole = {name for name in _TELLING if name in best}
    for value in script.variables.values.values():
        if "--" in value and value not in best:
            news = {name for name in _TELLING if name in value} - whole
            if news:
                texts.append(value)
                whole |= news
    return " ".join(texts).split()


def _split(words: list[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    current: list[str] = []
    for raw in words:
        word = raw.strip("\"'\\")
        if word.startswith("--") and len(word) > 2:
            name, sign, value = word.partition("=")
            current = [value] if sign else []
            values["--" + name[2:].replace("_", "-")] = current
        elif len(current) < 100:
            current.append(word)
    return values
