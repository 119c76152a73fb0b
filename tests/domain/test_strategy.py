"""Strategies: words for people, GPUs that take part."""

from __future__ import annotations

import pytest

from planner.domain.strategy import Strategy


def test_label():
    """The label reads as an engineer would write it."""
    strategy = Strategy(tp=8, pp=4, dp=16, sharding="zero1", schedule="1f1b", recompute="selective")
    assert strategy.label() == "TP8 x PP4 x DP16, ZeRO-1, mb 1, 1F1B, recompute selective"
    assert strategy.gpus == 512


def test_unknown_key_is_refused():
    """A typo is no strategy."""
    with pytest.raises(ValueError, match="tpp"):
        Strategy.model_validate({"tpp": 8})
