# ruff: noqa: E501
"""The domain: matching by exact normalised values, and a file that is checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce.core.text import is_same_value
from vivavoce.study.ontology import Ontology, Venue, check_ontology, load_ontology

TOY = """\
ontology: toy
types:
  restaurant: {en: {text: restaurant, article: a restaurant, plural: restaurants}}
  pub: {en: {text: pub, article: a pub, plural: pubs}}
slots:
  food:
    constraint: true
    phrase: {en: "serving {value} food"}
    wish: {en: "serve {value} food"}
    anything: {en: any food will do}
    values: {chinese: {en: {text: Chinese}}, italian: {en: {text: Italian}}}
  phone: {request: true, asked_as: {en: the phone number}}
venues:
  - {id: a, name: A, type: restaurant, slots: {food: chinese, phone: "1"}}
  - {id: b, name: B, type: restaurant, slots: {food: italian, phone: "2"}}
  - {id: c, name: C, type: pub, slots: {food: chinese, phone: "3"}}
"""


@pytest.fixture
def toy(tmp_path) -> Ontology:
    (tmp_path / "toy.yaml").write_text(TOY, encoding="utf-8")
    return load_ontology(tmp_path / "toy.yaml", ("en",))


def ids(venues: list[Venue]) -> list[str]:
    return [venue.venue_id for venue in venues]


def test_constraints_are_met_by_equal_values(toy):
    assert ids(toy.matching("restaurant", {"food": "chinese"})) == ["a"]
    assert ids(toy.matching("restaurant", {"food": " Chinese. "})) == ["a"]
    assert ids(toy.matching("restaurant", {})) == ["a", "b"]


@pytest.mark.parametrize(
    ("match", "told", "gives"),
    [
        ("exact", "01632 960559", True),
        ("exact", "01632960559", False),
        ("code", "01632-960 559", True),
        ("code", "01632 9605", False),
        ("code", "--", False),
        ("prefix", "01632 9605", True),
        ("prefix", "", False),
    ],
)
def test_a_code_is_its_letters_and_digits_however_they_are_grouped(
    match: str, told: str, gives: bool
) -> None:
    assert is_same_value("01632 960559", told, match) is gives


def test_a_part_of_a_value_is_no_match(toy):
    assert toy.matching("restaurant", {"food": "chin"}) == []
    assert toy.matching("restaurant", {"food": ""}) == []


def test_dontcare_is_met_by_all(toy):
    assert ids(toy.matching("restaurant", {"food": "dontcare"})) == ["a", "b"]


def test_another_type_is_another_goal(toy):
    assert ids(toy.matching("pub", {"food": "chinese"})) == ["c"]
    assert toy.matching("hotel", {}) == []


def test_excluded_venues_do_not_match(toy):
    assert ids(toy.matching("restaurant", {}, exclusions=["a"])) == ["b"]


def test_a_slot_that_a_venue_lacks_is_met_by_dontcare_alone(toy):
    assert toy.matching("pub", {"stars": "5"}) == []
    assert ids(toy.matching("pub", {"stars": "dontcare"})) == ["c"]


@given(st.data())
def test_more_constraints_never_match_more_venues(marlowe, data):
    kind = data.draw(st.sampled_from(sorted(marlowe.types)))
    constraints = {
        slot: data.draw(st.sampled_from([*marlowe.slots[slot].values, "dontcare"]))
        for slot in marlowe.constraint_slots(kind)
    }
    dropped = data.draw(st.sampled_from(sorted(constraints)))
    fewer = {slot: value for slot, value in constraints.items() if slot != dropped}
    assert set(ids(marlowe.matching(kind, constraints))) <= set(ids(marlowe.matching(kind, fewer)))


def test_postcodes_may_be_cut_short_and_telephones_may_not(marlowe):
    venue = marlowe.venues[0]
    assert marlowe.gives(venue, "postcode", venue.slots["postcode"].split()[0].lower())
    assert not marlowe.gives(venue, "postcode", "")
    assert not marlowe.gives(venue, "phone", venue.slots["phone"].split()[0])
    assert marlowe.gives(venue, "phone", venue.slots["phone"])
    assert not marlowe.gives(venue, "unknown", "x")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("type: pub,", "type: pob,", "toy.yaml:16 venues[2].type: unknown type 'pob'. Did you mean 'pub'?"),
        (
            "{food: italian,",
            "{food: italien,",
            "toy.yaml:15 venues[1].slots.food: unknown value 'italien' of slot 'food'. Did you mean 'italian'?",
        ),
        (
            "{food: italian,",
            "{fod: italian,",
            "toy.yaml:15 venues[1].slots.fod: unknown slot 'fod'. Did you mean 'food'?",
        ),
        ("food: italian, ", "", "toy.yaml:15 venues[1].slots: venue 'b' has no 'food'"),
        ("id: b,", "id: a,", "toy.yaml:15 venues[1].id: venue 'a' is listed twice"),
        (
            'phone: "2"',
            "phone: 2",
            "toy.yaml:15 venues[1].slots.phone: 2 where text (put it in quotes) is expected",
        ),
        (
            "    values: {chinese: {en: {text: Chinese}}, italian: {en: {text: Italian}}}\n",
            "",
            "toy.yaml:6 slots.food: constraint 'food' lists no values",
        ),
        (
            "serving {value} food",
            "serving food",
            "toy.yaml:8 slots.food.phrase.en: the phrase has no place for the value",
        ),
        (
            "serve {value} food",
            "serve {valu} food {0.x}",
            "toy.yaml:9 slots.food.wish.en: unknown placeholder",
        ),
        (
            "    anything: {en: any food will do}\n",
            "",
            "toy.yaml:6 slots.food: slot 'food' has no phrase for any value in 'en'",
        ),
        (
            ", asked_as: {en: the phone number}",
            "",
            "toy.yaml:12 slots.phone: slot 'phone' has no question in 'en'",
        ),
        (
            "request: true",
            "requst: true",
            "toy.yaml:12 slots.phone.requst: unknown key 'requst'. Did you mean 'request'?",
        ),
        (
            "{en: {text: Chinese}}",
            "{it: {text: cinese}}",
            "toy.yaml:11 slots.food.values.chinese: value 'chinese' has no words in 'en'",
        ),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path, old, new, expected):
    assert old in TOY
    (tmp_path / "toy.yaml").write_text(TOY.replace(old, new, 1), encoding="utf-8")
    ontology, problems = check_ontology(tmp_path / "toy.yaml", ("en",))
    assert ontology is None
    assert any(str(problem).startswith(expected) for problem in problems), [
        str(problem) for problem in problems
    ]


PHRASE, WISH = '    phrase: {en: "serving {value} food"}\n', '    wish: {en: "serve {value} food"}\n'
OWN = (
    '{en: {text: Chinese, phrase: "serving duck", wish: "serve duck"}}',
    '{en: {text: Italian, phrase: "by Gino", wish: "be Gino"}}',
)


@pytest.mark.parametrize(
    ("changes", "places"),
    [
        ([], []),
        (
            [("{en: {text: Chinese}}", OWN[0]), ("{en: {text: Italian}}", OWN[1]), (PHRASE, ""), (WISH, "")],
            [],
        ),
        ([("{en: {text: Chinese}}", OWN[0]), (PHRASE, "")], ["slots.food.values.italian"]),
        ([("{en: {text: Chinese}}", OWN[0]), (WISH, "")], ["slots.food.values.italian"]),
        ([("serve {value} food", "be {phrase}")], []),
        ([("serving {value} food", "be {phrase}")], ["slots.food.phrase.en"]),
        (
            [
                ("    constraint: true\n", "    constraint: true\n    types: [restaurant]\n"),
                ('food: chinese, phone: "3"', 'phone: "3"'),
            ],
            [],
        ),
        ([("    constraint: true\n", "    constraint: true\n    types: [hotel]\n")], ["slots.food.types"]),
        ([("    constraint: true\n", "    constraint: true\n    unasked: [chinese]\n")], []),
        ([("    constraint: true\n", "    constraint: true\n    unasked: [thai]\n")], ["slots.food.unasked"]),
        ([("values: {", "values: {dontcare: {en: {text: any}}, ")], ["slots.food.values.dontcare"]),
        ([("food: italian", "food: Italian")], []),
    ],
)
def test_what_is_wrong_is_told_once_and_what_is_right_is_not(tmp_path, changes, places):
    text = TOY
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "toy.yaml").write_text(text, encoding="utf-8")
    ontology, problems = check_ontology(tmp_path / "toy.yaml", ("en",))
    assert [one.place.partition(" ")[2] for one in problems] == places
    assert (ontology is None) == bool(places)


def test_words_are_needed_in_every_language_of_the_study(tmp_path):
    (tmp_path / "toy.yaml").write_text(TOY, encoding="utf-8")
    with pytest.raises(InputError, match=r"type 'restaurant' has no words in 'it' \(and \d+ more\)"):
        load_ontology(tmp_path / "toy.yaml", ("en", "it"))


def test_marlowe_is_invented_and_complete(marlowe):
    assert 60 <= len(marlowe.venues) <= 80
    assert {venue.type for venue in marlowe.venues} == {"restaurant", "pub", "coffee shop"}
    for slot in ("phone", "postcode", "address"):
        values = [venue.slots[slot] for venue in marlowe.venues]
        assert len(set(values)) == len(values)
    assert all(venue.slots["phone"].startswith("01632 960") for venue in marlowe.venues)
    assert all(venue.slots["price"].endswith(" euro") for venue in marlowe.venues)
    names = [venue.name for venue in marlowe.venues]
    assert not any(one != other and one in other for one in names for other in names)


def test_every_value_of_marlowe_has_a_venue(marlowe):
    for name, slot in marlowe.slots.items():
        held = {venue.slots.get(name) for venue in marlowe.venues}
        assert set(slot.values) <= held


@pytest.mark.parametrize("language", ["en", "it"])
def test_words_for_values_are_not_shared_by_two_values_of_a_slot(marlowe, language):
    for slot in marlowe.slots.values():
        words = [
            word.casefold()
            for value in slot.values
            for word in {slot.values[value][language].text, *slot.values[value][language].synonyms}
        ]
        assert len(set(words)) == len(words)


@pytest.mark.shared
def test_no_venue_of_marlowe_is_real(marlowe, shared):
    real = (shared / "data" / "cambridge_restaurants" / "CamRest_db.json").read_text(encoding="utf-8").lower()
    tasks = (shared / "data" / "cambridge_restaurants" / "alex_tasks.xml").read_text(encoding="utf-8").lower()
    for venue in marlowe.venues:
        assert venue.name.lower() not in real
        assert venue.name.lower() not in tasks
