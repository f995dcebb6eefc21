"""Offers, told values and their comparison with the venue database."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.text import normalise_value
from vivavoce.measures.success import Goal, ScoredAct, ScoredTurn, Venues, assigned_outcome
from vivavoce.measures.success.model import Names, Record, record, serves

DB = {
    "red lion": {"area": "north", "price": "9 pounds", "pricerange": "cheap", "postcode": "C.B 2, 1 A.B"},
    "lion": {"area": "south", "price": "20 pounds", "pricerange": "expensive", "postcode": "C.B 3, 9 X.Y"},
}

Serve = Callable[..., list[int]]


@pytest.fixture
def serve(make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]]) -> Serve:
    """Scores by the last and by any offer of a goal given as constraints and requests."""

    def run(wanted: dict[str, str], requests: tuple[str, ...], *lines: str, verify: bool = True) -> list[int]:
        goals = [Goal(wanted, requests)]
        outcome = assigned_outcome("d", goals, make_turns(lines), make_venues(DB), verify_values=verify)
        return [outcome.score("last"), outcome.score("any")]

    return run


def test_a_short_name_is_not_part_of_a_longer_one(serve: Serve) -> None:
    assert serve({"area": "north"}, (), "S offer(name=lion)") == [0, 0]
    assert serve({"area": "north"}, (), "S offer(name=Red  Lion)") == [1, 1]


def test_price_is_not_answered_by_price_range(serve: Serve) -> None:
    assert serve({}, ("price",), "S offer(name=lion) inform(pricerange=expensive)") == [0, 0]
    assert serve({}, ("price",), "S offer(name=lion) inform(price=20 pounds)") == [1, 1]


@pytest.mark.parametrize(
    ("told", "right"),
    [
        ("c.b 2", 1),
        ("c.b 2, 1", 1),
        ("CB2 1AB", 1),
        ("c.b 3", 0),
        ("b 2", 0),
        ("-", 0),
        ("c.b 2, 1 a.b c", 0),
    ],
)
def test_a_postcode_may_be_cut_short_but_not_be_another(serve: Serve, told: str, right: int) -> None:
    assert serve({}, ("postcode",), f"S offer(name=red lion) inform(postcode={told})")[0] == right


def test_other_values_are_equal_or_not(serve: Serve) -> None:
    assert serve({}, ("price",), "S offer(name=red lion) inform(price=9)") == [0, 0]


def test_values_told_are_credited_to_the_venue_current(serve: Serve) -> None:
    lines = ("S offer(name=red lion)", "S offer(name=lion)", "S inform(area=north)")
    assert serve({}, ("area",), *lines) == [0, 0]
    assert serve({}, ("area",), "S offer(name=red lion)", "S inform(area=north)") == [1, 1]
    assert serve({}, ("area",), "S inform(area=north) offer(name=red lion)") == [1, 1]


def test_values_told_of_no_venue_are_ignored(serve: Serve) -> None:
    assert serve({}, ("area",), "S inform(area=north)", "S offer(name=red lion)") == [0, 0]


def test_what_is_told_without_a_slot_or_without_a_value_is_no_orphan() -> None:
    record = Record()
    record.add(
        [
            ScoredAct("inform"),
            ScoredAct("inform", "area"),
            ScoredAct("inform", None, "north"),
            ScoredAct("request", "area", "north"),
        ]
    )
    assert (record.orphans, record.told, record.offers) == (0, [], [])
    record.add([ScoredAct("offer", "area", "north", "=")])
    assert record.orphans == 1


def test_an_inform_of_a_name_is_an_offer(serve: Serve) -> None:
    assert serve({"area": "north"}, ("name",), "S inform(name=red lion)") == [1, 1]


def test_the_last_offer_decides_unless_any_will_do(serve: Serve) -> None:
    assert serve({"area": "north"}, (), "S offer(name=red lion)", "S offer(name=lion)") == [0, 1]


def test_without_verification_any_value_is_information_but_the_venue_must_still_match(serve: Serve) -> None:
    wrong = ("S offer(name=red lion) inform(area=moon)",)
    assert serve({}, ("area",), *wrong) == [0, 0]
    assert serve({}, ("area",), *wrong, verify=False) == [1, 1]
    assert serve({"area": "south"}, ("area",), *wrong, verify=False) == [0, 0]


def test_an_invented_venue_serves_nothing(serve: Serve) -> None:
    assert serve({}, (), "S offer(name=atlantis)") == [0, 0]


def test_any_value_will_do_for_a_slot_that_does_not_matter(serve: Serve) -> None:
    assert serve({"area": "dontcare"}, (), "S offer(name=lion)") == [1, 1]


def test_a_type_is_not_asked_of_venues_that_have_none(serve: Serve) -> None:
    assert serve({"type": "restaurant"}, (), "S offer(name=lion)") == [1, 1]


def test_what_the_user_says_does_not_matter_to_the_assigned_goal(serve: Serve) -> None:
    assert serve({"area": "north"}, (), "U inform(area=south)", "S offer(name=red lion)") == [1, 1]


def test_the_alternative_is_scored_when_nothing_meets_the_first_goal(
    make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]]
) -> None:
    venues, first, second = make_venues(DB), Goal({"area": "west"}), Goal({"area": "north"})
    turns = make_turns(["S offer(name=red lion)"])
    outcome = assigned_outcome("d", [first, second], turns, venues)
    assert (outcome.score(), outcome.alternative) == (1, True)
    assert assigned_outcome("d", [first], turns, venues).score() == 0
    assert assigned_outcome("d", [Goal({"area": "south"}), second], turns, venues).score() == 0


def test_two_venues_of_one_name_are_not_mixed(make_turns: Callable[..., list[ScoredTurn]]) -> None:
    rows = [
        {"entity_id": key, "name": "chain", "slot": slot, "value": value, "match": "exact"}
        for key, slots in (
            ("1", {"area": "north", "food": "thai"}),
            ("2", {"area": "south", "food": "welsh"}),
        )
        for slot, value in slots.items()
    ]
    venues, turns = Venues.from_rows(rows), make_turns(["S offer(name=chain) inform(food=welsh)"])
    assert assigned_outcome("d", [Goal({"area": "north"}, ("food",))], turns, venues).score() == 0
    assert assigned_outcome("d", [Goal({"area": "south"}, ("food",))], turns, venues).score() == 1


VALUES = st.sampled_from(["north", "south", "Cheap", "cheap", "C.B 2", "CB2 1AB", "dontcare", "red lion"])
SLOTS = st.sampled_from(["type", "name", "area", "pricerange", "postcode", "unheard of"])
ROWS = [
    {
        "entity_id": name,
        "name": name,
        "slot": slot,
        "value": value,
        "match": "prefix" if slot == "postcode" else None,
    }
    for name, slots in DB.items()
    for slot, value in slots.items()
]


@given(st.dictionaries(SLOTS, VALUES), st.frozensets(st.tuples(SLOTS, VALUES)))
def test_the_venues_found_are_those_that_meet_the_goal_one_by_one(
    wanted: dict[str, str], denied: frozenset[tuple[str, str]]
) -> None:
    venues, goal = Venues.from_rows(ROWS), Goal(wanted, denied=denied)
    assert venues.matching(goal) == tuple(venue for venue in venues.all if venues.meets(venue, goal))


def test_a_next_goal_starts_with_what_was_told_of_the_venue_current_and_no_other() -> None:
    first, second = Record(), Record()
    first.add([ScoredAct("offer", "name", "lion", "="), ScoredAct("inform", "area", "south", "=")])
    first.add([ScoredAct("offer", "name", "red lion", "="), ScoredAct("inform", "price", "9 pounds", "=")])
    second.carry(first)
    assert (second.offers, [(told.venue, told.slot) for told in second.told]) == (
        ["red lion"],
        [("red lion", "price")],
    )


@pytest.mark.parametrize(
    ("excluded", "offered", "served"),
    [
        ((), "red lion", True),
        (("red lion",), "red lion", False),
        (("red lion",), "lion", True),
        (("red lion", "lion"), "lion", True),
        ((), "nowhere", False),
    ],
)
def test_a_venue_that_was_turned_down_counts_only_where_no_other_fits(
    excluded: tuple[str, ...],
    offered: str,
    served: bool,
    make_venues: Callable[..., Venues],
    make_turns: Callable[..., list[ScoredTurn]],
) -> None:
    made = record(make_turns([f"S offer(name={offered})"]))
    assert serves(Goal(excluded=frozenset(excluded)), made, make_venues(DB)) is served


NAMES = (
    "golden wok",
    "the oak bistro",
    "ashley hotel",
    "acorn guest house",
    "university arms hotel",
    "nandos",
    "nandos city centre",
    "rosa's bed and breakfast",
    "carolina bed and breakfast",
    "city house",
    "osteria del ponte",
    "meze bar",
    "efes restaurant",
    "shiraz restaurant",
    "bar uno",
    "pizza hut city",
    "pizza hut ponte",
)


def test_a_name_with_another_article_spelling_or_kind_of_place_is_the_same_venue() -> None:
    for told, meant in [
        ("The Golden Wok", "golden wok"),
        ("Oak Bistro", "the oak bistro"),
        ("the the golden  wok", "golden wok"),
        ("Rosa 's Bed & Breakfast", "rosa's bed and breakfast"),
        ("L'Osteria del Ponte", "osteria del ponte"),
        ("the Ashley", "ashley hotel"),
        ("University Arms", "university arms hotel"),
        ("Nando’s", "nandos"),
        ("meze bar restaurant", "meze bar"),
        ("Efe's restaurant", "efes restaurant"),
        ("Shiraz", "shiraz restaurant"),
    ]:
        assert Names(NAMES).known(told) == meant


def test_a_name_that_fits_several_venues_or_has_words_of_its_own_stays_what_it_is() -> None:
    for told in [
        "bed and breakfast",
        "the hotel",
        "pizza hut",
        "golden duck",
        "golden",
        "ashley house",
        "nandos south",
        "wok golden bar hut",
        "the",
        "&",
        "university",
    ]:
        assert Names(NAMES).known(told) == normalise_value(told)


def test_a_venue_that_is_named_with_an_article_is_offered_and_told_of_as_itself(
    serve: Serve,
) -> None:
    told = "S offer(name=The Red Lion) inform(area=north)"
    assert serve({"area": "north"}, ("area",), told) == [1, 1]
    assert serve({"name": "the red lion"}, (), told) == [1, 1]
    assert serve({"area": "south"}, ("area",), told) == [0, 0]
