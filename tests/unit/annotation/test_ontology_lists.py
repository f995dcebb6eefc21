"""A domain of lists: its slots and values, and the words that another ontology lends them."""

from pathlib import Path

import pytest

from vivavoce.annotation.ontology_lists import read_lists
from vivavoce.core.errors import InputError
from vivavoce.study.ontology import Ontology, load_ontology
from vivavoce.study.presets import ROOM

SOUND = '{"informable": {"food": ["thai", "martian"], "colour": ["red"]}, "requestable": ["phone", "food"]}'


@pytest.fixture(scope="module")
def marlowe() -> Ontology:
    return load_ontology(ROOM / "domains" / "restaurants.yaml", ("en", "it"))


def read(folder: Path, text: str, words: Ontology) -> Ontology:
    (folder / "town.json").write_text(text, encoding="utf-8")
    return read_lists(folder / "town.json", words)


@pytest.mark.parametrize("before", ["", "# a word\n", "\n", "# one\n\n  \n# two\n"])
def test_slots_and_values_stand_as_listed_whatever_comments_lead(
    before: str, tmp_path: Path, marlowe: Ontology
) -> None:
    found = read(tmp_path, before + SOUND, marlowe)
    assert (found.name, found.venues, found.types) == ("town", (), marlowe.types)
    told = {
        name: (slot.constraint, slot.requestable, list(slot.values)) for name, slot in found.slots.items()
    }
    assert told == {
        "food": (True, True, ["thai", "martian"]),
        "colour": (True, False, ["red"]),
        "phone": (False, True, []),
    }


def test_known_values_keep_their_words_and_others_stand_for_themselves(
    tmp_path: Path, marlowe: Ontology
) -> None:
    food = read(tmp_path, SOUND, marlowe).slots["food"]
    assert food.phrase == marlowe.slots["food"].phrase and food.phrase
    assert food.values["thai"] == marlowe.slots["food"].values["thai"]
    assert {language: one.text for language, one in food.values["martian"].items()} == {"en": "martian"}


def test_addr_and_address_are_one_slot(tmp_path: Path, marlowe: Ontology) -> None:
    assert "address" in marlowe.slots
    found = read(tmp_path, '{"informable": {"food": ["thai"]}, "requestable": ["address"]}', marlowe)
    assert "address" not in found.slots
    assert found.slots["addr"].asked_as == marlowe.slots["address"].asked_as


def test_what_can_be_asked_for_may_be_missing_or_a_mapping(tmp_path: Path, marlowe: Ontology) -> None:
    assert list(read(tmp_path, '{"informable": {"food": ["thai"]}}', marlowe).slots) == ["food"]
    mapping = '{"informable": {"food": ["thai"]}, "requestable": {"phone": 1}}'
    assert read(tmp_path, mapping, marlowe).slots["phone"].requestable


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("# only a word", "not JSON"),
        ("[]", "by slot missing"),
        ('{"requestable": []}', "by slot missing"),
        ('{"informable": {}}', "by slot missing"),
        ('{"informable": ["food"]}', "by slot missing"),
        ('{"informable": {"food": "thai"}}', "by slot missing"),
        ('{"informable": {"food": ["thai", 3]}}', "by slot missing"),
        ('{"informable": {"food": ["thai"], "area": 1}}', "by slot missing"),
        ('{"informable": {"food": ["thai"]}, "requestable": "phone"}', "list of slots missing"),
        ('{"informable": {"food": ["thai"]}, "requestable": ["phone", 1]}', "list of slots missing"),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_place(
    text: str, told: str, tmp_path: Path, marlowe: Ontology
) -> None:
    with pytest.raises(InputError, match=told) as caught:
        read(tmp_path, text, marlowe)
    assert "town.json" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path, marlowe: Ontology) -> None:
    with pytest.raises(InputError, match="cannot read the file"):
        read_lists(tmp_path / "none.json", marlowe)
