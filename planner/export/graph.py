"""The topology as a graph: devices are nodes, every link is an edge (NetworkX)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.domain.solution import Solution
from planner.export.keys import links
from planner.export.tier_rates import tier_rate

if TYPE_CHECKING:
    import networkx as nx


def topology_graph(solution: Solution) -> nx.MultiGraph[str]:
    """Return the graph of the fabric and of the networks of services.

    Nodes carry `kind`, `part`, `rack`, `unit`, `group`; edges carry `tier`, the ports at both ends,
    `length_m`, `gbps` and `part`. Two devices joined by several links have several edges.
    """
    import networkx as nx

    graph: nx.MultiGraph[str] = nx.MultiGraph(name=solution.instance.name)
    for device in solution.devices:
        graph.add_node(
            device.id,
            kind=device.kind,
            part=device.part,
            rack=device.rack,
            unit=device.unit,
            group=device.group,
        )
    for cable in links(solution):
        graph.add_edge(
            cable.a,
            cable.b,
            key=cable.id,
            tier=cable.tier,
            a_port=cable.a_port,
            b_port=cable.b_port,
            length_m=cable.length_m,
            gbps=tier_rate(solution, cable.tier)[1],
            part=cable.part,
        )
    return graph


def graphml_text(solution: Solution) -> str:
    """Return the graph as GraphML, which Gephi, yEd and NetworkX read."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(topology_graph(solution))) + "\n"
