"""Names in any language, and what no name may hold."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from planner.domain.errors import InputError
from planner.domain.instance import Instance
from planner.domain.json_file import parse_json
from planner.domain.regions import Regions
from planner.domain.text import FOLDER_BYTES, NAME_SHAPE, Name, folder_name, name_of

GOOD = ["Málaga", "Ñandú 2", "北京集群", "Кластер-7", "a.b/c+d_e", "مجموعة", "हिन्दी", "ﬁn", "٣"]
BAD = {
    "empty": "", "space ahead": " a", "sign ahead": "-a", "formula": "=1+1", "quote": "a'b",
    "double quote": 'a"b', "markup": "a<b", "line break": "a\nb", "tab": "a\tb", "null": "a\0b",
    "direction override": "a\u202eb", "isolate": "a\u2066b", "left-to-right mark": "a\u200eb",
    "zero width space": "a\u200bb", "joiner": "a\u200db", "byte order mark": "a\ufeffb",
    "soft hyphen": "a\u00adb", "filler": "a\u3164b", "variation": "a\ufe0fb",
    "joining mark": "a\u034fb", "surrogate": "a\ud800b", "private": "a\ue000b", "emoji": "a\U0001f600b",
    "full-width equals": "a\uff1db", "no-break space": "a\u00a0b", "line separator": "a\u2028b",
    "mark ahead": "\u0301a", "heap of marks": "a" + "\u0316" * 4, "backslash": "a\\b",
    "noncharacter": "a\uffffb", "long": "a" * 81, "dollar": "a$b", "shell": "a;b", "percent": "a%b",
}  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_letters_of_any_language_make_a_name(text):
    """Kept as they are but for Unicode's composed form."""
    assert name_of(text) == unicodedata.normalize("NFC", text)
    assert re.match(NAME_SHAPE, name_of(text))


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_what_could_be_misread_or_run_is_refused(text):
    """With what a name may hold, not with a pattern."""
    with pytest.raises(ValidationError, match=r"is not a name|at least 1 char|unicode string"):
        TypeAdapter(Name).validate_python(text)


@given(st.text(max_size=100))
def test_a_name_is_stable_and_shows_all_that_it_holds(text):
    """Read again it is the same; nothing in it is a control, invisible, or a sign of any syntax."""
    try:
        name = name_of(text)
    except ValueError:
        return
    assert name_of(name) == name == name.strip()
    assert unicodedata.is_normalized("NFC", name)
    assert name.isprintable()
    assert not set(name) & set("<>&\"'`=$;|\\{}[]()*?!%@#~^,:")
    assert re.match(NAME_SHAPE, name)


def test_two_ways_to_write_one_accent_are_one_name():
    """Composed or not, what looks alike is alike: two workloads must not bear it."""
    assert name_of("Ma\u0301laga") == name_of("M\u00e1laga")
    workload = {"network": "gpt2-xl", "sequence_length": 1024, "global_batch": 8, "step_time_s": 5}
    document = {
        "name": "a", "site": {"racks": 1, "rack_kw": 9},
        "workloads": [workload | {"name": "M\u00e1laga"}, workload | {"name": "Ma\u0301laga"}],
    }  # fmt: skip
    with pytest.raises(ValidationError, match="two workloads are named"):
        Instance.model_validate(document)
    with pytest.raises(InputError, match="stands twice"):
        parse_json('{"M\u00e1": 1, "Ma\u0301": 2}', "a.json")
    assert parse_json('{"M\u00e1": 1}', "a.json") == {"M\u00e1": 1}


@given(st.text(min_size=1, max_size=90))
def test_a_folder_of_a_name_is_one_legal_folder(text):
    """Whatever the text: one level, not hidden, short enough, and none of Windows' devices."""
    folder = folder_name(text)
    assert 0 < len(folder.encode("utf-8", "surrogatepass")) <= FOLDER_BYTES + len("report-")
    assert not set(folder) & set('/\\:*?<>|"\0')
    assert folder[0] not in ".-"
    assert folder[-1] not in ".- "


def test_folders_that_no_system_takes_are_renamed_and_long_ones_told_apart():
    """A name of 80 Chinese letters has 240 bytes."""
    assert folder_name("../../etc/passwd") == "etc-passwd"
    assert folder_name("con.txt") == "report-con.txt"
    assert folder_name("...") == "report"
    one, other = (folder_name("北" * 79 + last) for last in "ab")
    assert one != other
    assert len(one.encode()) <= FOLDER_BYTES


@pytest.mark.parametrize("names", [("a b", "a-b"), ("Norte", "norte"), ("bi", "x")])
def test_sites_whose_folders_would_be_one_are_refused(names):
    """The second report would replace the first."""
    text = (Path(__file__).parents[2] / "instances/two-sites.json").read_text()
    regions = json.loads(text)["regions"]
    old = [site["name"] for site in regions["sites"]]
    for site, name in zip(regions["sites"], names, strict=False):
        site["name"] = name
    renamed = dict(zip(old, names, strict=False))
    for link in regions["wan"]:
        link["between"] = [renamed.get(end, end) for end in link["between"]]
    with pytest.raises(ValidationError, match="folder for each site"):
        Regions.model_validate(regions)
