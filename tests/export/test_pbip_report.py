from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import referencing
from referencing.jsonschema import DRAFT7

from planner.export.pbip.build import build_model
from planner.export.pbip.measures import MEASURES
from planner.export.pbip.pages import pages
from planner.export.pbip.project import project_files

FOLDER = Path(__file__).parents[1] / "data" / "pbip_schemas"
ROOT = "https://developer.microsoft.com/json-schemas/"
NAMES = ["plan", "large", "hostile_plan", "lost", "euro_plan"]
JSON_FILES = (".json", ".pbip", ".pbir", ".pbism", ".platform")


@pytest.fixture(scope="module")
def validator():
    """Return a function that validates a document against the schema that it names."""
    schemas = {
        ROOT + path.relative_to(FOLDER).as_posix(): json.loads(path.read_text(encoding="utf-8"))
        for path in FOLDER.rglob("*.json")
    }
    registry = referencing.Registry().with_resources(
        (uri, DRAFT7.create_resource(schema)) for uri, schema in schemas.items()
    )

    def faults(document):
        checker = jsonschema.Draft7Validator(schemas[document["$schema"]], registry=registry)
        return [error.message for error in checker.iter_errors(document)]

    return faults


def _documents(files):
    return {path: json.loads(text) for path, text in files.items() if path.endswith(JSON_FILES)}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_passes_the_schema_that_it_names(request, name, validator):
    """Shortcut, report, pages, visuals, model and platform files."""
    found = _documents(project_files([request.getfixturevalue(name)]))
    assert len(found) > 15
    for path, document in found.items():
        assert validator(document) == [], path


@pytest.mark.parametrize(
    ("part", "spoil"),
    [
        ("heading/visual.json", lambda d: d["position"].pop("x")),
        ("cost/visual.json", lambda d: d["visual"]["query"]["queryState"]["Y"].pop("projections")),
        ("page.json", lambda d: d.update(displayOption="Sideways")),
        ("report.json", lambda d: d.update(themes=1)),
        (".pbip", lambda d: d.pop("artifacts")),
        ("definition.pbir", lambda d: d["datasetReference"].update(byName="x")),
        (".platform", lambda d: d["metadata"].update(type=1)),
    ],
)
def test_the_schemas_find_planted_faults(plan, validator, part, spoil):
    """So that their silence means something."""
    path, document = next(
        (path, document)
        for path, document in _documents(project_files([plan])).items()
        if path.endswith(part)
    )
    spoil(document)
    assert validator(document), path


def test_visuals_show_only_columns_and_measures_of_the_model(plan):
    """By the names that people read."""
    model = build_model([plan])
    columns = {(t.name, c.name) for t in model.tables for c in t.columns}
    measures = {(m.table, m.name) for m in MEASURES}
    for page in pages([plan]):
        for visual in page.visuals:
            for shown in visual.shown():
                known = measures if shown.measure else columns
                assert (shown.table, shown.name) in known, (visual.name, shown)


def test_visuals_stand_on_their_page_without_overlap(plan):
    """1280 by 720, each under its own name."""
    for page in pages([plan]):
        names = [visual.name for visual in page.visuals]
        assert len(names) == len(set(names))
        for a in page.visuals:
            assert a.x >= 0
            assert a.y >= 0
            assert a.x + a.width <= 1280
            assert a.y + a.height <= 720
            for b in page.visuals:
                apart = (
                    a is b or a.x + a.width <= b.x or b.x + b.width <= a.x
                    or a.y + a.height <= b.y or b.y + b.height <= a.y
                )  # fmt: skip
                assert apart, (a.name, b.name)


def test_the_report_says_what_was_not_done_and_what_to_press(plan):
    """Not opened in Power BI Desktop; no data before Refresh."""
    page = project_files([plan])[
        "sample.Report/definition/pages/decision/visuals/notes/visual.json"
    ]
    assert "was not opened in Power BI Desktop" in page
    assert "Press Refresh" in page


def test_a_hostile_title_stays_one_line_of_text(hostile_plan):
    """In the heading, as JSON text, without marks of writing direction."""
    files = project_files([hostile_plan])
    path = "sample.Report/definition/pages/decision/visuals/heading/visual.json"
    (properties,) = json.loads(files[path])["visual"]["objects"]["general"]
    ((run,),) = [p["textRuns"] for p in properties["properties"]["paragraphs"]]
    assert run["value"].startswith("=cmd|'/c calc'!A1 <script>")
    assert not set(run["value"]) & set("\x1b\u202e\n")


def test_texts_are_utf8_without_bom_and_paths_are_short(plan):
    """Power BI Desktop reads TMDL without BOM; Windows keeps to 260 characters."""
    for path, text in project_files([plan]).items():
        assert not text.startswith("\ufeff")
        assert text.endswith("\n")
        assert "\r" not in text
        assert len(path) < 120
