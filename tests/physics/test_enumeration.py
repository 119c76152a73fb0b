"""The strategies that are searched: all that use every GPU, none twice, pinned ones alone."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selene import WIRING, gpt_job

from planner.domain.network import load_network
from planner.domain.strategy import Strategy
from planner.physics.enumeration import (
    StrategyOptions,
    divisors,
    enumerate_strategies,
    strategy_blocks,
)
from planner.physics.job import Job
from planner.physics.pipeline import Stages, counted_layers, stage_layers
from planner.physics.strategies import StrategyTable

COLUMNS = [f.name for f in fields(StrategyTable)]


@given(st.integers(1, 100_000))
def test_divisors(number):
    """Divisors are ascending, complete and without repeats."""
    found = divisors(number)
    assert found == sorted(set(found))
    assert all(number % d == 0 for d in found)
    assert len(found) == sum(
        1 if d * d == number else 2 for d in range(1, int(number**0.5) + 1) if number % d == 0
    )


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([1, 2, 3, 4, 8, 12]), st.sampled_from([16, 96, 240, 512]))
def test_no_strategy_twice_and_all_whole(nodes, batch):
    """Rows are distinct, use every GPU, and cut the batch into whole micro-batches."""
    table = enumerate_strategies(gpt_job("megatron-22b", batch), nodes, WIRING)
    rows = np.stack([getattr(table, name) for name in COLUMNS], axis=1)
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert (table.tp * table.pp * table.cp * table.dp == nodes * 8).all()
    micro = table.micro_batches(batch)
    assert np.array_equal(micro, np.rint(micro))
    assert ((table.vpp == 1) | (np.rint(micro).astype(int) % table.pp == 0)).all()


def test_blocks_are_the_table():
    """Blocks of any size give the same strategies in the same order."""
    job = gpt_job("megatron-22b", 240)
    whole = enumerate_strategies(job, 8, WIRING)
    small = list(strategy_blocks(job, 8, WIRING, rows=100))
    assert len(small) > 1
    for name in COLUMNS:
        joined = np.concatenate([getattr(block, name) for block in small])
        assert np.array_equal(joined, getattr(whole, name))


def test_experts_divide_evenly():
    """Expert groups divide both the experts and the ranks they are spread over."""
    job = Job(network=load_network("mixtral-8x7b"), sequence_length=4096, global_batch=256)
    table = enumerate_strategies(job, 4, WIRING)
    assert set(table.ep) == {1, 2, 4, 8}
    assert ((table.dp * table.cp * table.tp) % (table.ep * table.etp) == 0).all()


def test_image_networks_are_only_replicated():
    """A network without sequences has one layout: a replica per GPU."""
    job = Job(network=load_network("resnet-50"), sequence_length=1, global_batch=4096)
    table = enumerate_strategies(job, 2, WIRING)
    assert set(table.dp) == {16}
    assert set(table.tp) == set(table.pp) == {1}


def test_long_sequences_are_split():
    """Context parallelism is searched where each rank keeps a long enough part."""
    job = Job(network=load_network("llama3-8b"), sequence_length=32768, global_batch=64)
    assert set(enumerate_strategies(job, 4, WIRING).cp) == {1, 2, 4, 8}
    short = Job(network=load_network("llama3-8b"), sequence_length=4096, global_batch=64)
    assert set(enumerate_strategies(short, 4, WIRING).cp) == {1}


@pytest.mark.parametrize(
    ("column", "values"), [("tp", [2]), ("sharding", ["hsdp"]), ("schedule", ["zero_bubble"])]
)
def test_pinned(column, values):
    """A pinned column takes exactly its values, also such as are not searched by default."""
    options = StrategyOptions(fix={column: values})
    table = enumerate_strategies(gpt_job("megatron-22b", 64), 4, WIRING, options)
    assert len(table)
    assert {getattr(table.row(i), column) for i in range(len(table))} == set(values)


@given(st.integers(1, 160), st.integers(1, 40))
def test_interleaved_stages_hold_whole_chunks(layers, pp):
    """Counted layers fill the stages evenly; the outer stages alone hold a layer less."""
    if pp > layers:
        return
    counted = counted_layers(layers, pp)
    held = stage_layers(layers, pp)
    assert sum(held) == layers
    assert max(held) - min(held) <= 1
    if counted is None:
        assert layers % pp not in (0, pp - 1, pp - 2)
        return
    whole = counted // pp
    spare = counted - layers
    assert [whole - here for here in held] == (
        [0] * pp if not spare else [int(spare == 2), *[0] * (pp - 2), 1]
    )


@given(st.integers(2, 160), st.integers(2, 40))
def test_stages_of_a_table_are_the_stages_one_by_one(layers, pp):
    """First, fullest middle and last stage are those of the list."""
    if pp > layers:
        return
    held = stage_layers(layers, pp)
    stages = Stages.of(layers, StrategyTable.of([Strategy(pp=pp, schedule="1f1b")]))
    assert (stages.first[0], stages.last[0]) == (held[0], held[-1])
    assert stages.middle[0] == max(held[1:-1], default=0)


def test_uneven_stages_interleave():
    """126 layers over 16 stages run in chunks of 1, 2, 4 or 8 layers, as Llama 3 405B did."""
    job = Job(network=load_network("llama3-405b"), sequence_length=8192, global_batch=2048)
    pins = {"tp": [8], "pp": [16], "micro_batch": [1], "schedule": ["interleaved"]}
    table = enumerate_strategies(job, 128, WIRING, StrategyOptions(fix=pins))
    assert set(table.vpp) == {2, 4, 8}
