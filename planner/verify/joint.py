"""Links between the two leafs of a joined pair: as many as the servers of one leaf, and no others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from planner.verify.links import nic_option
from planner.verify.record import Record
from planner.verify.tiers import adapters_of, card_of
from planner.verify.violation import Violation, violation


def check_joint(record: Record) -> Iterator[Violation]:
    """Yield links between leafs that make no pair, a joint of another width, servers on one leaf."""
    design = record.solution.design
    if design is None:
        return
    pairs = Counter(
        tuple(sorted((cable.a, cable.b))) for cable in record.links if cable.tier == "leaf_leaf"
    )
    if design.fabric.topology != "joined_pair":
        if pairs:
            yield violation(
                "joint-absent", "$.cables", "no link between two leafs", sum(pairs.values()),
                "this topology joins leafs over spines only",
            )  # fmt: skip
        return
    leafs = tuple(sorted(leaf.id for leaf in record.of_kind("leaf")))
    expected = _links_of_a_leaf(record)
    if pairs != {leafs: expected}:
        yield violation(
            "joint-links", "$.cables", f"{expected} links between {' and '.join(leafs)}",
            ", ".join(f"{' and '.join(pair)} {n}" for pair, n in sorted(pairs.items())) or "none",
            "as many links join the pair as servers have to one leaf, kept slots included",
        )  # fmt: skip
    yield from _cards(record)


def _links_of_a_leaf(record: Record) -> int:
    """Return the links that all servers, and the slots kept free, have to one leaf."""
    slots = len(record.of_kind("node")) + record.solution.instance.fabric.reserved_slots
    option = nic_option(record)
    return slots * option.links // 2 if option else 0


def _cards(record: Record) -> Iterator[Violation]:
    """Yield NICs whose ports do not share both leafs alike."""
    option = nic_option(record)
    adapters = adapters_of(record, option) if option else 0
    if option is None or option.links < 2 * adapters:
        return
    odd = option.links // adapters % 2
    for node in record.of_kind("node"):
        met: dict[int, Counter[str]] = defaultdict(Counter)
        for end in record.ends.get(node.id, []):
            if end.cable.tier == "node_leaf":
                met[card_of(end.port, option, adapters)][end.other] += 1
        for card, leafs in sorted(met.items()):
            if len(leafs) != 2 or max(leafs.values()) - min(leafs.values()) > odd:
                yield violation(
                    "joint-cards", f"{node.id} NIC {card + 1}", "as many ports on each leaf",
                    ", ".join(f"{leaf} {n}" for leaf, n in sorted(leafs.items())),
                    "the ports of one NIC do not join both leafs alike",
                )  # fmt: skip
