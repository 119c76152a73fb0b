"""`planner regions` as a user meets it."""

from __future__ import annotations

import csv
import json
import re

import pytest

from planner.cli.main import run


def table(folder, name):
    """Return a table of the star schema."""
    return list(csv.DictReader((folder / "bi" / f"{name}.csv").open(encoding="utf-8-sig")))


def test_regions_writes_a_report_that_verify_recounts(tmp_path, capsys) -> None:
    """One folder a site, star schema over both, the line beside it; a changed figure is found."""
    folder = tmp_path / "report"
    assert run(["regions", "two-sites", "-o", str(folder), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "optimal"
    page = (folder / "index.html").read_text(encoding="utf-8")
    for site in answer["sites"]:
        assert (folder / site["name"] / "index.html").is_file()
        assert f'href="{site["name"]}/index.html"' in page
    runs = {r["run_key"] for r in table(folder, "dim_run")}
    (line,) = table(folder, "fact_wan_line")
    assert {line["run_key"], line["other_run_key"]} == runs
    assert {r["run_key"] for r in table(folder, "fact_region_site")} == runs
    options = {r["option"]: r for r in table(folder, "fact_region_option")}
    for item in answer["alternatives"]:
        row = options[item["name"]]
        assert row["allowed"] == str(item["allowed"]).upper()
        if item["objective_usd"] is not None:
            assert float(row["option_usd"]) == pytest.approx(item["objective_usd"], abs=0.005)
            assert float(row["option_step_time_s"]) == pytest.approx(item["step_time_s"])
    package = json.loads((folder / "bi" / "datapackage.json").read_text(encoding="utf-8"))
    named = {resource["name"]: resource for resource in package["resources"]}
    for name in ("fact_region_site", "fact_wan_line", "fact_region_option"):
        fields = [field["name"] for field in named[name]["schema"]["fields"]]
        assert fields == list(table(folder, name)[0])
    assert run(["verify", str(folder)]) == 0
    assert "files beside it say the same" in capsys.readouterr().out
    spoiled = ["index.html", "summary.md", "bi/fact_wan_line.csv",
               f"{answer['sites'][0]['name']}/bill_of_materials.csv"]  # fmt: skip
    kept = {name: (folder / name).read_bytes() for name in spoiled}
    for name, data in kept.items():
        (folder / name).write_bytes(data.replace(b"1", b"2", 1))
    assert run(["verify", str(folder), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["violations"]
    assert {v["where"] for v in found} == set(spoiled)
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    assert run(["export", str(folder), "--to", "lp"]) == 0
    assert "regions_one_split: " in capsys.readouterr().out
    assert run(["export", str(folder), "--to", "mps", "-o", str(tmp_path / "p.mps")]) == 0
    assert "regions_one_split" in (tmp_path / "p.mps").read_text()
    assert run(["verify", str(folder / "regions.json")]) == 0
    capsys.readouterr()
    for name in (folder, folder / "regions.json"):
        assert run(["compare", str(name), "tiny"]) == 2
        said = capsys.readouterr().err
        assert all(str(folder / site["name"]) in said for site in answer["sites"])
    text = (folder / "regions.json").read_text()
    used = answer["lines"][0]["encryption"]
    (folder / "regions.json").write_text(
        text.replace(f'"encryption": "{used}"', '"encryption": "none"')
    )
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "demands encryption" in said
    assert "regions-seal: " in said
    (folder / "regions.json").write_text(text.replace(answer["seal"], ""))
    assert run(["verify", str(folder)]) == 1
    assert "the document has no seal" in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_page_and_the_summary_hold_the_figures_of_the_answer(tmp_path, capsys, lang) -> None:
    """Totals, step times and every option stand unrounded behind what is shown."""
    folder = tmp_path / "report"
    assert run(["regions", "two-sites", "-o", str(folder), "--lang", lang, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert f'<html lang="{lang}"' in page
    figures = {float(v) for v in re.findall(r'<data value="([^"]+)"', page)}
    wanted = [answer["objective_usd"], *(s["objective_usd"] for s in answer["sites"])]
    for item in answer["alternatives"]:
        if item["status"] == "optimal":
            wanted += [item["objective_usd"], item["step_time_s"]]
    for line in answer["lines"]:
        wanted += [line["exchange_s"], line["rent_usd"], line["goodput_gbps"]]
    for figure in wanted:
        assert any(abs(figure - shown) <= 1e-9 * abs(figure) for shown in figures), figure


def test_the_page_is_spanish_where_asked_and_solve_points_here(tmp_path, capsys) -> None:
    """No English heading is left; `solve` names the command."""
    assert run(["regions", "two-sites", "-o", str(tmp_path / "r"), "--lang", "es"]) == 0
    text = capsys.readouterr().out
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    for shown in (text, page):
        assert "Lo que cuesta la seguridad" in shown
        assert "What security costs" not in shown
        assert "replicas" not in shown
        assert "4 at centre" not in shown
    assert run(["solve", "two-sites"]) == 2
    assert "planner regions" in capsys.readouterr().err


def test_a_dimension_that_no_line_carries_is_refused_with_its_reason(tmp_path, capsys) -> None:
    """Tensor parallelism waits in every layer."""
    from planner.domain.resources import data_root

    document = json.loads((data_root() / "instances" / "two-sites.json").read_text())
    document["regions"]["may_cross"] = ["dp", "tp"]
    file = tmp_path / "tensor.json"
    file.write_text(json.dumps(document))
    assert run(["regions", str(file)]) == 2
    said = capsys.readouterr().err
    assert "tensor parallelism" in said
    assert "every layer" in said or "a layer" in said
