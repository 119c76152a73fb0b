"""NetBox' own names for what we write: interface types, cable types, roles with their colours."""

from __future__ import annotations

from planner.domain.catalog import Catalog

ROLES = {
    "node": ("GPU server", "2196f3"), "leaf": ("Leaf switch", "ff9800"),
    "spine": ("Spine switch", "9c27b0"), "core": ("Core switch", "009688"),
    "oob": ("Management switch", "9e9e9e"), "storage": ("Storage", "4caf50"),
    "storage_switch": ("Storage switch", "4caf50"), "in_band_switch": ("In-band switch", "607d8b"),
    "fabric_manager": ("Fabric manager", "ff5722"),
    "appliance": ("Storage or management server", "8bc34a"),
    "pdu": ("PDU", "607d8b"),
}  # fmt: skip
"""Name and colour (hexadecimal) by kind of device."""
INFINIBAND = {100.0: "edr", 200.0: "hdr", 400.0: "ndr", 800.0: "xdr"}
ETHERNET = {
    1.0: "1000base-t", 10.0: "10gbase-x-sfpp", 25.0: "25gbase-x-sfp28",
    100.0: "100gbase-x-qsfp28", 200.0: "200gbase-x-qsfp56", 400.0: "400gbase-x-osfp",
    800.0: "800gbase-x-osfp",
}  # fmt: skip
COPPER = {"DAC": "dac-passive", "ACC": "dac-active", "AEC": "dac-active", "LACC": "dac-active"}
GLASS = {"OM3": "mmf-om3", "OM4": "mmf-om4", "OS2": "smf-os2"}


def interface_type(family: str, gbps: float) -> str:
    """Return the slug of an interface by fabric and rate; `other` where NetBox has none."""
    if family == "infiniband":
        return f"infiniband-{INFINIBAND[gbps]}" if gbps in INFINIBAND else "other"
    return ETHERNET.get(gbps, "other")


def cable_type(catalog: Catalog, part: str) -> str:
    """Return the slug of a cable or fibre; empty where the catalogue does not know it."""
    fibre, cable = catalog.fibres.get(part), catalog.cables.get(part)
    if fibre is not None:
        return GLASS.get(fibre.fibre_type, "")
    return COPPER.get(cable.kind, "aoc") if cable is not None else ""
