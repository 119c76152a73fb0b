"""Hostile instances and catalogues, made from the shipped ones by a seeded dice."""

from __future__ import annotations

import copy
import json
import random
from functools import cache
from pathlib import Path

from tests.importers.test_mutations import PIECES, spoil

ROOT = Path(__file__).parents[2]
INSTANCES = ROOT / "instances"
TABLES = ROOT / "models" / "hardware"
HUGE = "9" * 39
RAW = "\x00raw:"
"""Mark of a value that is written into the text as it stands, JSON or not."""
VALUES = (
    None, True, False, 0, -1, 1, 2, -0.0, 0.5, 1e-300, -1e-9, 1e9, 1e308, -1e308, 2**31, 2**63, -(2**63),
    int(HUGE), 10**30, "", " ", "a", "0", "1e9", "NaN", "inf", "null", "budget", "gpt2-xl", "hgx-h100-8",
    "../../../../etc/passwd", "/etc/passwd", "..", "../instances/budget.json", "C:\\Windows\\win.ini",
    "a/../b", "~", "$HOME", "file:///etc/passwd", "\\\\host\\share", "/dev/zero", "/dev/stdin", ".",
    "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "&xxe;", "'; DROP TABLE x; --", "${jndi:x}",
    "\u202egnp.exe", "\u0000", "\ud800", "\ufeffa", "a" * 5000, "Málaga", "北京", [], {}, [[]], [{}],
    {"a": {"b": {}}}, [1, 2, 3], ["hgx-h100-8", "hgx-h100-8"], {"$ref": "#"}, [None] * 60, [0.5] * 2000,
    RAW + "NaN", RAW + "-Infinity", RAW + "1e999", RAW + "9" * 5000, RAW + "[" * 5000,
    RAW + '{"x":' * 59 + "1" + "}" * 59, RAW + '{"a":1,"a":2}', RAW + "0x10", RAW + "01", RAW + "1_0",
    RAW + '"\\ud800"', RAW + '"\\u0000"', RAW + "'a'", RAW + "/* */ 1",
)  # fmt: skip
CELLS = (
    "", "0", "-1", "nan", "inf", "-inf", "1e308", "1e999", HUGE, "9" * 5000, "yes", "TRUE", "qm9700",
    "../../etc/passwd", "=1+1", '"', "a,b", "a;b", "\u202ex", "Málaga", "x" * 5000, "2026-13-45", " ",
    "hgx-h100-8", "0x10", "1_000", "1,5", "\u0661", "<b>", "\x00", "\n", "none", "null",
)  # fmt: skip


@cache
def instance_texts() -> dict[str, str]:
    """Return the shipped instances by name."""
    return {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted(INSTANCES.glob("*.json"))
        if path.stem not in ("schema", "best_known")
    }


def places(node, path=()):
    """Return the path of every value in a document."""
    found = [path] if path else []
    if not isinstance(node, dict | list):
        return found
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        found += places(value, (*path, key))
    return found


def at(document, path):
    """Return the holder of a place and its key."""
    node = document
    for key in path[:-1]:
        node = node[key]
    return node, path[-1]


def changed(document, dice: random.Random):
    """Return a copy with one to four values replaced, moved, doubled, scaled or taken out."""
    document = copy.deepcopy(document)
    for _ in range(dice.randint(1, 4)):
        known = places(document)
        if not known:
            break
        node, key = at(document, dice.choice(known))
        old = node[key]
        kind = dice.choice(("put", "put", "scale", "scale", "drop", "copy", "new", "list", "other"))
        if kind == "scale" and isinstance(old, int | float) and not isinstance(old, bool):
            node[key] = old * dice.choice((-1, 0, 0.1, 0.5, 2, 3, 10, 1000, 1e6))
            if isinstance(old, int) and float(node[key]).is_integer():
                node[key] = int(node[key])
        elif kind == "drop":
            del node[key]
        elif kind == "new" and isinstance(node, dict):
            node[
                dice.choice(("x", "$schema", "name", "__proto__", key + " ", "owned", "floor"))
            ] = copy.deepcopy(old)
        elif kind == "list":
            node[key] = [copy.deepcopy(old) for _ in range(dice.choice((1, 2, 300)))]
        elif kind in ("copy", "other"):
            names = instance_texts()
            source = json.loads(names[dice.choice(list(names))]) if kind == "other" else document
            giver, name = at(source, dice.choice(places(source)))
            node[key] = copy.deepcopy(giver[name])
        else:
            node[key] = copy.deepcopy(dice.choice(VALUES))
    return document


def text_of(document) -> str:
    """Return a document as text, with the raw values as they stand."""
    text = json.dumps(document, ensure_ascii=True)
    for value in VALUES:
        if isinstance(value, str) and value.startswith(RAW):
            text = text.replace(json.dumps(value), value.removeprefix(RAW))
    return text


def operations(dice: random.Random):
    """Return edits of bytes as the tests of importers make them."""
    kinds = {
        "put": lambda: dice.choice(PIECES),
        "cut": lambda: dice.randint(1, 60),
        "flip": lambda: dice.randint(0, 255),
        "double": lambda: dice.randint(1, 200),
        "move": dice.random,
        "end": lambda: None,
        "digits": lambda: dice.choice((b"0", b"-7", b"1e30", b"x")),
    }
    return [
        (name, dice.random(), kinds[name]())
        for name in dice.choices(sorted(kinds), k=dice.randint(1, 4))
    ]


def instance(dice: random.Random, spoilt: float = 0.3) -> bytes:
    """Return a hostile instance: its values changed, or its bytes."""
    text = instance_texts()[dice.choice(sorted(instance_texts()))]
    if dice.random() < spoilt:
        return spoil(text.encode(), operations(dice))
    return text_of(changed(json.loads(text), dice)).encode("utf-8", "surrogatepass")


def table(dice: random.Random) -> tuple[str, bytes]:
    """Return a hostile table's file name and content: some rows, their cells or bytes changed."""
    name = dice.choice(sorted(path.name for path in TABLES.glob("*.csv")))
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    head, rows = lines[0], dice.sample(lines[1:], min(len(lines) - 1, dice.randint(1, 4)))
    if dice.random() < 0.3:
        return name, spoil("\n".join((head, *rows)).encode(), operations(dice))
    columns = head.split(",")
    for _ in range(dice.randint(1, 3)):
        place = dice.randrange(len(rows))
        cells = rows[place].split(",")
        spot = dice.randrange(len(cells))
        cells[spot] = dice.choice((*CELLS, columns[spot % len(columns)]))
        rows[place] = ",".join(cells)
    if dice.random() < 0.2:
        rows.append(rows[0])
    if dice.random() < 0.1:
        head = head.replace(dice.choice(columns), dice.choice((*columns, "x", "")), 1)
    return name, "\n".join((head, *rows)).encode("utf-8", "surrogatepass")
