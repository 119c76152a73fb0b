from __future__ import annotations

import base64
import csv
import io
import json
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import UsageError
from planner.export.csv_file import safe_text
from planner.export.pbip import m_query
from planner.export.pbip.build import build_model
from planner.export.pbip.m_query import held, held_query, m_text
from planner.export.pbip.measures import MEASURES, dax_column, dax_table, dax_text
from planner.export.pbip.names import TABLE_NAMES, file_name
from planner.export.pbip.project import project_files, write_project
from planner.export.pbip.tmdl import tmdl_files, tmdl_name
from planner.export.star import star_files
from planner.export.table import Column
from planner.export.tables import TABLES

LEGAL_TYPES = {"string", "int64", "double", "decimal", "boolean", "dateTime"}
M_TYPES = {
    "string": {"type text"},
    "int64": {"Int64.Type"},
    "double": {"type number"},
    "decimal": {"Currency.Type"},
    "boolean": {"type logical"},
    "dateTime": {"type date", "type datetimezone"},
}


def _unquoted(name):
    return name[1:-1].replace("''", "'") if name.startswith("'") else name


_NAME = r"(?:'(?:[^']|'')*'|[A-Za-z_]\w*)"


def _parse(files):
    """Read tables, columns, measures, queries and relations back from the text."""
    tables, relations = {}, []
    for path, text in files.items():
        if not path.startswith("tables/"):
            continue
        name = _unquoted(re.search(rf"^table ({_NAME})$", text, re.MULTILINE)[1])
        table = {"columns": {}, "measures": {}, "text": text}
        for head, body in re.findall(r"^\t((?:column|measure) .*)\n((?:\t\t.*\n|\n(?=\t\t))*)", text,
                                     re.MULTILINE):  # fmt: skip
            kind, rest = head.split(" ", 1)
            found = re.match(rf"({_NAME})(?: = (.*))?$", rest)
            properties = dict(re.findall(r"^\t\t(\w+): (.*)$", body, re.MULTILINE))
            properties |= dict.fromkeys(re.findall(r"^\t\t(is\w+)$", body, re.MULTILINE), True)
            properties["expression"] = found[2]
            table[f"{kind}s"][_unquoted(found[1])] = properties
        query = re.search(r"^\t\tsource =\n((?:\t\t\t\t.*\n)+)", text, re.MULTILINE)[1]
        table["query"] = re.sub(r"^\t{4}", "", query, flags=re.MULTILINE)
        tables[name] = table
    for block in files["relationships.tmdl"].split("\nrelationship "):
        ends = [
            tuple(_unquoted(part) for part in re.fullmatch(rf"({_NAME})\.({_NAME})", end).groups())
            for end in re.findall(r"^\t(?:from|to)Column: (.*)$", block, re.MULTILINE)
        ]
        relations.append((*ends, "isActive: false" not in block))
    return tables, relations


@pytest.fixture(scope="module", params=["held", "linked"])
def parsed(request, plan):
    """Return the model read back from its text, in both forms."""
    folder = None if request.param == "held" else "C:\\plans"
    return _parse(tmdl_files(build_model([plan], data_folder=folder)))


def test_the_text_holds_the_whole_star_schema(parsed):
    """Every table and column, in the order of the files, of a legal type."""
    tables, _ = parsed
    assert list(tables) == [TABLE_NAMES[table.name] for table in TABLES]
    for table in TABLES:
        columns = tables[TABLE_NAMES[table.name]]["columns"]
        assert [p["sourceColumn"] for p in columns.values()] == list(table.header)
        assert {p["dataType"] for p in columns.values()} <= LEGAL_TYPES
        assert all(p["summarizeBy"] in ("sum", "none") for p in columns.values())


def test_source_columns_are_the_headers_of_the_files(parsed, plan):
    """What the model asks for is what the CSV files carry."""
    tables, _ = parsed
    for name, text in star_files(plan):
        table = TABLE_NAMES.get(name.removesuffix(".csv"))
        if table:
            header = next(csv.reader(io.StringIO(text[1:])))
            sources = [p["sourceColumn"] for p in tables[table]["columns"].values()]
            assert sources == header


def test_queries_convert_every_column_in_us_english(parsed):
    """To the type that the model declares, whatever the computer's locale."""
    tables, _ = parsed
    for name, table in tables.items():
        converted = re.search(r"TransformColumnTypes\(\w+, {(.*)}, \"en-US\"\)", table["query"])[1]
        types = dict(re.findall(r'{"(\w+)", ([\w. ]+)}', converted))
        for properties in table["columns"].values():
            given_type = types.pop(properties["sourceColumn"])
            assert given_type in M_TYPES[properties["dataType"]], name
        assert types == {}
        assert table["query"].count("TransformColumnTypes") == 1


def test_names_are_unique_as_power_bi_compares_them(parsed):
    """Without case: tables, all measures together, columns and measures of one table."""
    tables, _ = parsed
    assert len({name.lower() for name in tables}) == len(tables)
    measures = [m.lower() for table in tables.values() for m in table["measures"]]
    assert len(measures) == len(set(measures)) == len(MEASURES)
    for table in tables.values():
        names = [*table["columns"], *table["measures"]]
        assert len({name.lower() for name in names}) == len(names)


def test_lineage_tags_are_unique_and_stay(plan):
    """One UUID an object, the same at every export."""
    files = tmdl_files(build_model([plan]))
    tags = re.findall(r"lineageTag: (\S+)|^relationship (\S+)", "\n".join(files.values()), re.M)
    tags = [a or b for a, b in tags]
    assert len(tags) == len(set(tags)) > 200
    assert files == tmdl_files(build_model([plan]))


def test_relations_join_columns_that_exist_and_are_of_one_type(parsed):
    """Many to one: the one side is the key of its table."""
    tables, relations = parsed
    assert len(relations) == sum(bool(c.refers_to) for t in TABLES for c in t.columns)
    for (many, column), (one, key), _ in relations:
        left, right = tables[many]["columns"][column], tables[one]["columns"][key]
        assert left["dataType"] == right["dataType"]
        assert right["isKey"]


def test_one_active_path_leads_from_a_table_to_another(parsed):
    """Power BI refuses a model with ambiguous paths."""
    _, relations = parsed
    ends = {}
    for (many, _), (one, _), active in relations:
        if active:
            ends.setdefault(many, []).append(one)

    def reached(table):
        return [end for one in ends.get(table, []) for end in (one, *reached(one))]

    for table in ends:
        found = reached(table)
        assert len(found) == len(set(found)), table


@pytest.mark.parametrize("name", ["plan", "large", "hostile_plan", "lost", "euro_plan"])
def test_the_one_side_of_a_relation_is_unique_in_the_data(request, name):
    """And every value of the many side is there, in the rows that the project holds."""
    model = build_model([request.getfixturevalue(name)])
    rows = {table.name: _held(table.query) for table in model.tables}
    places = {t.name: {c.name: i for i, c in enumerate(t.columns)} for t in model.tables}
    for relation in model.relations:
        one = places[relation.one_table][relation.one_column]
        many = places[relation.many_table][relation.many_column]
        keys = [row[one] for row in rows[relation.one_table]]
        assert len(keys) == len(set(keys))
        assert None not in keys
        assert {row[many] for row in rows[relation.many_table]} - {None} <= set(keys)


def _held(query):
    packed = re.search(r'Binary\.FromText\("([A-Za-z0-9+/=]*)"', query)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))


@pytest.mark.parametrize("name", ["plan", "hostile_plan", "euro_plan"])
def test_the_project_holds_the_rows_of_the_files(request, name):
    """Cell by cell; empty is null."""
    solution = request.getfixturevalue(name)
    files = dict(star_files(solution))
    for table in build_model([solution]).tables:
        rows = list(csv.reader(io.StringIO(files[f"{table.source}.csv"][1:], newline="")))[1:]
        assert [[cell or "" for cell in row] for row in _held(table.query)] == rows


def test_measures_refer_to_tables_columns_and_measures_that_exist():
    """Brackets, quotes and parentheses close; names are those that people read."""
    names = {
        TABLE_NAMES[t.name]: {c.name for c in table.columns}
        for t, table in zip(TABLES, _model_tables(), strict=True)
    }
    measures = {m.name for m in MEASURES}
    for measure in MEASURES:
        text = re.sub(r'"(?:[^"]|"")*"', '""', measure.expression)
        assert text.count("(") - len(re.findall(r"\[[^\]]*\(", text)) >= 0
        bare = re.sub(r"'[^']*'\[[^\]]+\]|\[[^\]]+\]|'[^']*'", "x", text)
        assert bare.count("(") == bare.count(")")
        assert not set(bare) & set("[]'")
        for table, column in re.findall(r"'([^']*)'\[([^\]]+)\]", text):
            assert column in names[table], measure.name
        for table in re.findall(r"'([^']*)'", text):
            assert table in names, measure.name
        for name in re.findall(r"(?<!')\[([^\]]+)\]", text):
            assert name in measures, measure.name
        assert measure.table in names


def _model_tables():
    import sys

    return build_model([sys.modules["planner_report_sample"].feasible(8)]).tables


def test_structure_is_tabs_and_no_line_is_broken(plan, hostile_plan):
    """No blank in front, no text of a user in the model's own lines."""
    for solution in (plan, hostile_plan):
        for path, text in tmdl_files(build_model([solution], data_folder="C:\\x")).items():
            assert "<script>" not in text
            for line in text.splitlines():
                assert re.match(r"\t*( {4}(\S|$)|\S|$)", line), (path, line)


def test_held_data_of_a_hostile_plan_cannot_leave_its_literal(hostile_plan):
    """Only letters of base64 stand between the quotes."""
    for table in build_model([hostile_plan]).tables:
        assert len(re.findall(r'"[A-Za-z0-9+/=]*", BinaryEncoding', table.query)) == 1
        assert "<script" not in table.query


TEXTS = st.one_of(
    st.text(),
    st.sampled_from(["#(lf)", '"', '""', "#(#)(", "a\r\nb\tc", "ñ\u202e", '" & evil() & "', "#"]),
)


@given(TEXTS)
def test_an_m_literal_reads_back(text):
    """Quotes, escapes and line ends come back as they were; the literal is one line."""
    shown = m_text(text)
    assert re.fullmatch(r'"(?:[^"]|"")*"', shown, re.DOTALL)
    assert not set(shown) & set("\r\n\t")
    names = {"cr": "\r", "lf": "\n", "tab": "\t", "#": "#"}
    inner = shown[1:-1].replace('""', '"')
    assert re.sub(r"#\((cr|lf|tab|#)\)", lambda m: names[m[1]], inner) == text


@given(TEXTS)
def test_dax_names_and_texts_close_where_they_should(text):
    """Whatever stands inside."""
    assert re.fullmatch(r"'(?:[^']|'')*'", dax_table(text), re.DOTALL)
    assert dax_table(text)[1:-1].replace("''", "'") == text
    column = dax_column("T", text).removeprefix("'T'")
    assert re.fullmatch(r"\[(?:[^\]]|\]\])*\]", column, re.DOTALL)
    assert re.fullmatch(r'"(?:[^"]|"")*"', dax_text(text), re.DOTALL)
    assert dax_text(text)[1:-1].replace('""', '"') == text


@given(st.text(min_size=1))
def test_tmdl_names_close_where_they_should(text):
    """Plain words stand bare, all else in quotes."""
    assert _unquoted(tmdl_name(text)) == text or re.fullmatch(r"[A-Za-z_]\w*", tmdl_name(text))


@given(TEXTS)
def test_held_rows_read_back(text):
    """As the file would hold them."""
    packed = held([(text, 1.5, None)], (
        Column("a", "text", ""), Column("b", "decimal", ""), Column("c", "money", "")))  # fmt: skip
    rows = json.loads(zlib.decompress(base64.b64decode(packed), -zlib.MAX_WBITS))
    assert rows == [[safe_text(text) or None, "1.5", None]]


@given(st.text())
def test_project_names_are_legal_folders(text):
    """On Windows too: no reserved name, no dot or blank at the end."""
    name = file_name(text)
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,46}", name)
    assert not name.endswith((".", " "))
    assert name.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt1"}


@pytest.mark.parametrize("text", ["con", "NUL.txt", "..", "", "a.", "aux", "ñ"])
def test_awkward_names_become_harmless(text):
    """Reserved on Windows, only dots, nothing left."""
    test_project_names_are_legal_folders.hypothesis.inner_test(text)


def test_linked_projects_have_one_parameter_and_hold_no_data(plan):
    """The folder is a text literal; every query reads files of its table's name."""
    files = tmdl_files(build_model([plan], data_folder='C:\\plans "2026"\\#(lf)'))
    assert '"C:\\plans ""2026""\\#(#)(lf)" meta [' in files["expressions.tmdl"]
    assert files["expressions.tmdl"].count("IsParameterQuery = true") == 1
    for table in TABLES:
        text = files[f"tables/{TABLE_NAMES[table.name]}.tmdl"]
        assert "Folder.Files(DataFolder)" in text
        assert f'each [Name] = "{table.name}.csv"' in text
        assert "Binary.FromText" not in text
    assert "expressions.tmdl" not in tmdl_files(build_model([plan]))


def test_a_table_that_is_too_large_is_refused_with_the_way_out(plan, monkeypatch):
    """Before anything is written."""
    monkeypatch.setattr(m_query, "MAX_HELD_BYTES", 100)
    with pytest.raises(UsageError, match="--link-folder"):
        held_query(TABLES[0], TABLES[0].rows(plan))


def test_several_runs_are_one_project(plan, euro_plan):
    """Named after the instance that they share."""
    other = euro_plan.model_copy(update={"run": euro_plan.run.model_copy(update={"run_id": "b"})})
    files = project_files([plan, other])
    assert "sample.pbip" in files
    (run,) = [t for t in build_model([plan, other]).tables if t.name == "Run"]
    assert [row[0] for row in _held(run.query)] == [plan.run.run_id, "b"]


def test_a_project_that_is_there_is_not_overwritten(plan, tmp_path):
    """Somebody may have worked on it; --force replaces its folders whole."""
    write_project([plan], tmp_path)
    mine = tmp_path / "sample.Report" / "definition" / "pages" / "mine.json"
    mine.write_text("{}")
    with pytest.raises(UsageError, match="--force"):
        write_project([plan], tmp_path)
    assert mine.exists()
    written = write_project([plan], tmp_path, force=True)
    assert not mine.exists()
    assert all(path.is_file() for path in written)
