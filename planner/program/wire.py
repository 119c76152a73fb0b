"""The wiring that physics sees of a column: from catalogue and fabric plan to scalars."""

from __future__ import annotations

from planner.domain.catalog import Catalog
from planner.domain.instance import Instance
from planner.physics.wiring import Wiring
from planner.program.columns import Column
from planner.program.platforms import PlatformOption

NETWORK_OF_FAMILY = {
    "infiniband": "infiniband",
    "roce": "roce",
    "ethernet": "tcp",
    "none": "none",
}
ROCE_TUNED = 0.95
"""Share of the line rate with tuned load balancing; untuned 0.60 (NVIDIA Spectrum-X at xAI)."""
FEC_S = 120e-9
"""RS(544,514) at each hop of Ethernet and optics, 100 to 150 ns."""
FEC_LOW_S = 20e-9
"""Low-latency FEC that InfiniBand uses on short links."""
DEFAULT_SWITCH_NS = 800.0
"""A switch without a known latency: the slowest cut-through box of the catalogue."""


def congestion(instance: Instance, family: str) -> float:
    """Return the share of the line rate that a family keeps under load."""
    if family == "infiniband":
        return 1.0
    return ROCE_TUNED if instance.congestion is None else instance.congestion


def wiring_of(instance: Instance, catalog: Catalog, column: Column, cable_m: float) -> Wiring:
    """Return the wiring of a column whose typical link is `cable_m` long."""
    option, plan = column.option, column.plan
    server = option.server
    choice = plan.choice
    common = platform_wiring(option)
    if not plan.leafs:
        return common
    switch = catalog.switch(choice.leaf_switch)
    fec_s = FEC_LOW_S if choice.family == "infiniband" else FEC_S
    return Wiring(
        **{
            **{name: getattr(common, name) for name in _PLATFORM_FIELDS},
            "network": NETWORK_OF_FAMILY[choice.family],
            "network_efficiency": congestion(instance, choice.family),
            "tiers": plan.tiers,
            "switch_latency_s": (switch.latency_ns or DEFAULT_SWITCH_NS) * 1e-9 + fec_s,
            "cable_m": cable_m,
            "hosts_per_leaf": plan.hosts_per_leaf * server.hosts,
            "uplink_ratio": plan.uplink_ratio,
            "joined_pair": plan.joint_links > 0,
            "rails_joined": choice.topology not in ("rail_only", "rack_rails"),
            **_pods(plan.hosts_per_pod * server.hosts, plan.pod_uplink_ratio),
        }
    )


def _pods(hosts: int, ratio: float) -> dict[str, float]:
    return {"hosts_per_pod": hosts, "pod_uplink_ratio": ratio} if hosts else {}


_PLATFORM_FIELDS = (
    "accelerator", "architecture", "scale_up", "scale_up_gbytes_per_s", "domain_gpus",
    "host_gpus", "pcie_gen", "nics_per_host", "nic_gbps",
)  # fmt: skip


def platform_wiring(option: PlatformOption) -> Wiring:
    """Return the wiring of one server alone, without a network."""
    server = option.server
    return Wiring(
        accelerator=server.accelerator,
        architecture=option.accelerator.architecture,
        scale_up=server.scale_up,
        scale_up_gbytes_per_s=server.scale_up_gbytes_per_s,
        domain_gpus=server.domain_gpus,
        host_gpus=server.host_gpus,
        pcie_gen=option.accelerator.pcie_gen or server.pcie_gen,
        nics_per_host=option.platform.nics // server.hosts,
        nic_gbps=option.nic_gbps,
        network="none",
        tiers=0,
    )


def ideal_wiring(instance: Instance, option: PlatformOption, family: str) -> Wiring:
    """Return a wiring that no fabric of a family can beat: one switch without latency."""
    common = platform_wiring(option)
    if family == "none":
        return common
    return Wiring(
        **{
            **{name: getattr(common, name) for name in _PLATFORM_FIELDS},
            "network": NETWORK_OF_FAMILY[family],
            "network_efficiency": congestion(instance, family),
            "tiers": 1,
        }
    )
