"""Conversions between the units at the file boundary and SI inside; nothing else converts."""

GBPS_PER_GBYTES_PER_S = 8.0
"""Gigabit per second in one gigabyte (1e9 bytes) per second."""

GIGA = 1e9
GIB = 1024.0**3
HOURS_PER_YEAR = 8766.0
"""Hours in a Julian year (365.25 days)."""

SECONDS_PER_DAY = 86400.0
CENTS_PER_USD = 100


def gbytes_per_s(gbps: float) -> float:
    """Return a rate in gigabit/s as gigabyte/s."""
    return gbps / GBPS_PER_GBYTES_PER_S


def cents(usd: float) -> int:
    """Return an amount in US dollars as whole cents, halves away from zero."""
    scaled = abs(usd) * CENTS_PER_USD
    whole = int(scaled + 0.5)
    return whole if usd >= 0 else -whole
