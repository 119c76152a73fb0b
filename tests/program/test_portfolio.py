"""The portfolio program: agreement with enumeration, golden text, documented ids."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

from planner.domain.cloud import CloudOffer
from planner.physics.rent import RentedHours
from planner.program.engines import EngineOptions
from planner.program.portfolio import Block, SharedLimits, build_portfolio, solve_portfolio
from planner.program.rent import RentOption, Reservation

GOLDEN = Path(__file__).parents[1] / "data" / "portfolio.lp"
SEED = 5
FORMULATION = Path(__file__).parents[2] / "models" / "formulation" / "portfolio.md"


def offer(name: str, term: str) -> CloudOffer:
    """Return a rate of a made-up provider."""
    return CloudOffer(
        id=f"{name}-{term}", offer=name, provider="P", instance="i", region="r", platform="p",
        family="roce", term=term, usd_per_hour=1.0, price_kind="quote", price_date="2026",
        price_source="test", source="test", network="sourced", note="",
    )  # fmt: skip


def drawn(rng: random.Random, jobs: int):
    """Return random blocks, rents and reservations, money in cents."""
    blocks = []
    for size in range(1, jobs + 1):
        for chosen in itertools.combinations(range(jobs), size):
            for _ in range(rng.randint(0, 2)):
                blocks.append(
                    Block(
                        key=len(blocks), jobs=frozenset(chosen),
                        cost_cents=rng.randint(300, 900) * size,
                        capex_cents=rng.randint(1, 9) * 100, power_w=rng.randint(1, 9) * 100.0,
                        racks=rng.randint(1, 4), gpus=rng.randint(1, 32),
                        place=rng.choice(["room", "room", "colocation"]),
                    )
                )  # fmt: skip
    rents: list[RentOption] = []
    for job in range(jobs):
        for name in ("a", "b"):
            for kind in ("on_demand", "shared", "shared"):
                if rng.random() < 0.25:
                    rents.append(option(rng, len(rents), job, name, kind))
    bases = [
        Reservation(key=k, offer=offer(name, "1y"), unit_cents=rng.randint(50, 300), most=4)
        for k, name in enumerate(("a", "b"))
    ]
    return blocks, rents, bases


def option(rng: random.Random, key: int, job: int, name: str, kind: str) -> RentOption:
    """Return a way to rent one to four servers."""
    return RentOption(
        key=key, job=job, offer=offer(name, "on_demand"), kind=kind, servers=rng.randint(1, 4),
        step=None, busy=0.1, kept=rng.randint(1, 9) / 10, hours=RentedHours(per_year=1.0, once=0.0),
        unit_cents=rng.randint(50, 400), egress_cents=rng.randint(0, 30),
    )  # fmt: skip


def enumerate_best(jobs, blocks, rents, bases, limits):
    """Return the least cost in cents by trying every choice, None if nothing covers."""
    best = None
    choices = [
        [("b", b) for b in blocks if job in b.jobs] + [("r", o) for o in rents if o.job == job]
        for job in range(jobs)
    ]
    for chosen in itertools.product(*choices):
        bought = {b.key: b for kind, b in chosen if kind == "b"}
        covered = [job for b in bought.values() for job in b.jobs]
        alone = [job for job, (kind, _) in enumerate(chosen) if kind == "r"]
        if sorted(covered + alone) != list(range(jobs)):
            continue
        taken = list(bought.values())
        if len(taken) > limits.pools:
            continue
        sums = [
            (limits.capex_cents, sum(b.capex_cents for b in taken)),
            (limits.power_w, sum(b.power_w for b in taken if b.place == "room")),
            (limits.racks, sum(b.racks for b in taken if b.place == "room")),
            (limits.hall_power_w, sum(b.power_w for b in taken if b.place != "room")),
            (limits.hall_racks, sum(b.racks for b in taken if b.place != "room")),
            (limits.budget_power_w, sum(b.power_w for b in taken)),
            (limits.gpus, sum(b.gpus for b in taken)),
        ]
        if any(most is not None and used > most for most, used in sums):
            continue
        rented = [o for kind, o in chosen if kind == "r"]
        busy = {}
        for o in rented:
            if o.kind == "shared":
                busy[o.offer.offer] = busy.get(o.offer.offer, 0.0) + o.kept
        if any(share > 1 + 1e-9 for share in busy.values()):
            continue
        cost = sum(b.cost_cents for b in taken) + (limits.storage_cents if taken else 0)
        cost += sum(o.alone_cents for o in rented if o.kind != "shared")
        for base in bases:
            mine = [o for o in rented if o.kind == "shared" and o.offer.offer == base.offer.offer]
            cost += min(
                n * base.unit_cents
                + sum(max(0, o.servers - n) * o.unit_cents + o.egress_cents for o in mine)
                for n in range(5)
            )
        best = cost if best is None else min(best, cost)
    return best


def test_the_program_is_enumeration() -> None:
    """Random portfolios of up to three jobs, some impossible: the optimum to the cent."""
    rng = random.Random(11)
    impossible = 0
    for _ in range(80):
        jobs = rng.randint(1, 3)
        blocks, rents, bases = drawn(rng, jobs)
        limits = SharedLimits(
            pools=rng.randint(1, 3), capex_cents=rng.choice([None, 900]),
            power_w=rng.choice([None, 1000.0]), racks=rng.choice([None, 5]),
            gpus=rng.choice([None, 40]), storage_cents=rng.choice([0, 70]),
            hall_power_w=rng.choice([None, 500.0]), hall_racks=rng.choice([None, 2]),
            budget_power_w=rng.choice([None, 1200.0]),
        )  # fmt: skip
        expected = enumerate_best(jobs, blocks, rents, bases, limits)
        found = solve_portfolio(range(jobs), blocks, rents, bases, limits, EngineOptions())
        impossible += expected is None
        assert (found.cost_cents if found else None) == expected
    assert 1 <= impossible <= 30


def golden_text(folder: Path) -> str:
    """Return a program in which every constraint family occurs."""
    rng = random.Random(SEED)
    blocks, rents, bases = drawn(rng, 2)
    limits = SharedLimits(
        pools=1, capex_cents=900, power_w=1000.0, racks=5, gpus=40, storage_cents=70,
        hall_power_w=500.0, hall_racks=2, budget_power_w=1200.0,
    )  # fmt: skip
    model = build_portfolio(range(2), blocks, rents, bases, limits)
    model.problem.writeLP(str(folder / "portfolio.lp"))
    return (folder / "portfolio.lp").read_text(encoding="utf-8")


def test_the_golden_text(tmp_path: Path) -> None:
    """A change of the formulation shows as a change of this file, reviewed by a person."""
    assert golden_text(tmp_path) == GOLDEN.read_text(encoding="utf-8")


def test_every_documented_id_is_built(tmp_path: Path) -> None:
    """The table of the page and the rows of the program name the same families."""
    page = FORMULATION.read_text(encoding="utf-8")
    table = page[page.index("## Constraints") : page.index("Objective:")]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    built = {
        re.sub(r"_[a-z]+\d+$|(?<=^turns)_.*", "", name)
        for name in re.findall(r"^((?!OBJ)\w+):", golden_text(tmp_path), flags=re.MULTILINE)
    }
    assert built == documented
