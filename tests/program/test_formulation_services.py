"""The page of services and the code name the same rules."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = (
    "physics/service_network", "program/services", "program/service_links",
    "program/service_manager", "program/service_racks", "program/service_kinds",
    "program/service_menus", "program/service_laying",
)  # fmt: skip
NOT_RULES = {"service_network"}


def test_page_and_code_name_the_same_rules() -> None:
    """Every rule of the page is built somewhere, and the code builds no rule without a page."""
    page = (ROOT / "models" / "formulation" / "services.md").read_text()
    written = set(re.findall(r"^\| `(service_\w+)` \|", page, re.M))
    text = "".join((ROOT / "planner" / f"{name}.py").read_text() for name in CODE)
    named = set(re.findall(r"[`\"](service_[a-z_]+)[`\"]", text))
    assert written == named - NOT_RULES
