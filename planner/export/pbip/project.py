"""The folder of a Power BI project: shortcut, report and semantic model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.domain.whole_file import write_whole
from planner.export.pbip.build import build_model
from planner.export.pbip.model import tag
from planner.export.pbip.names import file_name
from planner.export.pbip.pages import Page, pages
from planner.export.pbip.tmdl import tmdl_files
from planner.export.pbip.visuals import SCHEMAS, visual_json
from planner.export.whole_folder import real_place, whole_folder

_ROOT = "https://developer.microsoft.com/json-schemas/fabric"
PBIP_SCHEMA = f"{_ROOT}/pbip/pbipProperties/1.0.0/schema.json"
PBIR_SCHEMA = f"{_ROOT}/item/report/definitionProperties/2.0.0/schema.json"
PBISM_SCHEMA = f"{_ROOT}/item/semanticModel/definitionProperties/1.0.0/schema.json"
PLATFORM_SCHEMA = f"{_ROOT}/gitIntegration/platformProperties/2.0.0/schema.json"
VERSION_SCHEMA = f"{SCHEMAS}/versionMetadata/1.0.0/schema.json"
REPORT_SCHEMA = f"{SCHEMAS}/report/1.3.0/schema.json"
PAGES_SCHEMA = f"{SCHEMAS}/pagesMetadata/1.0.0/schema.json"
PAGE_SCHEMA = f"{SCHEMAS}/page/1.4.0/schema.json"
"""Versions that Power BI Desktop of June 2025 writes: later ones read them, too."""


def project_files(
    solutions: Sequence[Solution],
    data_folder: str | None = None,
) -> dict[str, str]:
    """Return every file of the project by path; texts are UTF-8 without BOM.

    Parameters
    ----------
    solutions
        The runs, appended into one model.
    data_folder
        Folder below which the reports' CSV files are read; the project holds the data if None.

    Raises
    ------
    UsageError
        If a table is too large to be held in the project.
    """
    name = project_name(solutions)
    report, model = f"{name}.Report", f"{name}.SemanticModel"
    files = {
        f"{name}.pbip": _json({
            "$schema": PBIP_SCHEMA, "version": "1.0",
            "artifacts": [{"report": {"path": report}}],
            "settings": {"enableAutoRecovery": True}}),
        ".gitignore": "**/.pbi/localSettings.json\n**/.pbi/cache.abf\n",
        f"{report}/.platform": _platform("Report", name),
        f"{report}/definition.pbir": _json({
            "$schema": PBIR_SCHEMA, "version": "4.0",
            "datasetReference": {"byPath": {"path": f"../{model}"}}}),
        f"{model}/.platform": _platform("SemanticModel", name),
        f"{model}/definition.pbism": _json({
            "$schema": PBISM_SCHEMA, "version": "4.0", "settings": {}}),
    }  # fmt: skip
    for path, text in _report(pages(solutions)).items():
        files[f"{report}/definition/{path}"] = text
    for path, text in tmdl_files(build_model(solutions, data_folder)).items():
        files[f"{model}/definition/{path}"] = text
    return files


def project_name(solutions: Sequence[Solution]) -> str:
    """Return the name of the project: the instance's, if all runs share it."""
    names = {solution.instance.name for solution in solutions}
    return file_name(names.pop()) if len(names) == 1 else "gpu-cluster-plans"


def write_project(
    solutions: Sequence[Solution],
    folder: Path,
    data_folder: str | None = None,
    *,
    force: bool = False,
) -> list[Path]:
    """Write the project into a folder, made if absent, and return its files.

    Raises
    ------
    UsageError
        If a project of this name is there and `force` is not given, a table is too large to be
        held, or the folder cannot be written.
    """
    files = project_files(solutions, data_folder)
    own = sorted({path.split("/")[0] for path in files} - {".gitignore"})
    there = [name for name in own if (folder / name).exists()]
    if there and not force:
        raise UsageError(
            f"{folder / there[0]} exists and may hold your own changes; "
            "name another folder, or give --force to replace it"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in own:
            texts = {p: t for p, t in files.items() if p.startswith(f"{part}/")}
            if texts:
                with whole_folder(real_place(folder / part)) as new:
                    for path, text in texts.items():
                        _write(new / path.removeprefix(f"{part}/"), text)
        for path in (p for p in files if "/" not in p):
            write_whole(folder / path, files[path].encode())
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from None
    return [folder / path for path in files]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def _report(found: Sequence[Page]) -> dict[str, str]:
    """Return the files of the report's folder `definition`."""
    files = {
        "version.json": _json({"$schema": VERSION_SCHEMA, "version": "2.0.0"}),
        "report.json": _json({
            "$schema": REPORT_SCHEMA, "themeCollection": {}, "layoutOptimization": "None",
            "settings": {"useStylableVisualContainerHeader": True,
                         "defaultDrillFilterOtherVisuals": True}}),
        "pages/pages.json": _json({
            "$schema": PAGES_SCHEMA, "pageOrder": [page.name for page in found],
            "activePageName": found[0].name}),
    }  # fmt: skip
    for page in found:
        files[f"pages/{page.name}/page.json"] = _json({
            "$schema": PAGE_SCHEMA, "name": page.name, "displayName": page.title,
            "displayOption": "FitToPage", "height": 720, "width": 1280})  # fmt: skip
        for order, visual in enumerate(page.visuals):
            path = f"pages/{page.name}/visuals/{visual.name}/visual.json"
            files[path] = _json(visual_json(visual, order))
    return files


def _platform(kind: str, name: str) -> str:
    return _json({
        "$schema": PLATFORM_SCHEMA,
        "metadata": {"type": kind, "displayName": name},
        "config": {"version": "2.0", "logicalId": tag("item", kind, name)}})  # fmt: skip


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
