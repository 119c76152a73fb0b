from __future__ import annotations

import pytest

from planner.domain.errors import InputError
from planner.importers.imported import Given
from planner.importers.nvidia_smi_topo import read_nvidia_smi_topo
from planner.importers.source import Source


def read(text):
    return read_nvidia_smi_topo(Source(name="topo.txt", text=text), Given())


def matrix(cells, nics=(), tail="0-31\t0\tN/A", separator="\t"):
    """Write a matrix as nvidia-smi does; `cells` has one row a device."""
    names = [f"GPU{i}" for i in range(len(cells[0]) - len(nics))] + list(nics)
    head = separator.join(["", *names, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])
    rows = [separator.join([name, *row, tail]) for name, row in zip(names, cells, strict=False)]
    return "\n".join([head, *rows])


def all_to_all(count, cell):
    return [[" X " if i == j else cell for j in range(count)] for i in range(count)]


def server(text):
    return read(text).document["server"]


@pytest.mark.parametrize(
    ("count", "cell", "kind", "domain", "links"),
    [
        (8, "NV18", "nvswitch", 8, 18),
        (8, "NV12", "nvswitch", 8, 12),
        (4, "NV18", "nvswitch", 4, 18),
        (4, "NV2", "nvlink_mesh", 4, 6),
        (4, "NV4", "nvlink_mesh", 4, 12),
        (2, "NV12", "nvlink_bridge", 2, 12),
        (8, "NODE", "pcie_p2p", 8, None),
    ],
)
def test_kind_of_scale_up_follows_the_links(count, cell, kind, domain, links):
    """Links that no GPU could have directly must pass through switches."""
    result = read(matrix(all_to_all(count, cell)))
    assert result.document["server"]["scale_up"] == kind
    assert result.document["server"]["domain_gpus"] == domain
    assert result.document.get("links_of_a_gpu") == links


def test_rate_is_told_only_where_the_generation_is_certain():
    """Twelve links are NVLink 3; eighteen may be 4 or 5, both stand among the candidates."""
    assert server(matrix(all_to_all(8, "NV12")))["scale_up_gbytes_per_s"] == 300
    document = read(matrix(all_to_all(8, "NV18"))).document
    assert "scale_up_gbytes_per_s" not in document["server"]
    assert {"dgx-h100", "dgx-b200"} <= set(document["catalogue"])
    assert "dgx-a100-640" not in document["catalogue"]


def test_bridged_pairs():
    """Pairs joined by bridges are domains of two, and the rest crosses the sockets."""
    cells = [
        ["X" if i == j else "NV12" if i // 2 == j // 2 else "SYS" for j in range(4)]
        for i in range(4)
    ]
    result = read(matrix(cells))
    assert (result.document["server"]["scale_up"], result.document["server"]["domain_gpus"]) == (
        "nvlink_bridge", 2,
    )  # fmt: skip
    assert any("4 of 6 GPU pairs" in warning for warning in result.warnings)


def test_missing_links_are_warned_of():
    """A link that is down shows as a smaller number on one pair."""
    cells = all_to_all(8, "NV18")
    cells[1][5] = cells[5][1] = "NV17"
    assert any("GPU1 and GPU5" in warning for warning in read(matrix(cells)).warnings)
    mesh = all_to_all(4, "NV2")
    mesh[0][1] = mesh[1][0] = "NV1"
    assert any("GPU0 has 5 of 6 links" in warning for warning in read(matrix(mesh)).warnings)


def with_nics(paths):
    """Return a matrix of eight NVSwitch GPUs with one column per NIC."""
    cells = [row + [nic[gpu] for nic in paths] for gpu, row in enumerate(all_to_all(8, "NV18"))]
    return matrix(cells, nics=[f"NIC{i}" for i in range(len(paths))])


def test_affinity_and_poor_wiring():
    """The nearest NIC of each GPU is told, and what is far or shared is warned of."""
    good = read(
        with_nics([["PXB" if gpu == nic else "SYS" for gpu in range(8)] for nic in range(8)])
    )
    assert good.warnings == ()
    assert [gpu["nearest_nics"] for gpu in good.document["gpus"]] == [[f"NIC{i}"] for i in range(8)]
    one = read(with_nics([["PIX"] * 2 + ["NODE"] * 2 + ["SYS"] * 4]))
    text = " ".join(one.warnings)
    assert "one NIC port serves all 8 GPUs" in text
    assert "GPU4, GPU5, GPU6, GPU7: the nearest NIC is SYS away" in text
    shared = read(with_nics([["PIX"] * 4 + ["SYS"] * 4, ["SYS"] * 4 + ["PIX"] * 4]))
    assert any("2 near NIC port(s) serve 4 GPUs each" in warning for warning in shared.warnings)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\t", "   "),
        lambda text: "\x1b[4m" + text.replace("\n", "\x1b[0m\n", 1),
        lambda text: "\n".join("[1,0]<stdout>:" + line for line in text.splitlines()),
        lambda text: "$ nvidia-smi topo -m\n" + text + "\n\nLegend:\n\n  X    = Self\n",
        lambda text: text.replace("PXB\tNODE", "PXBNODE", 1),
        lambda text: text.replace("\t0-31\t0\tN/A", "\t0 N/A"),
        lambda text: "\n".join(text.splitlines()[:-2]),
    ],
)
def test_as_people_paste_it(change):
    """Spaces, colours, prefixes, prompts, glued cells, empty columns and cut rows all read."""
    text = with_nics([["PXB" if gpu == nic else "NODE" for gpu in range(8)] for nic in range(8)])
    result = read(change(text))
    assert result.document["server"]["scale_up"] == "nvswitch"
    assert result.document["gpus"][0]["nearest_nics"] == ["NIC0"]
    assert result.document["gpus"][5]["numa"] == "0"


def test_a_narrow_terminal_wraps_header_and_rows():
    """Continuation lines belong to the row before."""
    text = with_nics([["PXB"] * 8 for _ in range(8)])
    wrapped = "\n".join(
        "\n".join("\t".join(line.split("\t")[start : start + 6]) for start in range(0, 20, 6))
        for line in text.splitlines()
    )
    assert read(wrapped).document["gpus"][3]["nearest_nics"] == [f"NIC{i}" for i in range(8)]


def test_legend_gives_the_device_names():
    """The names of the operating system stand beside NIC0, NIC1, ..."""
    text = with_nics([["PXB"] * 8]) + "\n\nNIC Legend:\n\n  NIC0: mlx5_7\n"
    assert read(text).document["nics"][0]["device"] == "mlx5_7"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (matrix(all_to_all(4, "OK")), "peer-to-peer matrix"),
        ("| NVIDIA-SMI 550.54  Driver Version: 550 |", "status table"),
        ("===== ROCm System Management Interface =====\nWeight between two GPUs", "rocm-smi"),
        ("bash: nvidia-smi: command not found", "error message"),
        ("nothing here", "no topology matrix"),
        (matrix([["X", "NV2"], ["NV1", "X"]]), "GPU1 is NV2, the other way NV1"),
        (matrix([["NV2", "X"], ["X", "NV2"]]), "own cell is X"),
        (matrix([["X", "NV2"], ["NV2"]]), "has 1 cells for 2 devices"),
        (matrix(all_to_all(2, "NV2")) + "\n" + matrix(all_to_all(2, "NV2")), "stands twice"),
    ],
)
def test_what_cannot_be_used_is_said(text, words):
    """Other outputs of the tool and contradictions end in sentences."""
    with pytest.raises(InputError, match=words):
        read(text)
