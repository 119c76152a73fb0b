"""The whole workbook of a solution, and whether it can be written here."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from planner.domain.solution import Solution
from planner.export.keys import started
from planner.export.text_file import write_bytes
from planner.export.xlsx.assumptions import write_assumptions
from planner.export.xlsx.bill import write_bill
from planner.export.xlsx.book import Book
from planner.export.xlsx.phrases import Phrases
from planner.export.xlsx.room import write_cables, write_racks
from planner.export.xlsx.summary import write_summary

WORKBOOK = "bill_of_materials.xlsx"


def can_write() -> bool:
    """Return whether XlsxWriter is installed."""
    return importlib.util.find_spec("xlsxwriter") is not None


def workbook(solution: Solution, lang: str = "en") -> bytes:
    """Return the workbook: summary, bill of materials, racks, cables, assumptions.

    Equal solutions give equal bytes.

    Raises
    ------
    UsageError
        If XlsxWriter is not installed or the language is unknown.
    """
    w = Phrases(lang)
    book = Book(solution.instance.title or solution.instance.name, w, started(solution))
    footer = f"{solution.instance.name} {solution.run.run_id}"
    bill = bool(solution.bill_of_materials)
    write_summary(book.sheet(w("sheet.summary"), footer), solution, w, bill=bill)
    if bill:
        write_bill(book.sheet(w("sheet.bill"), footer, pages_wide=2), solution, w)
    if solution.racks:
        write_racks(book.sheet(w("sheet.racks"), footer), solution, w)
    if solution.link_count:
        write_cables(book.sheet(w("sheet.cables"), footer), solution, w)
    if solution.assumptions:
        write_assumptions(book.sheet(w("sheet.assumptions"), footer), solution, w)
    return book.close()


def write_workbook(solution: Solution, path: Path, lang: str = "en") -> None:
    """Write the workbook into a file.

    Raises
    ------
    UsageError
        If XlsxWriter is not installed or the file cannot be written.
    """
    write_bytes(path, workbook(solution, lang))
