"""The wide-area level: fibre, packets, ciphers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.physics.wan import CIPHERS, exchange_s, gateways, goodput_share, one_way_s

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


@given(size=SIZE, km=KM, gbps=GBPS, cipher=CIPHER)
def test_more_distance_bytes_or_security_never_help(size, km, gbps, cipher) -> None:
    """And more bandwidth never hurts."""
    base = exchange_s(size, km=km, gbps=gbps, encryption=cipher)
    assert base >= exchange_s(size, km=km, gbps=gbps, encryption="none")
    assert base <= exchange_s(2 * size, km=km, gbps=gbps, encryption=cipher)
    assert base <= exchange_s(size, km=km + 100, gbps=gbps, encryption=cipher)
    assert base >= exchange_s(size, km=km, gbps=2 * gbps, encryption=cipher)
    assert base >= size * 8 / (gbps * 1e9)


def test_nothing_to_send_takes_no_time_and_plain_lines_need_no_cards() -> None:
    """Cards stand at both ends, one for each 400 Gbit/s begun."""
    assert exchange_s(0.0, km=1e4, gbps=1.0, encryption="tls") == 0
    assert [gateways(g, "macsec") for g in (10, 400, 401, 800)] == [2, 2, 4, 4]
    assert gateways(400, "none") == 0
