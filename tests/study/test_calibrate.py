"""Fitting factors to measurements, and applying them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.domain.calibration import Calibration, calibrated, read_calibration, with_factors
from planner.domain.errors import InputError
from planner.domain.physics_constants import shipped_collective_constants
from planner.study.calibrate import calibrate
from planner.study.collective_rows import CollectiveRow, map_row
from planner.study.validate_collectives import predict

CONSTANTS = shipped_collective_constants()
SIZES = tuple(int(2**power) for power in range(3, 34, 2))


def made(nodes: int, sizes: tuple[int, ...] = SIZES, time_us: float = 1.0) -> list[CollectiveRow]:
    """Return rows of an H100 platform whose times are still to be set."""
    base = {
        "collective": "all_reduce", "gpu": "h100-sxm", "gpus": str(8 * nodes), "nodes": str(nodes),
        "gpus_per_node": "8", "scale_up": "nvswitch", "scale_up_gbytes_per_s": "450",
        "network": "infiniband", "nics_per_node": "8", "nic_gbps": "400", "pcie_gen": "5",
    }  # fmt: skip
    return [
        map_row(k, base | {"bytes": str(size), "time_us": str(time_us)})
        for k, size in enumerate(sizes)
    ]


def measured_with(rows: list[CollectiveRow], constants, noise: float = 0.0) -> list[CollectiveRow]:
    """Return rows that take what other constants say, with noise."""
    from dataclasses import replace

    rng = np.random.default_rng(5)
    times = predict(rows, constants).time_s * np.exp(rng.normal(0.0, noise, len(rows)))
    return [replace(row, time_s=float(t)) for row, t in zip(rows, times, strict=True)]


def labels(rows: list[CollectiveRow]) -> list[str]:
    """Return one log name per row."""
    return ["run.log"] * (max(row.index for row in rows) + 1)


@pytest.mark.parametrize(("latency", "bandwidth"), [(1.0, 1.0), (2.0, 0.8), (0.6, 0.5)])
def test_known_factors_are_found_again(latency, bandwidth):
    """Rows made with scaled constants give the scale back, and all error with it."""
    kind = ("hopper", "nvswitch", "none")
    truth = with_factors(CONSTANTS, "scale_up", kind, latency, bandwidth)
    rows = measured_with(made(1), truth)
    (found,) = calibrate(rows, labels(rows), CONSTANTS).collectives
    assert found.latency_factor == pytest.approx(latency, rel=0.05)
    assert found.bandwidth_factor == pytest.approx(bandwidth, rel=0.05)
    assert found.error_after_pct < 2.0
    assert found.latency_fitted
    assert found.bandwidth_fitted


def test_network_is_fitted_on_top_of_the_scale_up():
    """Each level keeps its own factors and both together predict what was measured."""
    truth = with_factors(CONSTANTS, "scale_up", ("hopper", "nvswitch", "none"), 1.4, 0.9)
    truth = with_factors(truth, "network", ("any", "any", "infiniband"), 2.0, 0.7)
    inside, across = made(1), made(4)
    rows = measured_with(inside, truth) + measured_with(across, truth)
    found = calibrate(rows, labels(rows), CONSTANTS)
    assert [part.level for part in found.collectives] == ["scale_up", "network"]
    assert found.collectives[1].bandwidth_factor == pytest.approx(0.7, rel=0.1)
    after = predict(rows, calibrated(CONSTANTS, found)).time_s
    measured = np.array([row.time_s for row in rows])
    assert np.median(np.abs(after / measured - 1.0)) < 0.03


def test_noise_never_makes_the_fit_worse_than_the_shipped_constants():
    """The median error after the fit is at most that before."""
    rows = measured_with(made(2), CONSTANTS, noise=0.2)
    (found,) = calibrate(rows, labels(rows), CONSTANTS).collectives
    assert np.mean([abs(np.log1p(r.error_pct / 100.0)) for r in found.residuals]) <= 0.2


def test_short_messages_leave_the_bandwidth_alone():
    """Where no message shows the bandwidth, the shipped one stands and that is said."""
    rows = measured_with(made(1, (8, 64, 512)), CONSTANTS)
    (found,) = calibrate(rows, labels(rows), CONSTANTS).collectives
    assert (found.latency_fitted, found.bandwidth_fitted) == (True, False)
    assert found.bandwidth_factor == 1.0
    assert any("bandwidth: no message was long enough" in text for text in found.extrapolates)


def test_extrapolation_names_what_was_measured():
    """Sizes, ranks and collectives that were measured are named with their bounds."""
    rows = measured_with(made(1, (1024, 2**20)), CONSTANTS)
    (found,) = calibrate(rows, labels(rows), CONSTANTS).collectives
    text = "; ".join(found.extrapolates)
    assert "below 1 KiB or above 1 MiB" in text
    assert "other than 8 ranks" in text
    assert "other than all_reduce" in text


def test_calibration_file_comes_back_whole(tmp_path):
    """Writing and reading a calibration loses nothing; shares of a link never exceed it."""
    rows = measured_with(
        made(1), with_factors(CONSTANTS, "scale_up", ("hopper", "nvswitch", "none"), 1.0, 1.2)
    )
    found = calibrate(rows, labels(rows), CONSTANTS)
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(found.model_dump(mode="json")), encoding="utf-8")
    assert read_calibration(path) == found
    greedy = with_factors(CONSTANTS, "scale_up", ("hopper", "nvswitch", "none"), 1.0, 50.0)
    assert greedy.architectures["hopper"].scale_up_efficiency.value == 1.0
    assert greedy.architectures["hopper"].scale_up_efficiency.status == "fitted"


def test_empty_calibration_changes_nothing():
    """Without factors the shipped constants stand."""
    assert calibrated(CONSTANTS, Calibration()) == CONSTANTS


def test_crooked_calibration_files_are_named(tmp_path):
    """Unknown keys and values are faults with their place."""
    path = tmp_path / "calibration.json"
    path.write_text('{"schema_version": 1, "colectives": []}', encoding="utf-8")
    with pytest.raises(InputError, match="unknown key 'colectives'; did you mean 'collectives'"):
        read_calibration(path)
