"""Every figure of docs/claims.md, computed from the instances of the claims."""

from __future__ import annotations

from claim_tools import (
    all_reduce_s,
    calibrated,
    calls,
    compute_s,
    evaluated,
    exposed_s,
    instance,
    job,
    sent,
    solved,
    total_s,
    wiring_of,
)

from planner.domain.calibration import Calibration, ComputeCalibration
from planner.domain.network import load_network
from planner.study.regions import decide_regions

Figures = dict[str, float | str]
FSDP = {"s_sharding": "zero3", "s_tp": 1, "s_pp": 1, "s_cp": 1}
KIB, MIB = 1024.0, 1024.0**2


def a() -> Figures:
    """DDP of a mid-size model: waiting against computing."""
    found: Figures = {}
    ethernet = {"family": "roce", "switch": "sn3700c", "nic": "cx6-dx-100-2p"}
    for key, solution in {
        "nvswitch": evaluated("a-one-server"),
        "pcie": evaluated("a-one-server", server="a100-pcie80-8", nics_per_node=2),
        "10g": evaluated("a-ethernet"),
        "100g": evaluated("a-ethernet", **ethernet),
        "100g_jam": evaluated("a-ethernet", congestion=0.6, **ethernet),
    }.items():
        found |= {
            f"a_{key}_compute_ms": compute_s(solution) * 1e3,
            f"a_{key}_reduce_ms": total_s(solution, "grad") * 1e3,
            f"a_{key}_wait_ms": exposed_s(solution, "grad") * 1e3,
        }
    return found


def b() -> Figures:
    """ZeRO-3 against DDP: operations and waiting, with one and with eight micro-batches."""
    found: Figures = {}
    for fabric in ("slow", "fast"):
        for stage in ("ddp", "zero1", "zero2", "zero3"):
            for batches in (1, 8):
                solution = evaluated(
                    f"b-{fabric}-fabric",
                    s_sharding=stage,
                    **{"workloads[0].global_batch": 32 * batches},
                )
                key = f"b_{fabric}_{stage}_{batches}"
                sizes = sum(c.size_bytes * c.count for c in sent(solution))
                found |= {
                    f"{key}_step_s": job(solution).step_time_s,
                    f"{key}_calls": calls(solution),
                    f"{key}_gbytes": sizes / 1e9,
                    f"{key}_wait_pct": 100 * exposed_s(solution) / job(solution).step_time_s,
                }
    return found


def c() -> Figures:
    """What NVLink is worth: the same job and price list with PCIe in its place."""
    found: Figures = {}
    for key, server in (("nvlink", "hgx-h100-8"), ("pcie", "hgx-h100-8-pcie")):
        solution = solved("c-nvlink-worth", server=server)
        found |= {
            f"c_{key}_usd": solution.objective_usd,
            f"c_{key}_nodes": solution.design.nodes,
            f"c_{key}_strategy": job(solution).strategy_label,
            f"c_{key}_tp": job(solution).strategy.tp,
        }
    worth = found["c_pcie_usd"] - found["c_nvlink_usd"]
    found["c_worth_usd"] = worth
    found["c_worth_pct"] = 100 * worth / found["c_nvlink_usd"]
    found["c_worth_server_usd"] = worth / found["c_nvlink_nodes"]
    return found


def d() -> Figures:
    """Ring, tree, all-to-all of eight GPUs: hops, latency, rate."""
    found: Figures = {}
    servers = {
        "nvswitch": {"server": "hgx-h100-8", "nics_per_node": 8},
        "mesh": {"server": "mi300x-8", "nic": "thor2-400", "nics_per_node": 8},
        "cube": {"server": "dgx-1-v100", "nics_per_node": 4},
    }
    for key, changes in servers.items():
        wiring, constants = wiring_of("d-eight-gpus", **changes)
        for algorithm in ("ring", "tree"):
            for size, label in ((8 * KIB, "8k"), (64 * MIB, "64m")):
                seconds = all_reduce_s(wiring, constants, size, 8, 8, algorithm)
                found[f"d_{key}_{algorithm}_{label}_us"] = seconds * 1e6
        solution = evaluated("d-eight-gpus", **changes)
        found[f"d_{key}_usd"] = solution.cost.capex_usd
        found[f"d_{key}_wait_pct"] = 100 * exposed_s(solution) / job(solution).step_time_s
    return found


def e() -> Figures:
    """InfiniBand, tuned and untuned RoCE, TCP."""
    found: Figures = {}
    common = {"topology": "rail_optimised", "oversubscription": 1, "nodes": 16}
    for key, family, share in (
        ("ib", "infiniband", 0.95), ("roce", "roce", 0.95), ("jam", "roce", 0.6),
        ("tcp", "ethernet", 0.95),
    ):  # fmt: skip
        switch = "qm9700" if family == "infiniband" else "fs-n9600-64od"
        for name, strategy in (("best", {}), ("fsdp", FSDP)):
            solution = evaluated(
                "e-infiniband-or-roce", family=family, switch=switch, congestion=share,
                **common, **strategy,
            )  # fmt: skip
            found[f"e_{key}_{name}_s"] = job(solution).step_time_s
    for key in ("roce", "jam", "tcp"):
        for name in ("best", "fsdp"):
            ratio = found[f"e_{key}_{name}_s"] / found[f"e_ib_{name}_s"]
            found[f"e_{key}_{name}_pct"] = 100 * (ratio - 1)
    for family in ("infiniband", "roce"):
        solution = solved("e-infiniband-or-roce", family=family)
        found[f"e_{family}_usd"] = solution.objective_usd
    found["e_saved_usd"] = found["e_infiniband_usd"] - found["e_roce_usd"]
    return found


def f() -> Figures:
    """4 x 4 GPUs: where the bottleneck is, and ring against tree."""
    found: Figures = {}
    for key, nic, count, switch in (
        ("100g", "cx6-vpi-100", 1, "sn3700c"), ("200g", "cx7-200-2p", 1, "sn3700"),
        ("800g", "cx7-400-1p", 2, "sn5600"),
    ):  # fmt: skip
        solution = evaluated("f-four-by-four", nic=nic, nics_per_node=count, switch=switch)
        found[f"f_{key}_step_s"] = job(solution).step_time_s
        found[f"f_{key}_wait_s"] = exposed_s(solution, "grad")
    wiring, constants = wiring_of("f-four-by-four", nic="cx7-200-2p")
    for size, label in (
        (8 * KIB, "8k"),
        (MIB, "1m"),
        (8 * MIB, "8m"),
        (64 * MIB, "64m"),
        (1024 * MIB, "1g"),
    ):
        ring, tree = (
            all_reduce_s(wiring, constants, size, 16, 4, name) * 1e6 for name in ("ring", "tree")
        )
        found |= {f"f_{label}_ring_us": ring, f"f_{label}_tree_us": tree,
                  f"f_{label}_gain_pct": 100 * (1 - tree / ring)}  # fmt: skip
    return found


def g() -> Figures:
    """The same cluster with 1 m and with 20 m between a device and its tray, at both ends."""
    found: Figures = {}
    for key, rise in (("near", 1), ("far", 20)):
        solution = solved("g-racks-apart", **{"site.rise_m": rise})
        fabric = [link for link in solution.links() if link.tier != "oob"]
        between = [link for link in fabric if link.tier == "leaf_spine"]
        found |= {
            f"g_{key}_step_s": job(solution).step_time_s,
            f"g_{key}_usd": solution.objective_usd,
            f"g_{key}_longest_m": max(link.length_m for link in fabric),
            f"g_{key}_optics": sum(bool(link.a_module) for link in fabric),
            f"g_{key}_links": len(fabric),
            f"g_{key}_between": len(between),
        }
    found["g_slower_ms"] = (found["g_far_step_s"] - found["g_near_step_s"]) * 1e3
    found["g_slower_pct"] = 100 * (found["g_far_step_s"] / found["g_near_step_s"] - 1)
    found["g_dearer_usd"] = found["g_far_usd"] - found["g_near_usd"]
    found["g_dearer_pct"] = 100 * found["g_dearer_usd"] / found["g_near_usd"]
    return found


def h() -> Figures:
    """Two regions 2,000 km apart: the exchange, the ciphers, what else might cross."""
    loaded, path = instance("h-regions", {})
    answer = decide_regions(loaded, path).answer
    by_name = {item.name: item for item in answer.alternatives}
    found: Figures = {"h_sites": len(answer.sites), "h_limit_s": answer.limit_s}
    for name in ("none", "macsec", "ipsec", "tls"):
        item = by_name[name]
        found |= {
            f"h_{name}_usd": item.objective_usd, f"h_{name}_s": item.step_time_s,
            f"h_{name}_slower_pct": 100 * (item.step_time_s / by_name["none"].step_time_s - 1),
            f"h_{name}_dearer_usd": item.objective_usd - by_name["none"].objective_usd,
        }  # fmt: skip
    found |= {
        "h_allowed": float(by_name["none"].allowed),
        "h_encryption": answer.lines[0].encryption,
        "h_local_s": max(site.step_time_s for site in answer.sites),
        "h_exchange_s": answer.lines[0].exchange_s,
        "h_gbps": answer.lines[0].gbps,
        "h_km": answer.lines[0].km,
        "h_latency_ms": answer.lines[0].latency_s * 1e3,
        "h_latency_pct": 100 * 2 * answer.lines[0].latency_s / answer.lines[0].exchange_s,
        "h_gbytes": answer.lines[0].exchange_bytes / 1e9,
    }
    found["h_exchange_pct"] = 100 * answer.lines[0].exchange_s / answer.step_time_s
    job, network = loaded.workloads[0], load_network("llama3-8b")
    tokens = job.global_batch * job.sequence_length
    found["h_pp_gbytes"] = tokens * network.hidden_size * 2 / 1e9
    found["h_tp_gbytes"] = tokens * network.hidden_size * 2 * 4 * network.num_hidden_layers / 1e9
    found["h_cloud_usd"] = 2 * answer.lines[0].exchange_bytes / 1e9 * job.steps * 0.02
    offer = next(o for o in loaded.regions.wan[0].offers if o.gbps == answer.lines[0].gbps)
    found["h_cloud_months"] = found["h_cloud_usd"] / offer.usd_per_month
    return found


def i() -> Figures:
    """A recommender and an encoder under DDP and ZeRO."""
    found: Figures = {}
    bert = {"workloads[0].network": "bert-base", "workloads[0].global_batch": 4096,
            "s_micro_batch": 512}  # fmt: skip
    for key, changes in (("rec", {}), ("bert", bert)):
        for stage in ("ddp", "zero1", "zero2", "zero3"):
            solution = evaluated("i-recommender", s_sharding=stage, **changes)
            found[f"i_{key}_{stage}_ms"] = job(solution).step_time_s * 1e3
    rec = evaluated("i-recommender", s_sharding="ddp")
    found["i_dense_us"] = total_s(rec, "grad") * 1e6
    found["i_exchange_us"] = sum(c.total_s for c in sent(rec) if c.collective == "all_to_all") * 1e6
    best = min(found[f"i_rec_{stage}_ms"] for stage in ("zero1", "zero2", "zero3"))
    found["i_rec_gain_pct"] = 100 * (best / found["i_rec_ddp_ms"] - 1)
    found["i_bert_gain_pct"] = 100 * (1 - found["i_bert_zero2_ms"] / found["i_bert_ddp_ms"])
    return found


def j() -> Figures:
    """A network of 405 billion parameters on 512 GPUs."""
    pinned = {"s_tp": 1, "s_pp": 1, "s_cp": 1}
    found: Figures = {}
    for stage in ("ddp", "zero1", "zero2"):
        solution = evaluated("j-hundreds-of-billions", s_sharding=stage, **pinned)
        found[f"j_{stage}_fits"] = float(bool(solution.workloads))
    tcp = {"family": "ethernet", "switch": "fs-n9600-64od"}
    for key, changes in (("ib", {}), ("half", {"oversubscription": 2}), ("tcp", tcp)):
        for name, strategy in (("fsdp", FSDP), ("best", {})):
            solution = evaluated("j-hundreds-of-billions", **changes, **strategy)
            found[f"j_{key}_{name}_s"] = job(solution).step_time_s
            if key == "ib":
                found[f"j_{name}_label"] = job(solution).strategy_label
                found[f"j_{name}_tp"] = job(solution).strategy.tp
    fsdp = evaluated("j-hundreds-of-billions", **FSDP)
    sent_bytes = sum(c.size_bytes * c.count for c in sent(fsdp) if c.name in ("gather", "scatter"))
    found["j_need_gbytes_per_s"] = sent_bytes / compute_s(fsdp) / 1e9
    found["j_need_nic_gbps"] = found["j_need_gbytes_per_s"] * 8 / 8
    return found


def k() -> Figures:
    """ZeRO-2 over Gigabit Ethernet, by size of the network and by samples between exchanges."""
    found: Figures = {}
    for key, network, length, micro in (
        ("base", "bert-base", 128, 64), ("large", "bert-large", 128, 32),
        ("xl", "gpt2-xl", 1024, 4), ("7b", "llama2-7b", 2048, 1),
    ):  # fmt: skip
        solution = evaluated(
            "k-gigabit", s_micro_batch=micro,
            **{"workloads[0].network": network, "workloads[0].sequence_length": length,
               "workloads[0].global_batch": 8 * micro},
        )  # fmt: skip
        found |= {
            f"k_{key}_step_s": job(solution).step_time_s,
            f"k_{key}_compute_s": compute_s(solution),
            f"k_{key}_busy_pct": 100 * compute_s(solution) / job(solution).step_time_s,
        }
    for stage in ("zero1", "zero2"):
        for batches in (64, 256):
            solution = evaluated(
                "k-gigabit", s_sharding=stage, **{"workloads[0].global_batch": 512 * batches}
            )
            share = 100 * compute_s(solution) / job(solution).step_time_s
            found[f"k_{stage}_{batches}_busy_pct"] = share
    return found


def l() -> Figures:
    """The best strategy of one wiring run on another."""
    found: Figures = {}
    best = job(evaluated("l-wrong-wiring")).strategy
    names = ("tp", "pp", "cp", "vpp", "dp", "sharding", "micro_batch", "schedule", "recompute")
    pins = {f"s_{name}": getattr(best, name) for name in names}
    found["l_best_label"] = best.label()
    found["l_best_s"] = job(evaluated("l-wrong-wiring")).step_time_s
    found["l_best_usd"] = evaluated("l-wrong-wiring").objective_usd
    for key, changes in (
        ("pcie", {"server": "h100nvl-8", "nic": "cx7-400-1p", "nics_per_node": 4}),
        ("tcp", {"family": "ethernet", "switch": "fs-n9600-64od"}),
    ):
        free = evaluated("l-wrong-wiring", **changes)
        kept = evaluated("l-wrong-wiring", **changes, **pins)
        found |= {
            f"l_{key}_kept_s": job(kept).step_time_s,
            f"l_{key}_free_s": job(free).step_time_s,
            f"l_{key}_label": job(free).strategy_label,
            f"l_{key}_lost_pct": 100 * (job(kept).step_time_s / job(free).step_time_s - 1),
            f"l_{key}_usd": free.objective_usd,
        }
    return found


def m() -> Figures:
    """What FSDP adds to the wire, by kind."""
    found: Figures = {}
    for stage in ("ddp", "zero3"):
        solution = evaluated("m-fsdp-traffic", s_sharding=stage)
        kinds = {c.collective for c in sent(solution)}
        found[f"m_{stage}_kinds"] = ", ".join(sorted(kind.replace("_", "-") for kind in kinds))
        found[f"m_{stage}_pairs"] = sum(
            c.count for c in sent(solution) if c.collective == "send_recv"
        )
    fsdp = evaluated("m-fsdp-traffic")
    found["m_gathers"] = calls(fsdp, "gather")
    found["m_scatters"] = calls(fsdp, "scatter")
    return found


FACTORS = (0.5, 0.8, 1.0, 1.2, 1.4, 2.0, 3.0)


def n() -> Figures:
    """What a measured factor on the kernels' time of the chosen accelerator would change."""
    found: Figures = {}
    for factor in FACTORS:
        measured = ComputeCalibration(
            accelerator="l40s", family="transformer", factor=factor, networks=("llama3-8b",),
            error_before_pct=0.0, error_after_pct=0.0, extrapolates=(),
        )  # fmt: skip
        solution = solved("n-profile", Calibration(compute=(measured,)))
        key = f"n_{round(factor * 100)}"
        platform = solution.design.platform
        found |= {f"{key}_usd": solution.objective_usd,
                  f"{key}_buy": f"{solution.design.nodes} x {platform.model}",
                  f"{key}_accelerator": platform.accelerator}  # fmt: skip
    found["n_flip"] = min(
        factor
        for factor in FACTORS
        if factor > 1 and found[f"n_{round(factor * 100)}_buy"] != found["n_100_buy"]
    )
    return found | recorded()


def recorded() -> Figures:
    """What a real recording changes: keep the owned servers, or buy new ones."""
    whole = calibrated("n-recording/profile.json", "n-recorded")
    kernels = whole.model_copy(update={"collectives": ()})
    found: Figures = {"n_recorded_factor": whole.compute[0].factor}
    for key, days, calibration in (
        ("plain_6h", 0.25, None), ("kernels_6h", 0.25, kernels),
        ("plain_7h", 0.3, None), ("kernels_7h", 0.3, kernels), ("all_7h", 0.3, whole),
    ):  # fmt: skip
        changes = {"workloads[0].deadline_days": days}
        solution = solved("n-owned-or-new", calibration, **changes)
        design = solution.design
        found |= {f"n_{key}_buy": f"{design.nodes} x {design.platform.model}",
                  f"n_{key}_usd": solution.objective_usd,
                  f"n_{key}_ms": solution.workloads[0].step_time_s * 1e3}  # fmt: skip
    return found


CLAIMS = (a, b, c, d, e, f, g, h, i, j, k, l, m, n)


def figures() -> Figures:
    """Return every figure by name."""
    found: Figures = {}
    for claim in CLAIMS:
        found |= claim()
    return found
