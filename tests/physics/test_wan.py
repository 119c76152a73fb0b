"""The wide-area level: fibre, packets, ciphers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline_events import finished_s

from planner.physics.wan import (
    CIPHERS,
    crossing_s,
    each_way_bytes,
    gateways,
    goodput_share,
    one_way_s,
    pipeline_rounds,
)

CIPHER = st.sampled_from(sorted(CIPHERS))
SIZE = st.floats(1.0, 1e12)
KM = st.floats(0.0, 20_000.0)
GBPS = st.floats(1.0, 1600.0)


def test_fibre_takes_five_microseconds_a_kilometre() -> None:
    """1,000 km: 10 ms there and back."""
    assert 2 * one_way_s(1000.0, "none") == pytest.approx(10e-3)


@pytest.mark.parametrize(("size", "share"), [(1500, 0.974), (256, 0.865), (64, 0.615)])
def test_macsec_leaves_what_was_published(size: int, share: float) -> None:
    """Payload over payload and 40 bytes, by size of the frame."""
    assert size / (size + CIPHERS["macsec"].packet_bytes) == pytest.approx(share, abs=1e-3)


def test_each_cipher_leaves_less_than_a_plain_line_and_more_than_98_percent() -> None:
    """With jumbo frames headers cost little."""
    plain = goodput_share("none")
    for name in ("macsec", "ipsec", "tls"):
        assert 0.98 * plain < goodput_share(name) < plain < 1


@given(
    size=SIZE, km=KM, gbps=GBPS, cipher=CIPHER, pattern=st.sampled_from(["mesh", "hub", "chain"]),
    rounds=st.integers(1, 50),
)  # fmt: skip
def test_more_distance_bytes_or_security_never_help(size, km, gbps, cipher, pattern, rounds):
    """And more bandwidth never hurts."""
    way = {"pattern": pattern, "rounds": rounds}
    base = crossing_s(size, km=km, gbps=gbps, encryption=cipher, **way)
    assert base >= crossing_s(size, km=km, gbps=gbps, encryption="none", **way)
    assert base <= crossing_s(2 * size, km=km, gbps=gbps, encryption=cipher, **way)
    assert base <= crossing_s(size, km=km + 100, gbps=gbps, encryption=cipher, **way)
    assert base >= crossing_s(size, km=km, gbps=2 * gbps, encryption=cipher, **way)
    assert base >= size * 8 / (gbps * 1e9)


def summed(held: list[set[int]], pattern: str) -> tuple[list[set[int]], dict[tuple[int, int], int]]:
    """Sum shards of gradients site by site; return what each holds, and the messages of each way.

    A gradient is cut into one shard a site; a set holds the sites that were summed in.
    """
    sites = len(held)
    sent: dict[tuple[int, int], int] = {}
    shards = [[set(one) for _ in range(sites)] for one in held]

    def move(source: int, target: int, shard: int) -> set[int]:
        sent[source, target] = sent.get((source, target), 0) + 1
        return shards[source][shard]

    if pattern == "hub":
        owners = dict.fromkeys(range(sites), 0)
    else:
        owners = {shard: shard for shard in range(sites)}
    for shard, owner in owners.items():
        for site in range(sites):
            if site != owner:
                shards[owner][shard] |= move(site, owner, shard)
    for shard, owner in owners.items():
        for site in range(sites):
            if site != owner:
                shards[site][shard] = move(owner, site, shard)
    return [set.intersection(*one) for one in shards], sent


@pytest.mark.parametrize("sites", [2, 3, 4, 5])
@pytest.mark.parametrize("pattern", ["mesh", "hub"])
def test_the_bytes_of_a_sum_are_those_of_sending_every_shard(sites: int, pattern: str) -> None:
    """All sites hold the whole sum, and each line carried what is charged for it."""
    held, sent = summed([{site} for site in range(sites)], pattern)
    assert all(one == set(range(sites)) for one in held)
    shard = 12e9 / sites
    assert {count * shard for count in sent.values()} == {each_way_bytes(pattern, 12e9, sites)}
    if pattern == "mesh":
        assert len(sent) == sites * (sites - 1)
    else:
        assert all(0 in way for way in sent)


SECONDS = st.floats(0.05, 4.0)


@given(
    stages=st.integers(2, 8), batches=st.integers(1, 24), forward=SECONDS, backward=SECONDS,
    schedule=st.sampled_from(["1f1b", "gpipe"]),
    lines=st.dictionaries(
        st.integers(0, 6), st.tuples(st.floats(0.0, 3.0), st.floats(0.0, 6.0)), min_size=1,
        max_size=3,
    ),
)  # fmt: skip
def test_a_pipeline_never_waits_longer_than_its_bound(
    stages, batches, forward, backward, schedule, lines
) -> None:
    """Event by event: every message both ways, and the fibre as often as `pipeline_rounds` says."""
    lines = {boundary % (stages - 1): line for boundary, line in lines.items()}
    alone = finished_s(stages, batches, forward, backward, {}, schedule)
    found = finished_s(stages, batches, forward, backward, lines, schedule)
    rounds = pipeline_rounds(batches, schedule)
    bound = sum(2 * (batches * keeps + rounds * latency) for keeps, latency in lines.values())
    assert alone - 1e-9 <= found <= alone + bound + 1e-9


def test_the_bound_on_waits_is_reached() -> None:
    """A long fibre and short messages: 1F1B waits for every second micro-batch, GPipe once."""
    for schedule, rounds in (("1f1b", 6), ("gpipe", 1)):
        alone = finished_s(2, 12, 1.0, 2.0, {}, schedule)
        found = finished_s(2, 12, 1.0, 2.0, {0: (0.0, 0.5)}, schedule)
        assert found - alone == pytest.approx(2 * rounds * 0.5)
        assert pipeline_rounds(12, schedule) == rounds


def test_nothing_to_send_takes_no_time_and_plain_lines_need_no_cards() -> None:
    """Cards stand at both ends, one for each 400 Gbit/s begun."""
    assert crossing_s(0.0, pattern="mesh", km=1e4, gbps=1.0, encryption="tls") == 0
    assert [gateways(g, "macsec") for g in (10, 400, 401, 800)] == [2, 2, 4, 4]
    assert gateways(400, "none") == 0
