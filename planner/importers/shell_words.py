"""Expanding shell words from the variables known so far: values, defaults, arithmetic, arrays."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

MAX_VALUE = 200_000
"""Characters of one value that are kept."""
MAX_DEPTH = 20
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}|[0-9@*#?!$-]")
_BRACED = re.compile(
    r"(?P<hash>#?)(?P<name>[A-Za-z_]\w{0,200}|[0-9]{1,3}|[@*#])(?P<index>\[[^\]]{0,100}\])?"
    r"(?P<rest>.*)",
    re.DOTALL,
)
_UNSET = re.compile(r"<([A-Za-z_]\w*|\d+)>")


class Variables:
    """Shell variables; one that is not set expands to ``<NAME>``, so that it can be named.

    Those given at the start are never changed by the script.
    """

    __slots__ = ("_given", "_spent", "values")

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self.values: dict[str, str] = dict(values or {})
        self._given = frozenset(self.values)
        self._spent = 0

    def assign(self, name: str, value: str, *, append: bool = False, space: bool = False) -> None:
        """Set or extend a variable; arrays are kept as their words joined by a space."""
        if name in self._given:
            return
        if append and self.values.get(name):
            value = self.values[name] + (" " if space else "") + value
        self.values[name] = value[:MAX_VALUE]

    def expand(self, word: str, depth: int = 0) -> str:
        """Return a word without its quotes, every expansion carried out."""
        self._spent += 1 + len(word) // 64
        if depth > MAX_DEPTH or self._spent > 500_000:
            return ""
        parts: list[str] = []
        place, size = 0, 0
        while place < len(word) and size < MAX_VALUE:
            piece, place = self._piece(word, place, depth)
            parts.append(piece)
            size += len(piece)
        return "".join(parts)[:MAX_VALUE]

    def _piece(self, word: str, place: int, depth: int) -> tuple[str, int]:
        char = word[place]
        if char == "\\":
            return word[place + 1 : place + 2], place + 2
        if char == "'":
            end = word.find("'", place + 1)
            end = len(word) if end < 0 else end
            return word[place + 1 : end], end + 1
        if char == '"':
            return "", place + 1
        if char == "`":
            end = word.find("`", place + 1)
            return "<command>", (len(word) if end < 0 else end) + 1
        if char == "$":
            return self._dollar(word, place, depth)
        return char, place + 1

    def _dollar(self, word: str, place: int, depth: int) -> tuple[str, int]:
        following = word[place + 1 : place + 2]
        if following == "{":
            end = _closing(word, place + 1, "{", "}")
            return self._braced(word[place + 2 : end], depth), end + 1
        if word.startswith("$((", place):
            end = _closing(word, place + 1, "(", ")")
            inside = self.expand(_with_dollars(word[place + 3 : end - 1]), depth + 1)
            return arithmetic(inside), end + 1
        if following == "(":
            end = _closing(word, place + 1, "(", ")")
            return self._command(word[place + 2 : end], depth), end + 1
        found = _NAME.match(word, place + 1)
        if found is None:
            return "$", place + 1
        return self.value(found[0]), found.end()

    def _command(self, text: str, depth: int) -> str:
        """Return what a command prints where that is plain: ``echo`` and ``expr``."""
        words = text.split(None, 1)
        if len(words) == 2 and words[0] == "echo" and "|" not in text:
            return self.expand(words[1], depth + 1)
        if len(words) == 2 and words[0] == "expr":
            return arithmetic(self.expand(words[1].replace("\\*", "*"), depth + 1))
        return "<command>"

    def value(self, name: str) -> str:
        """Return a variable's value, ``<NAME>`` if it is not set."""
        return self.values.get(name, f"<{name}>")

    def _braced(self, inside: str, depth: int) -> str:
        found = _BRACED.fullmatch(inside)
        if found is None:
            return ""
        name, rest, index = found["name"], found["rest"], found["index"]
        known = self.values.get(name)
        if found["hash"] and known is not None:
            return str(len(known.split()))
        if index and known is not None and index[1:-1].isdigit():
            words = known.split()
            return words[int(index[1:-1])] if int(index[1:-1]) < len(words) else ""
        for sign in (":-", ":=", "-", "="):
            if rest.startswith(sign):
                if known:
                    return known
                value = self.expand(rest[len(sign) :], depth + 1)
                if "=" in sign:
                    self.assign(name, value)
                return value
        if rest.startswith((":+", "+")):
            return self.expand(rest.lstrip(":+"), depth + 1) if known else ""
        if rest == ",,":
            return self.value(name).lower()
        return self.value(name)


def _closing(word: str, place: int, opener: str, closer: str) -> int:
    depth = 0
    while place < len(word):
        if word[place] == opener:
            depth += 1
        elif word[place] == closer:
            depth -= 1
            if depth == 0:
                return place
        place += 1
    return len(word)


def _with_dollars(expression: str) -> str:
    """Return an arithmetic expression whose bare names are written as expansions."""
    return re.sub(r"(?<![\w${])([A-Za-z_]\w*)", r"${\1}", expression)


def arithmetic(expression: str) -> str:
    """Return the value of an integer expression as text, or its text in angle brackets."""
    unset = _UNSET.search(expression)
    if unset is not None:
        return unset[0]
    if len(expression) > 500:
        return "<expression>"
    try:
        tree = ast.parse(expression.strip() or "0", mode="eval")
        return str(_evaluate(tree.body))
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return "<expression>"


def _evaluate(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        if abs(node.value) > 10**18:
            raise ValueError
        return int(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_evaluate(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left), _evaluate(node.right)
        result = _operate(node.op, left, right)
        if abs(result) <= 10**18:
            return result
    raise ValueError


def _operate(operator: ast.operator, left: int, right: int) -> int:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.Div | ast.FloorDiv):
        return left // right
    if isinstance(operator, ast.Mod):
        return left % right
    raise ValueError
