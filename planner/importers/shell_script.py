"""Following a launch script far enough to know the words of its commands; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from planner.importers.shell_tokens import Token, here_documents, tokens
from planner.importers.shell_words import Variables
from planner.importers.source import Source

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w{0,200})(\+?)=(.*)", re.DOTALL)
_DECLARATIONS = frozenset(("export", "declare", "local", "readonly", "typeset"))
_TEST_WORDS = frozenset(("[", "[[", "]", "]]", "test"))
_SKIPPED_LOOPS = frozenset(("while", "until"))
MAX_COMMANDS = 20_000
MAX_WORDS = 400_000


@dataclass(slots=True, kw_only=True)
class Script:
    """The commands of a script with their words expanded, and its variables at the end."""

    variables: Variables
    commands: list[str] = field(default_factory=list)
    """Each command's words joined by spaces."""
    sourced: list[str] = field(default_factory=list)
    """Other files that it reads."""
    documents: list[str] = field(default_factory=list)
    """Texts that it writes to files (``<<EOT``), as they stand."""


@dataclass(slots=True)
class _Branch:
    """An ``if`` or ``case`` that is open."""

    active: bool
    taken: bool
    subject: str | None = None
    """Of a ``case``."""


def follow(source: Source, given: Mapping[str, str]) -> Script:
    """Return a script's commands; values in `given` win over the environment and parameters.

    Conditions are evaluated where they compare texts and numbers; others count as false. A loop's
    body counts once, a function's body where it stands.

    Raises
    ------
    InputError
        If the script has too many words.
    """
    walker = _Walker(Script(variables=Variables(given)))
    command: list[Token] = []
    for token in tokens(source):
        if token.operator and token.text in ";\n|&":
            walker.command(command, token.text)
            command = []
        else:
            command.append(token)
    walker.command(command, ";")
    walker.script.documents += here_documents(source)[1]
    return walker.script


class _Walker:
    """The state of following one script."""

    __slots__ = ("alternatives", "branches", "pending", "script", "skipped", "words")

    def __init__(self, script: Script) -> None:
        self.script = script
        self.branches: list[_Branch] = []
        self.pending: list[Token] | None = None
        """Tokens of a condition until ``then``."""
        self.skipped = 0
        """Depth of loops that are passed over."""
        self.alternatives: list[str] = []
        """Patterns of a case before the last: ``a | b | c)``."""
        self.words = 0

    @property
    def active(self) -> bool:
        return not self.skipped and all(branch.active for branch in self.branches)

    def command(self, command: list[Token], following: str) -> None:
        """Take one simple command and the operator after it."""
        case = bool(self.branches) and self.branches[-1].subject is not None
        if case and following == "|" and len(command) == 1 and not command[0].operator:
            self.alternatives.append(command[0].text)
            return
        while command:
            head = command[0].text if not command[0].operator else ""
            if self.pending is not None:
                if head != "then":
                    self.pending += [*command, Token(text=following, operator=True)]
                    return
                self._decide()
                command = command[1:]
            elif head in ("if", "elif"):
                self._open(head)
                self.pending = []
                command = command[1:]
            elif not self._keyword(head, command):
                self._plain(command)
                return
            else:
                command = self._after_keyword(head, command)

    def _open(self, head: str) -> None:
        if head == "if":
            self.branches.append(_Branch(active=False, taken=False))

    def _decide(self) -> None:
        condition, self.pending = self.pending or [], None
        if self.branches:
            branch = self.branches[-1]
            branch.active = not branch.taken and self._holds(condition)
            branch.taken = branch.taken or branch.active

    def _keyword(self, head: str, command: list[Token]) -> bool:
        if head in (
            "then",
            "else",
            "fi",
            "do",
            "done",
            "esac",
            "case",
            "for",
            "{",
            "}",
            "function",
        ):
            return True
        if head in _SKIPPED_LOOPS:
            return True
        inside_case = bool(self.branches) and self.branches[-1].subject is not None
        return inside_case and any(token.operator and token.text == ")" for token in command)

    def _after_keyword(self, head: str, command: list[Token]) -> list[Token]:
        """Carry out a keyword and return what is left of the command."""
        if head == "else" and self.branches:
            branch = self.branches[-1]
            branch.active, branch.taken = not branch.taken, True
        elif head in ("fi", "esac") and self.branches:
            self.branches.pop()
        elif head == "case" and len(command) > 1:
            subject = self.script.variables.expand(command[1].text)
            self.branches.append(_Branch(active=False, taken=False, subject=subject))
            return command[3:]
        elif head in _SKIPPED_LOOPS:
            self.skipped += 1
            return []
        elif head == "done":
            self.skipped = max(0, self.skipped - 1)
        elif head == "for":
            self._loop(command)
            return []
        elif head not in ("then", "do", "{", "}", "function"):
            return self._pattern(command)
        return command[1:]

    def _loop(self, command: list[Token]) -> None:
        if self.skipped:
            self.skipped += 1
        elif len(command) > 3 and command[2].text == "in":
            self.script.variables.assign(
                command[1].text, self.script.variables.expand(command[3].text)
            )

    def _pattern(self, command: list[Token]) -> list[Token]:
        """Take ``pattern)`` of a case and return the command after it."""
        ends = [i for i, token in enumerate(command) if token.operator and token.text == ")"]
        if not ends or not self.branches:
            return command[1:]
        end = ends[0]
        branch = self.branches[-1]
        texts = [token.text for token in command[:end] if not token.operator]
        texts += self.alternatives
        self.alternatives = []
        patterns = [self.script.variables.expand(text)[:200] for text in texts]
        subject = (branch.subject or "")[:200]
        match = any(
            pattern == subject or (pattern.count("*") < 4 and fnmatchcase(subject, pattern))
            for pattern in patterns
        )
        branch.active = match and not branch.taken
        branch.taken = branch.taken or branch.active
        return command[end + 1 :]

    def _plain(self, command: list[Token]) -> None:
        if not self.active:
            return
        while command and self._assigned(command[0]):
            command = command[1:]
        if not command:
            return
        head = command[0].text
        if head in _DECLARATIONS:
            for token in command[1:]:
                self._assigned(token)
            return
        if head in ("source", ".") and len(command) > 1:
            self.script.sourced.append(self.script.variables.expand(command[1].text)[:100])
            return
        text = " ".join(
            self.script.variables.expand(token.text) for token in command if not token.operator
        )
        self.words += len(text)
        if text.strip() and len(self.script.commands) < MAX_COMMANDS and self.words < MAX_WORDS * 8:
            self.script.commands.append(text)

    def _assigned(self, token: Token) -> bool:
        """Carry out an assignment; False if the token is none."""
        variables = self.script.variables
        if token.array is not None:
            name = token.text.rstrip("=").rstrip("+")
            words = " ".join(variables.expand(word) for word in token.array)
            variables.assign(name, words, append=token.text.endswith("+="), space=True)
            return True
        found = None if token.operator else _ASSIGNMENT.fullmatch(token.text)
        if found is None:
            return False
        variables.assign(found[1], variables.expand(found[3]), append=bool(found[2]))
        return True

    def _holds(self, condition: list[Token]) -> bool:
        """Return whether a condition holds; what cannot be told counts as false."""
        result = False
        joint = ""
        part: list[Token] = []
        for token in [*condition, Token(text=";", operator=True)]:
            if not (token.operator and token.text in "&|;\n"):
                part.append(token)
                continue
            if part:
                value = self._test(part)
                result = {"|": result or value, "&": result and value}.get(joint, value)
                part = []
            joint = token.text
        return result

    def _test(self, part: list[Token]) -> bool:
        words = [
            self.script.variables.expand(token.text)
            for token in part
            if not token.operator and token.text not in _TEST_WORDS
        ]
        signs = [token.text for token in part if token.operator and token.text in "<>"]
        negate = bool(words) and words[0] == "!"
        words = words[1:] if negate else words
        words = ["" if re.fullmatch(r"<[^<>]*>", word) else word for word in words]
        return _compare(words, signs) != negate


def _compare(words: list[str], signs: list[str]) -> bool:
    if len(words) == 2 and words[0] in ("-n", "-z"):
        return bool(words[1]) == (words[0] == "-n")
    if len(words) == 2 and signs:
        return _numbers(words[0], "-lt" if signs[0] == "<" else "-gt", words[1])
    if len(words) == 3:
        left, operator, right = words
        if operator in ("=", "=="):
            return left == right or (right.count("*") in (1, 2) and fnmatchcase(left, right[:200]))
        if operator == "!=":
            return left != right
        return _numbers(left, operator, right)
    return words == ["true"] or (len(words) == 1 and words[0] not in ("", "false", "0"))


def _numbers(left: str, operator: str, right: str) -> bool:
    try:
        a, b = float(left), float(right)
    except ValueError:
        return False
    return {
        "-eq": a == b,
        "-ne": a != b,
        "-gt": a > b,
        "-ge": a >= b,
        "-lt": a < b,
        "-le": a <= b,
    }.get(operator, False)
