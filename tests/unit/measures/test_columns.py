"""What is made of each combination of numbers is made once, however large the numbers are."""

import numpy as np

from vivavoce.measures.columns import once


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
