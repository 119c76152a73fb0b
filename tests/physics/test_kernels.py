"""Kernels: products by tiles and waves, attention, streaming; each no faster than its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selene import MACHINE

from planner.domain.compute_constants import shipped_constants
from planner.physics.kernels import Kernels

COMPUTE = shipped_constants().compute
HALF = Kernels.of(MACHINE, COMPUTE, "fp16")
sizes = st.integers(1, 40000)


@given(sizes, sizes, sizes)
def test_product_is_no_faster_than_peak_or_memory(m, n, k):
    """No product beats the sustained peak or the bytes it must move."""
    time = float(HALF.product_s(m, n, k))
    assert time >= 2.0 * m * n * k / HALF.peak
    assert time >= (m * k + n * k + m * n) * 2.0 / HALF.bytes_per_s


@given(sizes, sizes, sizes)
def test_product_grows_with_its_inner_dimension(m, n, k):
    """More work along the inner dimension never takes less time."""
    assert HALF.product_s(m, n, 2 * k) >= HALF.product_s(m, n, k)


def test_last_wave_counts_in_full():
    """One tile more than a full wave costs a whole wave."""
    full = float(HALF.product_s(108 * 128, 256, 8192))
    more = float(HALF.product_s(109 * 128, 256, 8192))
    assert more > 1.3 * full


@pytest.mark.parametrize(
    ("m", "n", "k", "measured_tflops"),
    [(4096, 5120, 12288, 0.7717 * 312), (8192, 8192, 8192, 258.0)],
)
def test_measured_products(m, n, k, measured_tflops):
    """Products measured on A100 (SimuMax a100_pcie; aiconfigurator a100_sxm) are met within 15 %."""
    rate = 2.0 * m * n * k / float(HALF.product_s(m, n, k)) / 1e12
    assert rate == pytest.approx(measured_tflops, rel=0.15)


def test_narrow_heads_are_slower():
    """Attention with 64-wide heads runs at a lower rate than with 128-wide ones."""
    assert HALF.attention_rate(64, fused=True) < HALF.attention_rate(128, fused=True)


def test_short_sequences_are_slower():
    """Attention over short sequences reaches less of its rate."""
    times = HALF.fused_attention_s(np.array([1e12, 1e12]), np.array([512.0, 16384.0]), 128)
    assert times[0] > times[1]


def test_missing_family_falls_back_to_the_wider():
    """fp8 on an A100 runs at its half-precision rate."""
    assert Kernels.of(MACHINE, COMPUTE, "fp8").peak == HALF.peak
