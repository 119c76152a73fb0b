from __future__ import annotations

import ast
import json
import re
import string
from pathlib import Path

import pytest

import planner
from planner.domain.catalog import load_catalog
from planner.export.sentences import day_text, number_text, sentences

PACKAGE = Path(planner.__file__).parent
ES = json.loads((PACKAGE / "export" / "sentences_es.json").read_text(encoding="utf-8"))
ENGLISH = re.compile(
    r"\b(the|of|and|with|than|from|need|needs|does|not|is|are|at best|too|that|which|without|"
    r"every|each|there|has|have|over|under|within|only|between|switches|servers|costs?)\b"
)
OURS = re.compile(
    r"\b(server|tower|workstation|rack of|half|self-built|bridges|with|has|is|way)\b", re.IGNORECASE
)
"""Words of ours in the names and states of servers."""
SPEAKERS = ("program", "study", "physics")
"""Folders whose texts reach the solution."""
SILENT = {
    "study": (
        "calibrate", "calibrate_compute", "validate_collectives", "validate_steps", "program_text",
        "collective_rows", "step_rows", "row_reading", "row_machine", "row_network", "row_cells",
        "leave_one_out", "profiled_job", "profile_rows", "error_figures",
        "sweep", "sweep_axes", "sweep_points", "sweep_pools", "sweep_store", "sweep_task",
    ),
    "program": ("engines", "choices", "owned_check", "service_faults"),
    "physics": (),
}  # fmt: skip
"""Files that speak to tables of rows, to solvers or in error messages: never in a report."""
CALLS = {"Fault", "InputError", "UsageError", "say", "getLogger", "compile", "nearest", "Field"}
"""Calls whose texts are messages on the terminal."""
PARTS = {
    "{0} of {1}": "precision or optimizer of a workload",
    "{0} {1} {2} need {3} racks of {4}; the room has {5}": "tried with every kind of device below",
    "{0} kg": "a figure",
    "{0} units": "a figure",
    "{0} {1}x{2}G {3} to {4}{5}": "kind, rate and connectors of a cable, tried below",
    "{0} servers and their switches fit the racks, but no arrangement lets ": "first half",
    "{0}cables reach everywhere": "second half",
    "none yet": "on the terminal while the search runs",
    "NVIDIA DGX SuperPOD H100 bill of materials: 3 PDUs of 34.5 kVA for 40.8 kW": "quoted source",
    "NVIDIA Spectrum-X at xAI, vendor claim": "quoted source",
}
"""Templates too wide to be matched; their sentences stand in the catalogue one by one."""
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[^A-Za-z\n]* [^ ]*[a-z{]|\} [a-z]{2,}")


class _Texts(ast.NodeVisitor):
    """Collects texts of at least two words, parameters numbered."""

    def __init__(self):
        self.found = []

    def visit_Raise(self, node):
        pass

    def visit_AnnAssign(self, node):
        if node.value:
            self.visit(node.value)

    def visit_arguments(self, node):
        pass

    def visit_Subscript(self, node):
        self.visit(node.value)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in CALLS:
            self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self._keep(node.value)

    def visit_JoinedStr(self, node):
        text, number = "", 0
        for value in node.values:
            if isinstance(value, ast.Constant):
                text += value.value
            else:
                text += f"{{{number}}}"
                number += 1
                self.visit(value.value)
        self._keep(text)

    def _keep(self, text):
        if TWO_WORDS.search(text) and not re.search(r"[\n=]|^\S*_\S*$", text):
            self.found.append(text)


def _spoken():
    for folder in SPEAKERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            if path.stem in SILENT[folder]:
                continue
            texts = _Texts()
            texts.visit(ast.parse(path.read_text(encoding="utf-8")))
            for text in texts.found:
                yield pytest.param(text, id=f"{folder}/{path.stem}")


def _filled(template):
    return re.sub(r"\{(\d+)\}", lambda m: f"Q{int(m[1]) + 7}", template)


@pytest.mark.parametrize("template", list(_spoken()))
def test_every_sentence_that_the_code_makes_has_a_translation(template):
    """A new one fails here until the catalogue of each language holds it."""
    if template in PARTS:
        return
    found = sentences("es").translate(_filled(template))
    assert found is not None, f"add to planner/export/sentences_es.json: {template!r}"
    assert not ENGLISH.search(found), f"{template!r} reads {found!r}"


def test_every_server_and_reason_of_the_catalogue_is_said():
    """Names keep their makers' words; ours turn: servers, workstations, why one cannot be bought."""
    servers = load_catalog().servers.values()
    texts = [f"{row.vendor} {row.model}" for row in servers] + [row.model for row in servers]
    texts += [f"{row.id} {row.not_buyable}" for row in servers if row.not_buyable]
    left = {text: sentences("es").said(text).replace("Server Edition", "") for text in texts}
    assert {text for text, said in left.items() if OURS.search(said)} == set()


def test_the_walk_finds_the_sentences():
    """The test above would pass on an empty list."""
    spoken = {item.values[0] for item in _spoken()}
    assert len(spoken) > 100
    assert "{0} needs liquid cooling; the site has air" in spoken


def test_every_exception_is_still_made():
    """One whose code is gone goes too."""
    assert set(PARTS) <= {item.values[0] for item in _spoken()}
    for folder, names in SILENT.items():
        for name in names:
            assert (PACKAGE / folder / f"{name}.py").is_file(), name


def test_a_translation_fills_the_places_of_its_template():
    """A dropped parameter would hide a figure."""
    for key, value in ES.items():
        places = [
            sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)
            for text in (key, value)
        ]
        assert places[0] == places[1], key


@pytest.mark.parametrize("device", ["servers", "leaf switches", "spine switches", "core switches"])
@pytest.mark.parametrize("size", ["at 10.2 kW", "of 4 units", "of 1,200.5 kg"])
def test_sentences_of_crowded_racks(device, size):
    """Made of four parts, each translated, figures in Spanish notation."""
    found = sentences("es").said(f"64 {device} {size} need 22 racks of 30 kW; the room has 12")
    assert found.endswith("necesitan 22 racks de 30 kW; la sala tiene 12".replace("30 ", "30\xa0"))
    assert not ENGLISH.search(found)


@pytest.mark.parametrize("kind", ["DAC", "AEC", "ACC", "AOC"])
def test_cables_and_the_second_half_of_a_sentence(kind):
    """What the walk above sees in halves is whole in the solution."""
    said = sentences("es").said
    assert said(f"{kind} 2x400G OSFP to OSFP 3 m") == f"{kind} 2x400G OSFP a OSFP 3 m"
    text = "9 servers and their switches fit the racks, but no arrangement lets cables reach everywhere"
    assert not ENGLISH.search(said(text))


def test_names_pass_and_figures_turn():
    """A name that looks like a number part or a sentence stays what it is."""
    said = sentences("es").said
    assert said("step time of run of the night") == "tiempo por paso de run of the night"
    assert said("memory of llama-3.1-8b") == "memoria de llama-3.1-8b"
    assert said("1.5 TB") == "1,5\xa0TB"
    assert said("something new") == "something new"
    assert said("") == ""


def test_templates_in_templates():
    """A sentence inside a sentence is translated too; places may change their order."""
    text = "too slow: job steps in 24.69 s at best, limit 1,022.9 s (8 x HGX B300 8-GPU server on an ideal fabric)"
    assert sentences("es").said(text) == (
        "demasiado lento: job tarda 24,69 s por paso en el mejor caso, límite 1.022,9 s "
        "(8 x servidor HGX B300 de 8 GPU con una red ideal)"
    )


def test_numbers_and_days():
    """Thousands, decimals, percent, exponents and units; months and days."""
    assert number_text("-85,011") == "-85.011"
    assert number_text("7.5%") == "7,5\xa0%"
    assert number_text("1.5e+04") == "15.000"
    assert number_text("0.085 USD/kWh") == "0,085\xa0USD/kWh"
    assert number_text("qm9700") is None
    assert day_text("2026-09-22", "es") == "22/09/2026"
    assert day_text("2026-09", "es") == "09/2026"
    assert day_text("2026", "es") == "2026"
    assert day_text("2026-09-22", "en") == "2026-09-22"


def test_a_quoted_source_is_never_half_translated():
    """Our own words turn, a title stays whole."""
    assert sentences("es").quoted("own count") == "recuento propio"
    assert sentences("es").quoted("own: 3 USD + 0.6 USD/m") is None


def test_english_needs_no_catalogue():
    """The program speaks it."""
    assert sentences("en") is None
