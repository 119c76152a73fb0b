"""The line between two sites as a table beside the star schema, whose runs are the sites."""

from __future__ import annotations

from planner.domain.regions_answer import RegionsAnswer
from planner.export.csv_file import csv_text
from planner.export.table import Column, Row

WAN_LINE = "fact_wan_line"
COLUMNS = (
    Column("run_key", "key", "Run of one end's site", refers_to="dim_run"),
    Column("other_run_key", "key", "Run of the other end's site", refers_to="dim_run"),
    Column("km", "decimal", "Length of the fibre", "km"),
    Column("bandwidth_gbps", "decimal", "Rate in each direction", "Gbit/s"),
    Column("encryption", "text", "none, macsec, ipsec or tls"),
    Column("goodput_gbps", "decimal", "Left for gradients", "Gbit/s"),
    Column("latency_s", "decimal", "One way", "s"),
    Column("exchange_bytes", "decimal", "Sent by each site in a step", "byte"),
    Column("exchange_s", "decimal", "Added to each step", "s"),
    Column("step_time_s", "decimal", "Step over both sites", "s"),
    Column("rent_usd", "money", "Present value of the rent", "USD"),
    Column("traffic_usd", "money", "Present value of the traffic", "USD"),
    Column("gateways", "integer", "Encrypting cards", "cards"),
    Column("gateway_usd", "money", "Present value of the cards", "USD"),
)


def wan_line_text(answer: RegionsAnswer) -> str:
    """Return the table as CSV text; no rows where one site is enough."""
    line = answer.line
    rows: list[Row] = []
    if line is not None:
        runs = {site.name: site.run_id for site in answer.sites}
        rows.append(
            (runs[line.between[0]], runs[line.between[1]], line.km, line.gbps, line.encryption,
             line.goodput_gbps, line.latency_s, line.exchange_bytes, line.exchange_s,
             answer.step_time_s, line.rent_usd, line.traffic_usd, line.gateways,
             line.gateway_usd)
        )  # fmt: skip
    return csv_text(COLUMNS, rows)
