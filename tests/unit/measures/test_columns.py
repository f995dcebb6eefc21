"""What is made of each combination of numbers is made once, however large the numbers are."""

from collections.abc import Callable

import numpy as np
import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.base import Tables, once, sum_rows
from vivavoce.measures.recognition import last_of


def test_combinations_of_large_numbers_stay_apart() -> None:
    step = 2**32
    columns = [
        np.array([0, step, 0, step, 0, 0]),
        np.array([0, 0, step, step, 0, 0]),
        np.array([0, 0, 0, 0, 3, 3]),
    ]
    made, own = once(lambda *codes: codes, *columns)
    rows = list(zip(*(one.tolist() for one in columns), strict=True))
    assert len(made) == len(set(rows)) == 5
    assert [made[place] for place in own.tolist()] == rows


def test_of_no_rows_nothing_is_made() -> None:
    made, own = once(lambda *codes: codes, np.zeros(0, np.int64))
    assert made == [] and len(own) == 0


@pytest.mark.parametrize(
    ("bottoms", "also", "expected"),
    [
        (None, None, {"d": (1, 1), "f": (6, 2)}),
        ([2, 0, 9, 3], None, {"d": (1, 2), "f": (6, 3)}),
        ([2, 0, 9, 3], [1, -1], {"d": (1, 2), "e": (0, 0), "f": (6, 3)}),
        ([0, 0, 9, 3], [0], {"d": (1, 0), "f": (6, 3)}),
    ],
)
def test_rows_are_summed_over_the_dialogues_that_they_are_of(
    make_dataset: Callable[..., Dataset], bottoms: list | None, also: list | None, expected: dict
) -> None:
    """The third row is of a dialogue that is not among these; `e` has no row."""
    tables = Tables(make_dataset({"d": {}, "e": {}, "f": {}}))
    given = [None if one is None else np.array(one) for one in (bottoms, also)]
    found = sum_rows(tables, np.array([0, 2, -1, 2]), np.array([1.0, 2, 50, 4]), given[0], also=given[1])
    assert dict(found) == expected and len(found) == len(expected)
    assert dict(found.over_dialogues()) == {key: (top, 1) for key, (top, _) in expected.items()}


def test_the_last_value_of_a_key_is_taken() -> None:
    wanted, keys = np.array([5, 7, 9, 4]), np.array([7, 5, 7])
    assert last_of(wanted, keys, np.array([10, 20, 30])).tolist() == [20, 30, -1, -1]
    nothing = np.zeros(0, np.int64)
    assert last_of(wanted, nothing, nothing).tolist() == [-1] * 4
