from __future__ import annotations

import string

import pytest

from planner.domain.errors import UsageError
from planner.report.words import LANGUAGES, words


def _own(lang):
    return {key for key in words(lang).names() if not key.startswith("said.")}


def _places(text):
    return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name is not None})


def test_every_language_has_the_same_phrases():
    """A phrase that one language lacks would end a report in a KeyError."""
    for lang in LANGUAGES:
        assert _own(lang) == _own("en")


def test_every_language_fills_the_same_places():
    """A placeholder that a translation drops would hide a figure."""
    for key in _own("en"):
        places = {tuple(_places(words(lang)(key))) for lang in LANGUAGES}
        assert len(places) == 1, key


def test_a_code_without_a_phrase_shows_itself():
    """A new component must not vanish from the report."""
    assert words("es").label("component", "liquid_loop") == "liquid loop"


def test_a_sentence_of_the_program_is_translated_and_names_pass():
    """Names behind "of" are the user's and stay."""
    assert words("es").said("availability of night run") == "disponibilidad de night run"
    assert words("es").said("something new") == "something new"
    assert words("en").said("availability of night run") == "availability of night run"


def test_an_unknown_language_names_the_known_ones():
    """The message says what would be right."""
    with pytest.raises(UsageError, match="en, es"):
        words("fr")
