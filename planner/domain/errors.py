"""Errors that a user can act on; each renders itself as plain sentences."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 1200
"""Characters of one fault; lists of what would be right are shorter."""
TAIL = 200
"""Characters of its end that are kept: there stands what would be right."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of an input file: where it is, what is wrong, what would be right."""

    where: str
    what: str
    right: str = ""

    def __str__(self) -> str:
        """Return the fault on one line; of what a file repeats at length the middle is left out."""
        line = f"{self.where}: {self.what}" + (f"; {self.right}" if self.right else "")
        if len(line) <= LONGEST:
            return line
        return f"{line[: LONGEST - TAIL - 3]}...{line[-TAIL:]}"


class PlannerError(Exception):
    """Base of every error that is reported without a traceback; `exit_code` is the process's."""

    exit_code = 2


class InputError(PlannerError):
    """A file cannot be used; carries every fault found, not only the first."""

    def __init__(self, file: str, faults: list[Fault]) -> None:
        self.file = file
        self.faults = faults
        super().__init__(file)

    def __str__(self) -> str:
        """Return one line per fault, each beginning with the file."""
        return "\n".join(f"{self.file}: {fault}" for fault in self.faults)


class UsageError(PlannerError):
    """A request that cannot be carried out as asked."""


class NoDesignError(PlannerError):
    """Something was asked of a design, and the answer is that there is none."""

    exit_code = 3


class SolverError(PlannerError):
    """A solver failed or returned something that its contract excludes."""

    exit_code = 4
