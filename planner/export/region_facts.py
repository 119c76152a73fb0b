"""Facts of answers over several sites: sites, lines, options; the runs they refer to are the sites'."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from planner.domain.regions_answer import RegionsAnswer
from planner.domain.solution import Solution
from planner.export.table import Column, Row, Table

KEY = Column("regions_key", "key", "Answer over several sites: its instance and its sites' runs")


def regions_key(answer: RegionsAnswer) -> str:
    """Return the key of an answer over several sites."""
    parts = [answer.instance.model_dump_json(by_alias=True), *(s.run_id for s in answer.sites)]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"{answer.instance.name}-{digest[:12]}"


def _none(_: Solution) -> Iterable[Row]:
    """Return no rows: a single solution holds nothing of the sites beside it."""
    return ()


FACT_REGION_SITE = Table(
    "fact_region_site",
    "one site of an answer over several sites",
    (
        KEY,
        Column("run_key", "key", "Run of the site", refers_to="dim_run"),
        Column("site", "text", "Name of the site"),
        Column("site_nodes", "integer", "Servers that stand there", "servers"),
        Column("site_gpus", "integer", "GPUs that stand there", "GPUs"),
        Column("site_batch", "integer", "Its part of the batch", "samples"),
        Column("site_stages", "integer", "Stages of the pipeline; empty with whole replicas",
               "stages"),
        Column("own_step_time_s", "decimal", "Step of its part", "s"),
        Column("site_usd", "money", "Present value of the site", "USD"),
    ),
    _none,
    ("regions_key", "run_key"),
)  # fmt: skip
FACT_WAN_LINE = Table(
    "fact_wan_line",
    "one line between two sites",
    (
        KEY,
        Column("run_key", "key", "Run of one end's site", refers_to="dim_run"),
        Column("other_run_key", "key", "Run of the other end's site", refers_to="dim_run"),
        Column("dimension", "text", "What crosses: dp or pp"),
        Column("pattern", "text", "mesh or hub of gradients, chain of pipeline stages"),
        Column("km", "decimal", "Length of the fibre", "km"),
        Column("bandwidth_gbps", "decimal", "Rate in each direction", "Gbit/s"),
        Column("encryption", "text", "none, macsec, ipsec or tls"),
        Column("goodput_gbps", "decimal", "Left for the message", "Gbit/s"),
        Column("latency_s", "decimal", "One way", "s"),
        Column("exchange_bytes", "decimal", "Sent in each direction in a step", "byte"),
        Column("exchange_s", "decimal", "Its part of each step", "s"),
        Column("step_time_s", "decimal", "Step over all sites", "s"),
        Column("rent_usd", "money", "Present value of the rent", "USD"),
        Column("traffic_usd", "money", "Present value of the traffic", "USD"),
        Column("gateways", "integer", "Encrypting cards", "cards"),
        Column("gateway_usd", "money", "Present value of the cards", "USD"),
    ),
    _none,
    ("regions_key", "run_key", "other_run_key"),
)
FACT_REGION_OPTION = Table(
    "fact_region_option",
    "the best answer over several sites with one choice forced: what security costs",
    (
        KEY,
        Column("option", "text", "none, macsec, ipsec, tls; one site; dp or pp crosses"),
        Column("allowed", "boolean", "False for a plain line where encryption is demanded"),
        Column("option_status", "text", "optimal or infeasible"),
        Column("option_usd", "money", "Present value of all sites and lines", "USD"),
        Column("option_step_time_s", "decimal", "Step; what ciphers add is an estimate", "s"),
        Column("option_exchange_s", "decimal", "What crosses adds to a step", "s"),
        Column("option_lines_usd", "money", "Present value of the lines", "USD"),
    ),
    _none,
    ("regions_key", "option"),
)
REGION_TABLES = (FACT_REGION_SITE, FACT_WAN_LINE, FACT_REGION_OPTION)


def region_rows(answers: Iterable[RegionsAnswer]) -> list[tuple[Table, Sequence[Row]]]:
    """Return every table with its rows, in the order of the answers."""
    rows: dict[str, dict[Row, None]] = {table.name: {} for table in REGION_TABLES}
    for answer in answers:
        key = regions_key(answer)
        runs = {site.name: site.run_id for site in answer.sites}
        for site in answer.sites:
            row: Row = (key, site.run_id, site.name, site.nodes, site.gpus, site.global_batch,
                        site.stages, site.step_time_s, site.objective_usd)  # fmt: skip
            rows["fact_region_site"][row] = None
        crossing = answer.crossing
        for line in answer.lines:
            row = (key, runs[line.between[0]], runs[line.between[1]],
                   crossing.dimension if crossing else None,
                   crossing.pattern if crossing else None, line.km, line.gbps, line.encryption,
                   line.goodput_gbps, line.latency_s, line.exchange_bytes, line.exchange_s,
                   answer.step_time_s, line.rent_usd, line.traffic_usd, line.gateways,
                   line.gateway_usd)  # fmt: skip
            rows["fact_wan_line"][row] = None
        for item in answer.alternatives:
            row = (key, item.name, item.allowed, item.status, item.objective_usd,
                   item.step_time_s, item.exchange_s, item.lines_usd)  # fmt: skip
            rows["fact_region_option"][row] = None
    return [(table, tuple(rows[table.name])) for table in REGION_TABLES]
