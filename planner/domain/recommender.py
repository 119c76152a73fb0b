"""What a recommendation network has besides transformer layers: tables, interaction, layers."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Positive = Annotated[int, Field(gt=0)]


class Recommender(BaseModel):
    """Embedding tables spread over all GPUs, dense layers replicated on each (DLRM)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table_rows: Positive
    """Rows of all tables."""
    embedding_dim: Positive
    features: Positive
    """Categorical features: pooled vectors of one sample."""
    lookups: Positive
    """Rows read for one sample, over all features."""
    dense_features: Positive
    bottom: tuple[Positive, ...]
    """Widths of the layers over the dense features."""
    top: tuple[Positive, ...]
    """Widths of the layers over the interaction."""
    cross_layers: int = 0
    """Low-rank cross layers (DCNv2) as the interaction; 0 for pairwise products (DLRM)."""
    cross_rank: int = 0

    @property
    def joined(self) -> int:
        """Width of the concatenated vectors of one sample."""
        return (self.features + 1) * self.embedding_dim

    @property
    def top_input(self) -> int:
        """Width of what the top layers receive."""
        if self.cross_layers:
            return self.joined
        vectors = self.features + 1
        return vectors * (vectors - 1) // 2 + self.embedding_dim

    @property
    def layers(self) -> list[tuple[int, int]]:
        """Inputs and outputs of every dense layer."""
        result = list(pairwise((self.dense_features, *self.bottom)))
        for _ in range(self.cross_layers):
            result += [(self.joined, self.cross_rank), (self.cross_rank, self.joined)]
        return result + list(pairwise((self.top_input, *self.top)))

    @property
    def table_parameters(self) -> int:
        """Weights of all tables."""
        return self.table_rows * self.embedding_dim

    @property
    def dense_parameters(self) -> int:
        """Weights and biases of all dense layers (the first of a low-rank pair has no bias)."""
        pairs = sum(inputs * outputs for inputs, outputs in self.layers)
        biases = sum(self.bottom) + sum(self.top) + self.cross_layers * self.joined
        return pairs + biases
