"""Messages of a profile as measured collectives: who was in the group, how long it took."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from planner.domain.profile import MessageProfile, StepProfile
from planner.physics.collectives import COLLECTIVES
from planner.physics.wiring import Wiring
from planner.study.collective_rows import CollectiveRow

WAITING = ("send_recv", "gather", "scatter")
"""Collectives whose kernels wait for another rank's computation, or that are not modelled."""


def profile_rows(
    profile: StepProfile, wiring: Wiring, log: str, first: int
) -> tuple[list[CollectiveRow], Counter[str]]:
    """Return the messages that can be held against the model, and why others cannot, counted.

    A kernel also lasts while ranks are late; of all calls of a size the shortest counts, which
    waited least. Every rank runs the same program, so that as many groups leave a host at a time
    as it holds.

    Parameters
    ----------
    wiring
        Of the servers it ran on, with their network where one is known.
    first
        `index` of the first row.
    """
    rows: list[CollectiveRow] = []
    reasons: Counter[str] = Counter()
    for message in profile.messages:
        group = _group(message, profile.world_size, wiring)
        if isinstance(group, str):
            reasons[group] += 1
            continue
        inside = group[1] >= group[0] or group[2] >= group[0]
        if not inside and wiring.network == "none":
            reasons["the group spans hosts, and the network between them is not known"] += 1
            continue
        rows.append(
            CollectiveRow(
                index=first + len(rows),
                collective=message.collective,
                size_bytes=message.size_bytes,
                wiring=replace(wiring, network="none", tiers=0) if inside else wiring,
                group=group,
                algorithm=None,
                protocol=None,
                time_s=message.shortest_s,
                platform=log,
                source="profile",
            )
        )
    return rows, reasons


def _group(
    message: MessageProfile, world: int | None, wiring: Wiring
) -> tuple[int, int, int, int] | str:
    """Return ranks, ranks per domain and per host, groups on one host; or why it is unknown."""
    ranks = message.ranks
    if message.collective in WAITING or message.collective not in COLLECTIVES:
        return f"{message.collective} is not calibrated from profiles: it waits for computation"
    if ranks < 2:
        return "the group has one rank"
    if message.shortest_s <= 0:
        return "it took no time"
    members = message.members or (tuple(range(ranks)) if ranks == world else ())
    if len(set(members)) != ranks:
        return "the profile does not list the ranks of the group"
    hosts = Counter(member // wiring.host_gpus for member in members)
    domains = Counter(member // wiring.domain_gpus for member in members)
    if len(set(hosts.values())) > 1 or len(set(domains.values())) > 1:
        return "the group is spread unevenly over hosts"
    per_host = next(iter(hosts.values()))
    sharing = max(1, wiring.host_gpus // per_host) if len(hosts) > 1 else 1
    return ranks, next(iter(domains.values())), per_host, sharing
