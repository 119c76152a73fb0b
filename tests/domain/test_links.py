"""Links between real cages, with a price, at every length that matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.domain.catalog import load_catalog
from planner.domain.fabric_parts import CableAssembly, Fibre, LinkProtocol, Transceiver
from planner.domain.links import LinkEnd, LinkOffer, link_offers, nic_end, protocol_of, switch_end

NODE_LINKS = [
    ("qm9700", "dgx-h100+8x400-cx7-400-2port-module"),
    ("qm9790", "hgx-h100-8+8x400-cx7-400-1p"),
    ("qm9700", "h100nvl-8+4x400-cx7-400-1p-qsfp112"),
    ("qm9700", "l40s-8-pcie+2x200-cx7-200-2p"),
    ("qm8700", "dgx-a100-640+8x200-cx6-vpi-200"),
    ("qm8700", "l40s-8-pcie+2x200-cx7-200-2p"),
    ("qm8700", "l40s-4-pcie+1x100-cx6-vpi-100"),
    ("sb7800", "dgx-1-v100+4x100-cx5-vpi-edr"),
    ("q3400-ra", "dgx-b300+8x800-cx8-800-1p"),
    ("q3400-ra", "gb300-nvl72+72x800-cx8-800-1p"),
    ("sn5600", "dgx-h100+8x400-cx7-400-2port-module"),
    ("sn5600", "hgx-h200-8+8x400-cx7-400-1p"),
    ("fs-n9600-64od", "mi300x-8+8x400-thor2-400"),
    ("edgecore-ais800-64o", "hgx-b200-8+8x400-cx7-400-1p"),
    ("sn5600", "hgx-b300-8+8x800-cx8-800-1p"),
    ("sn5600", "dgx-b300+16x400-cx8-800-1p"),
    ("sn5600", "gaudi3-8+24x200-gaudi-onchip-200"),
    ("sn5400", "hgx-h100-8+8x400-cx7-400-1p"),
    ("sn4700", "mi300x-8+8x400-thor2-400"),
    ("arista-7060dx5-64s", "dgx-h200+8x400-cx7-400-2port-module"),
    ("fs-n9550-64d", "h100nvl-8+4x400-cx7-400-1p-qsfp112"),
    ("sn3700", "l40s-8-pcie+2x200-cx7-200-2p"),
    ("sn4600c", "l40s-4-pcie+2x100-cx6-dx-100-2p"),
    ("generic-100g-32", "ws-4x-a6000+1x100-cx6-dx-100-2p"),
    ("generic-25g-48", "ws-4x-rtx4090+1x25-generic-25-2p"),
    ("generic-10g-48", "ws-4x-rtx6000ada+1x10-generic-10-2p"),
]

SWITCH_LINKS = [
    ("qm9700", "qm9700", 400),
    ("qm8700", "qm8700", 200),
    ("sb7800", "sb7800", 100),
    ("q3400-ra", "q3400-ra", 800),
    ("sn5600", "sn5600", 800),
    ("sn5600", "sn5600", 400),
    ("sn5400", "sn5600", 400),
    ("sn5400", "sn5400", 400),
    ("fs-n9550-64d", "fs-n9600-64od", 400),
    ("sn3700", "sn3700", 200),
    ("sn4600c", "sn4600c", 100),
    ("sn2201", "sn2201", 1),
]

LENGTHS_M = (2.0, 10.0, 30.0)


def offers(
    a: LinkEnd, b: LinkEnd, link_gbps: float, protocol: LinkProtocol, length_m: float
) -> tuple[LinkOffer, ...]:
    """Return the offers from the shipped catalogue."""
    return link_offers(
        load_catalog(), a, b, link_gbps=link_gbps, protocol=protocol, length_m=length_m
    )


@pytest.mark.parametrize("length_m", LENGTHS_M)
@pytest.mark.parametrize(("switch", "option"), NODE_LINKS)
def test_every_server_link_has_a_price(switch: str, option: str, length_m: float) -> None:
    """Server and leaf can be joined at 2, 10 and 30 m with parts that are on sale."""
    catalog = load_catalog()
    leaf, nic = catalog.switch(switch), catalog.nic_option(option)
    a = switch_end(leaf, nic.link_gbps)
    found = offers(a, nic_end(nic), nic.link_gbps, leaf.family, length_m)
    assert found
    assert all(0 < offer.usd("low") <= offer.usd() <= offer.usd("high") for offer in found)


@pytest.mark.parametrize("length_m", LENGTHS_M)
@pytest.mark.parametrize(("leaf", "spine", "link_gbps"), SWITCH_LINKS)
def test_every_switch_link_has_a_price(
    leaf: str, spine: str, link_gbps: float, length_m: float
) -> None:
    """Leaf and spine can be joined at 2, 10 and 30 m with parts that are on sale."""
    catalog = load_catalog()
    one, two = catalog.switch(leaf), catalog.switch(spine)
    a, b = switch_end(one, link_gbps), switch_end(two, link_gbps)
    assert offers(a, b, link_gbps, one.family, length_m)


@given(
    link=st.sampled_from(NODE_LINKS), length_m=st.floats(0.5, 120, allow_nan=False), data=st.data()
)
def test_offers_keep_the_rules_of_their_parts(
    link: tuple[str, str], length_m: float, data: st.DataObject
) -> None:
    """An offer reaches, fits both cages, fills them, and its modules understand each other."""
    catalog = load_catalog()
    leaf, nic = catalog.switch(link[0]), catalog.nic_option(link[1])
    a, b = switch_end(leaf, nic.link_gbps), nic_end(nic)
    if data.draw(st.booleans()):
        a, b = b, a
    found = offers(a, b, nic.link_gbps, leaf.family, length_m)
    assert list(found) == sorted(found, key=lambda offer: (offer.usd_per_link, offer.ids))
    for offer in found:
        assert offer.length_m >= length_m
        assert offer.links == offer.cages_a * a.links == offer.cages_b * b.links
        rows = [part.row for part in offer.parts]
        if isinstance(rows[0], CableAssembly):
            plugs = {rows[0].connector_a, rows[0].connector_b}
            assert plugs & set(catalog.connectors[a.connector].accepts)
            assert plugs & set(catalog.connectors[b.connector].accepts)
            continue
        one, two, fibre = rows
        assert isinstance(one, Transceiver)
        assert isinstance(two, Transceiver)
        assert isinstance(fibre, Fibre)
        assert one.optics == two.optics
        assert one.fibre_type == two.fibre_type == fibre.fibre_type
        assert fibre.length_m <= min(one.reach_m, two.reach_m)
        assert one.connector in catalog.connectors[a.connector].accepts
        assert two.connector in catalog.connectors[b.connector].accepts


def test_swapping_the_ends_changes_nothing_but_their_order() -> None:
    """The same parts join b to a as a to b."""
    catalog = load_catalog()
    nic = catalog.nic_option("hgx-h100-8+8x400-cx7-400-1p")
    a, b = switch_end(catalog.switch("qm9700"), 400), nic_end(nic)
    there = offers(a, b, 400, "infiniband", 10)
    back = offers(b, a, 400, "infiniband", 10)
    assert [round(o.usd_per_link, 6) for o in there] == [round(o.usd_per_link, 6) for o in back]
    assert there[0].power_w_a == back[0].power_w_b


def test_twin_port_parts_count_once_for_two_links() -> None:
    """A DGX at 10 m takes one finned and one flat-top module and two fibres for two links."""
    catalog = load_catalog()
    nic = catalog.nic_options("dgx-h100")[0]
    found = offers(switch_end(catalog.switch("qm9700"), 400), nic_end(nic), 400, "infiniband", 10)
    best = next(offer for offer in found if "sr4" in offer.ids[0])
    assert best.links == 2
    assert [part.count for part in best.parts] == [1, 1, 2]


def test_four_slow_links_share_one_module_by_splitters() -> None:
    """A twin module at 4x200G meets four cards over two splitting fibres."""
    catalog = load_catalog()
    nic = catalog.nic_option("l40s-8-pcie+2x200-cx7-200-2p")
    found = offers(switch_end(catalog.switch("qm9700"), 200), nic_end(nic), 200, "infiniband", 10)
    best = next(offer for offer in found if offer.kind == "optics")
    assert best.links == 4
    assert [part.count for part in best.parts] == [1, 4, 2]


def test_xdr_has_no_passive_copper_no_multimode_and_no_aoc() -> None:
    """At 200 Gbit/s a lane only linear active copper and single-mode optics are offered."""
    catalog = load_catalog()
    nic = catalog.nic_options("dgx-b300")[0]
    ends = (switch_end(catalog.switch("q3400-ra"), 800), nic_end(nic))
    for length_m in LENGTHS_M:
        for offer in offers(*ends, 800, "infiniband", length_m):
            assert offer.kind in {"LACC", "optics"}
            assert all(
                part.row.fibre_type == "OS2"
                for part in offer.parts
                if isinstance(part.row, Transceiver)
            )


def test_multimode_ends_at_its_reach() -> None:
    """NDR multimode stops at 50 m; at 80 m only single-mode optics remain."""
    end = switch_end(load_catalog().switch("qm9700"), 400)
    found = offers(end, end, 400, "infiniband", 80)
    assert found
    assert all(offer.parts[2].row.model_dump()["fibre_type"] == "OS2" for offer in found)


def test_infiniband_does_not_take_ethernet_parts() -> None:
    """Parts of Ethernet alone are not offered for InfiniBand."""
    end = switch_end(load_catalog().switch("qm9700"), 400)
    ids = {part for o in offers(end, end, 400, "infiniband", 10) for part in o.ids}
    assert "osfp-800g-dr8-generic" not in ids
    assert not any(part.startswith("aoc-800g") for part in ids)


def test_no_link_without_a_common_rate() -> None:
    """A cage that cannot run the rate gets no offer."""
    end = switch_end(load_catalog().switch("qm9700"), 800)
    assert end.links == 0
    assert offers(end, end, 800, "infiniband", 2) == ()


def test_roce_and_tcp_run_on_ethernet() -> None:
    """Only InfiniBand needs InfiniBand parts."""
    assert [protocol_of(f) for f in ("infiniband", "roce", "ethernet")] == [
        "infiniband",
        "ethernet",
        "ethernet",
    ]


def test_the_ndr_link_costs_about_what_was_paid() -> None:
    """A single-tier NDR link with both ends lies within 25 % of a published 1,320 USD."""
    catalog = load_catalog()
    nic = catalog.nic_options("dgx-h100")[0]
    ends = (switch_end(catalog.switch("qm9700"), 400), nic_end(nic))
    link = offers(*ends, 400, "infiniband", 10)[0]
    published = catalog.rate("pub-link-ib-ndr-1tier").value
    assert link.usd_per_link == pytest.approx(published, rel=0.25)
