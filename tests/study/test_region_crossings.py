"""What may cross between sites: gradients of two or three, stages of a pipeline; never in plain."""

from __future__ import annotations

import functools
import itertools
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.json_file import validate
from planner.domain.regions import REFUSED
from planner.domain.resources import data_root
from planner.program.regions import Part
from planner.study.evaluate import evaluate
from planner.study.region_site import site_instance, with_part
from planner.study.regions import decide_regions
from planner.verify.check import verify
from planner.verify.regions import verify_regions

FILE = data_root() / "instances" / "three-regions.json"
DEPTHS = (2, 3, 4)
"""Depths of a pipeline that the small cases weigh."""
HEADERS = {"none": 0, "macsec": 40, "ipsec": 58, "tls": 0}


def small(step_time_s: float = 2.4, nodes: int = 2, **regions) -> Instance:
    """Return three rooms of two servers each that train an 8B model."""
    document = json.loads(FILE.read_text())
    document["workloads"] = [
        {"name": "llama3-8b", "network": "llama3-8b", "sequence_length": 8192, "global_batch": 48,
         "step_time_s": step_time_s, "margin": 0.0,
         "fix": {"sharding": "zero1", "recompute": ["none", "selective"], "pp": [1, *DEPTHS]}}
    ]  # fmt: skip
    document["grid"] = {"max_nodes": nodes}
    document["regions"] |= regions
    return validate(Instance, document, str(FILE))


@functools.cache
def evaluated(text: str):
    """Return what `planner evaluate` says of one room that does one part of the job."""
    found = evaluate(Instance.model_validate_json(text), FILE).solution
    return found if found.workloads else None


def room(instance: Instance, number: int, nodes: int, part: Part):
    """Return a room's own solution on so many servers."""
    own = with_part(site_instance(instance, instance.regions.sites[number]), part)
    own = own.model_copy(update={"fix": own.fix.model_copy(update={"nodes": nodes})})
    return evaluated(own.model_dump_json(by_alias=True))


def line_costs(instance: Instance, ends: set[str], sent: float, turns: int, rounds: int, card):
    """Return USD and seconds of every allowed line of a pair, counted packet by packet."""
    regions, found = instance.regions, []
    annuity = sum(1.08**-k for k in range(1, 6))
    for link in regions.wan:
        if set(link.between) != ends:
            continue
        for offer, cipher in itertools.product(link.offers, link.encryption):
            if cipher == "none" and regions.encryption == "required":
                continue
            records = (16384 + 22) / 16384 if cipher == "tls" else 1.0
            bits = sent * records * (9038 + HEADERS[cipher]) / (9000 - 52) * 8
            way = link.km * 5e-6 + (0.0 if cipher == "none" else 6e-6)
            rent = offer.usd_per_month * 12 * annuity
            cards = 0.0 if cipher == "none" else 2 * -(-offer.gbps // 400) * card
            found.append((rent + cards, turns * bits / offer.gbps / 1e9 + 2 * rounds * way))
    return found


def replicas(instance: Instance, counts: dict[int, int], card: float):
    """Yield (USD, step) of whole replicas at each room, gradients summed in every way."""
    batch, total = instance.workloads[0].global_batch, sum(counts.values())
    if any(batch * n % total for n in counts.values()):
        return
    rooms = [room(instance, i, n, Part(batch=batch * n // total)) for i, n in counts.items()]
    if None in rooms:
        return
    usd = sum(r.objective_usd for r in rooms)
    step = max(r.workloads[0].step_time_s for r in rooms)
    names = [instance.regions.sites[i].name for i in counts]
    size = 4.0 * rooms[0].workloads[0].parameters
    ways = [(list(itertools.combinations(names, 2)), 2 * size / len(names), 1)]
    if len(names) > 2:
        ways += [([(hub, n) for n in names if n != hub], size, 2) for hub in names]
    for pairs, sent, turns in ways:
        offers = [line_costs(instance, set(p), sent, turns, 1, card) for p in pairs]
        for taken in itertools.product(*offers):
            yield usd + sum(t[0] for t in taken), step + max((t[1] for t in taken), default=0.0)


def stages(instance: Instance, counts: dict[int, int], card: float):
    """Yield (USD, step) of one pipeline through the rooms, in every order and depth."""
    batch, total = instance.workloads[0].global_batch, sum(counts.values())
    sent = batch * 8192 * 4096 * 2.0
    for depth, schedule in itertools.product(DEPTHS, ("1f1b", "gpipe")):
        if any(depth * n % total for n in counts.values()) or 8 * total % depth:
            continue
        choice = json.dumps({"pp": depth, "vpp": 1, "schedule": schedule})
        rooms = [
            room(instance, i, n, Part(batch=batch, elsewhere=total - n, choice=choice))
            for i, n in counts.items()
        ]
        if None in rooms:
            continue
        used = {r.workloads[0].strategy for r in rooms}
        assert len(used) == 1
        (strategy,) = used
        micro = batch // strategy.dp // strategy.micro_batch
        rounds = 1 + (1 if schedule == "gpipe" else -(-micro // 2))
        usd = sum(r.objective_usd for r in rooms)
        step = max(r.workloads[0].step_time_s for r in rooms)
        for order in itertools.permutations(instance.regions.sites[i].name for i in counts):
            offers = [line_costs(instance, set(p), sent, 2, rounds, card)
                      for p in itertools.pairwise(order)]  # fmt: skip
            for taken in itertools.product(*offers):
                yield usd + sum(t[0] for t in taken), step + sum(t[1] for t in taken)


def by_hand(instance: Instance, card: float) -> float | None:
    """Return the least cost over every split, pattern, order, line and cipher."""
    regions, found = instance.regions, []
    for nodes in itertools.product(range(instance.grid.max_nodes + 1), repeat=3):
        counts = {i: n for i, n in enumerate(nodes) if n}
        if not counts or len(counts) > regions.most_sites:
            continue
        if len(counts) == 1 or "dp" in regions.may_cross:
            found += replicas(instance, counts, card)
        if len(counts) > 1 and "pp" in regions.may_cross:
            found += stages(instance, counts, card)
    limit = instance.workloads[0].target_s
    return min((usd for usd, step in found if step <= limit + 1e-9), default=None)


FAST = [
    {"between": list(ends), "km": km,
     "offers": [{"gbps": 800, "usd_per_month": rent, "source": "estimate"}]}
    for ends, km, rent in (
        (("madrid", "paris"), 100, 9000), (("paris", "milan"), 90, 8000),
        (("madrid", "milan"), 80, 7000),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    ("crossing", "step_time_s", "regions", "pattern", "rooms"),
    [
        (["pp"], 2.2, {}, "chain", 2),
        pytest.param(["dp", "pp"], 1.6, {"most_sites": 3}, "chain", 3, marks=pytest.mark.slow),
        (["dp"], 2.1, {"encryption": "any"}, "mesh", 2),
        (["dp"], 1.25, {"most_sites": 3, "wan": FAST}, "mesh", 3),
        (["dp"], 1.6, {"most_sites": 3, "wan": FAST[:2]}, "hub", 3),
    ],
)
def test_small_cases_agree_with_counting_by_hand(
    crossing, step_time_s, regions, pattern, rooms
) -> None:
    """Three rooms: every split, which dimension crosses, every line of every pair."""
    instance = small(step_time_s, may_cross=crossing, **regions)
    found = decide_regions(instance, FILE)
    answer = found.answer
    cards = [x.gateway_usd / x.gateways for x in answer.lines if x.gateways]
    assert answer.status == "optimal"
    assert answer.objective_usd == pytest.approx(
        by_hand(instance, cards[0] if cards else 4727.0), abs=0.02
    )
    assert (answer.crossing.pattern, len(answer.sites)) == (pattern, rooms)
    solutions = [d.solution for d in found.sites]
    assert verify_regions(answer, solutions, found.sites[0].catalog) == []
    assert [verify(d.solution, d.catalog) for d in found.sites] == [[]] * len(solutions)


def test_a_pipeline_of_two_rooms_steps_as_in_one_room_without_the_line() -> None:
    """Four servers under one switch against two and two: the same passes, the same collectives."""
    instance = small()
    choice = json.dumps({"pp": 2, "vpp": 1, "schedule": "1f1b"})
    together = room(small(nodes=4), 0, 4, Part(batch=48, choice=choice)).workloads[0]
    apart = room(instance, 0, 2, Part(batch=48, elsewhere=2, choice=choice)).workloads[0]
    assert apart.strategy == together.strategy
    assert apart.step_time_s == pytest.approx(together.step_time_s, rel=1e-4)


@functools.cache
def pipelined():
    """Return the decision of a pipeline over two rooms."""
    return decide_regions(small(2.2, may_cross=["pp"]), FILE)


@pytest.mark.parametrize(
    ("part", "change", "check"),
    [
        ("crossing", {"rounds": 1}, "regions-rounds"),
        ("crossing", {"exchange_s": 0.0}, "regions-crossing"),
        ("crossing", {"dimension": "dp"}, "regions-dimension"),
        ("crossing", {"sites": ("madrid", "nowhere")}, "regions-ends"),
        ("site", {"stages": 7}, "regions-stages"),
        ("site", {"global_batch": 24}, "regions-batch"),
        ("line", {"exchange_bytes": 1.0}, "regions-bytes"),
    ],
)
def test_the_checker_finds_a_corrupted_pipeline(part: str, change: dict, check: str) -> None:
    """What crosses, how often, and who holds which stages are counted again."""
    found = pipelined()
    answer = found.answer
    if part == "crossing":
        crossing = answer.crossing.model_copy(update=change)
        answer = answer.model_copy(update={"crossing": crossing})
    elif part == "site":
        first, *others = answer.sites
        sites = [first.model_copy(update=change), *others]
        answer = answer.model_copy(update={"sites": sites})
    else:
        answer = answer.model_copy(update={"lines": [answer.lines[0].model_copy(update=change)]})
    solutions = [d.solution for d in found.sites]
    checks = {v.check for v in verify_regions(answer, solutions, found.sites[0].catalog)}
    assert check in checks


def test_the_checker_finds_stages_of_other_strategies_and_servers() -> None:
    """Both sites run one strategy, and each counts the other's servers."""
    found = pipelined()
    one, two = (d.solution for d in found.sites)
    job = two.workloads[0]
    strategy = job.strategy.model_copy(update={"micro_batch": 7})
    other = two.model_copy(update={"workloads": [job.model_copy(update={"strategy": strategy})]})
    alone = with_part(two.instance, Part(batch=48, elsewhere=0))
    catalog = found.sites[0].catalog
    checks = {v.check for v in verify_regions(found.answer, [one, other], catalog)}
    assert "regions-strategy" in checks
    apart = two.model_copy(update={"instance": alone})
    checks = {v.check for v in verify_regions(found.answer, [one, apart], catalog)}
    assert "regions-elsewhere" in checks


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_no_line_carries_may_not_cross(name: str) -> None:
    """Tensor, context and expert parallelism wait in every layer: the reason says so."""
    with pytest.raises(InputError, match="layer"):
        small(may_cross=["dp", name])


CIPHERS = st.lists(st.sampled_from(["none", "macsec", "ipsec", "tls"]), min_size=1, unique=True)
OFFERS = st.lists(
    st.fixed_dictionaries(
        {"gbps": st.sampled_from([10, 40, 100, 400]), "usd_per_month": st.integers(0, 60_000),
         "source": st.just("estimate")}
    ),
    min_size=1, max_size=2,
)  # fmt: skip
LINKS = st.lists(
    st.tuples(
        st.sampled_from(list(itertools.combinations(("madrid", "paris", "milan"), 2))),
        st.integers(0, 9000), CIPHERS, OFFERS,
    ),
    min_size=1, max_size=3, unique_by=lambda link: link[0],
)  # fmt: skip


@example(
    links=[
        (
            ("madrid", "paris"),
            0,
            ["none", "macsec"],
            [{"gbps": 400, "usd_per_month": rent, "source": "estimate"} for rent in (1, 0)],
        )
    ],
    crossing=["dp"],
    most=2,
    step_time_s=2.5,
)  # two offers of one bandwidth: the cheaper is rented, and counted by the checker
@settings(max_examples=6, deadline=None)
@given(
    links=LINKS,
    crossing=st.sampled_from([["dp"], ["pp"], ["dp", "pp"]]),
    most=st.integers(2, 3),
    step_time_s=st.floats(1.2, 2.6),
)
def test_an_instance_that_demands_encryption_never_gets_a_plain_line(
    links, crossing, most, step_time_s
) -> None:
    """Whatever is offered: every line is encrypted, or the demand is a reason for no answer."""
    wan = [
        {"between": list(ends), "km": km, "encryption": ciphers, "offers": offers}
        for ends, km, ciphers, offers in links
    ]
    instance = small(step_time_s, wan=wan, may_cross=crossing, most_sites=most)
    found = decide_regions(instance, FILE)
    answer = found.answer
    assert all(line.encryption != "none" for line in answer.lines)
    for item in answer.alternatives:
        assert item.allowed == (item.name != "none")
    free = decide_regions(
        small(step_time_s, wan=wan, may_cross=crossing, most_sites=most, encryption="any"), FILE
    ).answer
    if answer.status == "infeasible":
        assert free.status == "infeasible" or any("encryption" in r for r in answer.reasons)
        return
    assert free.objective_usd <= answer.objective_usd + 0.01
    solutions = [d.solution for d in found.sites]
    assert verify_regions(answer, solutions, found.sites[0].catalog) == []
