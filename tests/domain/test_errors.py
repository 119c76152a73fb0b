"""What the user reads of a fault."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planner.domain.errors import LONGEST, Fault

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=4000)


@given(TEXT, TEXT, st.text(max_size=150))
def test_a_fault_is_never_longer_than_a_line_can_be_read(where: str, what: str, right: str) -> None:
    """However much of a file it repeats, what would be right stays at its end."""
    line = str(Fault(where, what, right))
    assert len(line) <= LONGEST
    assert line.endswith(right)
    whole = f"{where}: {what}" + (f"; {right}" if right else "")
    assert line == whole or (len(whole) > LONGEST and "..." in line)
