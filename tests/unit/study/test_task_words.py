"""Words of tasks as each language joins them."""

import pytest

from vivavoce.languages.data import TaskSentences
from vivavoce.study.tasks import indefinite, listed

WORDS = {one.conjunction: one for language in ("en", "it") if (one := TaskSentences.of(language))}


@pytest.mark.parametrize(
    ("parts", "conjunction", "expected"),
    [
        (["food"], "and", "food"),
        (["food", "area"], "and", "food and area"),
        (["food", "area", "price"], "and", "food, area and price"),
        (["cibo", "zona"], "e", "cibo e zona"),
        (["cibo", "Emilia"], "e", "cibo ed Emilia"),
        (["eggs", "ham"], "e", "eggs e ham"),
        (["food", "eggs"], "and", "food and eggs"),
        (["cibo", ""], "e", "cibo e "),
    ],
)
def test_parts_are_joined_as_the_language_does(parts: list[str], conjunction: str, expected: str) -> None:
    assert listed(parts, WORDS[conjunction]) == expected


WORDS = {one.conjunction: one for language in ("en", "it") if (one := TaskSentences.of(language))}


@pytest.mark.parametrize(
    ("words", "article"),
    [
        ("area", "an"),
        ("Indian place", "an"),
        ("price", "a"),
        ("European place", "a"),
        ("university", "a"),
        ("hour", "an"),
        ("house", "a"),
        ("used car", "a"),
        ("umbrella", "an"),
        ("one-way street", "a"),
    ],
)
def test_an_article_goes_by_the_sound(words: str, article: str) -> None:
    assert indefinite(words, WORDS["and"]) == f"{article} {words}"
