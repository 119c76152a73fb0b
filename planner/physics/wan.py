"""The wide-area level: what crosses between sites in a step; fibre, packets, encryption."""

from __future__ import annotations

from dataclasses import dataclass

FIBRE_S_PER_KM = 5e-6
"""Group index of about 1.468 (ITU-T G.652 fibres): 4.9 us a kilometre, 5 with splices and slack."""
PACKET_BYTES = 9000.0
"""IP packet of jumbo frames, which carriers' private lines pass."""
TCP_IP_BYTES = 52.0
"""IPv4 20 (RFC 791), TCP 20 with 12 of time stamps (RFC 9293, RFC 7323)."""
ETHERNET_BYTES = 38.0
"""Header 14, check 4, preamble 8 and gap 12 (IEEE 802.3)."""
TLS_RECORD_BYTES = 16384.0
TLS_BYTES = 22.0
"""Header 5, content type 1 and authentication tag 16 a record (RFC 8446)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cipher:
    """What an encryption adds."""

    packet_bytes: float
    record_bytes: float
    """A TLS record of 16 KiB; 0 for the others."""
    latency_s: float
    """At each end."""


CIPHERS = {
    "none": Cipher(packet_bytes=0.0, record_bytes=0.0, latency_s=0.0),
    # About 40 bytes a frame and 1 to 3 us a link (Cisco Live, quoted by trueneutral.eu, 2017).
    "macsec": Cipher(packet_bytes=40.0, record_bytes=0.0, latency_s=3e-6),
    # ESP tunnel with AES-GCM: outer IPv4 20, ESP 8, IV 8, trailer up to 6, tag 16 (RFC 4303, RFC
    # 4106). No latency of an offloading card is published: that of MACsec, an estimate.
    "ipsec": Cipher(packet_bytes=58.0, record_bytes=0.0, latency_s=3e-6),
    "tls": Cipher(packet_bytes=0.0, record_bytes=TLS_BYTES, latency_s=3e-6),
}
GATEWAY_GBPS = 400.0
"""Line rate of one encrypting card; that it encrypts at line rate is its vendor's claim."""


def goodput_share(encryption: str) -> float:
    """Return the share of a line's rate that is left for the message."""
    cipher = CIPHERS[encryption]
    payload = PACKET_BYTES - TCP_IP_BYTES
    wire = PACKET_BYTES + ETHERNET_BYTES + cipher.packet_bytes
    return payload / wire * TLS_RECORD_BYTES / (TLS_RECORD_BYTES + cipher.record_bytes)


def one_way_s(km: float, encryption: str) -> float:
    """Return the latency of a line of `km` kilometres, seconds: fibre and both ends' ciphers."""
    return km * FIBRE_S_PER_KM + 2.0 * CIPHERS[encryption].latency_s


def each_way_bytes(pattern: str, size_bytes: float, sites: int) -> float:
    """Return what every line carries in each direction in one step.

    Parameters
    ----------
    pattern
        ``mesh``: sites linked pair by pair sum their gradients directly (reduce-scatter, then
        all-gather; a pair exchanges one part of `sites` in each). ``hub``: one site sums those of
        the others and sends the sum back. ``chain``: activations forward, their gradients back.
    size_bytes
        Gradients that each site holds, or activations of all micro-batches at one boundary.
    """
    return 2.0 * size_bytes / sites if pattern == "mesh" else size_bytes


def crossing_s(
    carried_bytes: float,
    *,
    pattern: str,
    km: float,
    gbps: float,
    encryption: str,
    rounds: int = 1,
) -> float:
    """Return the seconds that a line adds to a step if nothing hides behind computation.

    In a mesh both directions work at once; at a hub, and for a micro-batch's way through a
    pipeline and back, one after the other. `rounds` there and back wait for the fibre.
    """
    if carried_bytes <= 0.0:
        return 0.0
    bytes_per_s = gbps * 1e9 / 8.0 * goodput_share(encryption)
    turns = 1.0 if pattern == "mesh" else 2.0
    return turns * carried_bytes / bytes_per_s + 2.0 * rounds * one_way_s(km, encryption)


def pipeline_rounds(micro_batches: int, schedule: str) -> int:
    """Return how often a step of a pipeline waits for the fibre there and back, at most.

    GPipe sends all micro-batches one behind the other and waits once. In 1F1B a stage runs one
    pass forward only after one backward, so that two micro-batches at most are under way over a
    boundary without a wait. `tests/physics/test_wan.py` holds this against a simulation, event by
    event.
    """
    return 1 if schedule == "gpipe" else -(-micro_batches // 2)


def gateways(gbps: float, encryption: str) -> int:
    """Return the encrypting cards of a line, both ends together."""
    if encryption == "none":
        return 0
    return 2 * int(-(-gbps // GATEWAY_GBPS))
