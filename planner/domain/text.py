"""Names that are safe in every output (CSV, XLSX, HTML, DAX, file names) by construction."""

from typing import Annotated

from pydantic import StringConstraints

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9 ._/+-]*$"

Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN, min_length=1, max_length=80)]
"""An identifier: begins with a letter or digit; letters, digits, space and ``._/+-`` only."""

Prose = Annotated[str, StringConstraints(max_length=4000)]
"""Free text, escaped where it is shown."""
