"""Messages of a profile as measured collectives, on the groups that really sent them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.domain.calibration import with_factors
from planner.domain.physics_constants import shipped_collective_constants
from planner.domain.profile import MessageProfile
from planner.physics.wiring import Wiring
from planner.study.calibrate import calibrate
from planner.study.collective_rows import CollectiveRow
from planner.study.profile_rows import profile_rows
from planner.study.validate_collectives import predict
from tests.study.test_calibrate_compute import profile

CONSTANTS = shipped_collective_constants()
HGX = Wiring(
    accelerator="h100-sxm", architecture="hopper", scale_up="nvswitch",
    scale_up_gbytes_per_s=450.0, domain_gpus=8, host_gpus=8, pcie_gen=5, nics_per_host=8,
    nic_gbps=400.0, network="infiniband",
)  # fmt: skip


def message(members=(), size=2.0**28, collective="all_reduce", ranks=None, shortest=1e-3):
    """Return a message of some ranks."""
    return MessageProfile(
        collective=collective, size_bytes=size, dtype="BFloat16", ranks=ranks or len(members),
        members=tuple(members), calls=3, shortest_s=shortest, median_s=2 * shortest,
        longest_s=5 * shortest,
    )  # fmt: skip


def rows_of(*messages, wiring=HGX, world=32):
    """Return rows and reasons of a profile with some messages."""
    whole = profile(1.0, world=world).model_copy(update={"messages": messages})
    return profile_rows(whole, wiring, "t.json", 5)


def test_groups_inside_a_host_use_its_links():
    """Eight neighbours meet in one domain, whatever the network."""
    (row,), reasons = rows_of(message(range(8, 16)))
    assert row.group == (8, 8, 8, 1)
    assert row.wiring.network == "none"
    assert row.index == 5
    assert not reasons


def test_groups_across_hosts_share_the_nics_with_their_siblings():
    """One rank a host: eight such groups leave each host at the same time."""
    (row,), _ = rows_of(message([3, 11, 19, 27]))
    assert row.group == (4, 1, 1, 8)
    assert row.wiring.network == "infiniband"
    (whole,), _ = rows_of(message(ranks=32))
    assert whole.group == (32, 8, 8, 1)


def test_the_shortest_call_counts():
    """The others waited longer for the last rank."""
    (row,), _ = rows_of(message(range(8), shortest=7e-4))
    assert row.time_s == 7e-4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (message(ranks=4), "does not list"),
        (message([0, 1, 8]), "unevenly"),
        (message([0]), "one rank"),
        (message([0, 8], collective="send_recv"), "waits for computation"),
        (message(range(8), shortest=0.0), "no time"),
    ],
)  # fmt: skip
def test_messages_that_cannot_be_held_against_the_model_are_counted(given, said):
    """None is dropped in silence."""
    rows, reasons = rows_of(given)
    assert rows == []
    assert [said in reason for reason in reasons] == [True]


def test_an_unknown_network_leaves_messages_between_hosts_out():
    """The instance fixed no fabric."""
    rows, reasons = rows_of(message([0, 8]), message(range(8)), wiring=replace(HGX, network="none"))
    assert len(rows) == 1
    assert "not known" in next(iter(reasons))


def test_a_profile_gives_the_constants_back_that_made_it():
    """Messages timed with scaled links calibrate to that scale, inside hosts and between."""
    truth = with_factors(CONSTANTS, "scale_up", ("hopper", "nvswitch", "none"), 1.0, 0.8)
    truth = with_factors(truth, "network", ("any", "any", "infiniband"), 1.0, 0.6)
    given = [
        message(members, 2.0**power)
        for members in (range(8), [0, 8, 16, 24])
        for power in range(22, 32, 2)
    ]
    rows, _ = rows_of(*given)
    times = predict(rows, truth).time_s
    timed: list[CollectiveRow] = [
        replace(row, time_s=float(t)) for row, t in zip(rows, times, strict=True)
    ]
    found = calibrate(timed, ["t.json"] * 20, CONSTANTS).collectives
    assert [part.level for part in found] == ["scale_up", "network"]
    assert found[0].bandwidth_factor == pytest.approx(0.8, rel=0.05)
    assert found[1].bandwidth_factor == pytest.approx(0.6, rel=0.08)
