"""A training job as physics sees it: the network, its batch, and how the framework runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.domain.network import Network

PRECISION_BYTES = {
    "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 2.0, "mxfp8": 2.0, "nvfp4": 2.0,
}  # fmt: skip
"""Bytes of one stored weight or activation; 8- and 4-bit formats keep 16-bit copies."""

OPERAND_BYTES = {
    "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "mxfp8": 1.0, "nvfp4": 0.5625,
}  # fmt: skip
"""Bytes of one operand of a matrix product (nvfp4 with its block scales)."""

OPTIMIZER_STATES = {"adam": 2, "adamw": 2, "lamb": 2, "lars": 1, "sgd": 1, "muon": 1}
"""32-bit states per parameter besides the master weight (sgd and lars with momentum)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One training job.

    The overlap flags say what the framework hides behind computation, as Megatron-LM, DeepSpeed
    and FSDP do by default today.
    """

    network: Network
    sequence_length: int
    global_batch: int
    """Samples per optimizer step over the whole cluster."""
    precision: str = "bf16"
    """Precision of the matrix products, one of domain.strategy.PRECISIONS."""
    gradient_bytes: float = 4.0
    """Bytes of one gradient element as it is kept and reduced."""
    gradient_copy_bytes: float = 0.0
    """Bytes of a second, 16-bit copy of each gradient that stays beside the accumulated one
    (BF16_Optimizer of DeepSpeed)."""
    narrow_states: bool = False
    """Optimizer states at the width of the weights, as PyTorch's optimizers keep them for a
    network that was cast as a whole; no 32-bit master weights then."""
    optimizer: str = "adam"
    master_weights: bool = True
    """A 32-bit copy of 16-bit weights."""
    flash_attention: bool = True
    fused: bool = True
    """Element-wise work in fused kernels, experts in grouped products (Megatron-LM, Transformer
    Engine); False for plain PyTorch (FSDP, DeepSpeed on Hugging Face models)."""
    vendor_attention: bool = True
    """Fused attention by the vendor's kernels (cuDNN); False for FlashAttention 2."""
    captured: bool = False
    """Kernels are replayed from a captured graph or run by a compiled one (CUDA graphs, XLA)."""
    dropout: bool = False
    overlap_grad: bool = True
    """Gradient reduction hides behind the backward pass."""
    overlap_param: bool = True
    """Parameter gathers of ZeRO-1/2 hide behind the next forward pass."""
    overlap_tp: Literal["none", "backward", "full"] = "backward"
    """What tensor-parallel communication hides behind: nothing; the weight gradients; or, cut into
    pieces, also the products before and after it (user buffers of Transformer Engine)."""
    overlap_ep: bool = False
    """Expert exchange hides behind the computation of another micro-batch."""
    overlap_pp: bool = False
    """Stage-to-stage transfers hide behind other micro-batches (interleaved schedules)."""
    overlap_gather: bool = True
    """ZeRO-3 gathers the next layer while one computes (FSDP); False where each layer is gathered
    when it is reached."""
    offloaded_activations: float = 0.0
    """Share of the layers whose activations wait in host memory for the backward pass."""
    reshard_after_forward: bool = True
    """ZeRO-3 frees the gathered weights between the forward and the backward pass."""

    @property
    def weight_bytes(self) -> float:
        """Bytes of one stored weight."""
        return PRECISION_BYTES[self.precision]

    @property
    def state_bytes(self) -> float:
        """Bytes of optimizer states per parameter, the master weight included."""
        if self.narrow_states:
            return self.weight_bytes * OPTIMIZER_STATES[self.optimizer]
        master = 4.0 if self.master_weights and self.weight_bytes < 4.0 else 0.0
        return 4.0 * OPTIMIZER_STATES[self.optimizer] + master
