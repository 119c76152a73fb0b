"""Options that say what a log of nccl-tests leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("--gpu", help="Accelerator id, for instance h100-sxm."),
    click.option("--nodes", type=click.IntRange(1, 1_000_000), help="Hosts that took part."),
    click.option("--scale-up", help="How GPUs of a host are joined: nvswitch, pcie_p2p, xgmi, ..."),
    click.option(
        "--scale-up-gbytes-per-s",
        type=click.FloatRange(0.1, 1e5),
        help="Marketed scale-up rate of one GPU, one direction.",
    ),
    click.option("--pcie-gen", type=click.IntRange(1, 6), help="PCIe generation of the GPUs."),
    click.option("--network", help="infiniband, roce, tcp, efa, slingshot or tcpx."),
    click.option("--nics-per-node", type=click.IntRange(1, 64), help="NIC ports of one host."),
    click.option(
        "--nic-gbps", type=click.FloatRange(0.1, 1e4), help="Rate of one port, gigabit/s."
    ),
    click.option("--algorithm", help="What NCCL_ALGO was set to, if it was."),
    click.option("--protocol", help="What NCCL_PROTO was set to, if it was."),
    click.option("--collective", help="Where the log does not say: all_gather, all_to_all, ..."),
    click.option("--ranks", type=click.IntRange(2, 1_000_000), help="Where the log does not say."),
)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `planner.importers.nccl_table.Facts`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
