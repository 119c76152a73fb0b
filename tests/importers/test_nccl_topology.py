from __future__ import annotations

import pytest

from planner.domain.errors import InputError
from planner.importers.imported import Given
from planner.importers.nccl_topology import read_nccl_topology
from planner.importers.source import Source


def read(text, **given):
    return read_nccl_topology(Source(name="topo.xml", text=text), Given(given))


def gpu(number, links="", speed="32.0 GT/s PCIe", width=16, device="0x2330", sm=90):
    return (
        f'<pci busid="0000:{number:02x}:00.0" class="0x030200" vendor="0x10de" device="{device}" '
        f'link_speed="{speed}" link_width="{width}"><gpu dev="{number}" sm="{sm}">{links}</gpu></pci>'
    )


def nic(name, speed=400000, width=16, link="32.0 GT/s PCIe"):
    return (
        f'<pci busid="{name}" class="0x020700" link_speed="{link}" link_width="{width}">'
        f'<nic><net name="{name}" speed="{speed}" port="1"/></nic></pci>'
    )


def bridge(*inside):
    return f'<pci busid="b" class="0x060400">{"".join(inside)}</pci>'


def system(*cpus):
    return (
        "<system version='1'>"
        + "".join(f'<cpu numaid="{i}">{inside}</cpu>' for i, inside in enumerate(cpus))
        + "</system>"
    )


SWITCH = '<nvlink target="0000:fe:00.0" count="18" tclass="0x068000"/>'


def test_switched_server_with_a_nic_beside_each_gpu():
    """NVSwitch links, generation, affinity and the catalogue's servers come out of the tree."""
    text = system(
        "".join(bridge(gpu(i, SWITCH), nic(f"mlx5_{i}")) for i in range(4)),
        "".join(bridge(bridge(gpu(i, SWITCH)), bridge(nic(f"mlx5_{i}"))) for i in range(4, 8)),
    )
    result = read(text)
    assert result.warnings == ()
    assert result.document["server"] == {
        "gpus": 8, "host_gpus": 8, "scale_up": "nvswitch", "domain_gpus": 8, "nic_slots": 8,
        "scale_up_gbytes_per_s": 450.0, "pcie_gen": 5, "accelerator": "h100-sxm",
    }  # fmt: skip
    gpus = result.document["gpus"]
    assert (gpus[0]["nearest_nics"], gpus[0]["nic_path"]) == (["mlx5_0"], "PIX")
    assert (gpus[5]["nearest_nics"], gpus[5]["nic_path"]) == (["mlx5_5"], "PXB")
    assert "dgx-h100" in result.document["catalogue"]


def direct(*targets, count=4):
    return "".join(
        f'<nvlink target="0000:{t:02x}:00.0" count="{count}" tclass="0x030200"/>' for t in targets
    )


def test_direct_links_and_poor_wiring():
    """A bridged pair, one network card without a PCIe place, a narrow and a slow card."""
    text = system(
        gpu(0, direct(1, count=12), sm=80, width=8)
        + '<nic><net name="eth0" speed="100000"/></nic>',
        gpu(1, direct(0, count=12), sm=80, speed="8.0 GT/s PCIe") + nic("m", 400000, 16, "8 GT/s"),
    )
    result = read(text)
    assert result.document["server"]["scale_up"] == "nvlink_bridge"
    assert result.document["server"]["scale_up_gbytes_per_s"] == 300
    text = " ".join(result.warnings)
    assert "GPU0 sits on 8 PCIe lanes of 16" in text
    assert "m is rated 400 Gb/s, its PCIe link carries 110" in text
    assert "GPU0, GPU1: the nearest NIC is PHB away" in text
    assert "GPU1: PCIe below generation 5" in text


def test_one_sided_and_uneven_links_are_warned_of():
    """A link that only one side names, and a GPU with fewer links than the others."""
    result = read(
        system(gpu(0, direct(1)) + gpu(1, direct(0, count=2) + direct(2)) + gpu(2, direct(1)))
    )
    assert "GPU0 names 4 links to GPU1, GPU1 names 2 back" in result.warnings
    assert any("links: some are missing" in w for w in result.warnings)


def test_xgmi():
    """AMD's links read alike."""
    link = '<xgmi target="0000:{:02x}:00.0" count="1"/>'
    text = system("".join(
        gpu(i, "".join(link.format(j) for j in range(4) if j != i), device="0x74a1")
        for i in range(4)
    ))  # fmt: skip
    assert read(text).document["server"]["scale_up"] == "xgmi"


def test_hand_written_topology_does_not_pretend_to_know_the_links():
    """Without GPU elements the scale-up is asked for, not guessed."""
    text = system(bridge('<pci busid="a" class="0x030200"/><pci busid="n" class="0x020700"/>') * 4)
    result = read(text)
    assert "scale_up" not in result.document["server"]
    assert [entry.key for entry in result.missing] == ["scale_up"]
    assert read(text, scale_up="nvswitch").document["server"]["scale_up"] == "nvswitch"
    assert result.document["server"]["nic_slots"] == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<graphs version='1'></graphs>", "graph file"),
        ("<html></html>", "root is <html>"),
        ("<system><gpu dev='0'/></system>", "GPUs outside any PCIe tree"),
        (system('<pci busid="a"/><pci busid="b"/>'), "names no GPU: 2 PCI devices have no class"),
        ("<system>", "is no XML"),
        ("hello", "is no XML"),
        ("<a>" * 100_000, "nested deeper than 60"),
        ("<a>" + "<b/>" * 200_001 + "</a>", "more than 200,000 elements"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><system>&x;</system>', "document type or entities"),
        ('<!DOCTYPE a SYSTEM "http://host/a.dtd"><system/>', "document type or entities"),
    ],
)
def test_what_cannot_be_used_is_said(text, words):
    """Other XML, entity tricks, deep and large trees end in one line."""
    with pytest.raises(InputError, match=words) as caught:
        read(text)
    assert len(str(caught.value).splitlines()) == 1


def test_an_encoding_that_the_text_no_longer_has_is_passed_over():
    """A declaration of UTF-16 does not break a file that was decoded already."""
    text = '<?xml version="1.0" encoding="UTF-16"?>' + system(gpu(0) + nic("m"))
    assert read(text).document["server"]["gpus"] == 1
