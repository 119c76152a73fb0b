"""Kernel names of several versions of NCCL and of others, and names that frameworks record."""

from __future__ import annotations

import pytest

from planner.importers.kernel_names import (
    collective_of_framework,
    collective_of_kernel,
    element_bytes,
    kind_of,
)


@pytest.mark.parametrize(
    ("name", "collective"),
    [
        ("ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce"),
        ("ncclReduceScatterRingLLKernel_sum_f16(ncclColl)", "reduce_scatter"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
         "all_reduce"),
        ("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", "all_gather"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "send_recv"),
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "all_reduce"),
        ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
         "reduce_scatter"),
        ("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "broadcast"),
        ("ncclDevKernel_Reduce_Sum_f32_RING_LL(ncclDevComm*)", "reduce"),
        ("ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)", "other"),
        ("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", "other"),
        ("ncclSymDevKernel_AllGather_LL(ncclSymDevArgs)", "all_gather"),
        ("ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16(ncclSymkDevWorkArgs4K)", "all_reduce"),
        ("void deep_ep::internode_ll::dispatch<true, 3, 7168>(void*)", "all_to_all"),
        ("void deep_ep::intranode::combine<__nv_bfloat16>(void*)", "all_to_all"),
        ("userbuffers_fp16_sum_inplace_gpu_rr_rs_oop", "reduce_scatter"),
    ],
)  # fmt: skip
def test_communication_is_known_by_its_kernel(name, collective):
    """Each name is communication, of the collective that it speaks of."""
    assert collective_of_kernel(name) == collective
    assert kind_of(name) == "network"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", "compute"),
        ("void at::native::vectorized_gather_kernel<16, long>", "compute"),
        ("sm90_xmma_gemm_bf16bf16", "compute"),
        ("triton_poi_fused_all_gather_copy_1", "compute"),
        ("", "compute"),
        ("Memcpy HtoD (Pinned -> Device)", "copy"),
        ("Memset (Device)", "copy"),
        ("memcpy", "copy"),
    ],
)
def test_what_only_sounds_like_communication_is_none(name, kind):
    """Reductions and gathers of a framework compute; copies are copies."""
    assert collective_of_kernel(name) == ""
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("name", "collective"),
    [("allreduce", "all_reduce"), ("_allgather_base", "all_gather"), ("nccl:all_to_all", "all_to_all"),
     ("_reduce_scatter_base", "reduce_scatter"), ("all_to_allv", "all_to_all"),
     ("send", "send_recv"), ("barrier", ""), ("", "")],
)  # fmt: skip
def test_recorded_names_map_onto_collectives(name, collective):
    """Names that c10d records are known; others are not guessed."""
    assert collective_of_framework(name) == collective


def test_types_have_their_sizes():
    """Scalar types by PyTorch's names; an unknown one has none."""
    sizes = [element_bytes(t) for t in ("BFloat16", "Float", "Half", "Float8_e4m3fn", "Long", "?")]
    assert sizes == [2, 4, 2, 1, 8, 0]
