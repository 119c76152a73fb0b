"""Goodput: the share of wall time that a job spends on steps which count.

Three things take the rest: writing checkpoints, the work lost and the restart after a failure, and
waiting for a broken server while no spare is left. Failures of a job's servers are a Poisson
process, so that rates add up over components and servers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.domain.units import SECONDS_PER_DAY

NEWTON_STEPS = 60
MOST_EXPONENT = 300.0
"""Of mean times between failures in one segment: past it no step ever counts, and `exp` overflows."""


def lambert_w(x: float) -> float:
    """Return the principal branch of Lambert's W for ``-1/e <= x <= 0``: w e^w = x, w >= -1.

    Halley's iteration from the branch-point series (Corless et al., On the Lambert W function,
    Adv. Comput. Math. 5, 1996, eq. 4.22 and 5.9).

    Raises
    ------
    ValueError
        Outside ``[-1/e, 0]``.
    """
    if not -math.exp(-1) - 1e-15 <= x <= 0:
        raise ValueError(f"Lambert W is needed between -1/e and 0, not at {x}")
    p = math.sqrt(max(0.0, 2 * (math.e * x + 1)))
    w = -1 + p - p * p / 3 + 11 * p**3 / 72
    for _ in range(NEWTON_STEPS):
        grown = math.exp(w)
        miss = w * grown - x
        slope = grown * (w + 1) - (w + 2) * miss / (2 * w + 2) if w > -1 else 0.0
        if not miss or not slope:
            break
        change = miss / slope
        w -= change
        if abs(change) <= 1e-16 * max(1.0, abs(w)):
            break
    return w


def best_interval_s(mtbf_s: float, write_s: float) -> float:
    """Return the seconds of work between two checkpoints that lose the least time.

    The exact optimum of `checkpoint_share`: its derivative vanishes where
    ``(1 - t/M) exp(t/M) = exp(-d/M)``, so ``t = M (1 + W(-exp(-1 - d/M)))``. For short writes it is
    Young's ``sqrt(2 d M)`` (CACM 17, 1974); Daly (FGCS 22, 2006) expands the same expression.

    Parameters
    ----------
    mtbf_s
        Mean time between failures of the job, seconds (M).
    write_s
        Time that one checkpoint stops the training, seconds (d); positive.
    """
    if math.isinf(mtbf_s):
        return math.inf
    return mtbf_s * (1 + lambert_w(-math.exp(-1 - write_s / mtbf_s)))


def checkpoint_share(mtbf_s: float, write_s: float, restart_s: float, interval_s: float) -> float:
    """Return the share of time left for useful steps while every server that is needed is there.

    Daly's complete model (FGCS 22, 2006, eq. 20): with exponential failures, also during restarts,
    a segment of `interval_s` of work and a checkpoint takes
    ``M exp(R/M) (exp((t + d)/M) - 1)`` seconds on average.
    """
    if math.isinf(mtbf_s):
        return 1.0
    growth = math.expm1(min((interval_s + write_s) / mtbf_s, MOST_EXPONENT))
    return interval_s / (mtbf_s * math.exp(min(restart_s / mtbf_s, MOST_EXPONENT)) * growth)


def waiting_share(failures_per_s: float, repair_s: float, spares: int) -> float:
    """Return the share of time in which more servers are broken than there are spares.

    Broken servers are a loss system: they arrive at the rate of the job's servers while the job
    runs, each stays for a repair, and at ``spares + 1`` broken ones the job stands and none fails.
    Erlang's B formula gives the share of time there, whatever the distribution of repairs
    (Sevastyanov 1957): ``B = (a^c / c!) / sum_{k=0..c} a^k / k!`` with c = spares + 1.
    """
    offered = failures_per_s * repair_s
    blocked = 1.0
    for servers in range(1, spares + 2):
        blocked = offered * blocked / (servers + offered * blocked)
    return blocked


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRates:
    """How often a server's failures stop a job, per second."""

    interrupting_per_s: float
    """All that stop the job: it restarts from the last checkpoint."""
    repairing_per_s: float
    """Those of them that take the server out until it is repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodputTerms:
    """Availability and what it is made of."""

    availability: float
    """checkpoint_share x (1 - waiting_share)."""
    mtbf_s: float
    write_s: float
    interval_s: float
    checkpoint_share: float
    waiting_share: float


def goodput(
    rates: FailureRates,
    *,
    servers: int,
    spares: int,
    write_s: float,
    restart_s: float,
    repair_s: float,
) -> GoodputTerms:
    """Return the availability of a job on some servers with spares standing by.

    It falls with every rate, time and number of servers, and rises with the spares. With no
    failures it is 1: no checkpoint is needed.
    """
    per_s = rates.interrupting_per_s * servers
    mtbf_s = 1 / per_s if per_s > 0 else math.inf
    interval_s = best_interval_s(mtbf_s, write_s)
    share = checkpoint_share(mtbf_s, write_s, restart_s, interval_s)
    waiting = waiting_share(rates.repairing_per_s * servers, repair_s, spares)
    return GoodputTerms(
        availability=share * (1 - waiting),
        mtbf_s=mtbf_s,
        write_s=write_s,
        interval_s=interval_s,
        checkpoint_share=share,
        waiting_share=waiting,
    )


def per_second(per_thousand_days: float) -> float:
    """Return a rate per second from one per thousand device-days."""
    return per_thousand_days / (1000 * SECONDS_PER_DAY)
