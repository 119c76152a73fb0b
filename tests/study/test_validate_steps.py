"""The step-time model against published training runs, and the reader of such tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from planner.domain.catalog import load_catalog
from planner.domain.compute_constants import shipped_constants
from planner.domain.errors import InputError
from planner.study.collective_rows import read_table
from planner.study.row_cells import UnmappedRowError
from planner.study.step_rows import REQUIRED, map_row
from planner.study.validate_steps import map_rows, predict, validate_steps

TABLE = Path(__file__).parents[1] / "data" / "steps.csv"
CONSTANTS = shipped_constants()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The figures over the whole table, and the table that is written beside them."""
    out = tmp_path_factory.mktemp("steps") / "out.csv"
    return validate_steps(TABLE, CONSTANTS, out=out), out


@pytest.fixture(scope="module")
def result(written):
    """The figures over the whole table."""
    return written[0]


@pytest.fixture(scope="module")
def predicted():
    """Every mapped row with its cells and its predicted step."""
    table = read_table(TABLE, REQUIRED)
    rows, _ = map_rows(table, load_catalog())
    return [(table[r.index], r, d) for r, d in zip(rows, predict(rows, CONSTANTS), strict=True)]


def test_every_usable_row_is_mapped(result):
    """Only rows that their source calls unusable are not predicted, each with its reason."""
    assert result["mapped"] + sum(result["unmapped"].values()) == result["rows"]
    assert all(reason.startswith("not usable") for reason in result["unmapped"])


def test_transformers_are_met(result):
    """Half of the transformer runs are met within 9 %, nine in ten within 22 %."""
    figures = result["by_family"]["transformer"]
    assert figures["median_abs_error_pct"] <= 9.0
    assert figures["p90_abs_error_pct"] <= 22.0
    assert abs(figures["bias_pct"]) <= 5.0


def test_rows_that_state_what_decides_are_met(result):
    """Rows without a guessed decisive cell: half within 8 %, nine in ten within 20 %, no bias."""
    figures = result["strict"]
    assert figures["mapped"] >= 30
    assert figures["median_abs_error_pct"] <= 8.0
    assert figures["p90_abs_error_pct"] <= 20.0
    assert abs(figures["bias_pct"]) <= 3.0


def test_runs_that_ran_are_feasible(result):
    """No published run is called infeasible, and measured peaks are met within 10 % on average."""
    assert result["memory"]["called_infeasible"] == 0
    assert result["memory"]["mapped"] >= 24
    assert result["memory"]["mean_abs_error_pct"] <= 10.0


@pytest.mark.parametrize(("family", "median"), [("cnn", 15), ("recommender", 20), ("moe", 25)])
def test_other_families_are_met(result, family, median):
    """Half of the other families' runs are met within what the accuracy page states."""
    assert result["by_family"][family]["median_abs_error_pct"] <= median


def test_selene_and_vtrain(result):
    """Mean errors on the runs that analytic tools are usually held against."""
    assert result["by_source"]["korthikanti-2022"]["mean_abs_error_pct"] <= 3.0
    assert result["by_source"]["korthikanti-2022"]["max_abs_error_pct"] <= 8.0
    assert result["by_source"]["vtrain-multi"]["mean_abs_error_pct"] <= 10.0
    assert result["by_source"]["vtrain-multi"]["max_abs_error_pct"] <= 35.0


def test_launch_bound_runs(result):
    """Small networks on one node, where launches dominate, within 12 % on average."""
    assert result["by_source"]["vtrain-single"]["mean_abs_error_pct"] <= 12.0
    assert result["by_source"]["vtrain-single"]["p90_abs_error_pct"] <= 25.0


def test_the_fastest_configuration_is_nearly_the_fastest(predicted):
    """What is predicted fastest was measured within 5 % of the fastest, for each model."""
    models = {}
    for cells, row, detail in predicted:
        if cells["src_key"] == "vtrain-multi":
            models.setdefault(cells["model"], []).append((detail.step_time_s, row.step_time_s))
    assert len(models) == 4
    for runs in models.values():
        assert min(runs)[1] <= 1.05 * min(measured for _, measured in runs)


def test_infiniband_against_tcp(predicted):
    """Each pair of one job on InfiniBand and on TCP keeps its ratio within 35 %."""
    pairs = {}
    for cells, row, detail in predicted:
        if cells["src_key"] == "ib-vs-eth-blog" and cells["network"] in ("infiniband", "tcp"):
            key = (cells["model"], cells["gpus"])
            pairs.setdefault(key, {})[cells["network"]] = (row.step_time_s, detail.step_time_s)
    whole = [pair for pair in pairs.values() if len(pair) == 2]
    assert len(whole) == 4
    for pair in whole:
        measured = pair["tcp"][0] / pair["infiniband"][0]
        model = pair["tcp"][1] / pair["infiniband"][1]
        assert model > 1
        assert model == pytest.approx(measured, rel=0.35)


def test_memory_of_measured_peaks(predicted):
    """Allocated memory is met within 5 % on average where it was measured as such."""
    errors = [
        (sum(d.memory_bytes.values()) - d.memory_bytes["context"]) / 2**30 / r.peak_memory_gib - 1
        for cells, r, d in predicted
        if cells["src_key"] == "simumax-b200"
    ]
    assert len(errors) >= 20
    assert np.mean(np.abs(errors)) <= 0.05


def test_output_has_predictions(written):
    """The written table keeps its rows and appends predictions, errors and reasons."""
    _, out = written
    with TABLE.open() as before, out.open() as after:
        old, new = list(csv.DictReader(before)), list(csv.DictReader(after))
    assert len(old) == len(new)
    for cells in new:
        assert bool(cells["predicted_step_time_s"]) != bool(cells["unmapped"])
    row = next(cells for cells in new if cells["predicted_step_time_s"])
    ratio = float(row["predicted_step_time_s"]) / float(row["measured_step_time_s"])
    assert float(row["error_pct"]) == pytest.approx((ratio - 1) * 100, abs=0.05)


@pytest.mark.parametrize(
    ("cell", "value", "reason"),
    [
        ("accelerator", "h100-pcix", "not in the catalogue"),
        ("global_batch", "7", "no multiple"),
        ("tp", "x", "no number"),
        ("measured_step_time_s", "", "blank"),
        ("dp", "3", "multiple|gpus"),
        ("sharding", "zero9", "not modelled"),
        ("network", "carrier-pigeon", "not modelled"),
    ],
)
def test_faulty_cells_are_reasons(cell, value, reason):
    """A cell that cannot be used is the reason not to map its row."""
    row = dict(read_table(TABLE, REQUIRED)[0]) | {cell: value}
    with pytest.raises(UnmappedRowError, match=reason):
        map_row(0, row, load_catalog())


def test_missing_column_is_named(tmp_path):
    """A table without a needed column is refused by name."""
    (tmp_path / "t.csv").write_text("family,layers\ntransformer,2\n")
    with pytest.raises(InputError, match="measured_step_time_s"):
        validate_steps(tmp_path / "t.csv", CONSTANTS)


def test_a_row_of_a_shipped_network_takes_its_head_width():
    """Columns have no head width; Qwen3's is that of the shipped network, cut to the row's layers."""
    rows = read_table(TABLE, REQUIRED)
    row = next(r for r in rows if r["model"].startswith("Qwen3_235B"))
    job = map_row(0, row, load_catalog()).job
    assert job.network.head_dim == 128
    assert job.network.num_hidden_layers == int(row["layers"])
