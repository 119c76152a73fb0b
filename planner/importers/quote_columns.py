"""Which column of a price list is which, by its heading in English or Spanish."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.importers.money_text import find_currency
from planner.importers.xlsx_source import Cell

HEADINGS: Mapping[str, tuple[str, ...]] = {
    "item": (
        "catalogue id", "catalog id", "part", "id", "item id", "product id", "part number", "part no",
        "pn", "p n", "mpn", "sku", "item", "product", "reference", "ref", "model", "codigo",
        "codigo de producto", "numero de parte", "no de parte", "articulo", "producto", "referencia",
        "modelo", "id de catalogo", "equipo", "part nr",
    ),
    "description": (
        "description", "descripcion", "detalle", "concepto", "name", "nombre", "denominacion",
        "product description", "item description", "descripcion del producto",
    ),
    "price": (
        "quote", "quoted price", "quoted unit price", "offer", "offered price", "vendor price",
        "oferta", "precio ofertado", "cotizacion", "precio cotizado", "precio oferta",
        "net unit price", "net price", "precio neto", "precio unitario neto",
        "unit price", "unit cost", "price per unit", "price each", "unit", "precio unitario",
        "precio unidad", "precio por unidad", "p unit", "p unitario", "importe unitario",
        "coste unitario", "costo unitario", "valor unitario", "precio", "price", "cost", "coste",
        "costo", "list price", "precio de lista", "pvp", "msrp",
    ),
    "total": (
        "total", "total price", "amount", "extended price", "ext price", "line total", "importe",
        "importe total", "precio total", "subtotal", "monto", "valor total", "total linea",
    ),
    "quantity": (
        "quantity", "qty", "units", "count", "pcs", "cantidad", "cant", "uds", "ud", "unidades",
    ),
    "currency": ("currency", "cur", "curr", "moneda", "divisa"),
    "valid": (
        "valid until", "valid to", "valid thru", "validity", "validity date", "expires", "expiry",
        "expiry date", "expiration", "expiration date", "quote validity", "validez", "valido hasta",
        "valida hasta", "vigencia", "vencimiento", "fecha de vencimiento", "caducidad",
        "fecha de validez", "fecha validez", "validez de la oferta",
    ),
    "date": (
        "date", "quote date", "price date", "offer date", "fecha", "fecha de oferta", "fecha oferta",
        "fecha cotizacion", "fecha de cotizacion", "fecha del precio",
    ),
    "source": (
        "vendor", "supplier", "source", "price source", "seller", "reseller", "proveedor", "fuente",
        "vendedor", "distribuidor", "quote number", "quote no", "numero de oferta",
    ),
    "kind": ("price kind", "tipo de precio", "clase de precio"),
    "discount": ("discount", "discount pct", "descuento", "dto", "disc"),
}  # fmt: skip
"""Headings by meaning, the most telling first."""

SPANISH = re.compile(
    r"precio|codigo|cantidad|moneda|divisa|fecha|proveedor|articulo|producto|descripcion|validez"
)
LOOKED_AT = 60
"""Rows in which the heading is looked for: letters to the customer stand above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Places of the columns in a row, the row of the heading, and what the heading says beside."""

    places: Mapping[str, int]
    heading_row: int
    currency: str
    """Named in the heading of the price; empty if not."""
    spanish: bool


def plain(text: object) -> str:
    """Return a heading without accents, signs and case."""
    letters = unicodedata.normalize("NFKD", str(text)[:200])
    letters = "".join(char for char in letters if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", " ", letters.lower()).strip()


def find_columns(rows: Sequence[tuple[int, Sequence[Cell]]]) -> Columns | None:
    """Return the columns, None if no row looks like the heading of a price list."""
    for index, (_, cells) in enumerate(rows[:LOOKED_AT]):
        places: dict[str, int] = {}
        names = [plain(_without_currency(cell)) if isinstance(cell, str) else "" for cell in cells]
        for meaning, headings in HEADINGS.items():
            ranked = [
                (headings.index(name), place)
                for place, name in enumerate(names)
                if name in headings
            ]
            if ranked:
                places[meaning] = min(ranked)[1]
        named = "item" in places or "description" in places
        if named and ("price" in places or {"total", "quantity"} <= places.keys()):
            money = places.get("price", places.get("total", 0))
            return Columns(
                places=places,
                heading_row=index,
                currency=find_currency(str(cells[money])),
                spanish=SPANISH.search(" ".join(names)) is not None,
            )
    return None


def _without_currency(text: str) -> str:
    return re.sub(
        r"(?i)\b(usd|eur|gbp|mxn|ars|clp|cop|pen|brl|cad|chf|inr|euros?|d[oó]lares)\b|[()$€£%]|us\$",
        " ",
        text[:200].replace("_", " "),
    )
