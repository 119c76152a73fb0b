"""TMDL, the text form of a tabular model: indentation by tabs is the structure."""

from __future__ import annotations

import re

from planner.export.pbip.m_query import CULTURE, PARAMETER, m_text
from planner.export.pbip.model import DataColumn, Measure, Model, ModelTable, Relation, tag

COMPATIBILITY = 1600
"""Level of Power BI models; 1567 is the least that these projects need."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def tmdl_name(name: str) -> str:
    """Return an object's name, in single quotes unless it is one plain word."""
    return name if _PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"


def tmdl_files(model: Model) -> dict[str, str]:
    """Return the files of the folder `definition` by path."""
    files = {
        "database.tmdl": f"database\n\tcompatibilityLevel: {COMPATIBILITY}\n",
        "model.tmdl": _model(model),
        "relationships.tmdl": "\n".join(_relation(r) for r in model.relations),
    }
    if model.data_folder is not None:
        files["expressions.tmdl"] = _parameter(model.data_folder)
    for table in model.tables:
        files[f"tables/{table.name}.tmdl"] = _table(table)
    return files


def _model(model: Model) -> str:
    queries = [*([PARAMETER] if model.data_folder is not None else []),
               *(table.name for table in model.tables)]  # fmt: skip
    order = ",".join(f'"{name}"' for name in queries)
    refs = "\n".join(f"ref table {tmdl_name(table.name)}" for table in model.tables)
    return (
        "model Model\n"
        f"\tculture: {CULTURE}\n"
        "\tdefaultPowerBIDataSourceVersion: powerBI_V3\n"
        f"\tsourceQueryCulture: {CULTURE}\n"
        "\tdataAccessOptions\n"
        "\t\tlegacyRedirects\n"
        "\t\treturnErrorValuesAsNull\n"
        "\n"
        "annotation __PBI_TimeIntelligenceEnabled = 0\n"
        "\n"
        f"annotation PBI_QueryOrder = [{order}]\n"
        "\n"
        f"{refs}\n"
    )


def _parameter(folder: str) -> str:
    return (
        "/// Folder with the reports; every bi folder below it is read\n"
        f"expression {PARAMETER} =\n"
        f"\t\t{m_text(folder)} meta [\n"
        "\t\t\tIsParameterQuery = true,\n"
        '\t\t\tType = "Text",\n'
        "\t\t\tIsParameterQueryRequired = true\n"
        "\t\t]\n"
        f"\tlineageTag: {tag('expression', PARAMETER)}\n"
        "\n"
        "\tannotation PBI_ResultType = Text\n"
    )


def _relation(relation: Relation) -> str:
    many = f"{tmdl_name(relation.many_table)}.{tmdl_name(relation.many_column)}"
    one = f"{tmdl_name(relation.one_table)}.{tmdl_name(relation.one_column)}"
    inactive = "" if relation.active else "\tisActive: false\n"
    return (
        f"relationship {tag('relationship', many, one)}\n"
        f"{inactive}\tfromColumn: {many}\n\ttoColumn: {one}\n"
    )


def _table(table: ModelTable) -> str:
    name = tmdl_name(table.name)
    parts = [f"/// {table.description}\ntable {name}\n\tlineageTag: {tag('table', table.name)}\n"]
    if table.calendar:
        parts[0] += "\tdataCategory: Time\n"
    parts += [_measure(measure) for measure in table.measures]
    parts += [_column(table, column) for column in table.columns]
    query = "\n".join(f"\t\t\t\t{line}" for line in table.query.splitlines())
    parts.append(f"\tpartition {name} = m\n\t\tmode: import\n\t\tsource =\n{query}\n")
    parts.append("\tannotation PBI_ResultType = Table\n")
    return "\n".join(parts)


def _measure(measure: Measure) -> str:
    return (
        f"\t/// {measure.description}\n"
        f"\tmeasure {tmdl_name(measure.name)} = {measure.expression}\n"
        f"\t\tformatString: {measure.format}\n"
        f"\t\tlineageTag: {tag('measure', measure.name)}\n"
    )


def _column(table: ModelTable, column: DataColumn) -> str:
    lines = [f"\t/// {column.description}", f"\tcolumn {tmdl_name(column.name)}"]
    lines.append(f"\t\tdataType: {column.type}")
    if column.hidden:
        lines.append("\t\tisHidden")
    if column.is_key:
        lines.append("\t\tisKey")
    if column.format:
        lines.append(f"\t\tformatString: {column.format}")
    lines += [
        f"\t\tlineageTag: {tag('column', table.name, column.source)}",
        f"\t\tsummarizeBy: {'sum' if column.adds_up else 'none'}",
        f"\t\tsourceColumn: {column.source}",
        "",
        "\t\tannotation SummarizationSetBy = User",
    ]
    if column.day_only:
        lines += ["", "\t\tannotation UnderlyingDateTimeDataType = Date"]
    return "\n".join(lines) + "\n"
