"""Which dialogues can be scored, on which acts, and what the rates keep in proportion."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import components, compute
from vivavoce.measures.success import (
    NO_MATCH_POLICIES,
    OFFER_RULES,
    UNITS,
    Goal,
    ScoredTurn,
    ScoringOptions,
    Venues,
    assigned_outcome,
    disagreements,
    inferred_components,
    inferred_outcomes,
    outcomes,
)

Make = Callable[..., Any]

DB = {
    "charlie": {"food": "chinese", "area": "centre", "phone": "P2"},
    "uno": {"food": "italian", "area": "centre", "phone": "P4"},
    "lotus": {"food": "chinese", "area": "east", "phone": "P6"},
}
TALK = {
    "turns": ["U inform(food=chinese)", "S offer(name=charlie)"],
    "constraints": {"food": "chinese"},
    "requests": [],
}
NAMES = ("objective_success_assigned", "objective_success_inferred", "subjective_success", "void_goals")


def scores(dataset: Dataset) -> dict[str, tuple[float, float]]:
    table = compute(dataset, NAMES).set_index("measure")
    return {name: (table.loc[name, "numerator"], table.loc[name, "denominator"]) for name in NAMES}


def test_a_whole_dialogue_has_both_outcomes(make_dataset: Make) -> None:
    found = scores(make_dataset({"d": TALK}, DB))
    assert found["objective_success_assigned"] == found["objective_success_inferred"] == (1, 1)


def test_without_venues_objective_success_is_missing_and_the_reason_is_said(make_dataset: Make) -> None:
    dataset = make_dataset({"d": TALK})
    assert (
        scores(dataset)["objective_success_assigned"]
        == scores(dataset)["objective_success_inferred"]
        == (0, 0)
    )
    assert "no venue database" in outcomes(dataset).reasons[0]


def test_without_labels_of_the_user_only_the_inferred_goal_is_missing(make_dataset: Make) -> None:
    dataset = make_dataset({"d": TALK | {"turns": ["S offer(name=charlie)"]}, "e": TALK}, DB)
    found = scores(dataset)
    assert found["objective_success_assigned"] == (2, 2)
    assert found["objective_success_inferred"] == (1, 1)
    assert outcomes(dataset).reasons == ["the user's meaning is not labelled: 1 of 2 dialogues"]


def test_without_a_task_only_the_assigned_goal_is_missing(make_dataset: Make) -> None:
    found = scores(make_dataset({"d": {"turns": TALK["turns"]}}, DB))
    assert found["objective_success_assigned"] == (0, 0)
    assert found["objective_success_inferred"] == (1, 1)


@pytest.mark.parametrize(("kind", "op"), [("exclusion", "="), ("constraint", "!=")])
def test_what_the_task_excludes_must_not_be_offered(make_dataset: Make, kind: str, op: str) -> None:
    east = {"goal_index": 0, "origin": "assigned", "kind": kind, "slot": "area", "op": op, "value": "east"}
    task = {"constraints": {"food": "chinese"}, "rows": {"goals": [east]}}
    for offered, served in (("charlie", (1, 1)), ("lotus", (0, 1))):
        talk = {"turns": ["U inform(food=chinese)", f"S offer(name={offered})"], **task}
        assert scores(make_dataset({"d": talk}, DB))["objective_success_assigned"] == served


def test_without_acts_of_the_system_both_are_missing(make_dataset: Make) -> None:
    dataset = make_dataset({"d": TALK | {"turns": ["U inform(food=chinese)"]}}, DB)
    assert (
        scores(dataset)["objective_success_assigned"]
        == scores(dataset)["objective_success_inferred"]
        == (0, 0)
    )
    assert outcomes(dataset).reasons == ["no acts of the system are logged: 1 of 1 dialogues"]


def test_void_goals_are_counted_and_stay_out_of_the_rate(make_dataset: Make) -> None:
    found = scores(make_dataset({"d": {"turns": ["U hello()", "S offer(name=uno)"]}}, DB))
    assert found["objective_success_inferred"] == (0, 0)
    assert found["void_goals"] == (1, 1)


def test_simulated_participants_are_scored_like_people(make_dataset: Make) -> None:
    talk = TALK | {"dialogue": {"simulated": True}, "source": "simulator"}
    assert scores(make_dataset({"d": talk}, DB))["objective_success_inferred"] == (1, 1)


def test_labels_are_trusted_before_a_parser(make_dataset: Make) -> None:
    parsed = {
        "turn_index": 0,
        "layer": "reference",
        "source": "parser",
        "rank": 0,
        "position": 0,
        "act": "inform",
        "slot": "food",
        "op": "=",
        "value": "italian",
    }
    talk = TALK | {"rows": {"acts": [parsed]}}
    assert scores(make_dataset({"d": talk}, DB))["objective_success_inferred"] == (1, 1)
    only_parsed = {"turns": ["S hello()", "S offer(name=charlie)"], "rows": {"acts": [parsed]}}
    assert scores(make_dataset({"d": only_parsed}, DB))["objective_success_inferred"] == (0, 1)


def test_only_the_sources_asked_for_may_say_what_was_meant(make_dataset: Make) -> None:
    parsed = {
        "turn_index": 0,
        "layer": "reference",
        "source": "parser",
        "rank": 0,
        "position": 0,
        "act": "inform",
        "slot": "food",
        "op": "=",
        "value": "italian",
    }
    dataset = make_dataset({"d": TALK | {"rows": {"acts": [parsed]}}}, DB)

    def scored(*sources: str, only: bool) -> list[int]:
        found = outcomes(dataset, ScoringOptions(sources=sources, only=only)).inferred
        return [int(goal.code == "S") for goals in found.values() for goal in goals]

    assert (scored("label", only=True), scored("parser", only=True)) == ([1], [0])
    assert scored("annotator", only=True) == []
    assert (scored("annotator", only=False), scored("parser", only=False)) == ([1], [0])


def test_verification_of_values_is_an_option(make_dataset: Make) -> None:
    wrong = {"turns": ["U inform(food=chinese) request(phone)", "S offer(name=charlie) inform(phone=P9)"]}
    dataset = make_dataset({"d": wrong}, DB)
    assert outcomes(dataset).inferred["d"][0].score() == 0
    assert outcomes(dataset, ScoringOptions(verify_values=False)).inferred["d"][0].score() == 1


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([], (0, 0)),
        ([1.0], (1, 1)),
        ([0.0], (0, 1)),
        ([None], (0, 0)),
    ],
)
def test_subjective_success_is_the_answer_where_there_is_one(
    make_dataset: Make, ratings: list[Any], expected: tuple[int, int]
) -> None:
    rows = [
        {"instrument": "cambridge", "item_id": "found_all", "role": "subjective_success", "value": value}
        for value in ratings
    ]
    other = [{"instrument": "cambridge", "item_id": "understood", "value": 5.0}]
    assert scores(make_dataset({"d": {"rows": {"ratings": rows + other}}}))["subjective_success"] == expected


def test_disagreements_go_both_ways_and_the_draw_is_fixed(make_dataset: Make) -> None:
    def rated(turns: list[str], value: float) -> dict[str, Any]:
        row = {
            "instrument": "cambridge",
            "item_id": "found_all",
            "role": "subjective_success",
            "value": value,
        }
        return {"turns": turns, "rows": {"ratings": [row]}}

    good, bad = TALK["turns"], ["U inform(food=chinese)", "S offer(name=uno)"]
    talks = {
        f"{kind}{number}": rated(turns, value)
        for number in range(4)
        for kind, turns, value in (
            ("over", bad, 1.0),
            ("under", good, 0.0),
            ("agreed", good, 1.0),
            ("both", bad, 0.0),
        )
    }
    dataset = make_dataset(talks, DB)
    found = outcomes(dataset)
    everything = disagreements(dataset, found)
    assert {(entry.dialogue_id[:-1], entry.direction) for entry in everything} == {
        ("over", "rated_success"),
        ("under", "rated_failure"),
    }
    assert len(everything) == 8
    drawn = disagreements(dataset, found, each=2, seed=7)
    assert drawn == disagreements(dataset, found, each=2, seed=7)
    assert [entry.direction for entry in drawn] == ["rated_success"] * 2 + ["rated_failure"] * 2


VALUES = {"food": ("chinese", "italian", "thai", "dontcare"), "area": ("centre", "east", "dontcare")}
PAIRS = st.sampled_from([f"{slot}={value}" for slot, values in VALUES.items() for value in values])
USER = st.one_of(
    PAIRS.map(lambda pair: f"inform({pair})"),
    PAIRS.map(lambda pair: f"confirm({pair})"),
    PAIRS.map(lambda pair: f"deny({pair})"),
    st.sampled_from(["inform(this=dontcare)", "request(phone)", "request(area)"]),
    st.sampled_from(["reqalts()", "bye()", "negate()"]),
)
SYSTEM = st.one_of(
    st.sampled_from([f"offer(name={name})" for name in (*DB, "atlantis")]),
    st.sampled_from([f"inform(phone=P{number})" for number in (2, 4, 6)]),
    PAIRS.map(lambda pair: f"canthelp({pair})"),
    PAIRS.map(lambda pair: f"confirm({pair})"),
    st.sampled_from(["request(area)", "request(food)", "canthelp()", "reqmore()"]),
)
DIALOGUES = st.lists(
    st.one_of(
        st.lists(USER, min_size=1, max_size=3).map(lambda acts: "U " + " ".join(acts)),
        st.lists(SYSTEM, min_size=1, max_size=3).map(lambda acts: "S " + " ".join(acts)),
    ),
    max_size=14,
)


@given(DIALOGUES)
def test_lenient_scoring_is_never_below_strict_scoring(
    make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]], lines: list[str]
) -> None:
    goals = inferred_outcomes("d", make_turns(lines), make_venues(DB))
    for unit in UNITS:
        for rule in OFFER_RULES:
            credit, drop, fail = (
                inferred_components(goals, unit, policy, rule) for policy in NO_MATCH_POLICIES
            )
            assert credit[0] >= fail[0]
            assert credit[1] == fail[1] >= drop[1]
            assert all(0 <= successes <= n for successes, n in (credit, drop, fail))
            if unit == "goal":
                assert drop[0] == fail[0]
        for policy in ("credit", "fail"):
            last, lenient = (inferred_components(goals, unit, policy, rule) for rule in OFFER_RULES)
            assert lenient[0] >= last[0]
    everything, last = inferred_components(goals, "call_all"), inferred_components(goals, "call_last")
    assert everything[0] <= last[0]


@given(DIALOGUES)
def test_goals_partition_the_dialogue_and_only_the_first_may_be_void(
    make_venues: Callable[..., Venues], make_turns: Callable[..., list[ScoredTurn]], lines: list[str]
) -> None:
    goals = inferred_outcomes("d", make_turns(lines), make_venues(DB))
    assert [goal.goal_index for goal in goals] == list(range(len(goals)))
    for before, after in pairwise(goals):
        assert before.last_turn == after.first_turn - 1
    assert all(not goal.served["last"] or goal.served["any"] for goal in goals)
    assert all((goal.score() is None) == goal.void for goal in goals if not goal.no_match)
    assert not any(goal.void for goal in goals[1:])


@given(
    DIALOGUES,
    st.dictionaries(st.sampled_from(["food", "area"]), st.sampled_from(["chinese", "east", "dontcare"])),
)
def test_any_offer_is_never_below_the_last_and_unverified_never_below_verified(
    make_venues: Callable[..., Venues],
    make_turns: Callable[..., list[ScoredTurn]],
    lines: list[str],
    wanted: dict[str, str],
) -> None:
    goals, turns, venues = [Goal(wanted, ("phone",))], make_turns(lines), make_venues(DB)
    checked = assigned_outcome("d", goals, turns, venues)
    unchecked = assigned_outcome("d", goals, turns, venues, verify_values=False)
    assert checked.score("any") >= checked.score("last")
    assert unchecked.score("last") >= checked.score("last")


@pytest.mark.shared
def test_rates_of_the_real_corpus_are_whole_and_in_proportion(dstc2_checked: Dataset) -> None:
    table = components(dstc2_checked).pivot(index="dialogue_id", columns="measure")
    numerator, denominator = table["numerator"], table["denominator"]
    success = [name for name in numerator if str(name).startswith("objective_success")]
    assert len(success) == 2 + len(UNITS) * len(NO_MATCH_POLICIES) * len(OFFER_RULES)
    assert (numerator[success] <= denominator[success]).all().all()
    assert (denominator["objective_success_assigned"] == 1).all()
    assert (numerator["objective_success_assigned_any"] >= numerator["objective_success_assigned"]).all()
    assert denominator["objective_success_inferred"].sum() >= 1300 - numerator["void_goals"].sum()


@pytest.mark.parametrize(
    ("replaces", "source", "scored"),
    [
        ("system", "typed", False),
        ("management", "typed", False),
        ("recognition", "typed", True),
        ("system", "proposal", True),
        ("system", "silence", True),
        ("management", "greeting", True),
    ],
)
def test_what_a_wizard_said_without_acts_cannot_be_scored(
    make_dataset: Make, replaces: str, source: str, scored: bool
) -> None:
    """What the program proposed, said first or left unsaid are no words of the wizard's."""
    wizard = {"turn_index": 3, "replaces": replaces, "source": source, "wizard_id": "w"}
    found = scores(make_dataset({"d": TALK | {"rows": {"wizard_turns": [wizard]}}}, DB))
    assert found["objective_success_assigned"][1] == int(scored)


def test_a_wizards_turn_with_acts_is_scored(make_dataset: Make) -> None:
    wizard = {"turn_index": 1, "replaces": "system", "source": "typed", "wizard_id": "w"}
    found = scores(make_dataset({"d": TALK | {"rows": {"wizard_turns": [wizard]}}}, DB))
    assert found["objective_success_assigned"] == (1, 1)


@pytest.mark.parametrize(
    ("user", "agreeing"),
    [
        ("inform(food=chinese) | inform(food=chinese)", 1),
        ("inform(food=chinese) | inform(food=Chinese)", 1),
        ("inform(food=chinese) | inform(food=thai)", 0),
        ("inform(food=chinese) | confirm(food=chinese)", 0),
        ("inform(food=chinese) | inform(food)", 0),
        ("inform(food=chinese) inform(area=east) | inform(food=chinese) inform(area=east)", 2),
    ],
)
def test_a_dialogue_agrees_with_its_task_by_what_was_understood_last(
    user: str, agreeing: int, make_dataset: Make
) -> None:
    """The task: Chinese, in the east, whatever the price."""
    task = {"food": "chinese", "area": "east", "price": "dontcare"}
    content = {"turns": ["U inform(food=any) | inform(food=any)", f"U {user}"], "constraints": task}
    found = components(make_dataset({"d": content}), ["attribute_agreement"])
    assert found[["numerator", "denominator"]].to_numpy().tolist() == [[agreeing, 2]]


@pytest.mark.parametrize(
    ("changed", "agreeing"),
    [
        ({}, 1),
        ({"op": "!="}, 0),
        ({"layer": "reference"}, 0),
        ({"rank": 1}, 0),
        ({"turn_index": 0}, 0),
    ],
)
def test_what_was_excluded_or_not_understood_first_is_not_exchanged(
    changed: dict[str, Any], agreeing: int, make_dataset: Make
) -> None:
    act = {"layer": "understood", "source": "bot", "rank": 0, "act": "inform", "slot": "food", "op": "="}
    acts = [
        act | {"turn_index": 1, "position": 0, "value": "thai"},
        act | {"turn_index": 3, "position": 0, "value": "chinese"} | changed,
    ]
    content = {"turns": [], "constraints": {"food": "chinese"}, "rows": {"acts": acts}}
    found = components(make_dataset({"d": content}), ["attribute_agreement"])
    assert found["numerator"].tolist() == [agreeing]


def test_only_constraints_of_the_first_assigned_goal_are_cells(make_dataset: Make) -> None:
    goal = {
        "goal_index": 0,
        "origin": "assigned",
        "kind": "constraint",
        "slot": "area",
        "op": "=",
        "value": "east",
    }
    others = [{"origin": "said"}, {"kind": "type"}, {"goal_index": 1}, {"value": None}]
    content = {
        "turns": ["U inform(food=chinese) | inform(food=chinese)"],
        "constraints": {"food": "chinese"},
        "rows": {"goals": [goal | other for other in others]},
    }
    found = components(make_dataset({"d": content}), ["attribute_agreement"])
    assert found[["numerator", "denominator"]].to_numpy().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("goals", "scored"), [([{"food": "chinese"}], False), ([{"food": "thai"}, {"food": "chinese"}], True)]
)
def test_an_alternative_is_scored_where_no_venue_meets_the_task(
    goals: list[dict[str, str]], scored: bool, make_venues: Make, make_turns: Make
) -> None:
    turns = make_turns(["S offer(name=charlie)"])
    found = assigned_outcome("d", [Goal(one) for one in goals], turns, make_venues(DB))
    assert (found.alternative, found.score("last")) == (scored, 1)


@pytest.mark.parametrize(
    ("goal", "empty"),
    [
        (Goal(), True),
        (Goal({"food": "thai"}), False),
        (Goal(requests=("phone",)), False),
        (Goal(denied=frozenset({("food", "thai")})), False),
        (Goal(excluded=frozenset({"uno"})), True),
    ],
)
def test_a_goal_is_empty_where_nothing_is_wanted_or_forbidden(goal: Goal, empty: bool) -> None:
    assert goal.empty is empty
