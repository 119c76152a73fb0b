"""Margins on predicted step times: every family has one, with its source."""

from __future__ import annotations

from planner.domain.step_margins import shipped_margins, step_margin


def test_every_family_has_a_margin():
    """Each family that a network may have carries a margin and says where it comes from."""
    for family in ("transformer", "moe", "encoder", "cnn", "recommender"):
        margin = step_margin(family)
        assert margin is not None
        assert margin.source
        assert margin.margin > 0
    assert step_margin("diffusion") is None


def test_one_source_is_no_measurement():
    """A family whose runs all come from one source is marked as not validated."""
    for margin in shipped_margins().families.values():
        assert margin.sources > 1 or margin.status == "unvalidated"
