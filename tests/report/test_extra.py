"""Sections that only some answers have stand alike in page, summary, console and tables."""

from __future__ import annotations

import csv
import io

import pytest

from planner.domain.goodput_part import GoodputPart
from planner.domain.portfolio_part import (
    DecisionPart,
    PoolPart,
    PortfolioPart,
    RentPart,
    ReservationPart,
)
from planner.export.star import star_files
from planner.report.console import console_text
from planner.report.html import page_html
from planner.report.markdown import summary_markdown
from planner.report.write import write_report

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


@pytest.fixture(scope="module")
def split(plan):
    """Return an answer of one pool and one rented workload, made of the usual plan."""
    rent = RentPart(
        workload=plan.workloads[0].name, offer="p-h100-on-demand", provider="Provider",
        instance="8x H100", term="on_demand", instances=3, step_time_s=1.0, limit_s=2.0,
        target_s=2.2, strategy_label="DP24", busy_fraction=0.314, hours_per_year=2752.5,
        reserved=0, unit_usd=1000.25, total_usd=3000.75, egress_usd=12.5, break_even_busy=0.523,
        break_even_months=31.0,
    )  # fmt: skip
    pool = PoolPart(
        name=plan.instance.name, place="room", workloads=[w.name for w in plan.workloads],
        total_usd=plan.cost.total_usd, capex_usd=plan.cost.capex_usd, racks=len(plan.racks),
        first_row=0, first_column=0,
    )  # fmt: skip
    base = ReservationPart(
        offer="p-h100", term="1y", row="p-h100-1y", instances=2, unit_usd=500.0, total_usd=1000.0
    )
    others = [
        DecisionPart(name="job_by_job", total_usd=plan.objective_usd * 2),
        DecisionPart(name="own_only", total_usd=None),
    ]
    portfolio = PortfolioPart(
        pools=[pool], rents=[rent], reservations=[base], storage_usd=0.0, others=others
    )
    empty = {"design": None, "workloads": [], "racks": [], "devices": [], "cables": [],
             "binding": [], "alternatives": []}  # fmt: skip
    return plan.model_copy(update=empty | {"portfolio": portfolio, "pools": [plan]})


@pytest.mark.parametrize("lang", ["en", "es"])
def test_pools_and_rent_are_shown(split, lang) -> None:
    """Who runs where, the reservation, break-even, and what job by job would cost."""
    for text in (page_html, summary_markdown):
        shown = text(split, lang).replace(",", ".")
        for figure in ("8x H100", "31.4", "52.3", "31", "Provider", "100.0", "p-h100-1y"):
            assert figure in shown.replace("p\\-h100\\-1y", "p-h100-1y"), figure
    console = console_text(split, lang)
    assert "8x H100" in console
    assert len(console.splitlines()) <= 40


def test_pools_and_rent_read_back_from_the_star_schema(split) -> None:
    """One row a pool and one a rent, every figure as it is."""
    texts = dict(star_files(split))
    pools, rents = (
        list(csv.DictReader(io.StringIO(texts[f"fact_{name}.csv"].removeprefix("\ufeff"))))
        for name in ("pool", "rent")
    )
    assert [row["pool"] for row in pools] == [split.pools[0].instance.name]
    assert float(pools[0]["total_usd"]) == split.portfolio.pools[0].total_usd
    assert int(pools[0]["nodes"]) == split.pools[0].design.nodes
    rent = split.portfolio.rents[0]
    for name in ("instances", "busy_fraction", "unit_usd", "total_usd", "break_even_months"):
        assert float(rents[0][name]) == pytest.approx(getattr(rent, name))


def test_each_pool_has_a_report_of_its_own(split, tmp_path) -> None:
    """In the folder of its name, below the whole."""
    names = {str(path.relative_to(tmp_path)) for path in write_report(split, tmp_path / "r")}
    pool = split.pools[0].instance.name
    assert "r/index.html" in names
    assert f"r/pools/{pool}/index.html" in names
    assert (tmp_path / "r" / "pools" / pool / "solution.json").is_file()
