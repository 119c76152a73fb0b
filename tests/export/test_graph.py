"""The topology graph, built from the documents of a solved instance."""

from __future__ import annotations

import networkx as nx
import pytest

from planner.domain.instance import Instance
from planner.export.frames import star_frames
from planner.export.graph import graphml_text, topology_graph
from planner.export.star import TABLES
from planner.study.decide import DecideOptions, decide

INSTANCE = {
    "name": "small",
    "workloads": [
        {
            "name": "gpt2",
            "network": "gpt2-xl",
            "sequence_length": 1024,
            "global_batch": 256,
            "step_time_s": 2.0,
        }
    ],
    "site": {"racks": 4, "rack_kw": 24},
    "fix": {
        "server": "hgx-h100-8",
        "nodes": 4,
        "topology": "rail_optimised",
        "switch": "qm9790",
        "oversubscription": 1.0,
    },
}


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory):
    """Return a solved rail-optimised design of four servers."""
    file = tmp_path_factory.mktemp("instance") / "small.json"
    options = DecideOptions(alternatives=False)
    return decide(Instance.model_validate(INSTANCE), file, options, lambda _: None).solution


def test_rails_meet_at_their_leaf_and_everything_is_joined(solution) -> None:
    """Each server has one link to each of the eight leafs; any two servers are at most 2 hops."""
    graph = topology_graph(solution)
    fabric = graph.subgraph(n for n, d in graph.nodes(data=True) if d["kind"] != "oob")
    assert nx.is_connected(fabric)
    servers = [n for n, d in graph.nodes(data=True) if d["kind"] == "node"]
    leafs = {n for n, d in graph.nodes(data=True) if d["kind"] == "leaf"}
    assert len(servers) == 4
    assert len(leafs) == 8
    for server in servers:
        assert sorted(graph.neighbors(server)) == sorted(leafs)
        assert graph.degree(server) == 8


def test_every_cut_between_leafs_and_spines_is_non_blocking(solution) -> None:
    """At 1:1 a leaf has as many links up as down: the maximum flow between servers is full."""
    graph = topology_graph(solution)
    flows = nx.Graph()
    for a, b in graph.edges():
        old = flows.get_edge_data(a, b, {"capacity": 0})["capacity"]
        flows.add_edge(a, b, capacity=old + 1)
    servers = sorted(n for n, d in graph.nodes(data=True) if d["kind"] == "node")
    assert nx.maximum_flow_value(flows, servers[0], servers[-1]) == 8


def test_graphml_reads_back(solution) -> None:
    """NetworkX reads what was written: the same devices and links."""
    graph = topology_graph(solution)
    back = nx.parse_graphml(graphml_text(solution), force_multigraph=True)
    assert set(back.nodes) == set(graph.nodes)
    assert back.number_of_edges() == graph.number_of_edges()


def test_frames_hold_the_rows_of_the_star(solution) -> None:
    """One frame a table, as many rows, money summing to the purchase price."""
    frames = star_frames(solution)
    assert set(frames) == {table.name for table in TABLES}
    bill = frames["fact_bom_line"]
    total = next(c for c in bill.columns if c.startswith("total"))
    assert round(float(bill[total].sum()), 2) == solution.cost.capex_usd
