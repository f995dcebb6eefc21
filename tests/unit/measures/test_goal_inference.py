"""Rules of goal inference, one by one: what begins a goal, what belongs to it, what it takes to serve it."""

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.measures.success import (
    InferredOutcome,
    ScoredAct,
    ScoredTurn,
    Venues,
    inferred_components,
    inferred_outcomes,
)
from vivavoce.measures.success.inferred import explain
from vivavoce.measures.success.model import Goal

DB = {
    "yu garden": {
        "type": "restaurant",
        "food": "chinese",
        "pricerange": "cheap",
        "area": "east",
        "phone": "P1",
    },
    "charlie": {
        "type": "restaurant",
        "food": "chinese",
        "pricerange": "cheap",
        "area": "centre",
        "phone": "P2",
    },
    "margherita": {
        "type": "restaurant",
        "food": "italian",
        "pricerange": "cheap",
        "area": "west",
        "phone": "P3",
    },
    "uno": {
        "type": "restaurant",
        "food": "italian",
        "pricerange": "expensive",
        "area": "centre",
        "phone": "P4",
    },
    "the anchor": {"type": "pub", "pricerange": "cheap", "area": "centre", "phone": "P5"},
}

Infer = Callable[..., list[InferredOutcome]]


@pytest.fixture
def infer(make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]]) -> Infer:
    return lambda *lines, **options: inferred_outcomes("d", make_turns(lines), make_venues(DB), **options)


def codes(goals: list[InferredOutcome]) -> list[str]:
    return [goal.code for goal in goals]


def constraints(goals: list[InferredOutcome]) -> list[dict[str, str]]:
    return [dict(goal.goal.constraints) for goal in goals]


def test_a_user_who_says_nothing_of_the_domain_has_a_void_goal_that_does_not_count(infer: Infer) -> None:
    goals = infer("S hello()", "U hello()", "S offer(name=uno)", "U bye()")
    assert codes(goals) == ["void"]
    assert inferred_components(goals) == (0, 0)


def test_only_values_that_are_stated_are_constraints(infer: Infer) -> None:
    said = "U inform(food=chinese) inform(area) select(pricerange=cheap) hello()"
    assert constraints(infer(said, "S offer(name=yu garden)")) == [{"food": "chinese"}]


def test_saying_a_value_again_repairs_and_begins_nothing(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S offer(name=uno)", "U inform(food=chinese)", "S offer(name=charlie)"
    )
    assert codes(goals) == ["S"]


def test_a_value_changed_before_the_system_answered_is_only_corrected(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S request(area)", "U inform(food=italian)", "S offer(name=margherita)"
    )
    assert constraints(goals) == [{"food": "italian"}]


def test_a_confirmed_value_that_changes_begins_a_new_goal(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S confirm(food=chinese)", "U inform(food=italian)", "S offer(name=uno)"
    )
    assert codes(goals) == ["F", "S"]


def test_confirming_another_value_does_not_take_up_the_users(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S confirm(food=thai)", "U inform(food=italian)", "S offer(name=uno)"
    )
    assert codes(goals) == ["S"]


def test_a_wish_that_was_answered_wrongly_and_given_up_is_a_failed_goal(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S offer(name=uno)", "U inform(food=italian)", "S offer(name=uno)"
    )
    assert codes(goals) == ["F", "S"]


def test_several_changes_in_one_turn_begin_one_goal(infer: Infer) -> None:
    goals = infer(
        "U inform(food=italian) inform(pricerange=expensive)",
        "S offer(name=uno)",
        "U inform(food=chinese) inform(pricerange=cheap)",
        "S offer(name=charlie)",
    )
    assert constraints(goals)[1] == {"food": "chinese", "pricerange": "cheap"}
    assert codes(goals) == ["S", "S"]


def test_a_constraint_added_later_belongs_to_the_same_goal(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S offer(name=charlie)", "U inform(area=east)", "S offer(name=yu garden)"
    )
    assert codes(goals) == ["S"]


def test_unanswered_requests_move_to_the_new_goal_and_answered_ones_do_not(infer: Infer) -> None:
    begun = ("U inform(food=italian) inform(pricerange=expensive) request(phone)", "S offer(name=uno)")
    changed = ("U inform(pricerange=cheap)", "S offer(name=margherita)")
    assert infer(*begun, *changed)[1].goal.requests == ("phone",)
    answered = infer(*begun, "U request(phone)", "S offer(name=uno) inform(phone=P4)", *changed)
    assert answered[1].goal.requests == ()


def test_lifting_a_constraint_is_a_new_goal_only_after_a_right_none(infer: Infer) -> None:
    plain = infer(
        "U inform(area=west)", "S offer(name=margherita)", "U inform(area=dontcare)", "S offer(name=uno)"
    )
    assert codes(plain) == ["S"]
    relaxed = infer(
        "U inform(food=chinese) inform(area=west)",
        "S canthelp(food=chinese) canthelp(area=west)",
        "U inform(area=dontcare)",
        "S offer(name=charlie)",
    )
    assert codes(relaxed) == ["SN", "S"]
    assert [goal.relaxed_by for goal in relaxed] == [None, "user"]


def test_a_goal_is_relaxed_only_by_lifting_a_constraint_after_a_right_none(infer: Infer) -> None:
    """Not by a lifted constraint beside another change, nor by another value after a right none."""
    beside = infer(
        "U inform(food=italian) inform(area=centre)",
        "S offer(name=uno)",
        "U inform(food=chinese) inform(area=dontcare)",
        "S offer(name=charlie)",
    )
    assert [goal.relaxed_by for goal in beside] == [None, None]
    other = infer(
        "U inform(food=chinese) inform(area=west)",
        "S canthelp(food=chinese) canthelp(area=west)",
        "U inform(food=italian)",
        "S offer(name=margherita)",
    )
    assert [goal.relaxed_by for goal in other] == [None, None]


def test_of_another_type_a_constraint_stays_when_any_venue_of_it_has_the_slot(
    make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]]
) -> None:
    """One of two pubs serves food: whoever wanted it of a restaurant still wants it of a pub."""
    talk = ("U inform(type=restaurant) inform(food=chinese)", "S offer(name=charlie)", "U inform(type=pub)")
    dragon = {"type": "pub", "food": "chinese", "pricerange": "cheap", "area": "north", "phone": "P6"}
    with_food = inferred_outcomes("d", make_turns(talk), make_venues({**DB, "the dragon": dragon}))
    assert constraints(with_food)[1] == {"type": "pub", "food": "chinese"}
    without = inferred_outcomes("d", make_turns(talk), make_venues(DB))
    assert constraints(without)[1] == {"type": "pub"}


@pytest.mark.parametrize(
    "asked", ["request(area)", "confirm(area=west)", "select(area=west) select(area=east)"]
)
def test_this_is_the_slot_that_the_system_just_asked_about(infer: Infer, asked: str) -> None:
    goals = infer("U inform(food=chinese)", f"S {asked}", "U inform(this=dontcare)", "S offer(name=charlie)")
    assert constraints(goals) == [{"food": "chinese", "area": "dontcare"}]


def test_this_without_a_question_means_nothing(infer: Infer) -> None:
    goals = infer("U inform(food=chinese)", "S offer(name=charlie)", "U inform(this=dontcare)")
    assert constraints(goals) == [{"food": "chinese"}]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("canthelp(food=chinese) canthelp(area=west)", "SN"),
        ("canthelp(food=chinese)", "SN"),
        ("canthelp()", "SN"),
        ("canthelp(food=thai) canthelp(area=west)", "F"),
        ("canthelp(food=chinese) canthelp(pricerange=cheap)", "F"),
        ("canthelp(food=chinese) canthelp.exception(name=charlie)", "F"),
        ("offer(name=charlie)", "F"),
        ("request(area)", "F"),
    ],
)
def test_none_is_right_when_nothing_matches_and_the_users_own_constraints_are_named(
    infer: Infer, said: str, code: str
) -> None:
    goals = infer("U inform(food=chinese) inform(area=west)", f"S {said}", "U bye()")
    assert codes(goals) == [code]
    assert goals[0].no_match


def test_saying_none_where_there_is_one_is_a_failure(infer: Infer) -> None:
    assert codes(infer("U inform(food=chinese)", "S canthelp(food=chinese)", "U bye()")) == ["F"]


def test_giving_up_a_constraint_after_a_wrong_none_is_the_same_goal(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese) inform(area=east)",
        "S canthelp(food=chinese) canthelp(area=east)",
        "U inform(area=dontcare)",
        "S offer(name=charlie)",
    )
    assert constraints(goals) == [{"food": "chinese", "area": "dontcare"}]
    assert codes(goals) == ["S"] and goals[0].relaxed_by is None


def test_who_asks_for_what_they_had_denied_no_longer_denies_it(infer: Infer) -> None:
    (goal,) = infer("U deny(food=chinese) deny(area=east)", "S request(food)", "U inform(food=Chinese)")
    assert goal.goal.denied == {("area", "east")} and goal.goal.constraints == {"food": "Chinese"}


def test_a_goal_ends_before_the_turn_that_opens_the_next(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S offer(name=uno)", "U inform(food=italian)", "S offer(name=uno)"
    )
    assert [(one.first_turn, one.last_turn) for one in goals] == [(0, 1), (2, 3)]


def test_a_wrong_offer_after_a_right_none_fails_by_the_last_word_under_every_policy(infer: Infer) -> None:
    (goal,) = infer(
        "U inform(food=chinese) inform(area=west)",
        "S canthelp(food=chinese) canthelp(area=west)",
        "U ack()",
        "S offer(name=charlie)",
    )
    assert [goal.score(policy) for policy in ("credit", "drop", "fail")] == [0, 0, 0]
    assert [goal.score(policy, "any") for policy in ("credit", "drop", "fail")] == [1, None, 0]


def test_a_denied_value_must_not_be_offered(infer: Infer) -> None:
    lines = ("U inform(food=chinese)", "S offer(name=yu garden)", "U deny(area=east)")
    assert codes(infer(*lines, "S offer(name=charlie)")) == ["S"]
    assert codes(infer(*lines, "S offer(name=yu garden)")) == ["F"]


def test_saying_yes_to_a_confirmation_states_the_constraint(infer: Infer) -> None:
    lines = ("U inform(food=chinese)", "S confirm(area=west)")
    assert constraints(infer(*lines, "U affirm()")) == [{"food": "chinese", "area": "west"}]
    assert constraints(infer(*lines, "U affirm() inform(area=east)")) == [{"food": "chinese", "area": "east"}]
    assert constraints(infer(*lines, "U negate()")) == [{"food": "chinese"}]
    mixed = infer("S confirm(area=west) confirm(food) inform(pricerange=cheap) confirm(=thai)", "U affirm()")
    assert constraints(mixed) == [{"area": "west"}]
    kept = infer("U inform(food=chinese)", "S confirm(food=thai)", "U affirm()")
    assert constraints(kept) == [{"food": "chinese"}]


def test_a_venue_that_was_denied_must_not_be_offered(infer: Infer) -> None:
    lines = ("U inform(food=chinese)", "S offer(name=charlie)", "U deny(name=charlie)")
    assert codes(infer(*lines, "S offer(name=charlie)")) == ["F"]
    assert codes(infer(*lines, "S offer(name=yu garden)")) == ["S"]


def test_denying_what_one_asked_for_gives_it_up(infer: Infer) -> None:
    goals = infer("U inform(food=chinese) inform(area=east)", "S request(pricerange)", "U deny(area=east)")
    assert constraints(goals) == [{"food": "chinese"}]
    assert goals[0].goal.denied == {("area", "east")}


def test_another_type_is_a_new_goal_that_keeps_what_the_type_knows(infer: Infer) -> None:
    goals = infer(
        "U inform(type=restaurant) inform(food=italian) inform(area=centre)",
        "S request(pricerange)",
        "U inform(type=pub)",
        "S offer(name=the anchor)",
    )
    assert constraints(goals)[1] == {"type": "pub", "area": "centre"}
    assert codes(goals) == ["F", "S"]


def test_asking_for_another_venue_excludes_the_current_one(infer: Infer) -> None:
    lines = ("U inform(food=chinese)", "S offer(name=charlie)", "U reqalts()")
    assert codes(infer(*lines, "S offer(name=charlie)")) == ["F"]
    assert codes(infer(*lines, "S offer(name=yu garden)")) == ["S"]


def test_the_only_venue_may_be_offered_again(infer: Infer) -> None:
    goals = infer(
        "U inform(area=west)", "S offer(name=margherita)", "U reqalts()", "S offer(name=margherita)"
    )
    assert codes(goals) == ["S"]


def test_what_was_asked_of_a_fitting_venue_and_answered_is_settled_when_it_is_turned_down(
    infer: Infer,
) -> None:
    asked = (
        "U request(phone)",
        "S offer(name={0}) inform(phone={1})",
        "U reqalts()",
        "S offer(name=yu garden)",
    )
    fitting = infer(
        "U inform(food=chinese)", "S offer(name=charlie)", *(line.format("charlie", "P2") for line in asked)
    )
    assert codes(fitting) == ["S"]
    wrong = infer(
        "U inform(food=chinese)", "S offer(name=uno)", *(line.format("uno", "P4") for line in asked)
    )
    assert codes(wrong) == ["F"]


def test_who_comes_back_to_a_venue_after_seeing_another_takes_it_after_all(infer: Infer) -> None:
    back = ("U request(phone)", "S offer(name=charlie) inform(phone=P2)")
    begun = ("U inform(food=chinese)", "S offer(name=charlie)", "U reqalts()")
    assert codes(infer(*begun, "S offer(name=yu garden)", "U ack()", "S offer(name=charlie)", *back)) == ["S"]
    assert codes(infer(*begun, "S offer(name=charlie)", *back)) == ["F"]


def test_another_with_a_new_value_changes_the_goal_and_excludes_nothing(infer: Infer) -> None:
    goals = infer(
        "U inform(food=italian)",
        "S offer(name=uno)",
        "U reqalts() inform(food=chinese)",
        "S offer(name=charlie)",
    )
    assert codes(goals) == ["S", "S"]
    assert goals[1].goal.excluded == frozenset()


def test_is_there_any_states_a_constraint_and_is_it_asks_about_the_venue(infer: Infer) -> None:
    stated = infer(
        "U inform(area=west)", "S request(food)", "U confirm(food=italian)", "S offer(name=margherita)"
    )
    assert constraints(stated) == [{"area": "west", "food": "italian"}]
    lines = ("U inform(area=west)", "S offer(name=margherita)", "U confirm(food=italian)")
    assert codes(infer(*lines, "S offer(name=margherita) inform(food=italian)")) == ["S"]
    assert codes(infer(*lines, "S offer(name=margherita)")) == ["F"]


def test_a_name_beside_a_request_only_points_at_the_venue(infer: Infer) -> None:
    pointed = infer("U inform(food=chinese)", "S offer(name=charlie)", "U request(phone) inform(name=uno)")
    assert constraints(pointed) == [{"food": "chinese"}]
    wanted = infer("U inform(name=uno)", "S offer(name=margherita)")
    assert codes(wanted) == ["F"]


def test_a_venue_on_the_table_that_fits_the_new_goal_counts_as_offered(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)",
        "S offer(name=uno) inform(phone=P4)",
        "U inform(food=italian) request(phone)",
        "S inform(phone=P4)",
    )
    assert codes(goals) == ["F", "S"]


def test_a_request_made_before_any_offer_must_still_be_answered(infer: Infer) -> None:
    begun = ("U inform(food=chinese) request(phone)", "S offer(name=charlie)")
    assert codes(infer(*begun)) == ["F"]
    assert codes(infer(*begun, "U request(phone)", "S inform(phone=P2)")) == ["S"]


def test_units_count_goals_calls_with_all_and_calls_by_their_last(infer: Infer) -> None:
    goals = infer(
        "U inform(food=chinese)", "S offer(name=uno)", "U inform(food=italian)", "S offer(name=uno)"
    )
    assert {unit: inferred_components(goals, unit) for unit in ("goal", "call_all", "call_last")} == {
        "goal": (1, 2),
        "call_all": (0, 1),
        "call_last": (1, 1),
    }


def test_a_call_whose_every_goal_is_dropped_does_not_count(infer: Infer) -> None:
    goals: list[Any] = infer("U inform(food=chinese) inform(area=west)", "S canthelp()")
    assert {unit: inferred_components(goals, unit, "drop") for unit in ("goal", "call_all", "call_last")} == {
        "goal": (0, 0),
        "call_all": (0, 0),
        "call_last": (0, 0),
    }


def test_a_value_that_is_excluded_is_no_wish_whatever_act_says_so(make_venues: Callable[..., Venues]) -> None:
    """`inform(food != chinese)`: not Chinese, and nothing else is asked for by it."""
    user = ScoredTurn(
        0, "user", (ScoredAct("inform", "food", "chinese", "!="), ScoredAct("inform", "area", "west"))
    )
    system = ScoredTurn(1, "system", (ScoredAct("offer", "name", "margherita", "="),))
    (goal,) = inferred_outcomes("d", [user, system], make_venues(DB))
    assert dict(goal.goal.constraints) == {"area": "west"} and goal.goal.denied == {("food", "chinese")}
    assert goal.code == "S"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("canthelp(area=north)", "SN"),
        ("canthelp(area=NORTH)", "SN"),
        ("canthelp()", "SN"),
        ("canthelp(area=dontcare)", "SN"),
        ("canthelp(food=north)", "F"),
        ("canthelp(area=east)", "F"),
        ("canthelp(area=north) canthelp(food=thai)", "F"),
        ("canthelp(area=north) canthelp.exception(name=uno)", "F"),
        ("canthelp(area=north) offer(name=uno)", "SN"),
        ("offer(name=uno)", "F"),
        ("inform(area=north)", "F"),
    ],
)
def test_to_say_that_there_is_nothing_is_right_where_it_names_what_was_asked_for(
    infer: Infer, said: str, code: str
) -> None:
    assert codes(infer("U inform(area=north)", f"S {said}")) == [code]


EXPLAINED: dict[str, tuple[list[str], dict[str, Any]]] = {
    "nothing": (["U hello()"], {"offer": None, "offer_turn": None, "known": False, "missing": ("phone",)}),
    "what was wanted": (
        ["S offer(name=yu garden)", "U request(phone)", "S inform(phone=P1)"],
        {
            "offer": "yu garden",
            "offer_turn": 0,
            "known": True,
            "unmet": (),
            "told": {"phone": 2},
            "missing": (),
        },
    ),
    "another area": (["S offer(name=charlie)"], {"unmet": (("area", "east"),), "missing": ("phone",)}),
    "the last of two": (
        ["S offer(name=yu garden)", "U reqalts()", "S offer(name=charlie)"],
        {"offer": "charlie", "offer_turn": 2},
    ),
    "a wrong number": (
        ["S offer(name=yu garden)", "S inform(phone=P2)", "S inform(phone=P1)", "S inform(phone=P1)"],
        {"told": {"phone": 2}, "missing": ()},
    ),
    "the number of another": (
        ["S offer(name=charlie)", "S inform(phone=P2)", "S offer(name=yu garden)"],
        {"told": {}, "missing": ("phone",)},
    ),
    "somewhere unknown": (
        ["S offer(name=nowhere)"],
        {"offer": "nowhere", "known": False, "unmet": (), "told": {}},
    ),
    "none": (["S canthelp(area=east)", "S canthelp()", "S hello()"], {"offer": None, "none_turn": 1}),
    "what the user says": (["U offer(name=charlie)"], {"offer": None}),
}


@pytest.mark.parametrize("what", EXPLAINED)
def test_why_a_goal_counts_is_told_by_offer_and_turn(
    what: str, make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]]
) -> None:
    lines, expected = EXPLAINED[what]
    goal = Goal({"area": "east"}, requests=("phone", "name"))
    found = explain(goal, make_turns(lines), make_venues(DB))
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize(("last", "offer"), [(None, "charlie"), (2, "charlie"), (1, "yu garden")])
def test_a_goal_is_explained_up_to_the_end_of_its_span(
    last: int | None,
    offer: str,
    make_venues: Callable[..., Venues],
    make_turns: Callable[..., list[ScoredTurn]],
) -> None:
    turns = make_turns(["S offer(name=yu garden)", "U reqalts()", "S offer(name=charlie)"])
    assert explain(Goal({"food": "chinese"}), turns, make_venues(DB), last).offer == offer
