"""The eight worked dialogues of the reference, on the algorithms and through the registered measures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import compute
from vivavoce.measures.success import (
    NO_MATCH_POLICIES,
    UNITS,
    Goal,
    ScoredTurn,
    Venues,
    assigned_outcome,
    inferred_components,
    inferred_outcomes,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "task-success-toy.json").read_text(encoding="utf-8")
)
CASES = pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])

Make = Callable[..., Any]


@pytest.fixture
def venues(make_venues: Callable[..., Venues]) -> Venues:
    return make_venues(GOLDEN["venues"])


def expected(case: dict[str, Any], unit: str, policy: str) -> list[int]:
    """What the case states; for a single goal the units agree, and a call succeeds when it does."""
    return case[unit][policy] if unit in case else case["goal"][policy]


def stated(case: dict[str, Any], unit: str) -> bool:
    return unit in case or len(case["codes"]) == 1


@CASES
@pytest.mark.parametrize("rule", ["last", "any"])
def test_the_assigned_goal_is_scored_as_printed(
    case: dict[str, Any], rule: Any, venues: Venues, make_turns: Make
) -> None:
    goal = Goal(case["constraints"], tuple(case["requests"]))
    assert (
        assigned_outcome("d", [goal], make_turns(case["turns"]), venues).score(rule) == case["assigned"][rule]
    )


@CASES
def test_the_inferred_goals_are_scored_as_printed(
    case: dict[str, Any], venues: Venues, make_turns: Make
) -> None:
    goals = inferred_outcomes("d", make_turns(case["turns"]), venues)
    assert [goal.code for goal in goals] == case["codes"]
    for unit in UNITS:
        for policy in NO_MATCH_POLICIES:
            if stated(case, unit):
                assert list(inferred_components(goals, unit, policy)) == expected(case, unit, policy)


@pytest.mark.parametrize(
    "case", [case for case in GOLDEN["cases"] if "on_understood_acts" in case], ids=["6"]
)
def test_scoring_what_was_heard_instead_of_what_was_meant_would_be_wrong(
    case: dict[str, Any], venues: Venues, make_turns: Callable[..., list[ScoredTurn]]
) -> None:
    heard = inferred_outcomes("d", make_turns(case["turns"], understood=True), venues)
    assert list(inferred_components(heard)) == case["on_understood_acts"]
    assert list(inferred_components(heard)) != case["goal"]["credit"]


@pytest.mark.parametrize("case", [case for case in GOLDEN["cases"] if "unverified" in case], ids=["4"])
def test_without_verification_a_wrong_value_passes_for_information(
    case: dict[str, Any], venues: Venues, make_turns: Make
) -> None:
    goal, turns = Goal(case["constraints"], tuple(case["requests"])), make_turns(case["turns"])
    assert (
        assigned_outcome("d", [goal], turns, venues, verify_values=False).score()
        == case["unverified"]["assigned"]
    )
    goals = inferred_outcomes("d", turns, venues, verify_values=False)
    assert list(inferred_components(goals)) == case["unverified"]["goal"]


@CASES
def test_the_registered_measures_give_the_same_from_a_dataset(
    case: dict[str, Any], make_dataset: Callable[..., Dataset]
) -> None:
    table = compute(make_dataset({"d": case}, GOLDEN["venues"])).set_index("measure")
    for rule in ("last", "any"):
        name = "objective_success_assigned" + ("_any" if rule == "any" else "")
        assert table.loc[name, "value"] == case["assigned"][rule]
    for unit in UNITS:
        for policy in NO_MATCH_POLICIES:
            parts = [part for part in (unit, policy) if part not in ("goal", "credit")]
            row = table.loc["_".join(["objective_success_inferred", *parts])]
            if stated(case, unit):
                assert [row["numerator"], row["denominator"]] == expected(case, unit, policy)
    assert table.loc["no_match_goals", "numerator"] == case["codes"].count("SN")
