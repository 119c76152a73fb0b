"""The page, the summary and the tables say of every combination what the solution says."""

from __future__ import annotations

import re

import pytest

from planner.domain.combination import Combination, combined
from planner.report.combinations import combined_kinds, counted
from planner.report.html import page_html
from planner.report.markdown import summary_markdown
from planner.report.view import view

DESIGN = "8 x HGX H200 8-GPU server, infiniband 400G, 2 x qm9700"


@pytest.fixture
def whole(plan):
    """A plan whose combinations are of every status."""
    total, steps = plan.objective_usd, {"pretrain": 37.5}
    rows = {
        names: Combination(
            scale_up=names[0], family=names[1], topology=names[2], status="infeasible",
            reason="the instance leaves no such server" if names[0] == "xgmi" else "too slow",
        )
        for names in combined(["nvswitch", "pcie_p2p", "xgmi"])
    }  # fmt: skip

    def put(names, **update):
        rows[names] = rows[names].model_copy(update=update)

    put(
        ("nvswitch", "infiniband", "leaf_spine"),
        status="chosen",
        objective_usd=total,
        bound_usd=total,
        delta_usd=0.0,
        summary=DESIGN,
        reason="",
        step_times_s=steps,
    )
    put(
        ("nvswitch", "roce", "single"),
        status="optimal",
        objective_usd=total + 1234.56,
        bound_usd=total + 1234.56,
        delta_usd=1234.56,
        summary=DESIGN,
        step_times_s=steps,
        reason="over the years in USD: switches +1,235",
    )
    for family in ("infiniband", "roce"):
        put(
            ("pcie_p2p", family, "single"),
            status="bounded",
            bound_usd=total * 2,
            delta_usd=total,
            reason="at least: no design of the grid costs less than the answer",
        )
    return plan.model_copy(update={"combinations": list(rows.values())})  # fmt: skip


def test_the_chosen_kind_stands_first_and_the_impossible_are_one_sentence(whole) -> None:
    """A reader sees what was chosen, then what is nearest; a kind that cannot be is no table."""
    kinds = combined_kinds(view(whole, "en"))
    assert [kind.name for kind in kinds] == ["NVSwitch", "PCIe peer-to-peer", "Infinity Fabric"]
    assert kinds[0].rows[0].verdict == "chosen"
    assert not kinds[2].rows
    assert kinds[2].impossible == "the instance leaves no such server"


def test_every_combination_is_in_exactly_one_row(whole) -> None:
    """Alike ones share a row, and none is lost."""
    for kind in combined_kinds(view(whole, "en"))[:2]:
        text = "; ".join(row.network for row in kind.rows)
        for family in ("InfiniBand", "Ethernet (RoCE)"):
            for topology in ("one switch", "leaf-spine"):
                rows = [
                    r
                    for r in kind.rows
                    if re.search(rf"{re.escape(family)}[^;]*{topology}", r.network)
                ]
                assert len(rows) == 1, (family, topology, text)
    assert sum(counted(whole).values()) == len(whole.combinations)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_page_and_summary_state_each_figure(whole, lang) -> None:
    """Unrounded costs and differences on the page, costs to the cent in the summary."""
    page = (
        page_html(whole, lang).partition('<section id="combinations"')[2].partition("</section>")[0]
    )
    values = [float(value) for value in re.findall(r'<data value="([^"]+)"', page)]
    assert values == [
        whole.objective_usd,
        whole.objective_usd + 1234.56,
        1234.56,
        whole.objective_usd,
    ]
    text = summary_markdown(whole, lang)
    shown = view(whole, lang).n.amount(whole.objective_usd + 1234.56)
    assert shown in text
    assert ("al menos" if lang == "es" else "at least") in page


def test_without_combinations_there_is_no_section(plan) -> None:
    """An answer of several pools or phases has none."""
    assert 'id="combinations"' not in page_html(plan, "en")
