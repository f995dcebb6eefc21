"""Which dialogue comes next: overlap as planned, nobody twice, balanced over systems and partners."""

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.annotation.queue import Waiting, choose, doubled, partners
from vivavoce.log.annotation_state import AnnotationState, Work

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def held(count: int, systems: int = 2) -> list[Waiting]:
    return [Waiting(f"d{number}", f"s{number % systems}") for number in range(count)]


def annotate(waiting: list[Waiting], who: list[str], share: float, seed: int = 1) -> AnnotationState:
    """Annotators take dialogues in turn until nothing is left for anybody."""
    state, busy = AnnotationState(), list(who)
    while busy:
        for one in list(busy):
            chosen = choose(waiting, state, one, share=share, seed=seed)
            if chosen is None:
                busy.remove(one)
                continue
            key, double = chosen
            assert one not in state.dialogues[key].work, "the same dialogue twice"
            state.dialogues[key].work[one] = Work(one, NOW, double, NOW)
    return state


@given(st.integers(1, 60), st.floats(0, 1), st.integers(0, 99), st.integers(1, 3))
def test_the_planned_share_is_annotated_twice_and_all_else_once(
    count: int, share: float, seed: int, systems: int
) -> None:
    waiting = held(count, systems)
    twice = doubled(waiting, share, seed)
    state = annotate(waiting, ["anna", "bruno", "carla"], share, seed)
    assert {key: len(found.work) for key, found in state.dialogues.items()} == {
        one.dialogue_id: 2 if one.dialogue_id in twice else 1 for one in waiting
    }
    for system in {one.system for one in waiting}:
        of_system = [one for one in waiting if one.system == system]
        chosen = sum(one.dialogue_id in twice for one in of_system)
        assert abs(chosen - share * len(of_system)) <= 1


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0, 1))
def test_dialogues_that_come_later_change_nothing_about_the_earlier(
    first: int, more: int, share: float
) -> None:
    waiting = held(first + more)
    early = {one.dialogue_id for one in waiting[:first]}
    assert doubled(waiting, share, 5) & early == doubled(waiting[:first], share, 5)


def test_work_overlap_and_partners_are_balanced() -> None:
    waiting = held(60)
    state = annotate(waiting, ["anna", "bruno", "carla"], 0.5)
    systems = {one.dialogue_id: one.system for one in waiting}
    for who in ("anna", "bruno", "carla"):
        mine = state.of_annotator(who)
        assert len(mine) == pytest.approx(30, abs=2)
        per_system = Counter(systems[key] for key in mine)
        assert abs(per_system["s0"] - per_system["s1"]) <= 6
        assert max(partners(state, who).values()) - min(partners(state, who).values()) <= 4


def test_one_annotator_alone_gets_every_dialogue_once() -> None:
    state = annotate(held(9), ["anna"], 0.4)
    assert {len(found.work) for found in state.dialogues.values()} == {1}
    assert len(state.dialogues) == 9
