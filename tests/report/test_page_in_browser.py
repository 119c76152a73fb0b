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
            text = page_html(solution, lang)
            if paper:
                text = text.replace("@media print{", "@media all{")
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
def pages(plan, large, lost, hostile_plan, euro_plan, studied):
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
