"""ST-9 in English and what measures a thing: which adjectives move, and which stay."""

import pytest

from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.propose import propose
from vivavoce_stress.wordnet import wordnet


def first(text: str, test: str = "ST-9", language: str = "en", previous: str | None = None) -> str | None:
    said = Utterance(text=text, language=language, previous=previous)
    found = propose(said, [test], limit=1, certainty=CERTAIN).variants
    return found[0].text if found else None


def test_adjectives_move_where_nothing_else_is_read() -> None:
    for said, moved in [
        ("I need a boat large and safe", None),
        ("How many compulsory tests do we take?", None),
        ("I'd like a dark and dry cellar", None),
        ("Are there any berths free on Sunday?", "Are there any free berths on Sunday?"),
        ("I need a sack of sand", "I need sand a sack"),
        ("In case of fog, do you sail?", None),
        ("I need to report a week of sick leave", None),
        ("Is the new harbour map printed?", None),
        ("You delivered broken oars to us", None),
        ("I'm looking for a hardy rope for the rocky shore", None),
    ]:
        assert first(said) == moved


def test_alternatives_end_before_what_is_asked_of_them() -> None:
    previous = "Is Monday morning or Monday evening better for you?"
    assert first("Monday evening", "ST-10", previous=previous) == "The second"


@pytest.mark.parametrize("noun", ["sack", "bottle", "metre", "pair"])
def test_the_dictionary_tells_what_measures(noun: str) -> None:
    assert wordnet("en").measures(noun) and not wordnet("en").measures("history")
