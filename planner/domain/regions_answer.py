"""The answer for several sites: servers and batch of each, the line between them, what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from planner.domain.instance import Instance
from planner.domain.json_file import read_json, validate
from planner.domain.regions import Dimension, Encryption
from planner.domain.solution import Solution, load_solution
from planner.domain.text import folder_name

ANSWER = "regions.json"
"""The file by which a report over several sites is known."""
SCHEMA_VERSION = 2


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class SiteShare(_Part):
    """What one site holds and does."""

    name: str
    server: str
    nodes: int
    gpus: int
    global_batch: int
    """Its part of the batch; the whole where it holds stages of the pipeline."""
    step_time_s: float
    """One step of its own part, without what crosses between the sites."""
    strategy: str
    stages: int | None = None
    """Stages of the pipeline that stand here; None where whole replicas do."""
    objective_usd: float
    capex_usd: float
    run_id: str
    """Run of its own solution, which holds fabric, racks and cables."""
    seal: str = ""
    """Seal of that solution."""


class WanLine(_Part):
    """A line that is rented, and what encrypts it."""

    between: tuple[str, str]
    km: float
    gbps: float
    encryption: Encryption
    goodput_gbps: float
    """Left for the message after the headers of packets and of the encryption."""
    latency_s: float
    """One way."""
    exchange_bytes: float
    """Sent in each direction in one step."""
    exchange_s: float
    """Its part of every step; nothing of it is assumed to overlap."""
    gateways: int
    gateway_usd: float
    """Present value of all of them, support and energy included."""
    gateway_capex_usd: float
    rent_usd: float
    traffic_usd: float
    source: str


class SecurityCost(_Part):
    """The best answer with one choice forced, to show what it costs: site, encryption, dimension."""

    name: str
    allowed: bool = True
    """False for a plain line where the instance demands encryption: only to compare with."""
    status: Literal["optimal", "infeasible"]
    objective_usd: float | None = None
    step_time_s: float | None = None
    exchange_s: float | None = None
    """What crosses between the sites adds to a step."""
    lines_usd: float | None = None
    """Present value of the lines: rent, traffic and encrypting cards."""
    gbps: float | None = None
    """Of the slowest line."""
    summary: str = ""


class Crossing(_Part):
    """What crosses between the sites."""

    dimension: Dimension
    pattern: Literal["mesh", "hub", "chain"]
    """Gradients over a line for each pair, or over one site; a pipeline's chain of sites."""
    sites: tuple[str, ...]
    """In order of the stages; the hub first."""
    rounds: int
    """How often a step waits for the fibre there and back."""
    exchange_s: float
    """Added to every step, all lines together."""


class RegionsAnswer(_Part):
    """The whole answer; each site's own solution stands beside it."""

    schema_version: int = SCHEMA_VERSION
    instance: Instance
    status: Literal["optimal", "feasible", "infeasible"]
    """Feasible where some site's placement leaves a gap, so that the bound is below the cost."""
    objective_usd: float | None
    bound_usd: float | None
    step_time_s: float | None
    limit_s: float
    target_s: float
    margin: float
    sites: list[SiteShare]
    crossing: Crossing | None
    """None where one site is enough."""
    lines: list[WanLine]
    alternatives: list[SecurityCost]
    splits: int
    """Splits of servers over sites that were weighed."""
    reasons: list[str]
    planner_version: str
    solver: str
    notes: list[str] = Field(default_factory=list)
    """Estimates that the answer rests on."""
    seal: str = ""
    """Checksum of all the rest (`planner/domain/seal.py`)."""


def load_regions(path: Path) -> RegionsAnswer:
    """Return an answer's file, validated; raises InputError with every fault."""
    return validate(RegionsAnswer, read_json(path), str(path))


def load_sites(answer: RegionsAnswer, folder: Path) -> list[Solution]:
    """Return the solutions of an answer's sites from its report; raises InputError."""
    return [load_solution(folder / folder_name(s.name) / "solution.json") for s in answer.sites]
