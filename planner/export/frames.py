"""The star schema as pandas frames, for notebooks and Parquet."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planner.domain.errors import UsageError
from planner.domain.solution import Solution
from planner.domain.whole_file import write_whole
from planner.export.table import ColumnType
from planner.export.tables import TABLES, table_rows

if TYPE_CHECKING:
    import pandas as pd

DTYPES: dict[ColumnType, str] = {
    "text": "string",
    "key": "string",
    "integer": "Int64",
    "decimal": "Float64",
    "money": "Float64",
    "boolean": "boolean",
}
DAYS: tuple[ColumnType, ...] = ("date", "datetime")


def star_frames(solutions: Solution | Sequence[Solution]) -> dict[str, pd.DataFrame]:
    """Return every table of the star schema as a frame with nullable types; moments are UTC."""
    import pandas as pd

    runs = [solutions] if isinstance(solutions, Solution) else list(solutions)
    frames = {}
    for table in TABLES:
        rows = list(table_rows(table, runs))
        frame = pd.DataFrame(rows, columns=list(table.header))
        types = {c.name: DTYPES[c.type] for c in table.columns if c.type not in DAYS}
        frame = frame.astype(types)
        for column in table.columns:
            if column.type in DAYS:
                moments = pd.to_datetime(frame[column.name], utc=True)
                frame[column.name] = moments.dt.tz_localize(None)
        frames[table.name] = frame
    return frames


def write_parquet(solutions: Solution | Sequence[Solution], folder: Path) -> list[Path]:
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
        for name, frame in star_frames(solutions).items():
            path, held = folder / f"{name}.parquet", io.BytesIO()
            frame.to_parquet(held, index=False)
            write_whole(path, held.getvalue())
            written.append(path)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror})") from None
    return written
