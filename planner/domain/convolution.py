"""One convolution of an image network: its shape, weights and work."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(gt=0)]


class Convolution(BaseModel):
    """A square convolution (or a fully connected layer: kernel 1 on size 1), repeated."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    in_channels: Positive
    out_channels: Positive
    kernel: Positive = 1
    stride: Positive = 1
    size: Positive
    """Side of the input, pixels."""
    groups: Positive = 1
    repeat: Positive = 1
    normalised: bool = True
    """Batch normalisation and activation follow."""
    joins: bool = False
    """A residual branch is added to the output."""
    bias: bool = False

    @property
    def out_size(self) -> int:
        """Side of the output, pixels."""
        return -(-self.size // self.stride)

    @property
    def inner(self) -> int:
        """Inputs of one output element."""
        return self.in_channels // self.groups * self.kernel**2

    @property
    def parameters(self) -> int:
        """Weights of all repeats, with those of the normalisation."""
        extra = 2 * self.out_channels if self.normalised else 0
        extra += self.out_channels if self.bias else 0
        return self.repeat * (self.out_channels * self.inner + extra)

    @property
    def outputs(self) -> int:
        """Output elements of one image, all repeats."""
        return self.repeat * self.out_channels * self.out_size**2

    @property
    def inputs(self) -> int:
        """Input elements of one image, all repeats."""
        return self.repeat * self.in_channels * self.size**2

    @property
    def flops(self) -> float:
        """Operations of one image's forward pass, a multiply-add counted as two."""
        return 2.0 * self.outputs * self.inner
