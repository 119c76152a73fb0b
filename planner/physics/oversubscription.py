"""Ports of a switch split into down and up ports; ratios in bandwidth, exact."""

from __future__ import annotations

from fractions import Fraction


def oversubscription(down_links: int, down_gbps: float, up_links: int, up_gbps: float) -> Fraction:
    """Return down over up bandwidth of a switch; 1 is non-blocking, below 1 is generous.

    Parameters
    ----------
    down_links, up_links
        Links in use, each at least 1.
    down_gbps, up_gbps
        Rate of one link, gigabit/s.

    Raises
    ------
    ValueError
        If a number is not positive.
    """
    if min(down_links, up_links) < 1 or min(down_gbps, up_gbps) <= 0:
        raise ValueError("links and rates must be positive")
    down = down_links * Fraction(down_gbps)
    return down / (up_links * Fraction(up_gbps))


def as_ratio(oversubscription: float) -> Fraction:
    """Return the wanted ratio as the exact fraction a person means by it (1.1 is 11/10)."""
    return Fraction(str(oversubscription))


def split_ports(ports: int, oversubscription: float) -> tuple[int, int]:
    """Return down and up ports of a switch: d + u <= ports, d <= a u, d as large as possible.

    Of the splits with that d the smallest u is taken. (0, 0) when no split has d >= 1.
    """
    a = as_ratio(oversubscription)
    if ports < 2 or a <= 0:
        return 0, 0
    down = ports * a.numerator // (a.numerator + a.denominator)
    if down < 1:
        return 0, 0
    return down, least_uplinks(down, oversubscription)


def least_uplinks(down_links: int, oversubscription: float) -> int:
    """Return the fewest uplinks that keep to the wanted ratio: ceil(down / a)."""
    a = as_ratio(oversubscription)
    return -(-down_links * a.denominator // a.numerator)
