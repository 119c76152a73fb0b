"""Write docs/claims.md from its template and the figures of the instances.

Run: python tests/claims/write_claims.py
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "claims.md"
TEMPLATE = HERE / "claims.md.tmpl"


def page(found: dict[str, float | str]) -> str:
    """Return the page with every figure in its place."""
    return TEMPLATE.read_text(encoding="utf-8").format_map(found)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(HERE)]
    from claim_figures import figures

    PAGE.write_text(page(figures()), encoding="utf-8")
