from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from planner.domain.site import Site
from planner.report.drawings.floor import floor_drawing
from planner.report.drawings.plates import plates
from planner.report.drawings.racks import rack_drawings
from planner.report.drawings.topology import unit_counts
from planner.report.notation import notation
from planner.report.run_bars import hours_bars, run_bars
from planner.report.svg import Drawing, text_width
from planner.report.view import view
from planner.report.words import words

SVG = "{http://www.w3.org/2000/svg}"


def _plates(solution, lang="en"):
    return plates(view(solution, lang))


def _own(solution, lang="en"):
    """Return the drawings that are ours; charts are tested beside their files."""
    return {k: d for k, d in _plates(solution, lang).items() if isinstance(d, Drawing)}


def _root(drawing):
    return ET.fromstring(drawing.file_text())


def _edges(text):
    """Return about where a text begins and ends."""
    x, width = float(text.get("x")), text_width(text.text or "", float(text.get("font-size")))
    return {"middle": (x - width / 2, x + width / 2), "end": (x - width, x)}.get(
        text.get("text-anchor"), (x, x + width)
    )


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("nodes", [4, 8, 20, 64, 128])
def test_drawings_parse_stay_inside_and_stay_small(sample, nodes, lang):
    """From 4 to 128 servers: no text or box leaves the frame, never 1,000 elements."""
    for name, drawing in _own(sample.feasible(nodes), lang).items():
        root = _root(drawing)
        elements = list(root.iter())
        assert len(elements) < 1000, name
        for text in root.iter(f"{SVG}text"):
            left, right = _edges(text)
            assert left >= -1, (name, text.text)
            assert right <= drawing.width + 1, (name, text.text)
            assert 0 < float(text.get("y")) <= drawing.height
        for rect in root.iter(f"{SVG}rect"):
            assert float(rect.get("x")) >= 0
            assert float(rect.get("x")) + float(rect.get("width")) <= drawing.width + 0.5, name
            assert float(rect.get("y")) + float(rect.get("height")) <= drawing.height + 0.5, name


def test_the_topology_counts_what_is_bought(large):
    """Units add up to the servers and leafs of the design."""
    units = unit_counts(large)
    assert sum(unit.servers for unit in units) == large.design.nodes
    assert sum(unit.leafs for unit in units) == large.design.fabric.tiers[0].count
    text = _plates(large)["topology"].file_text()
    assert "16 x QM9700 NDR" in text
    assert text.count("256 x 400G") == 4


def test_many_units_are_grouped(sample):
    """Of 16 units three are drawn and 13 stand behind the dots."""
    text = _plates(sample.feasible(512))["topology"].file_text()
    assert "13 more units like these" in text


def test_one_server_has_no_fabric(sample):
    """A single server is drawn alone."""
    plan = sample.feasible(4)
    fabric = plan.design.fabric.model_copy(update={"tiers": [], "topology": "direct"})
    design = plan.design.model_copy(update={"fabric": fabric, "nodes": 1})
    text = _plates(plan.model_copy(update={"design": design}))["topology"].file_text()
    assert "no fabric between servers" in text


def test_every_box_stands_at_its_rack_unit(plan):
    """The elevation is read with the installer's finger on the unit."""
    root = _root(_plates(plan)["rack-2"])
    boxes = [r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    frame = next(r for r in root.iter(f"{SVG}rect") if r.get("stroke"))
    bottom = float(frame.get("y")) + float(frame.get("height"))
    scale = float(frame.get("height")) / 48
    inside = [d for d in plan.devices if d.rack == "r02"]
    for box, device in zip(boxes, inside, strict=True):
        low = (bottom - float(box.get("y")) - float(box.get("height"))) / scale + 1
        assert low == pytest.approx(device.unit, abs=0.1)
        assert float(box.get("height")) / scale == pytest.approx(device.height_units, abs=0.2)


def test_the_floor_shows_every_rack_in_use(large):
    """Each with its power on hover."""
    root = _root(_plates(large)["floor"])
    tips = [t.text for t in root.iter(f"{SVG}title")][1:]
    assert len(tips) == len(large.racks)
    assert tips[3] == "r04: servers, 40.8 / 44 kW"


def test_a_hall_of_thousands_of_racks_stays_small(sample):
    """Neighbours alike are one box that says how many; every rack is in exactly one."""
    plan = sample.feasible(8)
    rack = plan.racks[0]
    many = [
        rack.model_copy(update={"id": f"r{row}-{column}", "row": row, "column": column,
                                "max_w": 30_000.0 + 1000 * (column == 50)})
        for row in range(40)
        for column in range(100)
    ]  # fmt: skip
    boxes = [d.model_copy(update={"rack": r.id}) for r in many for d in plan.devices[:1]]
    site = plan.instance.site.model_copy(update={"racks": 4000, "racks_per_row": 100})
    instance = plan.instance.model_copy(update={"site": site})
    hall = plan.model_copy(update={"racks": many, "devices": boxes, "instance": instance})
    drawing = floor_drawing(hall, words("en"), notation("en", instance))
    root = _root(drawing)
    assert len(list(root.iter())) < 1000
    tips = [t.text for t in root.iter(f"{SVG}title")][1:]
    counts = [re.search(r": ([\d,]+) x ", tip) for tip in tips]
    assert sum(int(m[1]) if m else 1 for m in counts) == 4000
    assert "r0-0 … r0-49: 50 x servers, 30 / 44 kW" in tips
    assert float(root.get("height")) < 1400


def test_hours_and_runs_follow_the_workloads(plan):
    """Busy shares and idle time make one whole; a run stands against its deadline."""
    w, n = words("en"), notation("en", plan.instance)
    (hours,) = hours_bars(plan, w, n)
    assert hours.total == pytest.approx(1)
    assert [bar.marks[0][1] for bar in run_bars(plan, w, n)] == [90, 0.4]


def test_an_infeasible_answer_has_no_drawings(lost):
    """There is nothing to draw."""
    assert _plates(lost) == {}


def test_hostile_names_are_text_in_every_drawing(hostile_plan):
    """No element comes from a name."""
    for drawing in _plates(hostile_plan, "es").values():
        tags = {e.tag.removeprefix(SVG) for e in _root(drawing).iter()}
        assert tags <= {
            "svg",
            "title",
            "desc",
            "rect",
            "line",
            "text",
            "circle",
            "g",
            "path",
            "defs",
            "clipPath",
        }


def test_a_room_in_use_shows_what_is_not_ours(plan):
    """Blocked and partly used places, aisles and the units in use stand in floor and elevation."""
    floor = {
        "aisles": [{"width_m": 1.2, "air": "hot"}],
        "places": [
            {"row": 1, "columns": [2], "blocked": True, "note": "pillar"},
            {"row": 2, "columns": [1], "used_units": 12, "used_kw": 3},
        ],
    }
    site = plan.instance.site.model_dump() | {"racks": 12, "racks_per_row": 6, "floor": floor}
    instance = plan.instance.model_copy(update={"site": Site.model_validate(site)})
    racks = [rack.model_copy(update={"taken_units": 6, "taken_w": 500.0}) for rack in plan.racks]
    used = plan.model_copy(update={"instance": instance, "racks": racks})
    drawn = floor_drawing(used, words("en"), notation("en", instance)).file_text()
    for text in ("blocked: pillar", "12 U", "hot aisle, 1.2 m", "row 2", "of 11 rack places"):
        assert text in drawn, text
    elevations, _ = rack_drawings(used, words("en"), notation("en", instance))
    assert all("in use before" in one.file_text() for one in elevations)


@pytest.mark.parametrize("rows", [13, 40, 56])
def test_the_floor_of_many_rows_fits_a_sheet(large, rows):
    """Below its heading on A4 upright, with its labels as large as on a screen of a tablet."""
    site = large.instance.site.model_copy(update={"racks": rows * 60, "racks_per_row": 60})
    last = large.racks[-1].model_copy(update={"row": rows - 1})
    first = large.racks[0].model_copy(update={"row": 0})
    plan = large.model_copy(
        update={
            "racks": [first, *large.racks[1:-1], last],
            "instance": large.instance.model_copy(update={"site": site}),
        }
    )
    drawn = floor_drawing(plan, words("es"), notation("es", plan.instance))
    assert drawn.height / drawn.width * 182 <= 225
    assert drawn.width <= 850
