from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from planner.report.cabling import cable_lines
from planner.report.html import page_html
from planner.report.link_levels import level_uses

VOID = {"meta", "link", "br", "hr", "img", "input"}
ALLOWED_SCRIPTS = 1


class _Page(HTMLParser):
    """Collects what the tests ask of a page; fails on tags that do not close."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.data, self.texts = [], [], [], []
        self.raw = {"script": "", "style": ""}
        self._value = None
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "data":
            self._value = (dict(attrs)["value"], "")

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "data":
            self.data.append(self._value)
            self._value = None

    def handle_data(self, data):
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]] += data
        if self._value:
            self._value = (self._value[0], self._value[1] + data)
        self.texts.append(data)


def _shown(text, lang):
    """Return the first number of a text, its decimals, and whether it is a percentage."""
    match = re.search(r"-?[\d.,]*\d", text)
    number = match[0]
    if lang == "es":
        number = number.translate(str.maketrans(".,", ",."))
    number = number.replace(",", "")
    percent = text[match.end() :].strip().startswith("%")
    return float(number), len(number.partition(".")[2]), percent


@pytest.mark.parametrize("lang", ["en", "es"])
@pytest.mark.parametrize("name", ["plan", "large", "lost"])
def test_every_figure_shows_its_value(request, name, lang):
    """What is read and what is sorted by are one number, rounded to the digits shown."""
    page = _Page(page_html(request.getfixturevalue(name), lang))
    assert page.data
    for value, text in page.data:
        found, digits, percent = _shown(text, lang)
        expected = float(value) * (100 if percent else 1)
        assert found == pytest.approx(expected, abs=0.5000001 * 10**-digits), (value, text)


@pytest.mark.parametrize("name", ["plan", "large"])
def test_the_page_holds_every_figure_of_the_solution(request, name):
    """Costs, bill, steps, memory, limits and alternatives are all there, unrounded."""
    solution = request.getfixturevalue(name)
    found = {float(value) for value, _ in _Page(page_html(solution)).data}
    cost = solution.cost
    expected = [cost.capex_usd, cost.energy_usd, cost.support_usd, cost.other_usd, cost.total_usd]
    for line in cost.components:
        expected += [line.capex_usd, line.energy_usd, line.support_usd, line.other_usd]
    for line in solution.bill_of_materials:
        expected += [line.quantity, line.unit_price_usd, line.total_usd]
    for result in solution.workloads:
        expected += [result.step_time_s, result.limit_s, result.target_s]
        expected += filter(None, [*result.breakdown.values(), *result.memory_gib.values()])
        for use in result.collectives:
            expected += [use.count, use.ranks, use.size_bytes / 2**20, use.total_s, use.exposed_s]
        for level in level_uses(result, solution.design.fabric):
            expected += [level.sent_bytes / 2**30, level.busy_s, level.busy_share]
            expected += [level.exposed_s, level.exposed_share]
    for item in solution.binding:
        expected += [item.used, item.available]
    for kind in cable_lines(solution):
        expected += [kind.links, kind.assemblies, kind.modules, kind.length_m, kind.longest_m]
    expected += [a.delta_usd for a in solution.alternatives if a.delta_usd is not None]
    expected += [a.objective_usd for a in solution.alternatives if a.objective_usd is not None]
    expected += list(solution.scan.outcomes.values())
    assert set(map(float, expected)) <= found


def test_euro_figures_are_dollars_over_the_rate(euro_plan):
    """The value stays in dollars, the text is converted."""
    page = _Page(page_html(euro_plan, "es"))
    shown = {float(v): t for v, t in page.data if "EUR" in t}
    total = shown[euro_plan.cost.total_usd]
    assert _shown(total, "es")[0] == round(euro_plan.cost.total_usd / 1.15)


@pytest.mark.parametrize("name", ["plan", "lost", "hostile_plan"])
def test_the_policy_admits_exactly_our_style_and_script(request, name):
    """Nothing else can run, and nothing comes from outside."""
    text = page_html(request.getfixturevalue(name))
    page = _Page(text)
    policy = next(a["content"] for t, a in page.tags
                  if a.get("http-equiv") == "Content-Security-Policy")  # fmt: skip
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert sum(tag == "script" for tag, _ in page.tags) == ALLOWED_SCRIPTS
    for tag, attributes in page.tags:
        assert not [k for k in attributes if k.startswith("on")]
        assert "style" not in attributes, tag
        for key in ("src", "href", "action"):
            assert not re.match(r"[a-z]+:|//", attributes.get(key, "")), (tag, attributes)


def test_hostile_names_stay_text(hostile_plan):
    """The attack is shown, not run; escape and direction characters are gone."""
    text = page_html(hostile_plan, "es")
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\u202e" not in text
    assert "\x1b" not in text


def test_the_page_has_landmarks_captions_and_unique_ids(plan):
    """Screen readers find main, navigation, every table's caption and every drawing's title."""
    page = _Page(page_html(plan))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("main") == tags.count("h1") == tags.count("nav") == 1
    assert tags.count("table") == tags.count("caption")
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    drawings = [a for tag, a in page.tags if tag == "svg"]
    assert drawings
    for drawing in drawings:
        assert set(drawing["aria-labelledby"].split()) <= set(ids)
    links = [a["href"][1:] for tag, a in page.tags if tag == "a"]
    assert set(links) <= set(ids)


def test_the_script_is_small_and_the_largest_page_is_light(large):
    """At most 10 KB of script, under 5 MB for 1,024 GPUs."""
    text = page_html(large)
    assert len(_Page(text).raw["script"].encode()) <= 10 * 1024
    assert len(text.encode()) < 5e6


def test_the_first_screen_says_all_that_a_signer_asks(plan):
    """Decision, cost, target, what binds, confidence and the runner-up stand before the rest."""
    first = page_html(plan).split('id="alternatives"')[0].replace("\xa0", " ")
    for phrase in (
        "Buy 8 x HGX H200", "USD 4,087,079", "254.3 s", "4.7% to spare", "power of rack r02",
        "82% of the purchase (USD 2,583,736) rests on estimated prices: get quotes", "Needs a quote", "line total", "Not priced",
        "2:1 oversubscribed", "saves 4 switches",
    ):  # fmt: skip
        assert phrase in first


def test_an_infeasible_page_names_the_limits(lost):
    """Needed, available and the reasons; no empty sections."""
    text = page_html(lost)
    assert "710,000 too much (35.5%)" in text
    assert "Raise the budget" in text
    assert 'id="cost"' not in text
