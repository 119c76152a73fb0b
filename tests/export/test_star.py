from __future__ import annotations

import csv
import datetime
import io
import re

import pytest

from planner.domain.frontier import Frontier, FrontierPoint
from planner.domain.solution import Solution
from planner.export.frames import star_frames
from planner.export.star import star_files, write_star
from planner.export.tables import TABLES


def _tables(solution):
    """Return each table's rows as dictionaries, from the text that is written."""
    found = {}
    for name, text in star_files(solution):
        if not name.endswith(".csv"):
            continue
        reader = csv.DictReader(io.StringIO(text[1:], newline=""))
        found[name.removesuffix(".csv")] = list(reader)
    return found


@pytest.fixture(scope="module")
def star(plan):
    """Return the star schema of the plan of 8 servers."""
    return _tables(plan)


def _check_keys(found):
    for table in TABLES:
        keys = [tuple(row[k] for k in table.key) for row in found[table.name]]
        assert table.key
        assert all(all(key) for key in keys), table.name
        assert len(keys) == len(set(keys)), table.name
        for column in table.columns:
            if column.refers_to:
                known = {row[column.target] for row in found[column.refers_to]}
                used = {row[column.name] for row in found[table.name]} - {""}
                assert used <= known, (table.name, column.name)


@pytest.mark.parametrize("name", ["plan", "large", "hostile_plan", "lost", "euro_plan"])
def test_keys_are_unique_and_no_key_is_an_orphan(request, name):
    """Every fact finds its dimensions; relations one to many hold."""
    _check_keys(_tables(request.getfixturevalue(name)))


def test_every_fact_names_its_run():
    """So that runs append."""
    for table in TABLES:
        if table.name.startswith("fact_"):
            assert table.key[0] == "run_key"
            assert table.columns[0].refers_to == "dim_run"


def _another(solution, run_id="b"):
    return solution.model_copy(
        update={"run": solution.run.model_copy(update={"run_id": run_id, "started": "2027-01-02"})}
    )


def test_appended_runs_have_no_double_key_and_no_orphan(sample, plan, euro_plan, lost):
    """Two runs of one instance, one in another currency, one infeasible, one given twice."""
    runs = [
        plan,
        _another(sample.feasible(16)),
        _another(euro_plan, "c"),
        _another(lost, "d"),
        plan,
    ]
    found = _tables(runs)
    _check_keys(found)
    assert [row["run_key"] for row in found["dim_run"]] == [plan.run.run_id, "b", "c", "d"]
    for table in TABLES:
        rows = [row for run in runs[:4] for row in _tables(run)[table.name]]
        keys = {tuple(row[k] for k in table.key) for row in rows}
        assert len(found[table.name]) == len(keys), table.name


def test_files_of_two_runs_can_be_stacked(sample, plan):
    """Rows under one key are equal, so that whoever stacks the files may drop the second."""
    one, two = _tables(plan), _tables(_another(sample.feasible(16)))
    for table in TABLES:
        first = {tuple(row[k] for k in table.key): row for row in one[table.name]}
        for row in two[table.name]:
            key = tuple(row[k] for k in table.key)
            assert first.get(key, row) == row, table.name


def test_runs_of_one_instance_share_their_scenario(sample, plan, euro_plan):
    """Its key says which question was asked, whatever the answer."""
    runs = _tables([plan, _another(sample.feasible(16)), _another(euro_plan, "c")])
    first, second, third = (row["scenario_key"] for row in runs["dim_run"])
    assert first == second != third
    assert len(runs["dim_scenario"]) == 2


def test_the_calendar_covers_every_date_without_a_hole(euro_plan):
    """From the start of the run to the end of service, whole years."""
    days = [row["date_key"] for row in _tables(euro_plan)["dim_date"]]
    first, last = (datetime.date.fromisoformat(day) for day in (days[0], days[-1]))
    assert (days[0], days[-1]) == ("2026-01-01", "2032-12-31")
    assert len(days) == (last - first).days + 1


def test_frontier_points_stand_beside_their_run(plan):
    """In their own table, which is empty if no frontier was run."""
    points = [
        FrontierPoint(workload="pretrain", limit_s=30.0, status="optimal", step_time_s=29.5,
                      objective_usd=4.25e6, bound_usd=4.25e6, gap=0.0, nodes=9, gpus=72),
        FrontierPoint(workload="pretrain", limit_s=10.0, status="infeasible"),
    ]  # fmt: skip
    traced = Frontier(workload="pretrain", points=points, complete=True, tick=1e-3)
    run = plan.model_copy(update={"frontier": traced})
    text = dict(star_files(run))["fact_frontier.csv"]
    rows = list(csv.DictReader(io.StringIO(text[1:], newline="")))
    assert [row["status"] for row in rows] == ["optimal", "infeasible"]
    assert (rows[0]["limit_s"], rows[0]["objective_usd"]) == ("30", "4250000.00")
    assert rows[1]["objective_usd"] == ""
    assert _tables(plan)["fact_frontier"] == []


def test_the_dictionary_describes_exactly_what_is_written(star):
    """Column by column, in order."""
    described = [(row["table"], row["column"]) for row in star["data_dictionary"]]
    written = [(table.name, name) for table in TABLES for name in table.header]
    assert described == written
    assert all(row["description"] and row["type"] for row in star["data_dictionary"])


def test_units_stand_in_names_and_dictionary(star):
    """A column with a unit suffix has that unit."""
    for row in star["data_dictionary"]:
        for suffix, unit in (
            ("_usd", "USD"),
            ("_m", "m"),
            ("_w", "W"),
            ("_kw", "kW"),
            ("_kg", "kg"),
            ("_s", "s"),
        ):
            if row["column"].endswith(suffix):
                assert row["unit"] == unit, row


def test_costs_add_up_to_the_objective(plan, star):
    """To the cent, over all components and categories."""
    total = sum(round(float(row["amount_usd"]) * 100) for row in star["fact_cost"])
    assert total == round(plan.objective_usd * 100)
    assert float(star["dim_run"][0]["objective_usd"]) == plan.objective_usd


def test_the_bill_reads_back(plan, star):
    """Quantity, unit price, total and source of every line."""
    for row, line in zip(star["fact_bom_line"], plan.bill_of_materials, strict=True):
        assert row["part_key"] == line.part
        assert int(row["quantity"]) == line.quantity
        assert float(row["unit_price_usd"]) == line.unit_price_usd
        assert float(row["total_usd"]) == line.total_usd
        assert row["low_usd"] == ("" if line.low_usd is None else f"{line.low_usd:.2f}")
        assert row["price_source"] == line.price_source


def test_step_times_read_back_exactly(plan, star):
    """Every digit of the solution, and the parts add up."""
    for result in plan.workloads:
        key = f"{plan.run.run_id}/{result.name}"
        rows = [row for row in star["fact_step_time"] if row["workload_key"] == key]
        assert {row["part"]: float(row["seconds"]) for row in rows} == result.breakdown
        assert sum(float(row["share"]) for row in rows) == pytest.approx(1)


def test_placement_racks_and_cables_read_back(plan, star):
    """Every device, rack and link, with the figures of the solution."""
    assert len(star["fact_placement"]) == len(plan.devices)
    for row, device in zip(star["fact_placement"], plan.devices, strict=True):
        assert (row["device"], int(row["unit"])) == (device.id, device.unit)
        assert float(row["max_w"]) == device.max_w
    power = {r["rack_key"]: r for r in star["fact_rack_load"] if r["resource"] == "power"}
    for rack in plan.racks:
        row = power[f"{plan.run.run_id}/{rack.id}"]
        assert (float(row["used"]), float(row["available"])) == (rack.max_w, rack.limit_w)
    for row, cable in zip(star["fact_cable"], plan.cables, strict=True):
        assert (row["a_device"], row["b_device"]) == (cable.a, cable.b)
        assert float(row["length_m"]) == cable.length_m


def test_limits_and_alternatives_read_back(plan, star):
    """Used, available, what binds; cost and difference."""
    for row, item in zip(star["fact_check"], plan.binding, strict=True):
        assert (float(row["used"]), float(row["available"])) == (item.used, item.available)
        assert row["binding"] == str(item.binding).upper()
    for row, item in zip(star["fact_alternative"], plan.alternatives, strict=True):
        assert row["status"] == item.status
        cost = item.objective_usd
        assert row["objective_usd"] == ("" if cost is None else f"{cost:.2f}")


def test_dates_are_iso(euro_plan):
    """Power BI reads 2027-03-01 in every locale."""
    (run,) = _tables(euro_plan)["dim_run"]
    assert run["in_service"] == "2027-03-01"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run["started"])
    assert (run["report_currency"], run["usd_per_unit"]) == ("EUR", "1.15")


def test_pandas_reads_the_types_that_the_dictionary_states(plan, tmp_path):
    """Numbers come as numbers, without being told."""
    import pandas as pd

    write_star(plan, tmp_path)
    frame = pd.read_csv(tmp_path / "fact_bom_line.csv", encoding="utf-8-sig")
    assert frame["total_usd"].sum() == pytest.approx(plan.cost.capex_usd)
    assert str(frame["quantity"].dtype) == "int64"


def test_hostile_text_is_no_formula(hostile_plan):
    """In no table and no column."""
    for name, rows in _tables(hostile_plan).items():
        for row in rows:
            for column, value in row.items():
                if value and not re.fullmatch(r"-[\d.]+", value):
                    assert value[0] not in "=+-@\t\r", (name, column)


def test_frames_carry_types_and_the_same_figures(euro_plan):
    """Money, counts, days and flags keep their kind in pandas."""
    frames = star_frames(euro_plan)
    assert set(frames) == {table.name for table in TABLES}
    run = frames["dim_run"]
    assert run["in_service"][0].date() == datetime.date(2027, 3, 1)
    assert run["started"][0].isoformat() == "2026-12-02T09:12:58"
    assert round(frames["fact_cost"]["amount_usd"].sum(), 2) == euro_plan.objective_usd
    assert str(frames["fact_bom_line"]["quantity"].dtype) == "Int64"
    assert str(frames["fact_check"]["binding"].dtype) == "boolean"


def test_traffic_and_workloads_read_back_exactly(plan, star):
    """Every communication and every figure of a job, digit by digit."""
    uses = [use for result in plan.workloads for use in result.collectives]
    for row, use in zip(star["fact_traffic"], uses, strict=True):
        assert (row["purpose"], row["collective_key"]) == (use.name, use.collective)
        assert row["level_key"] == use.level
        figures = ("size_bytes", "time_s", "total_s", "exposed_s")
        assert [float(row[name]) for name in figures] == [getattr(use, n) for n in figures]
        assert (float(row["calls"]), int(row["ranks"])) == (use.count, use.ranks)
    for row, found in zip(star["dim_workload"], plan.workloads, strict=True):
        figures = ("step_time_s", "limit_s", "target_s", "margin", "mfu", "hfu", "run_days")
        assert [float(row[name]) for name in figures] == [getattr(found, n) for n in figures]
        assert int(row["parameters"]) == found.parameters


def test_alternatives_keep_their_step_times(plan, star):
    """By alternative and workload."""
    rows = {(int(r["number"]), r["workload_key"]): float(r["step_time_s"])
            for r in star["fact_alternative_step"]}  # fmt: skip
    assert rows == {
        (number, f"{plan.run.run_id}/{name}"): seconds
        for number, item in enumerate(plan.alternatives, 1)
        for name, seconds in item.step_times_s.items()
    }


def test_links_of_a_large_fabric_are_listed_one_by_one(plan, monkeypatch):
    """A document may hold groups of links; the files hold every link."""
    whole = dict(star_files(plan))
    monkeypatch.setattr(Solution, "links", lambda _: plan.cables, raising=False)
    grouped = dict(star_files(plan.model_copy(update={"cables": []})))
    assert grouped["fact_cable.csv"] == whole["fact_cable.csv"]
    assert grouped["dim_part.csv"] == whole["dim_part.csv"]
