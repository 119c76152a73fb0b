"""The star schema as pandas frames, for notebooks and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.export.star import TABLES
from planner.export.table import ColumnType

if TYPE_CHECKING:
    import pandas as pd

DTYPES: dict[ColumnType, str] = {
    "text": "string",
    "key": "string",
    "integer": "Int64",
    "decimal": "Float64",
    "money": "Float64",
    "boolean": "boolean",
    "date": "string",
    "datetime": "string",
}


def star_frames(solution: Solution) -> dict[str, pd.DataFrame]:
    """Return every table of the star schema as a frame with nullable types."""
    import pandas as pd

    frames = {}
    for table in TABLES:
        frame = pd.DataFrame(list(table.rows(solution)), columns=list(table.header))
        frames[table.name] = frame.astype({c.name: DTYPES[c.type] for c in table.columns})
    return frames


def write_parquet(solution: Solution, folder: Path) -> list[Path]:
    """Write one Parquet file a table and return the files.

    Raises
    ------
    UsageError
        If pyarrow is not installed or the folder cannot be written.
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow: pip install 'gpu-cluster-planner[parquet]'"
        ) from None
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in star_frames(solution).items():
            path = folder / f"{name}.parquet"
            frame.to_parquet(path, index=False)
            written.append(path)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from None
    return written
