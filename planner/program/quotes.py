"""The catalogue as one instance sees it: its own tables laid over ours, its quotes as prices."""

from __future__ import annotations

from pathlib import Path

from planner.domain.catalog import Catalog, load_catalog
from planner.domain.errors import Fault, InputError
from planner.domain.instance import Instance
from planner.domain.price import Price


def catalog_for(instance: Instance, file: Path) -> Catalog:
    """Return the catalogue with the instance's overlay and quotes.

    Raises
    ------
    InputError
        If the overlay is faulty or a quote names no product.
    """
    overlay = None if instance.catalog is None else file.parent / instance.catalog
    if overlay is not None and not overlay.is_dir():
        fault = Fault("$.catalog", f"no folder {instance.catalog!r}", "name a folder of tables")
        raise InputError(str(file), [fault])
    catalog = load_catalog(overlay)
    quotes = {
        row_id: Price(usd=quote.usd, kind="quote", date=quote.date, source=quote.source)
        for row_id, quote in instance.quotes.items()
    }
    try:
        return catalog.with_quotes(quotes) if quotes else catalog
    except InputError as error:
        faults = [Fault(f"$.quotes.{f.where}", f.what, f.right) for f in error.faults]
        raise InputError(str(file), faults) from None
