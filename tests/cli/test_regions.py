"""`planner regions` as a user meets it."""

from __future__ import annotations

import csv
import json

from planner.cli.main import run


def test_regions_writes_a_report_that_verify_recounts(tmp_path, capsys) -> None:
    """One folder a site, star schema over both, the line beside it; a changed figure is found."""
    folder = tmp_path / "report"
    assert run(["regions", "two-sites", "-o", str(folder), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "optimal"
    for site in answer["sites"]:
        assert (folder / site["name"] / "index.html").is_file()
    runs = {
        r["run_key"]
        for r in csv.DictReader((folder / "bi" / "dim_run.csv").open(encoding="utf-8-sig"))
    }
    line = next(csv.DictReader((folder / "bi" / "fact_wan_line.csv").open(encoding="utf-8-sig")))
    assert {line["run_key"], line["other_run_key"]} == runs
    assert run(["verify", str(folder)]) == 0
    text = (folder / "regions.json").read_text()
    (folder / "regions.json").write_text(
        text.replace(f'"encryption": "{answer["line"]["encryption"]}"', '"encryption": "none"')
    )
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 1
    assert "demands encryption" in capsys.readouterr().out


def test_the_page_is_spanish_where_asked_and_solve_points_here(tmp_path, capsys) -> None:
    """No English heading is left; `solve` names the command."""
    assert run(["regions", "two-sites", "-o", str(tmp_path / "r"), "--lang", "es"]) == 0
    page = capsys.readouterr().out
    assert "Lo que cuesta la seguridad" in page
    assert "What security costs" not in page
    assert "replicas" not in page
    assert run(["solve", "two-sites"]) == 2
    assert "planner regions" in capsys.readouterr().err
