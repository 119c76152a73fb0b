"""The page as a browser lays it out; skipped where no Chromium is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape

import pytest

from planner.report.html import page_html

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--allow-file-access-from-files",
]  # fmt: skip
WIDTHS = (1440, 768, 390)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")

PROBE = """
function over(view, root) {
  var found = [];
  view.querySelectorAll('body *').forEach(function (e) {
    if (e.closest('svg') || e.classList.contains('skip')) return;
    if (e.closest('.scroll') && !e.classList.contains('scroll')) return;
    if (getComputedStyle(e).position === 'absolute') return;
    var box = e.getBoundingClientRect();
    if (box.width && box.right > root.clientWidth + 1) found.push(e.tagName + ' ' + e.textContent.slice(0, 30));
  });
  return found;
}
function column(table, k) {
  return Array.from(table.tBodies[0].rows).map(function (row) {
    var data = row.cells[k].querySelector('data');
    return data ? Number(data.value) : row.cells[k].textContent.trim();
  });
}
function probe(frame) {
  var view = frame.contentDocument, root = view.documentElement;
  var result = {name: frame.title, width: root.scrollWidth, client: root.clientWidth, over: over(view, root)};
  var bill = view.querySelector('#bill table.sorts');
  if (bill) {
    var head = bill.tHead.rows[0].cells[4], input = view.querySelector('#bill .filter input');
    result.before = column(bill, 4);
    head.querySelector('button').click();
    result.rising = column(bill, 4);
    result.sorted = head.getAttribute('aria-sort');
    head.querySelector('button').click();
    result.falling = column(bill, 4);
    input.value = 'qm9700';
    input.dispatchEvent(new Event('input'));
    result.shown = Array.from(bill.tBodies[0].rows).filter(function (r) { return !r.hidden; }).length;
  }
  return result;
}
window.onload = function () {
  var found = Array.from(document.querySelectorAll('iframe')).map(probe);
  document.getElementById('out').textContent = JSON.stringify(found);
};
"""


def _chromium(folder, *arguments):
    """Run the browser and return what it prints."""
    environment = os.environ | {"HOME": str(folder)}
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=120, env=environment, check=True)
    return done.stdout.decode()


@pytest.fixture(scope="module")
def layouts(plan, large, lost, hostile_plan, euro_plan, tmp_path_factory):
    """Return what the browser measured of every page at every width."""
    folder = tmp_path_factory.mktemp("pages")
    pages = {"plan": plan, "large": large, "lost": lost, "hostile": hostile_plan, "euro": euro_plan}
    frames = []
    for name, solution in pages.items():
        for lang in ("en", "es"):
            (folder / f"{name}-{lang}.html").write_text(page_html(solution, lang), encoding="utf-8")
            frames += [
                f'<iframe title="{name}-{lang}-{width}" src="{name}-{lang}.html" '
                f'style="width:{width}px;height:900px;border:0"></iframe>'
                for width in WIDTHS
            ]
    wrapper = f'<!doctype html><meta charset="utf-8"><p id="out"></p>{"".join(frames)}<script>{PROBE}</script>'
    (folder / "wrapper.html").write_text(wrapper, encoding="utf-8")
    text = _chromium(folder, "--dump-dom", f"file://{folder}/wrapper.html")
    found = re.search(r'<p id="out">(.*?)</p>', text, re.DOTALL)
    return {item["name"]: item for item in json.loads(unescape(found[1]))}


def test_no_page_is_wider_than_its_window(layouts):
    """At 1440, 768 and 390 pixels, in both languages, with hostile names too."""
    assert len(layouts) == 5 * 2 * len(WIDTHS)
    for name, item in layouts.items():
        assert item["width"] <= item["client"], name
        assert item["over"] == [], name


def test_tables_sort_by_value_both_ways(layouts):
    """By the number, not by its text; the direction is announced."""
    for name in ("plan-en-1440", "large-es-390"):
        item = layouts[name]
        assert item["before"] != sorted(item["before"])
        assert item["rising"] == sorted(item["before"])
        assert item["falling"] == sorted(item["before"], reverse=True)
        assert item["sorted"] == "ascending"


def test_tables_filter_their_rows(layouts):
    """One line of the bill is the switch."""
    assert layouts["plan-en-1440"]["shown"] == 1
    assert layouts["large-es-768"]["shown"] == 1


def test_the_page_prints_to_pdf(plan, tmp_path):
    """For whoever signs on paper."""
    (tmp_path / "page.html").write_text(page_html(plan), encoding="utf-8")
    _chromium(tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}", f"file://{tmp_path}/page.html")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
