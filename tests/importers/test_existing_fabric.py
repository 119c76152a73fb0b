from __future__ import annotations

import pytest
from pydantic import ValidationError

from planner.domain.errors import InputError
from planner.domain.existing_fabric import ExistingFabric
from planner.importers.iblinkinfo import read_iblinkinfo
from planner.importers.ibnetdiscover import read_ibnetdiscover
from planner.importers.imported import Given
from planner.importers.lldp import read_lldp
from planner.importers.netbox_cables import read_netbox_cables
from planner.importers.netq import read_netq
from planner.importers.slurm_topology import read_slurm_topology
from planner.importers.source import Source, read_source
from planner.importers.topograph import read_topograph


def fabric(result) -> ExistingFabric:
    """Return the document as the domain reads it back; its counts must be those of its lists."""
    document = ExistingFabric.model_validate(result.document)
    assert document.counts == document.count_up()
    return document


def text(content):
    return Source(name="file", text=content)


def test_ibnetdiscover_counts_ports_links_and_boxes(data_folder):
    """Both reports of a link count once; the reduction unit is neither host nor port."""
    result = read_ibnetdiscover(read_source(data_folder / "ibnetdiscover.txt"), Given())
    found = fabric(result)
    assert found.counts == {
        "switches": 2, "systems": 2, "hosts": 2, "switch_links": 2, "host_links": 3, "domains": 0,
        "ports_used": 7, "ports_free": 2 * 64 - 7,
    }  # fmt: skip
    leaf, spine = found.switches
    assert (leaf.system, leaf.model, leaf.tier, leaf.ports, leaf.ports_free) == (
        "leaf1", "MQM9700", 1, 64, 59,
    )  # fmt: skip
    assert spine.tier == 2
    rates = sorted(link.gbps for link in found.links)
    assert rates == [200, 400, 400, 400, 400]
    assert {link.b_port for link in found.links if link.b == "n1"} == {"mlx5_0 1", "mlx5_1 1"}


def test_iblinkinfo_knows_free_ports(data_folder):
    """Ports that are down are free ports of the switch that lists them."""
    found = fabric(read_iblinkinfo(read_source(data_folder / "iblinkinfo.txt"), Given()))
    leaf = next(switch for switch in found.switches if switch.system == "leaf1")
    assert (leaf.ports, leaf.ports_used, leaf.ports_free) == (64, 2, 62)
    assert sorted(link.gbps for link in found.links) == [200, 400]
    assert [host.name for host in found.hosts] == ["n1"]


def test_slurm_tree(data_folder):
    """Hostlists expand; tiers come from the distance to the hosts; cables stay unknown."""
    result = read_slurm_topology(read_source(data_folder / "topology.conf"), Given())
    found = fabric(result)
    assert found.logical
    assert (found.counts["switches"], found.counts["hosts"]) == (3, 11)
    assert (found.counts["ports_used"], found.counts["ports_free"]) == (None, None)
    assert {switch.name: switch.tier for switch in found.switches} == {
        "spine1": 2, "leaf1": 1, "leaf2": 1,
    }  # fmt: skip
    assert {"gpu001", "gpu010", "rack2n3"} <= {host.name for host in found.hosts}
    assert any("how many cables" in warning for warning in result.warnings)


def test_slurm_yaml_tree_and_blocks(data_folder):
    """A YAML file may hold a tree and blocks of the same hosts."""
    with pytest.raises(InputError):
        read_slurm_topology(text("- topology: a\n  tree: 'SwitchName=s1'"), Given())
    found = fabric(read_slurm_topology(read_source(data_folder / "topology.yaml"), Given()))
    assert found.counts["switches"] == 3
    assert found.block_sizes == [4, 8]
    assert found.counts["domains"] == 2


def test_slurm_blocks_alone():
    """Blocks are domains of hosts without any switch."""
    found = fabric(
        read_slurm_topology(
            text("BlockName=b1 Nodes=n[1-18]\nBlockName=b2 Nodes=n[19-36]\nBlockSizes=18,36"),
            Given(),
        )
    )
    assert (found.counts["hosts"], found.counts["domains"]) == (36, 2)
    assert found.block_sizes == [18, 36]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2", "no common root: 2 top switches"),
        ("SwitchName=a Switches=b,c\nSwitchName=b Nodes=n1", "names switch c, which no line"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "n1 hangs below a and b"),
        ("SwitchName=a Nodes=n1\nSwitchName=b", "neither switches nor nodes"),
        ("SwitchName=a Nodes=n1 Colour=red", "colour is not used"),
    ],
)
def test_doubtful_trees_warn(content, words):
    """What a scheduler would also stumble over is said."""
    result = read_slurm_topology(text(content), Given())
    assert any(words in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("hello", "no topology of Slurm"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a", "a circle"),
        ("SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "stands twice"),
        ("SwitchName=a Nodes=n[1-", "no hostlist"),
        ("SwitchName=a Nodes=n1\nwhat is this", "no line of topology.conf"),
        ("BlockName=b Nodes=n1\nBlockSizes=x", "'x' is no block size"),
        ("- topology: a\n  tree: text", "a text stands where a mapping is due"),
        ("- topology: a\n  tree:\n    switches: text", "is no list"),
        ("---\na: b", "is no list of topologies"),
        ("- topology: [", "is no YAML"),
        ("- topology: " + "[" * 5000, "nested deeper"),
        ("- topology: x\n" + "".join(" " * i + "- a:\n" for i in range(2, 300)), "nested deeper"),
        ("- topology: x\n- " + "- " * 3000 + "x", "nested deeper"),
    ],
)
def test_what_slurm_files_cannot_be_used_is_said(content, words):
    """Contradictions and foreign files end in sentences with their line."""
    with pytest.raises(InputError, match=words):
        read_slurm_topology(text(content), Given())


def test_netbox_cables(data_folder):
    """Switches are told by name, power cables are left out and counted."""
    result = read_netbox_cables(read_source(data_folder / "cables.csv"), Given())
    found = fabric(result)
    assert {switch.name for switch in found.switches} == {"leaf-01", "spine-01"}
    assert found.counts["host_links"] == 2
    assert any("1 cables to powerport are left out" in warning for warning in result.warnings)
    given = fabric(
        read_netbox_cables(read_source(data_folder / "cables.csv"), Given({"switches": "host-*"}))
    )
    assert {switch.name for switch in given.switches} == {"host-a", "host-b"}
    with pytest.raises(InputError, match="lacks the columns side_a_device"):
        read_netbox_cables(text("a;b\n1;2"), Given())
    with pytest.raises(InputError, match="line 2: a cable lacks the device"):
        read_netbox_cables(
            text("side_a_device,side_a_name,side_b_device,side_b_name\n,1,b,2"), Given()
        )


def test_lldp(data_folder):
    """A host's neighbours give its leafs and the rates that ports name."""
    found = fabric(read_lldp(read_source(data_folder / "lldp.txt"), Given({"host": "gpu07"})))
    assert {(link.a, link.b, link.gbps) for link in found.links} == {
        ("gpu07", "leaf-01", 100.0), ("gpu07", "leaf-02", 400.0),
    }  # fmt: skip
    with pytest.raises(InputError, match="no LLDP neighbour"):
        read_lldp(text("eth0 up"), Given())


def test_topograph_and_netq(data_folder):
    """Models and graphs of other tools give the same kind of document."""
    model = fabric(read_topograph(read_source(data_folder / "cluster.yaml"), Given()))
    assert (model.counts["switches"], model.counts["hosts"], model.counts["domains"]) == (3, 18, 1)
    graph = fabric(read_netq(read_source(data_folder / "netq.json"), Given()))
    assert (graph.counts["switch_links"], graph.counts["host_links"]) == (2, 1)
    assert {switch.name: switch.tier for switch in graph.switches} == {"leaf": 1, "spine": 2}
    nodes = read_netq(text('[{"Name": "n1", "GpuIDList": ["a", "b"], "DomainUUID": "d"}]'), Given())
    assert fabric(nodes).hosts[0].gpus == 2
    for read in (read_netq, read_topograph):
        with pytest.raises(InputError, match="is no"):
            read(text("[1, 2]"), Given())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("nothing", "no record of ibnetdiscover"),
        ('Ca\t1 "H-01"\t# "n1 mlx5_0"\n', "1 node\\(s\\) and no link"),
    ],
)
def test_discoveries_without_a_fabric_are_refused(content, words):
    """A discovery from a port that is down says what to do."""
    with pytest.raises(InputError, match=words):
        read_ibnetdiscover(text(content), Given())


def test_fabric_refuses_links_to_nowhere():
    """The document's own reader checks names and ends."""
    with pytest.raises(ValidationError, match="no device"):
        ExistingFabric.model_validate({"links": [{"a": "x", "b": "y"}]})
    with pytest.raises(ValidationError, match="two devices"):
        ExistingFabric.model_validate({"switches": [{"name": "x"}], "hosts": [{"name": "x"}]})


def test_a_very_long_line_is_read_whole_or_refused():
    """Ten thousand hosts in one line are ten thousand; elsewhere such a line is no such file."""
    line = "SwitchName=s Nodes=" + ",".join(f"host{i}" for i in range(10_000))
    assert fabric(read_slurm_topology(text(line), Given())).counts["hosts"] == 10_000
    with pytest.raises(InputError, match="line 1: has more than 20,000 characters"):
        read_lldp(text("lldp.eth0.chassis.name=" + "x" * 20_000), Given())
