"""Random intercepts, nested or crossed: the one matrix that fitting has to solve, again and again.

With deviations t and standard normal effects u, it is M = T Z' W Z T + I. The grouping with the most levels
makes a diagonal block, which is eliminated; what is left is as large as all other groupings together.

Source  Bates, Maechler, Bolker and Walker 2015, section 2; the elimination is the Schur complement
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

Floats = np.ndarray[Any, np.dtype[np.float64]]
MOST_CROSSED: Final = 3_000


class Groupings:
    """Level of each row in each grouping; effects stand in the order of the groupings."""

    def __init__(self, codes: Sequence[np.ndarray]) -> None:
        self.codes = [np.unique(code, return_inverse=True)[1].ravel() for code in codes]
        self.sizes = [int(code.max()) + 1 for code in self.codes]
        self.count = sum(self.sizes)
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(int)
        self._large = int(np.argmax(self.sizes))
        self._others = [place for place in range(len(self.sizes)) if place != self._large]
        rows = np.arange(len(self.codes[0]))
        self._indicators = [
            sparse.csr_array((np.ones(len(rows)), (rows, group_codes)), shape=(len(rows), size))
            for group_codes, size in zip(self.codes, self.sizes, strict=True)
        ]

    @property
    def solvable(self) -> bool:
        """True if what is left after elimination is small enough."""
        return self.count - self.sizes[self._large] <= MOST_CROSSED

    def down(self, deviations: Floats, effects: Floats) -> Floats:
        """Z T u: what the effects add to each row."""
        parts = self._split(effects)
        return sum(
            (
                deviation * part[codes]
                for deviation, part, codes in zip(deviations, parts, self.codes, strict=True)
            ),
            start=np.zeros(len(self.codes[0])),
        )

    def up(self, deviations: Floats, rows: Floats) -> Floats:
        """T Z' r: sums of rows (or of each of their columns) over levels."""
        if rows.ndim == 2:
            return np.column_stack([self.up(deviations, column) for column in rows.T])
        return np.concatenate(
            [
                deviation * np.bincount(codes, rows, size)
                for deviation, codes, size in zip(deviations, self.codes, self.sizes, strict=True)
            ]
        )

    def factor(self, deviations: Floats, weights: Floats) -> "Factor":
        """M, ready to solve with."""
        large = self._large
        diagonal = 1 + deviations[large] ** 2 * np.bincount(self.codes[large], weights, self.sizes[large])
        if not self._others:
            return Factor(self, large, diagonal, None, None)
        scaled = [self._indicators[place] * deviations[place] for place in self._others]
        small_groups = sparse.hstack(scaled).tocsr()
        weighted = sparse.diags_array(weights) @ small_groups
        cross = (deviations[large] * self._indicators[large].T @ weighted).tocsr()
        schur = (small_groups.T @ weighted - cross.T @ sparse.diags_array(1 / diagonal) @ cross).toarray()
        schur[np.diag_indices_from(schur)] += 1
        return Factor(self, large, diagonal, cross, cho_factor(schur, lower=True))

    def slots(self, place: int) -> slice:
        """Positions of the effects of a grouping."""
        return slice(int(self._starts[place]), int(self._starts[place]) + self.sizes[place])

    def _split(self, effects: Floats) -> list[Floats]:
        return [effects[self.slots(place)] for place in range(len(self.sizes))]


class Factor:
    """M factored: its log determinant, and solutions."""

    def __init__(self, groupings: Groupings, large: int, diagonal: Floats, cross: Any, schur: Any) -> None:
        self.diagonal = diagonal
        self._large = groupings.slots(large)
        self._rest = np.ones(groupings.count, dtype=bool)
        self._rest[self._large] = False
        self._cross, self._left = cross, schur
        self.log_determinant = float(np.log(diagonal).sum())
        if schur is not None:
            self.log_determinant += 2 * float(np.log(np.diag(schur[0])).sum())

    def solve(self, right: Floats) -> Floats:
        """The x with M x = right; columns are solved together."""
        spread = self.diagonal if right.ndim == 1 else self.diagonal[:, None]
        solution = np.empty_like(right)
        if self._left is None:
            solution[self._large] = right[self._large] / spread
            return solution
        eliminated = right[self._large] / spread
        solution[self._rest] = cho_solve(self._left, right[self._rest] - self._cross.T @ eliminated)
        solution[self._large] = eliminated - (self._cross @ solution[self._rest]) / spread
        return solution
