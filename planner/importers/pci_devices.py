"""What PCI identifiers and link speeds mean.

Device identifiers are those of the public PCI ID Repository (pci-ids.ucw.cz); classes are those of
the PCI Code and ID Assignment Specification.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ACCELERATORS: Mapping[tuple[str, str], str] = {
    ("10de", "1db1"): "v100-sxm2-16",
    ("10de", "1db5"): "v100-sxm2-32",
    ("10de", "1db4"): "v100-pcie-16",
    ("10de", "1db6"): "v100-pcie-32",
    ("10de", "20b0"): "a100-sxm-40",
    ("10de", "20b2"): "a100-sxm-80",
    ("10de", "20f1"): "a100-pcie-40",
    ("10de", "20b5"): "a100-pcie-80",
    ("10de", "20b7"): "a30",
    ("10de", "2235"): "a40",
    ("10de", "2236"): "a10",
    ("10de", "2237"): "a10",
    ("10de", "26b9"): "l40s",
    ("10de", "27b8"): "l4",
    ("10de", "2330"): "h100-sxm",
    ("10de", "2331"): "h100-pcie",
    ("10de", "2321"): "h100-nvl",
    ("10de", "2335"): "h200-sxm",
    ("10de", "233b"): "h200-nvl",
    ("10de", "2329"): "h20",
    ("10de", "2901"): "b200-sxm",
    ("10de", "2941"): "gb200",
    ("1002", "740c"): "mi250x",
    ("1002", "7408"): "mi250x",
    ("1002", "74a1"): "mi300x",
    ("1002", "74a5"): "mi325x",
    ("1002", "75a3"): "mi355x",
}
"""Catalogue id by vendor and device."""

LINKS_GBYTES_PER_S_BY_SM = ((70, 25.0), (100, 50.0))
"""Rate of one NVLink, one direction, from this compute capability on: NVLink 2 to 4, then 5."""

_GENERATIONS = ((2.5, 1), (5.0, 2), (8.0, 3), (16.0, 4), (32.0, 5), (64.0, 6))
_SPEED = re.compile(r"^\s*(\d{1,3}(?:\.\d{1,2})?)\s*GT/s")


def accelerator_of(vendor: str, device: str) -> str:
    """Return the catalogue id of a GPU, empty if not known."""
    return ACCELERATORS.get((_plain(vendor), _plain(device)), "")


def _plain(identifier: str) -> str:
    return identifier.lower().removeprefix("0x").strip()[:8]


def kind_of(pci_class: str) -> str:
    """Return what a PCI class is: gpu, nic, bridge, switch (NVSwitch), storage, or empty."""
    code = _plain(pci_class)
    if code[:4] in ("0302", "0300", "1200", "0380"):
        return "gpu"
    if code[:2] == "02":
        return "nic"
    if code[:4] == "0604":
        return "bridge"
    if code[:4] == "0680":
        return "switch"
    return "storage" if code[:2] == "01" else ""


def generation_of(link_speed: str) -> int | None:
    """Return the PCIe generation of a speed such as ``32.0 GT/s PCIe``, None if not known."""
    found = _SPEED.match(link_speed)
    if found is None:
        return None
    return next((number for speed, number in _GENERATIONS if speed == float(found[1])), None)


def link_rate(sm: int) -> float | None:
    """Return the rate of one NVLink of a compute capability, GB/s one direction."""
    rates = [rate for first, rate in LINKS_GBYTES_PER_S_BY_SM if first <= sm <= 120]
    return rates[-1] if rates else None
