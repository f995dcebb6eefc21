"""Grouped hypotheses about the goal: what is heard together is believed together, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.dialogue.partitions import CHANGE, VALUES, Partitions, Reading

slots = st.sampled_from(["food", "area", "price"])
values = st.sampled_from(["a", "b", "c", "d"])
readings = st.lists(
    st.builds(Reading, st.dictionaries(slots, values, max_size=3), st.floats(0, 0.25)), max_size=4
)


@given(st.lists(readings, max_size=8), st.lists(st.tuples(slots, values, st.floats(0, 1)), max_size=4))
def test_beliefs_always_sum_to_one_over_few_partitions(
    turns: list[list[Reading]], denied: list[tuple[str, str, float]]
) -> None:
    beliefs = Partitions()
    for turn in turns:
        beliefs.hear(turn)
    for one in denied:
        beliefs.deny(*one)
    assert sum(beliefs.goals.values()) == pytest.approx(1)
    assert min(beliefs.goals.values()) >= 0
    assert len(beliefs.goals) <= 17 * 2 ** len(denied)  # a denial may split each, until the next turn
    assert all(sum(known.values()) <= 1 + 1e-9 for known in beliefs.values().values())
    beliefs.hear([Reading({"food": "a"}, 0.1)])
    assert len(beliefs.goals) <= 17


def test_a_reading_that_is_next_to_nothing_moves_no_belief() -> None:
    beliefs = Partitions()
    beliefs.hear([Reading({"food": "chinese"}, 5e-324)])
    assert beliefs.goals == {(): 1.0}


def test_one_turn_moves_belief_by_bayes_rule() -> None:
    """Chinese with 0.6, Thai with 0.2, nothing with 0.2; then the north with 1: by hand."""
    beliefs = Partitions()
    beliefs.hear([Reading({"food": "chinese"}, 0.6), Reading({"food": "thai"}, 0.2)])
    assert beliefs.values() == {"food": {"chinese": pytest.approx(0.6), "thai": pytest.approx(0.2)}}
    beliefs.hear([Reading({"food": "thai"}, 1.0)])
    same, changed, opened = 1 - CHANGE + CHANGE / VALUES, CHANGE / VALUES, 1 / VALUES
    whole = 0.6 * changed + 0.2 * same + 0.2 * opened
    assert beliefs.values()["food"]["thai"] == pytest.approx(1)
    assert whole > 0 and list(beliefs.goals) == [(("food", "thai"),), ()]


def test_a_slot_that_is_known_tells_between_two_readings_of_another() -> None:
    """Cheap is known. `Cheap Thai` and `expensive Turkish` sound alike: what agrees is believed."""
    beliefs = Partitions()
    beliefs.hear([Reading({"price": "cheap"}, 0.9)])
    beliefs.hear(
        [
            Reading({"price": "expensive", "food": "turkish"}, 0.5),
            Reading({"price": "cheap", "food": "thai"}, 0.5),
        ]
    )
    food = beliefs.values()["food"]
    assert food["thai"] > 0.8 > 0.2 > food["turkish"]
    alone = Partitions()
    alone.hear([Reading({"food": "turkish"}, 0.5), Reading({"food": "thai"}, 0.5)])
    assert alone.values()["food"]["thai"] == pytest.approx(0.5)


def test_what_is_denied_leaves_its_slot_open_and_the_rest_as_it_was() -> None:
    beliefs = Partitions()
    beliefs.hear([Reading({"food": "thai", "area": "north"}, 1.0)])
    beliefs.deny("food", "thai", 1.0)
    assert beliefs.values() == {"area": {"north": pytest.approx(1)}}


def test_what_says_nothing_of_the_goal_changes_nothing() -> None:
    beliefs = Partitions()
    beliefs.hear([Reading({"food": "thai"}, 0.7)])
    before = dict(beliefs.goals)
    beliefs.hear([Reading({}, 0.8), Reading({"food": "chinese"}, 0.0)])
    assert beliefs.goals == before
