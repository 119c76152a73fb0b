"""Networks of services counted again from servers, appliances and ports, by their rules."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from planner.domain.services import ServiceNetwork, Services
from planner.domain.services_part import ServiceNetworkPart, ServicesPart
from planner.verify.record import Record, same
from planner.verify.violation import Violation, violation


def check_service_networks(
    record: Record, wanted: Services, part: ServicesPart
) -> Iterator[Violation]:
    """Yield networks that are missing or surplus, and counts that the rules do not give."""
    stated = [network.network for network in part.networks]
    if stated != list(wanted.networks):
        yield violation(
            "services-networks", "$.services.networks", ", ".join(wanted.networks),
            ", ".join(stated), "are not the networks that the instance asks for",
        )  # fmt: skip
        return
    nodes = len(record.of_kind("node"))
    for k, network in enumerate(part.networks):
        asked = wanted.networks[network.network]
        yield from _network(record, network, asked, nodes, f"$.services.networks[{k}]")


def _network(
    record: Record, part: ServiceNetworkPart, asked: ServiceNetwork, nodes: int, where: str
) -> Iterator[Violation]:
    switch = record.catalog.switches.get(asked.switch)
    servers = nodes * asked.links_per_server
    appliances = sum(group.count * group.links for group in asked.appliances)
    uplinks = sum(row.leafs * row.uplinks for row in part.leafs)
    for field, expected, found in (
        ("switch", asked.switch, part.switch),
        ("family", switch.family if switch else part.family, part.family),
        ("link_gbps", asked.link_gbps, part.link_gbps),
        ("server_links", servers, part.server_links),
        ("server_links", servers, sum(sum(row.server_links) for row in part.leafs)),
        ("appliance_links", appliances, part.appliance_links),
        ("appliance_links", appliances, sum(sum(row.appliance_links) for row in part.leafs)),
        ("uplinks", uplinks, part.uplinks),
    ):
        if expected != found:
            yield violation(
                "service-count", f"{where}.{field}", expected, found,
                "is not what servers, appliances and leafs give",
            )  # fmt: skip
    if switch is None:
        return
    yield from _shape(part, asked, switch.ports_at(asked.link_gbps), where)
    yield from _spines(record, part, switch.ports_at(asked.link_gbps), where)


def _shape(
    part: ServiceNetworkPart, asked: ServiceNetwork, ports: int, where: str
) -> Iterator[Violation]:
    """Yield a violation unless leafs, their links and their uplinks follow the rules."""
    ratio = Fraction(str(asked.oversubscription))
    total = part.server_links + part.appliance_links
    shared = 0 if asked.own_leafs else part.appliance_links
    if total <= ports:
        expected = [(1, 0)]
    else:
        most = math.floor(ports * ratio / (1 + ratio))
        leafs = asked.links_per_server * math.ceil(
            Fraction(part.server_links + shared, max(1, most * asked.links_per_server))
        )
        fullest = math.ceil(Fraction(part.server_links + shared, leafs))
        expected = [(leafs, math.ceil(fullest / ratio))]
        if asked.own_leafs and part.appliance_links:
            own = math.ceil(part.appliance_links / (ports // 2))
            expected.append((own, math.ceil(part.appliance_links / own)))
    found = [(row.leafs, row.uplinks) for row in part.leafs]
    for k, (leafs, least) in enumerate(expected):
        stated = found[k] if k < len(found) else (0, 0)
        raised = least
        if part.spines and k < len(part.leafs):
            raised = max(least, min(stated[1], least + part.spines - 1))
        if stated != (leafs, raised):
            yield violation(
                "service-leafs", f"{where}.leafs[{k}]", f"{leafs} with {least} uplinks",
                f"{stated[0]} with {stated[1]}", "leafs and uplinks by the rules",
            )  # fmt: skip
    if len(found) > len(expected):
        yield violation(
            "service-leafs", f"{where}.leafs", len(expected), len(found), "kinds of leaf"
        )
    yield from _rows(part, ports, where)
    first = part.leafs[0] if part.leafs else None
    ratio_found = 1.0
    if first is not None and part.spines and first.uplinks:
        pairs = zip(first.server_links, first.appliance_links, strict=True)
        ratio_found = max(a + b for a, b in pairs) / first.uplinks
    if not same(part.oversubscription, ratio_found):
        yield violation(
            "service-ratio", f"{where}.oversubscription", ratio_found, part.oversubscription,
            "down over up links of the fullest leaf of servers",
        )  # fmt: skip


def _rows(part: ServiceNetworkPart, ports: int, where: str) -> Iterator[Violation]:
    """Yield leafs that have too many links or share them unevenly."""
    for k, row in enumerate(part.leafs):
        if len(row.server_links) != row.leafs or len(row.appliance_links) != row.leafs:
            yield violation(
                "service-leafs", f"{where}.leafs[{k}]", row.leafs,
                f"{len(row.server_links)} and {len(row.appliance_links)}", "links of every leaf",
            )  # fmt: skip
            continue
        down = [a + b for a, b in zip(row.server_links, row.appliance_links, strict=True)]
        uneven = any(max(side) - min(side) > 1 for side in (row.server_links, row.appliance_links))
        if uneven or max(down) - min(down) > 1 or max(down) + row.uplinks > ports:
            yield violation(
                "service-spread", f"{where}.leafs[{k}]", f"even, at most {ports} with uplinks",
                f"{min(down)} to {max(down)} and {row.uplinks}", "links of leafs of one kind",
            )  # fmt: skip


def _spines(
    record: Record, part: ServiceNetworkPart, ports: int, where: str
) -> Iterator[Violation]:
    """Yield a violation unless the spines are the fewest that carry the uplinks of all leafs."""
    single = part.server_links + part.appliance_links <= ports
    even = record.solution.instance.fabric.even_spread
    if single and not part.spines:
        return
    links = sum(row.leafs * row.uplinks for row in part.leafs)
    unequal = even and any(row.uplinks % max(1, part.spines) for row in part.leafs)
    if single or not part.spines or links > part.spines * ports or unequal:
        yield violation(
            "service-spines", f"{where}.spines", "none for one switch, else enough for all uplinks",
            part.spines, f"{links} uplinks on switches of {ports} ports",
        )  # fmt: skip
        return
    asked = record.solution.instance.services
    assert asked is not None
    ratio = Fraction(str(asked.networks[part.network].oversubscription))
    for fewer in range(1, part.spines):
        if _carries(part, ports, fewer, ratio, even=even):
            yield violation(
                "service-spines", f"{where}.spines", fewer, part.spines,
                "fewer spines carry the uplinks of all leafs",
            )  # fmt: skip
            return


def _carries(
    part: ServiceNetworkPart, ports: int, spines: int, ratio: Fraction, *, even: bool
) -> bool:
    """Tell whether so many spines would do: ratio of server leafs, 1:1 for others."""
    links = 0
    for k, row in enumerate(part.leafs):
        down = max(a + b for a, b in zip(row.server_links, row.appliance_links, strict=True))
        least = math.ceil(down / ratio) if k == 0 else down
        up = math.ceil(least / spines) * spines if even else least
        if down + up > ports:
            return False
        links += row.leafs * up
    return links <= spines * ports
