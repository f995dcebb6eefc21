"""Success by the number of the dialogue among those of its participant."""

from collections.abc import Callable

import pytest

from vivavoce.analysis.learning import dialogue_numbers, learning
from vivavoce.dataset.reader import Dataset

Make = Callable[..., Dataset]


def told(dataset: Dataset) -> list[tuple]:
    return [(one.first, one.last, one.n, one.participants, one.ratio) for one in learning(dataset)]


def test_each_number_has_its_rate_over_those_who_came_so_far(make: Make) -> None:
    talks = [("a", "p", 0), ("a", "q", 1), ("a", "p", 1), ("a", "q", 1), ("a", "p", 0)]
    dataset = make(*talks)
    assert told(dataset) == [(1, 1, 2, 2, 0.5), (2, 2, 2, 2, 1.0), (3, 3, 1, 1, 0.0)]
    assert {one.measure for one in learning(dataset)} == {"subjective_success"}
    assert [one.low is None for one in learning(dataset)] == [False, False, True]


def test_later_numbers_are_taken_together_and_end_with_the_longest(make: Make) -> None:
    dataset = make(*[("a", "p", number % 2) for number in range(12)])
    assert told(dataset)[5:] == [(6, 10, 5, 1, 3 / 5), (11, 12, 2, 1, 0.5)]


@pytest.mark.parametrize(("length", "last"), [(40, (21, 40, 20)), (41, (41, 41, 1)), (45, (41, 45, 5))])
def test_very_long_courses_end_in_one_step(make: Make, length: int, last: tuple[int, int, int]) -> None:
    dataset = make(*[("a", "p", 1)] * length)
    assert told(dataset)[-1][:3] == last


def test_nobody_with_two_dialogues_shows_no_learning(make: Make) -> None:
    assert learning(make(("a", "p", 1), ("a", "q", 0), name="one")) == []
    assert learning(make(("a", "p", 1), ("a", "p", 0), name="two")) != []


def test_answers_in_degrees_are_no_rate(make: Make) -> None:
    assert learning(make(("a", "p", 0.5), ("a", "p", 1))) == []


def test_numbers_are_those_logged_else_the_order_of_starting(make: Make) -> None:
    talks = [("a", "p", 1), ("a", "p", 1), ("a", None, 1)]
    assert dialogue_numbers(make(*talks, name="order")) == {"d0": ("p", 1), "d1": ("p", 2)}
    logged = make(*talks, name="logged", dialogue_number=[4, 2, 1])
    assert dialogue_numbers(logged) == {"d0": ("p", 4), "d1": ("p", 2)}
    some = make(*talks, name="some", dialogue_number=[4, None, 1])
    assert dialogue_numbers(some) == {"d0": ("p", 1), "d1": ("p", 2)}
    undated = make(*talks, name="undated", started_at=[None, None, None])
    assert dialogue_numbers(undated) == {}
