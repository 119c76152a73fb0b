"""The collective model against published measurements, and the reader of such tables."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from planner.domain.errors import InputError
from planner.domain.physics_constants import shipped_collective_constants
from planner.study.collective_rows import read_table
from planner.study.error_figures import weighted_quantile
from planner.study.validate_collectives import map_rows, predict, validate_collectives

TABLE = Path(__file__).parents[1] / "data" / "collectives.csv"
CONSTANTS = shipped_collective_constants()


@pytest.fixture(scope="module")
def result():
    """The figures over the whole table."""
    return validate_collectives(TABLE, CONSTANTS)


def test_nearly_every_row_is_mapped(result):
    """At least nine rows of ten can be predicted, and the others are counted with a reason."""
    assert result["mapped"] >= 0.9 * result["rows"]
    assert result["mapped"] + sum(result["unmapped"].values()) == result["rows"]


def test_large_messages_are_predicted_within_the_promised_error(result):
    """From 16 MiB the median error stays below 5 % and the 90th percentile below 25 %."""
    assert result["large"]["macro_median_abs_error_pct"] <= 5.0
    assert result["large"]["macro_p90_abs_error_pct"] <= 25.0
    assert result["large"]["median_abs_error_pct"] <= 10.0


def test_small_messages_are_predicted_within_the_promised_error(result):
    """Below 16 MiB the median error stays below 20 % and the 90th percentile below 60 %."""
    assert result["small"]["macro_median_abs_error_pct"] <= 20.0
    assert result["small"]["macro_p90_abs_error_pct"] <= 60.0


def test_platforms_are_ranked_as_measured():
    """Spearman's rank correlation of all-reduce bus bandwidth at the largest message >= 0.95."""
    rows, _ = map_rows(read_table(TABLE))
    last = {}
    for row in rows:
        if row.collective == "all_reduce":
            held = last.get(row.platform)
            if held is None or row.size_bytes > held.size_bytes:
                last[row.platform] = row
    chosen = list(last.values())
    predicted = predict(chosen, CONSTANTS).time_s
    factor = np.array([2.0 * (r.group[0] - 1) / r.group[0] * r.size_bytes for r in chosen])
    measured = np.array([r.time_s for r in chosen])
    ranks = [np.argsort(np.argsort(factor / t)).astype(float) for t in (predicted, measured)]
    assert len(chosen) >= 35
    assert np.corrcoef(*ranks)[0, 1] >= 0.95


def test_table_keeps_its_rows_and_gains_predictions(tmp_path):
    """The written table has each row once, with prediction and error or with a reason."""
    out = tmp_path / "out.csv"
    validate_collectives(TABLE, CONSTANTS, out=out)
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [r["id"] for r in rows] == [r["id"] for r in read_table(TABLE)]
    for row in rows:
        assert bool(row["error_pct"]) != bool(row["unmapped"])
    one = next(r for r in rows if r["error_pct"])
    error = (float(one["predicted_time_us"]) / float(one["time_us"]) - 1.0) * 100.0
    assert float(one["error_pct"]) == pytest.approx(error, rel=1e-3, abs=1e-3)


HEADER = (
    "collective,bytes,gpu,gpus,nodes,gpus_per_node,scale_up,scale_up_gbytes_per_s,"
    "nics_per_node,nic_gbps,network,time_us,algorithm,quality"
)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("gossip,1024,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok", "collective 'gossip'"),
        ("all_reduce,,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok", "bytes is blank"),
        ("all_reduce,0,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok", "bytes lies outside 1"),
        ("all_reduce,many,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok", "bytes is no number"),
        ("all_reduce,1e309,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok", "bytes lies outside"),
        ("all_reduce,1024,h100-sxm,1,1,1,nvswitch,450,,,none,10,,ok", "gpus lies outside 2"),
        ("all_reduce,1024,h100-sxm,1e12,1,1e12,nvswitch,450,,,none,10,,ok", "gpus lies outside"),
        ("all_reduce,1024,h100-sxm,8,1,8,nvswitch,450,,,none,10,nvls_tree,ok", "NCCL cannot run"),
        ("all_reduce,1024,h100-sxm,8,1,4,nvswitch,450,,,none,10,,ok", "gpus exceed nodes"),
        ("all_reduce,1024,h100-sxm,16,2,8,nvswitch,450,,,,10,,ok", "network is blank"),
        ("all_reduce,1024,h100-sxm,16,2,8,nvswitch,450,8,,infiniband,10,,ok", "nic_gbps is blank"),
        ("all_reduce,1024,h100-sxm,16,2,8,nvswitch,450,,,none,10,,ok", "network is none, yet"),
        ("all_reduce,1024,h100-sxm,8,1,8,,450,,,none,10,,ok", "scale_up is blank"),
        ("all_reduce,1024,h100-sxm,8,1,8,wires,450,,,none,10,,ok", "scale_up 'wires'"),
        ("all_reduce,1024,h100-sxm,8,1,8,none,,,,none,10,,ok", "scale_up is none, yet"),
        (
            "all_reduce,1024,h100-sxm,8,1,8,nvswitch,,,,none,10,,ok",
            "scale_up_gbytes_per_s is blank",
        ),
        ("all_reduce,1024,h100-sxm,8,1,8,nvswitch,450,,,none,-3,,ok", "time_us lies outside"),
        ("all_reduce,1024,h100-sxm,8,1,8,nvswitch,450,,,none,10,magic,ok", "algorithm 'magic'"),
        ("all_reduce,1024,h100-sxm,8,1,8,nvswitch,450,,,none,10,,outlier", "quality: outlier"),
    ],
)
def test_unmappable_rows_are_named_before_anything_is_predicted(tmp_path, line, reason):
    """Each fault of a row is its reason, and the row is counted under it."""
    good = "all_reduce,1024,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok"
    table = tmp_path / "rows.csv"
    table.write_text(f"{HEADER}\n{line}\n{good}\n", encoding="utf-8")
    result = validate_collectives(table, CONSTANTS)
    assert (result["rows"], result["mapped"]) == (2, 1)
    (only,) = result["unmapped"]
    assert reason in only


def test_table_without_a_usable_row_still_answers(tmp_path):
    """Nothing mapped gives counts and reasons, no figures."""
    table = tmp_path / "rows.csv"
    table.write_text(
        f"{HEADER}\nall_reduce,,h100-sxm,8,1,8,nvswitch,450,,,none,10,,ok\n", encoding="utf-8"
    )
    result = validate_collectives(table, CONSTANTS)
    assert result == {"rows": 1, "unmapped": {"bytes is blank": 1}, "mapped": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 'collective' is missing"),
        ("collective,bytes\n", "column 'gpu' is missing"),
        (HEADER + "\n", "no rows"),
        (HEADER + "\n" + ",".join("x" * 20) + "\n", "more cells"),
    ],
)
def test_unusable_tables_are_named_plainly(tmp_path, text, message):
    """An empty or crooked file is an input error with file and place."""
    table = tmp_path / "rows.csv"
    table.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        validate_collectives(table, CONSTANTS)


def test_weighted_quantile_counts_weights():
    """A heavy value carries the quantile over many light ones."""
    values = np.array([1.0, 2.0, 3.0, 100.0])
    assert weighted_quantile(values, np.array([1.0, 1.0, 1.0, 7.0]), 0.5) == 100.0
    assert weighted_quantile(values, np.ones(4), 0.5) == 2.0
