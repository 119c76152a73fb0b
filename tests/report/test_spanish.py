"""No English sentence stands in a Spanish report, apart from quoted sources and the user's words."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import pytest

from planner.cli.main import run
from planner.domain.solution import load_solution
from planner.export.sentences import sentences
from planner.export.xlsx.workbook import workbook
from planner.report.console import console_text
from planner.report.html import page_html
from planner.report.markdown import summary_markdown
from planner.report.plain import markdown, plain

ROOT = Path(__file__).parents[2]
TINY = json.loads((ROOT / "instances" / "tiny.json").read_text())
SAMPLES = sorted((ROOT / "reports" / "samples").glob("*/solution.json"))
ENGLISH = re.compile(
    r"\b(the|of|and|with|than|from|needs?|does|not|is|are|best|too|that|which|without|every|each|"
    r"there|has|have|over|under|within|only|between|switches|servers?|costs?|power|years?|price|"
    r"quote|estimate|default|cheaper|design|step|time|limit|own|list|street|by|to|at|for)\b",
    re.IGNORECASE,
)
ENGLISH_NUMBER = re.compile(r"\d,\d{3},\d{3}|\d{1,3},\d{3}\.\d|(?<![\d.,])\d+\.\d+%")
KEY = re.compile(r"\b(site|budget|fix|forbid|grid|finance)\.\w+")
"""Keys of the instance, named where one has to give."""
VOID = {"meta", "link", "br", "hr", "img", "input"}


class _Read(HTMLParser):
    """Collects texts that are not marked as quoted in English."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in VOID and tag != "html":
            self.open.append((tag, dict(attrs).get("lang")))

    def handle_endtag(self, tag):
        if tag != "html":
            self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "en" not in [lang for _, lang in self.open] and not {"style", "script"} & set(tags):
            self.texts.append(data)


def _own_words(solution):
    """Return what stays as it is: the user's words, codes, and quoted sources."""
    instance = solution.instance
    found = [instance.title, instance.name, instance.note, solution.run.solver]
    found += [text for w in solution.workloads for text in (w.name, w.network)]
    found += [place.note for place in instance.site.floor.places]
    found += [phase.name for phase in instance.growth.phases] if instance.growth else []
    known = sentences("es")
    sources = [line.price_source for line in solution.bill_of_materials]
    sources += [item.source for item in solution.assumptions]
    found += [text for text in sources if known.quoted(plain(text)) is None]
    found += [item.constraint for item in solution.binding]
    found += [line.part for line in solution.bill_of_materials]
    found += ["solution.json", "planner verify", "planner import quotes", "planner validate steps",
              "--leave-one-out", "Power BI", "cable_schedule", "bill_of_materials", "scale-up",
              "step_time", "rack_power", "Simple", "Server Edition"]  # fmt: skip
    both = [text for item in found for text in (item, plain(item), markdown(item)) if text]
    return sorted(set(both), key=len, reverse=True)


def _english(text, solution):
    """Return the lines in which English words or numbers are left."""
    text = KEY.sub("·", text.replace("\\", ""))
    for words in _own_words(solution):
        text = text.replace(words, "·")
    lines = [line for line in text.splitlines() if line.strip()]
    return [x for x in lines if ENGLISH.search(x) or ENGLISH_NUMBER.search(x)]


INSTANCES = sorted(
    path.stem
    for path in (ROOT / "instances").glob("*.json")
    if path.stem != "schema" and "regions" not in json.loads(path.read_text(encoding="utf-8"))
)
UNREACHABLE = {
    "too slow": {"workloads": [TINY["workloads"][0] | {"step_time_s": 0.01}]},
    "too dear": {"budget": {"capex_usd": 20_000}},
    "too hot": {"site": {"racks": 1, "rack_kw": 1}},
    "too little power": {"site": {"racks": 2, "rack_kw": 12, "power_kw": 2}},
    "too few GPUs": {"budget": {"gpus": 1}},
}
"""Changes of the smallest instance that leave no design."""


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTANCES)
def test_every_shipped_instance(name, tmp_path):
    """Goodput, owned hardware, several pools, rent: whatever sections its answer has."""
    file = ROOT / "instances" / f"{name}.json"
    assert run(["solve", str(file), "-o", str(tmp_path / "r"), "--lang", "es"]) in (0, 3)
    answer = load_solution(tmp_path / "r" / "solution.json")
    assert _english("\n".join(_Read(page_html(answer, "es")).texts), answer) == []


@pytest.fixture(scope="module", params=[*(p.parent.name for p in SAMPLES), *UNREACHABLE])
def answer(request, tmp_path_factory):
    """Return a shipped sample, or the planner's answer to an instance without a design."""
    for path in SAMPLES:
        if path.parent.name == request.param:
            return load_solution(path)
    folder = tmp_path_factory.mktemp("lost")
    document = {key: value for key, value in TINY.items() if key != "$schema"}
    (folder / "i.json").write_text(json.dumps(document | UNREACHABLE[request.param]))
    arguments = ["solve", str(folder / "i.json"), "-o", str(folder / "r"), "--lang", "es"]
    assert run(arguments) == 3
    return load_solution(folder / "r" / "solution.json")


def test_there_are_samples():
    """The walk over them must not be empty."""
    assert len(SAMPLES) >= 2


def test_the_page(answer):
    """Every text outside quoted sources, drawings included."""
    texts = _Read(page_html(answer, "es")).texts
    assert _english("\n".join(texts), answer) == []


def test_the_summary_and_the_table(answer):
    """Both text forms."""
    assert _english(summary_markdown(answer, "es").replace(" | ", "\n"), answer) == []
    table = " ".join(console_text(answer, "es").split())
    assert _english(table.replace(". ", ".\n").replace("; ", ";\n"), answer) == []


def test_the_workbook(answer):
    """Every cell that holds text."""
    book = openpyxl.load_workbook(io.BytesIO(workbook(answer, "es")))
    cells = [str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row
             if isinstance(cell.value, str) and not cell.value.startswith("=")]  # fmt: skip
    assert _english("\n".join(cells), answer) == []


def test_the_walk_sees_english(plan):
    """The English page must fail it."""
    assert len(_english("\n".join(_Read(page_html(plan)).texts), plan)) > 50
