"""What a GPU's device name in a log says about the board: its id and how its GPUs are joined."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Usual way in which the GPUs of a device name are joined in one host.

    The scale-up rate is the marketed one of one GPU and direction, GB/s; 0 where there is none.
    """

    gpu: str
    scale_up: str
    scale_up_gbytes_per_s: float
    pcie_gen: int


def _board(gpu: str, scale_up: str, rate: float, pcie_gen: int) -> Board:
    return Board(gpu=gpu, scale_up=scale_up, scale_up_gbytes_per_s=rate, pcie_gen=pcie_gen)


_BOARDS: tuple[tuple[str, Board], ...] = (
    (r"GB300", _board("gb300", "nvl72", 900.0, 6)),
    (r"GB200", _board("gb200", "nvl72", 900.0, 5)),
    (r"B300", _board("b300-sxm", "nvswitch", 900.0, 6)),
    (r"B200", _board("b200-sxm", "nvswitch", 900.0, 5)),
    (r"GB10\b", _board("gb10", "none", 0.0, 5)),
    (r"GH200", _board("gh200", "none", 0.0, 5)),
    (r"H200", _board("h200-sxm", "nvswitch", 450.0, 5)),
    (r"H20\b", _board("h20", "nvswitch", 450.0, 5)),
    (r"H800", _board("h800-sxm", "nvswitch", 200.0, 5)),
    (r"H100.*(PCIe|NVL)", _board("h100-pcie", "pcie_p2p", 0.0, 5)),
    (r"H100", _board("h100-sxm", "nvswitch", 450.0, 5)),
    (r"A100-SXM4-40GB", _board("a100-sxm-40", "nvswitch", 300.0, 4)),
    (r"A100.*SXM", _board("a100-sxm-80", "nvswitch", 300.0, 4)),
    (r"A100", _board("a100-pcie-80", "pcie_p2p", 0.0, 4)),
    (r"A800.*SXM", _board("a800-sxm", "nvswitch", 200.0, 4)),
    (r"V100S?-SXM", _board("v100-sxm2-32", "nvlink_mesh", 150.0, 3)),
    (r"V100", _board("v100-pcie-16", "pcie_p2p", 0.0, 3)),
    (r"Tesla T4|\bT4\b", _board("t4", "pcie_p2p", 0.0, 3)),
    (r"L40S", _board("l40s", "pcie_p2p", 0.0, 4)),
    (r"L40\b", _board("l40", "pcie_p2p", 0.0, 4)),
    (r"L4\b", _board("l4", "pcie_p2p", 0.0, 4)),
    (r"A10G?\b", _board("a10", "pcie_p2p", 0.0, 4)),
    (r"A30\b", _board("a30", "pcie_p2p", 0.0, 4)),
    (r"A40\b", _board("a40", "pcie_p2p", 0.0, 4)),
    (r"A6000", _board("rtx-a6000", "pcie_p2p", 0.0, 4)),
    (r"RTX 5090", _board("rtx-5090", "pcie_host", 0.0, 5)),
    (r"RTX 4090", _board("rtx-4090", "pcie_host", 0.0, 4)),
    (r"RTX 3090", _board("rtx-3090", "pcie_host", 0.0, 4)),
    (r"RTX 2080 Ti", _board("rtx-2080-ti", "pcie_host", 0.0, 3)),
    (r"MI355X", _board("mi355x", "xgmi", 537.6, 5)),
    (r"MI350X", _board("mi350x", "xgmi", 537.6, 5)),
    (r"MI325X", _board("mi325x", "xgmi", 448.0, 5)),
    (r"MI300X", _board("mi300x", "xgmi", 448.0, 5)),
)


def board_of(names: tuple[str, ...]) -> Board | None:
    """Return the board of a log's device names; None if unknown or if several kinds are mixed."""
    found = {board for name in names if (board := _match(name)) is not None}
    return found.pop() if len(found) == 1 else None


def board_of_id(gpu: str | None) -> Board | None:
    """Return the usual board of an accelerator id, None if it is not known."""
    return next((board for _, board in _BOARDS if board.gpu == gpu), None)


def _match(name: str) -> Board | None:
    for pattern, board in _BOARDS:
        if re.search(pattern, name):
            return board
    return None
