"""The verdicts of docs/claims.md, refutations included, and that its figures are current."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import claim_figures
import write_claims
from claim_tools import FOLDER

from planner.domain.instance import load_instance


@pytest.fixture(scope="module")
def found():
    """Return every figure."""
    return claim_figures.figures()


def test_the_page_shows_the_current_figures(found) -> None:
    """`python tests/claims/write_claims.py` would change nothing."""
    assert write_claims.PAGE.read_text(encoding="utf-8") == write_claims.page(found)


def test_every_claim_has_instances_a_section_and_a_verdict() -> None:
    """Each file is valid, named after its claim, and each section says what would change it."""
    page = write_claims.PAGE.read_text(encoding="utf-8")
    sections = re.findall(r"^## ([a-z])\. (.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    letters = [letter for letter, _ in sections]
    assert letters == re.findall(r"^\| ([a-z]) \|", page, re.MULTILINE)
    assert letters == [claim.__name__ for claim in claim_figures.CLAIMS]
    for letter, text in sections:
        assert "*What would change it*" in text, letter
        assert "**" in text, letter
    names = set()
    for path in FOLDER.glob("?-*.json"):
        assert load_instance(str(path))[0].name == path.stem
        names.add(path.stem[0])
    assert names == set(letters)


def test_a_ddp_waits_over_pcie_and_ethernet_not_over_nvswitch(found) -> None:
    """Waiting exceeds computing on every wiring but NVSwitch, where it is under 2 %."""
    for key in ("pcie", "10g", "100g", "100g_jam"):
        assert found[f"a_{key}_wait_ms"] > found[f"a_{key}_compute_ms"], key
    assert found["a_nvswitch_wait_ms"] < 0.02 * found["a_nvswitch_compute_ms"]


def test_b_zero3_multiplies_volume_but_matters_on_the_slow_fabric_only(found) -> None:
    """Bytes grow with micro-batches under ZeRO-3 alone; the fast fabric hides them."""
    for fabric in ("slow", "fast"):
        one, eight = (found[f"b_{fabric}_zero3_{m}_gbytes"] for m in (1, 8))
        assert eight == pytest.approx(8 * one, rel=0.01)
        assert found[f"b_{fabric}_ddp_8_gbytes"] == found[f"b_{fabric}_ddp_1_gbytes"]
    assert found["b_slow_zero3_8_step_s"] > 3 * found["b_slow_ddp_8_step_s"]
    assert found["b_fast_zero3_8_wait_pct"] < 2
    assert found["b_fast_zero3_8_step_s"] < 1.5 * found["b_fast_ddp_8_step_s"]
    assert found["b_fast_zero3_1_calls"] < found["b_fast_ddp_1_calls"]


def test_c_nvlink_has_a_price_and_its_absence_changes_the_strategy(found) -> None:
    """PCIe costs a tenth more at least, less than double, and gives TP up."""
    assert 10 < found["c_worth_pct"] < 100
    assert found["c_nvlink_tp"] > found["c_pcie_tp"] == 1


def test_d_hops_decide_small_messages_and_bandwidth_large_ones(found) -> None:
    """A tree beats the ring at 8 KiB everywhere; all three wirings wait under 3 % of a step."""
    for key in ("nvswitch", "mesh", "cube"):
        assert found[f"d_{key}_tree_8k_us"] < found[f"d_{key}_ring_8k_us"]
        assert found[f"d_{key}_wait_pct"] < 3
    for key in ("mesh", "cube"):
        assert found[f"d_{key}_tree_64m_us"] > found[f"d_{key}_ring_64m_us"]


def test_e_tuned_roce_is_enough_and_tcp_is_not(found) -> None:
    """Within a per cent tuned, within a twentieth untuned, far off with TCP."""
    for name in ("best", "fsdp"):
        assert 0 < found[f"e_roce_{name}_pct"] < 1
        assert found[f"e_roce_{name}_pct"] < found[f"e_jam_{name}_pct"] < 5
        assert found[f"e_tcp_{name}_pct"] > 10
    assert abs(found["e_saved_usd"]) < 0.02 * found["e_infiniband_usd"]


def test_f_pcie_is_the_bottleneck_from_200g_on_and_trees_gain_on_small_messages(found) -> None:
    """More network stops helping; 30 % is exceeded at 8 KiB and lost from 64 MiB."""
    assert found["f_100g_step_s"] > 1.2 * found["f_200g_step_s"]
    assert found["f_800g_step_s"] == pytest.approx(found["f_200g_step_s"], rel=0.01)
    assert found["f_8k_gain_pct"] > 30
    assert found["f_64m_gain_pct"] < 0
    assert found["f_1g_gain_pct"] < 0


def test_g_distance_costs_money_not_time(found) -> None:
    """Longer cables need optics; the step grows by less than a hundredth of a per cent."""
    assert found["g_far_longest_m"] > 30 > 5 >= found["g_near_longest_m"]
    assert found["g_far_optics"] > found["g_near_optics"]
    assert 0 < found["g_slower_pct"] < 0.01
    assert found["g_dearer_pct"] > 0.5


def test_h_bandwidth_decides_and_encryption_is_nearly_free(found) -> None:
    """Ciphers cost under 1 % of the step and of the money; a plain line is never taken."""
    assert found["h_allowed"] == 0
    assert found["h_encryption"] != "none"
    assert found["h_sites"] == 2
    for name in ("macsec", "ipsec", "tls"):
        assert 0 < found[f"h_{name}_slower_pct"] < 1
        assert 0 < found[f"h_{name}_dearer_usd"] < 0.01 * found["h_none_usd"]
    assert found["h_exchange_pct"] > 10
    assert found["h_latency_pct"] < 5
    assert found["h_tp_gbytes"] > 10 * found["h_gbytes"]
    assert found["h_cloud_months"] > 1


def test_i_the_recommender_prefers_ddp_by_little(found) -> None:
    """DDP is fastest for it, by under a per cent; the encoder prefers sharding."""
    assert 0 < found["i_rec_gain_pct"] < 1
    assert found["i_exchange_us"] > found["i_dense_us"]
    assert found["i_bert_gain_pct"] > 1


def test_j_only_sharding_or_model_parallelism_fits(found) -> None:
    """No replicated stage fits; TP and PP beat pure FSDP; TCP cannot feed FSDP."""
    assert found["j_ddp_fits"] == found["j_zero1_fits"] == found["j_zero2_fits"] == 0
    assert found["j_ib_best_s"] < found["j_ib_fsdp_s"]
    assert found["j_best_tp"] > 1
    assert found["j_tcp_fsdp_s"] > 2 * found["j_ib_fsdp_s"]
    assert found["j_need_nic_gbps"] < 400


def test_k_size_is_not_the_border(found) -> None:
    """Every size wastes its GPUs; accumulation rescues ZeRO-1, not ZeRO-2."""
    for key in ("base", "large", "xl", "7b"):
        assert found[f"k_{key}_busy_pct"] < 2, key
    assert found["k_zero2_256_busy_pct"] < 2
    assert found["k_zero1_256_busy_pct"] > 50


def test_l_a_strategy_belongs_to_its_wiring(found) -> None:
    """Kept strategies lose against re-optimised ones, on bridges by half or more."""
    assert found["l_pcie_lost_pct"] > 50
    assert found["l_tcp_lost_pct"] > 1


def test_m_fsdp_sends_no_point_to_point(found) -> None:
    """All-gathers and reduce-scatters only, two to one."""
    assert found["m_zero3_pairs"] == 0
    assert "send" not in found["m_zero3_kinds"]
    assert found["m_gathers"] == 2 * found["m_scatters"] > 0


def test_n_a_profile_flips_servers_and_then_the_accelerator(found) -> None:
    """Between 0.8 and 1.2 nothing changes; beyond, the purchase does."""
    assert found["n_80_buy"] == found["n_100_buy"] == found["n_120_buy"]
    assert found["n_flip"] <= 1.5
    assert found["n_300_accelerator"] != found["n_100_accelerator"]


def test_n_a_real_recording_flips_the_purchase(found) -> None:
    """The owned servers suffice by the model, not by the recording; with more time by both."""
    assert "DGX A100 320GB" in found["n_plain_6h_buy"]
    assert "DGX A100 320GB" not in found["n_kernels_6h_buy"]
    assert found["n_plain_7h_buy"] == found["n_kernels_7h_buy"] == found["n_plain_6h_buy"]
    assert found["n_all_7h_buy"] != found["n_plain_7h_buy"]
    assert found["n_kernels_7h_ms"] > 1.4 * found["n_plain_7h_ms"]
