"""`planner catalog`: what the hardware catalogue holds, how far it can be trusted, and its checks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from planner.cli.plain_table import cell, plain_table

if TYPE_CHECKING:
    from planner.domain.catalog import Catalog
    from planner.domain.hardware import CatalogRow

SHOWN: dict[str, tuple[str, ...]] = {
    "accelerators": ("model", "architecture", "memory_gib", "memory_gbytes_per_s", "bf16_tflops",
                     "tdp_w"),
    "servers": ("model", "accelerator", "gpus", "scale_up", "rack_units", "max_power_w",
                "availability"),
    "server_nics": ("server", "nic", "count", "links", "link_gbps", "connector", "included",
                    "default", "families"),
    "nics": ("model", "families", "ports", "port_gbps", "connector", "max_power_w"),
    "switches": ("model", "family", "generation", "ports", "port_gbps", "connector", "rack_units",
                 "typical_power_w", "max_power_w"),
    "connectors": ("lanes", "lane_gbps", "accepts"),
    "cables": ("kind", "modes", "connector_a", "connector_b", "ends_b", "length_m",
               "power_w_per_end"),
    "transceivers": ("model", "modes", "connector", "optics", "fibre_type", "reach_m", "power_w"),
    "fibres": ("fibre_type", "connector_a", "connector_b", "ends_b", "length_m"),
    "racks": ("model", "rack_units", "width_mm", "depth_mm", "max_weight_kg"),
    "pdus": ("model", "power_kw", "voltage_v", "current_a", "phases"),
    "appliances": ("model", "role", "connector", "rack_units", "max_power_w", "out_of_band_ports"),
    "rates": ("kind", "item", "region", "value", "unit", "low", "high", "date", "confidence"),
}  # fmt: skip
"""Columns of `list` besides id and price."""


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    overlay = click.option(
        "--catalog",
        "overlay",
        type=click.Path(path_type=Path),
        help="Folder whose tables (nics.csv, switches.csv, ...) override ours by id.",
    )
    as_json = click.option("--json", "as_json", is_flag=True, help="One JSON document.")
    return overlay(as_json(command))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def catalog() -> None:
    """List, show and check the hardware catalogue."""


@catalog.command("list")
@click.argument("kind", required=False)
@_options
def list_(kind: str | None, as_json: bool, overlay: Path | None) -> None:
    """List the rows of KIND (servers, switches, ...), or the kinds."""
    from planner.domain.catalog import load_catalog

    loaded = load_catalog(overlay)
    if kind is None:
        _list_kinds(loaded, as_json)
        return
    rows = loaded.table(kind)
    if as_json:
        _print_json({"kind": kind, "rows": [_as_json(row) for row in rows.values()]})
        return
    shown = SHOWN[kind]
    priced = any("price" in type(row).model_fields for row in rows.values())
    header = ["id", *shown, *(("price_usd", "price kind", "price date", "quote") if priced else ())]
    click.echo(plain_table(header, [_line(row, shown, priced) for row in rows.values()]))


@catalog.command("show")
@click.argument("id_", metavar="ID")
@_options
def show(id_: str, as_json: bool, overlay: Path | None) -> None:
    """Show everything known about one product or rate, and where it comes from."""
    from planner.domain.catalog import load_catalog

    loaded = load_catalog(overlay)
    table, row = loaded.where(id_)
    related = _related(loaded, table, id_)
    if as_json:
        _print_json({"kind": table, **_as_json(row), **related})
        return
    click.echo(f"{row.id}  ({table})")
    click.echo(plain_table(("field", "known", "value"), _fields(row)))
    for title, entries in related.items():
        if entries:
            click.echo(f"\n{title.replace('_', ' ')}")
            click.echo(plain_table(tuple(entries[0]), [tuple(e.values()) for e in entries]))


@catalog.command("check")
@_options
def check(as_json: bool, overlay: Path | None) -> int:
    """Check that the catalogue is consistent; leave with 1 where it is not."""
    from planner.domain.catalog import load_catalog
    from planner.domain.catalog_check import check_catalog, quality

    loaded = load_catalog(overlay)
    found = check_catalog(loaded)
    known = quality(loaded)
    faults = sum(len(items) for items in found.values())
    if as_json:
        checks = {
            name: [{"where": item.where, "what": item.what, "right": item.right} for item in items]
            for name, items in found.items()
        }
        _print_json({"ok": not faults, "faults": faults, "checks": checks, "quality": known})
        return 1 if faults else 0
    for name, items in found.items():
        click.echo(f"{'ok ' if not items else 'BAD'}  {name.replace('_', ' ')}")
        for item in items:
            click.echo(f"       {item}")
    columns = ("rows", "buyable", "retrieved", "retrieved in part", "from memory", "quote",
               "list price", "street price", "analyst estimate", "own interpolation",
               "not priced")  # fmt: skip
    lines = [(name, *(count[column] for column in columns)) for name, count in known.items()]
    click.echo("\n" + plain_table(("table", *columns), lines))
    click.echo(f"\n{faults} faults in {len(found)} checks.")
    return 1 if faults else 0


def _list_kinds(loaded: Catalog, as_json: bool) -> None:
    counts = {name: len(loaded.table(name)) for name in SHOWN}
    if as_json:
        _print_json({"kinds": counts})
    else:
        click.echo(plain_table(("kind", "rows"), list(counts.items())))


def _line(row: CatalogRow, shown: tuple[str, ...], priced: bool) -> list[object]:
    line: list[object] = [row.id, *(_plain(getattr(row, name)) for name in shown)]
    if priced:
        from planner.domain.hardware import HardwareRow

        price = row.price if isinstance(row, HardwareRow) else None
        line += [price.usd, price.kind, price.date] if price else [None, "not priced", ""]
        line.append("needed" if "quote" in getattr(row, "not_buyable", "") else "")
    return line


def _plain(value: object) -> object:
    """Return modes as 2x400; anything else unchanged."""
    from planner.domain.fabric_parts import Mode

    if isinstance(value, tuple) and value and isinstance(value[0], Mode):
        return "; ".join(f"{mode.links}x{mode.link_gbps:g}" for mode in value)
    return value


def _fields(row: CatalogRow) -> list[tuple[object, ...]]:
    from planner.domain.hardware import HardwareRow

    lines: list[tuple[object, ...]] = []
    provenance = {"id", "price", "source", "note", "spec_confidence", "fields_from_memory",
                  "fields_estimated", "availability"}  # fmt: skip
    for name in type(row).model_fields:
        value = getattr(row, name)
        if name not in provenance and value not in (None, "", ()):
            known = row.spec_kind(name) if isinstance(row, HardwareRow) else ""
            lines.append((name, known, cell(_plain(value))))
    if isinstance(row, HardwareRow):
        lines += _price_fields(row)
    lines.append(("source", "", row.source))
    if row.note:
        lines.append(("note", "", row.note))
    return lines


def _price_fields(row: Any) -> list[tuple[object, ...]]:
    lines: list[tuple[object, ...]] = [("availability", "", row.availability)]
    price = row.price
    if price is not None:
        ends = "" if price.low_usd is None and price.high_usd is None else (
            f" ({cell(price.at('low'))} to {cell(price.at('high'))})"
        )  # fmt: skip
        market = "" if price.market == "new" else f", {price.market} market"
        lines.append(("price_usd", f"{price.kind}{market}, {price.date}", cell(price.usd) + ends))
        lines.append(("price_source", "", price.source))
    lines.append(("buyable", "", f"no: it {row.not_buyable}" if row.not_buyable else "yes"))
    return lines


def _related(loaded: Catalog, table: str, row_id: str) -> dict[str, list[dict[str, Any]]]:
    """Return what follows from a server (its NIC options) or a switch (its ports by rate)."""
    if table == "servers":
        return {"nic_options": [_nic_option(loaded, o) for o in loaded.nic_options(row_id)]}
    if table == "switches":
        switch = loaded.switch(row_id)
        rates = (10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0)
        ports = [
            {"link_gbps": rate, "ports": switch.ports_at(rate),
             "links_per_cage": switch.links_per_cage(rate)}
            for rate in rates
            if rate >= min(switch.breakout_gbps or switch.port_gbps, switch.port_gbps)
            and switch.ports_at(rate)
        ]  # fmt: skip
        return {"ports": ports}
    return {}


def _nic_option(loaded: Catalog, option: Any) -> dict[str, Any]:
    price = loaded.nic(option.nic).price
    extra = 0.0 if option.included else (price.usd * option.count if price else None)
    return {
        "id": option.id,
        "cards": option.count,
        "links": option.links,
        "link_gbps": round(loaded.nic_link_gbps(option), 1),
        "cages": option.cages,
        "connector": option.connector,
        "families": list(option.families),
        "extra_usd": extra,
        "default": option.default,
    }


def _as_json(row: CatalogRow) -> dict[str, Any]:
    from planner.domain.hardware import HardwareRow

    document = row.model_dump(mode="json")
    if "modes" in document:
        document["modes"] = [{"links": n, "link_gbps": rate} for n, rate in document["modes"]]
    if isinstance(row, HardwareRow):
        document["buyable"] = row.buyable
        document["not_buyable"] = row.not_buyable
    return document


def _print_json(document: dict[str, Any]) -> None:
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
