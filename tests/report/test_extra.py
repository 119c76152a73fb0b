"""Sections that only some answers have stand alike in page, summary, console and tables."""

from __future__ import annotations

import csv
import io

import pytest

from planner.domain.goodput_part import GoodputPart
from planner.export.star import star_files
from planner.report.console import console_text
from planner.report.html import page_html
from planner.report.markdown import summary_markdown

PART = GoodputPart(
    availability=0.9312, servers=7, spares=1, failures_per_1000_server_days=3.79,
    repairs_per_1000_server_days=2.9, mtbf_h=904.3, checkpoint_write_s=12.5,
    checkpoint_interval_s=8220.0, restart_s=900.0, repair_s=345600.0, checkpoint_share=0.95,
    waiting_share=0.0198, expected_failures=2.3,
)  # fmt: skip


@pytest.fixture
def modelled(plan):
    """Return the usual plan with a modelled availability."""
    jobs = [plan.workloads[0].model_copy(update={"goodput": PART}), *plan.workloads[1:]]
    return plan.model_copy(update={"workloads": jobs})


@pytest.mark.parametrize("lang", ["en", "es"])
def test_goodput_is_shown_where_it_is_modelled(plan, modelled, lang) -> None:
    """Availability, spares and time between failures; nothing of it where it is given."""
    for text in (page_html, summary_markdown):
        shown = text(modelled, lang)
        for figure in ("93.12", "904.3", "137.0", "12.5"):
            local = figure.replace(".", ",") if lang == "es" else figure
            assert local in shown, figure
    assert "93.1" in console_text(modelled, lang).replace(",", ".")
    assert 'id="goodput"' not in page_html(plan, lang)
    assert "904" not in summary_markdown(plan, lang)


def test_goodput_reads_back_from_the_star_schema(plan, modelled) -> None:
    """One row for the workload that models it, every figure as it is; none otherwise."""
    texts = dict(star_files(modelled))
    rows = list(csv.DictReader(io.StringIO(texts["fact_goodput.csv"].removeprefix("\ufeff"))))
    assert len(rows) == 1
    for name, value in PART.model_dump().items():
        assert float(rows[0][name]) == pytest.approx(value)
    empty = dict(star_files(plan))["fact_goodput.csv"]
    assert len(empty.splitlines()) == 1
