"""The page as a browser lays it out; skipped where no Chromium is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from planner.cli.main import run
from planner.domain.solution import load_solution
from planner.report.html import page_html

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless", "--hide-scrollbars", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--allow-file-access-from-files",
]  # fmt: skip
WIDTHS = (1440, 768, 390)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

PROBE = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")
SAMPLES = Path(__file__).parents[2] / "reports" / "samples"
PAPER = 686
"""Pixels between the margins of A4 upright."""


def _chromium(folder, *arguments):
    """Run the browser and return what it prints."""
    environment = os.environ | {"HOME": str(folder)}
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment, check=True)
    return done.stdout.decode()


def _measured(folder, pages, widths, paper=False):
    """Return what the browser measures of every page at every width, by page-language-width."""
    frames = []
    for name, solution in pages.items():
        for lang in ("en", "es"):
            text = solution[lang] if isinstance(solution, dict) else page_html(solution, lang)
            if paper:
                text = text.replace("@media print{", "@media all{")
                text = text.replace("@media screen and", "@media not all and")
                style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
                text = re.sub(r"'sha256-[^']+'", lambda _: "'unsafe-inline'", text, count=1)
                assert "@media all" in style
            (folder / f"{name}-{lang}.html").write_text(text, encoding="utf-8")
            frames += [
                f'<iframe title="{name}-{lang}-{width}" src="{name}-{lang}.html" '
                f'style="width:{width}px;height:900px;border:0"></iframe>'
                for width in widths
            ]
    wrapper = f'<!doctype html><meta charset="utf-8"><p id="out"></p>{"".join(frames)}<script>{PROBE}</script>'
    (folder / "wrapper.html").write_text(wrapper, encoding="utf-8")
    text = _chromium(folder, "--dump-dom", f"file://{folder}/wrapper.html")
    found = re.search(r'<p id="out">(.*?)</p>', text, re.DOTALL)
    return {item["name"]: item for item in json.loads(unescape(found[1]))}


@pytest.fixture(scope="module")
def joined(tmp_path_factory):
    """Return the page over two sites in each language."""
    folder = tmp_path_factory.mktemp("regions")
    pages = {}
    for lang in ("en", "es"):
        place = folder / lang
        assert run(["regions", "two-sites", "-o", str(place), "--lang", lang, "--json"]) == 0
        pages[lang] = (place / "index.html").read_text(encoding="utf-8")
    return pages


def _dear(plan):
    """Return a plan whose amounts have the digits of the largest instance."""
    times = 150.0

    def raised(part):
        money = {k: getattr(part, k) for k in type(part).model_fields if k.endswith("_usd")}
        return part.model_copy(update={k: v * times for k, v in money.items() if v is not None})

    cost = raised(plan.cost).model_copy(
        update={"components": [raised(line) for line in plan.cost.components]}
    )
    return raised(plan).model_copy(
        update={
            "cost": cost,
            "bill_of_materials": [raised(line) for line in plan.bill_of_materials],
            "alternatives": [raised(item) for item in plan.alternatives],
        }
    )


@pytest.fixture(scope="module")
def pages(plan, large, lost, hostile_plan, euro_plan, studied, joined):
    """Return small, shipped and large answers, an infeasible one, hostile names, another currency."""
    shipped = {
        path.parent.name: load_solution(path) for path in sorted(SAMPLES.glob("*/solution.json"))
    }
    made = {
        "plan": plan,
        "large": large,
        "lost": lost,
        "hostile": hostile_plan,
        "euro": euro_plan,
        "studied": studied,
        "billions": _dear(large),
        "regions": joined,
    }
    return made | shipped


@pytest.fixture(scope="module")
def layouts(pages, tmp_path_factory):
    """Return what the browser measured of every page on a desk, a tablet and a phone."""
    return _measured(tmp_path_factory.mktemp("pages"), pages, WIDTHS)


@pytest.fixture(scope="module")
def printed(pages, tmp_path_factory):
    """Return what it measured with the rules for paper."""
    return _measured(tmp_path_factory.mktemp("paper"), pages, (PAPER,), paper=True)


@pytest.mark.parametrize("kind", ["layouts", "printed"])
@pytest.mark.parametrize("fault", ["small", "overlaps", "cut"])
def test_every_label_can_be_read(request, kind, fault):
    """At least 9 pixels high, no text over another, none cut at the edge of its drawing."""
    faults = {
        name: item[fault] for name, item in request.getfixturevalue(kind).items() if item[fault]
    }
    assert faults == {}


def test_no_page_is_wider_than_its_window(pages, layouts, printed):
    """At 1440, 768 and 390 pixels and on paper, in both languages, with hostile names too."""
    assert len(layouts) == len(pages) * 2 * len(WIDTHS)
    for name, item in (layouts | printed).items():
        assert item["width"] <= item["client"], name
        assert item["over"] == [], name


def test_no_table_is_pushed_sideways(layouts, printed):
    """Billions too: on a desk, a tablet, a phone and on paper every column is seen at once."""
    faults = {
        name: item["aside"] for name, item in (layouts | printed).items()
        if item["aside"] and not name.startswith("hostile")
    }  # fmt: skip
    assert faults == {}


def test_tables_sort_by_value_both_ways(layouts):
    """By the number, not by its text; the direction is announced."""
    seen = [item for item in layouts.values() if "before" in item]
    assert len(seen) >= 4 * 2 * len(WIDTHS)
    for item in seen:
        assert item["rising"] == sorted(item["before"])
        assert item["falling"] == sorted(item["before"], reverse=True)
        assert item["sorted"] == "ascending"


def test_tables_filter_their_rows(layouts):
    """By a part's id one line is left, by nothing all come back."""
    for name, item in layouts.items():
        if "before" in item and not name.startswith("hostile"):
            assert 1 <= item["shown"] < len(item["before"]), name
            assert item["back"] == len(item["before"])


def test_the_probe_finds_what_it_looks_for(tmp_path):
    """A page with every fault: too wide, too small, overlapping, cut."""
    page = (
        "<!doctype html><body><div style='width:2000px'>w</div><p style='font-size:6px'>tiny</p>"
        "<p style='margin:0;line-height:20px'>under</p>"
        "<p style='margin:-20px 0 0;line-height:20px'>above</p>"
        "<svg width='100' height='40'><text x='90' y='20'>leaves its frame</text></svg>"
    )
    (tmp_path / "bad.html").write_text(page, encoding="utf-8")
    wrapper = (
        '<!doctype html><p id="out"></p><iframe title="bad" src="bad.html" width="600" '
        f'height="400"></iframe><script>{PROBE}</script>'
    )
    (tmp_path / "wrapper.html").write_text(wrapper, encoding="utf-8")
    text = _chromium(tmp_path, "--dump-dom", f"file://{tmp_path}/wrapper.html")
    (found,) = json.loads(unescape(re.search(r'<p id="out">(.*?)</p>', text, re.DOTALL)[1]))
    assert found["width"] > found["client"]
    for fault in ("over", "small", "overlaps", "cut"):
        assert found[fault], fault


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", ["plan", "large", "budget"])
def test_the_page_prints_to_pdf(pages, name, lang, tmp_path):
    """For whoever signs on paper: more than one page, not hundreds."""
    (tmp_path / "page.html").write_text(page_html(pages[name], lang), encoding="utf-8")
    _chromium(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", f"file://{tmp_path}/page.html")
    pdf = (tmp_path / "page.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 40


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext on this machine")
@pytest.mark.parametrize("lang", ["en", "es"])
def test_headings_of_long_tables_stand_on_every_sheet(pages, lang, tmp_path):
    """A list longer than a sheet says on the next one too what its columns are."""
    plan = pages["large"]
    bill = plan.bill_of_materials * 12
    text = page_html(plan.model_copy(update={"bill_of_materials": bill}), lang)
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    pdf = tmp_path / "page.pdf"
    _chromium(tmp_path, f"--print-to-pdf={pdf}", f"file://{tmp_path}/page.html")
    done = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, check=True)
    sheets = done.stdout.decode().split("\f")
    part = bill[0].part
    listed = [sheet for sheet in sheets if sheet.count(part) >= 2]
    assert len(listed) >= 2
    heads = {
        "en": ("Part", "Component", "Price kind"),
        "es": ("Pieza", "Componente", "Tipo de precio"),
    }
    for sheet in listed:
        assert all(head in sheet for head in heads[lang])
