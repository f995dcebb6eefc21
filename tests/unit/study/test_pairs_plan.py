"""Orders, sides and pairs are balanced over participants, not merely drawn."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.study.pairs import Pair
from vivavoce.study.pairs_plan import PairsDraw, order, plan

PLANS = st.integers(2, 6).flatmap(
    lambda variables: st.tuples(
        st.just(variables),
        st.lists(st.integers(1, 4), min_size=variables, max_size=variables),
        st.integers(0, 99),
        st.integers(1, 40),
    )
)


def study(variables: int, counts: list[int], seed: int, **changes: object) -> tuple[PairsDraw, list[Pair]]:
    names = [f"v{number}" for number in range(variables)]
    pairs = [
        Pair(pair_id=f"{name}-{number}", variable=name, text={})
        for name, count in zip(names, counts, strict=True)
        for number in range(count)
    ]
    return PairsDraw(tuple(names), seed)._replace(**changes), pairs


def spread(counts: Counter, kinds: int) -> int:
    found = [*counts.values()] + [0] * (kinds - len(counts))
    return max(found) - min(found)


@given(PLANS)
def test_everybody_sees_each_variable_once(planned):
    variables, counts, seed, slot = planned
    step, pairs = study(variables, counts, seed)
    shown = plan(step, pairs, slot)
    assert sorted(one.pair.variable for one in shown) == sorted(step.variables)
    assert {one.role for one in shown} == {"main"}
    assert plan(step, pairs, slot) == shown


@given(PLANS)
def test_sides_and_pairs_never_differ_by_more_than_one(planned):
    variables, counts, seed, people = planned
    step, pairs = study(variables, counts, seed)
    shown = [one for slot in range(people) for one in plan(step, pairs, slot)]
    for name, count in zip(step.variables, counts, strict=True):
        of_variable = [one for one in shown if one.pair.variable == name]
        assert spread(Counter(one.experimental_side for one in of_variable), 2) <= 1
        assert spread(Counter(one.pair.pair_id for one in of_variable), count) <= 1
    for slot in range(people):
        assert spread(Counter(one.experimental_side for one in plan(step, pairs, slot)), 2) <= 1


@given(st.integers(1, 5), st.integers(0, 50))
def test_each_pair_stands_equally_often_on_both_sides_in_a_block(count, seed):
    step, pairs = study(2, [count, 1], seed)
    for block in range(3):
        slots = range(2 * count * block, 2 * count * (block + 1))
        shown = Counter(
            (one.pair.pair_id, one.experimental_side)
            for slot in slots
            for one in plan(step, pairs, slot)
            if one.pair.variable == "v0"
        )
        assert set(shown.values()) == {1}
        assert len(shown) == 2 * count


@given(st.integers(2, 7), st.integers(0, 50), st.integers(1, 60))
def test_each_variable_stands_equally_often_at_each_place(variables, seed, people):
    names = [f"v{number}" for number in range(variables)]
    places = Counter(
        (name, place) for slot in range(people) for place, name in enumerate(order(seed, names, slot))
    )
    assert spread(places, variables * variables) <= 1


@given(st.integers(2, 7), st.integers(0, 50))
def test_over_two_squares_each_variable_follows_each_other_equally_often(variables, seed):
    names = [f"v{number}" for number in range(variables)]
    follows = Counter(
        pair for slot in range(2 * variables) for row in [order(seed, names, slot)] for pair in pairwise(row)
    )
    assert set(follows.values()) == {2}
    assert len(follows) == variables * (variables - 1)


def test_another_seed_gives_another_plan():
    step, pairs = study(5, [2] * 5, 1)
    other = step._replace(seed=2)
    assert [plan(step, pairs, slot) for slot in range(10)] != [plan(other, pairs, slot) for slot in range(10)]


@given(st.integers(0, 200))
def test_attention_pairs_come_in_between_and_repeats_last_with_sides_changed(slot):
    step, pairs = study(5, [2] * 5, 1, attention=True, repeats=2)
    pairs.append(Pair(pair_id="nonsense", variable="attention", attention="broken", text={}))
    shown = plan(step, pairs, slot)
    assert [one.role for one in shown][-2:] == ["repeat", "repeat"]
    assert shown[0].role == "main"
    assert sum(one.role == "attention" for one in shown) == 1
    sides = {one.pair.pair_id: one.experimental_side for one in shown if one.role == "main"}
    for one in shown[-2:]:
        assert one.experimental_side != sides[one.pair.pair_id]


@pytest.mark.parametrize(
    ("names", "counts", "seed", "repeats", "plans"),
    [
        (
            "abc",
            2,
            3,
            1,
            {
                0: "b1-r c0-l a0-r a0-l",
                1: "c1-r a1-l b0-l c1-l",
                3: "a0-l c1-l b0-r b0-l",
                4: "c1-l b1-r a1-r b1-l",
            },
        ),
        (
            "abcd",
            3,
            7,
            0,
            {
                0: "c1-l a0-r b1-r d2-l",
                3: "d0-l b0-r a1-r c0-l",
                5: "b1-l c1-r d2-r a0-l",
                9: "d2-r c2-l b0-r a0-l",
            },
        ),
    ],
)
def test_plans_stay_what_they_were_when_a_study_began(
    names: str, counts: int, seed: int, repeats: int, plans: dict[int, str]
) -> None:
    """A study that runs across an update of ours goes on with the plans that its seed drew before."""
    pairs = [
        Pair(pair_id=f"{name}{number}", variable=name, text={}) for name in names for number in range(counts)
    ]
    step = PairsDraw(tuple(names), seed, repeats=repeats)
    drawn = {
        slot: " ".join(f"{one.pair.pair_id}-{one.experimental_side[0]}" for one in plan(step, pairs, slot))
        for slot in plans
    }
    assert drawn == plans
