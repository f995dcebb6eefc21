"""The matrix that fitting solves: against the same matrix written out whole."""

import numpy as np
import pytest

from vivavoce.stats.glmm import MOST_CROSSED, Groupings

ROWS = 40


def whole(
    codes: list[np.ndarray], deviations: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Z T, and M = T Z' W Z T + I."""
    columns = [
        (one == level) * sd for one, sd in zip(codes, deviations, strict=True) for level in np.unique(one)
    ]
    design = np.column_stack(columns).astype(float)
    return design, design.T @ np.diag(weights) @ design + np.eye(design.shape[1])


@pytest.mark.parametrize("levels", [(7,), (4, 9), (9, 4), (3, 8, 5), (6, 6)])
def test_elimination_gives_what_the_whole_matrix_gives(levels):
    rng = np.random.default_rng(sum(levels))
    codes = [rng.permutation(np.arange(ROWS) % size) * 3 + 1 for size in levels]
    deviations, weights = rng.uniform(0.2, 2, len(levels)), rng.uniform(0.1, 1.5, ROWS)
    groupings = Groupings(codes)
    design, matrix = whole(codes, deviations, weights)
    effects, residuals = rng.normal(size=sum(levels)), rng.normal(size=ROWS)
    assert (groupings.count, groupings.sizes) == (sum(levels), list(levels))
    assert groupings.down(deviations, effects) == pytest.approx(design @ effects)
    assert groupings.up(deviations, residuals) == pytest.approx(design.T @ residuals)
    both = np.column_stack([residuals, weights])
    assert groupings.up(deviations, both) == pytest.approx(design.T @ both)
    factor = groupings.factor(deviations, weights)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(matrix)[1])
    right = rng.normal(size=(sum(levels), 3))
    assert factor.solve(right) == pytest.approx(np.linalg.solve(matrix, right))
    assert factor.solve(right[:, 0]) == pytest.approx(np.linalg.solve(matrix, right[:, 0]))
    begin = sum(levels[:-1])
    assert effects[groupings.slots(len(levels) - 1)].tolist() == effects[begin:].tolist()


def test_only_groupings_beside_the_largest_must_be_few():
    rows = np.arange(MOST_CROSSED + 1)
    assert Groupings([rows, rows % MOST_CROSSED]).solvable
    assert Groupings([np.arange(9), np.arange(9) % 2]).solvable
    assert not Groupings([rows, rows]).solvable
