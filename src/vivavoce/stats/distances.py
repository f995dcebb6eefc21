"""How far apart two distributions are."""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Final

_SMOOTHING: Final = 0.5


def kullback_leibler(real: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Kullback-Leibler divergence of the second from the first, in bits: what is lost by taking it for the
    first.

    Input   observations; half an observation is added to every value that either has, so that it is finite
    Empty   either has none: missing
    Source  Kullback and Leibler (1951), Annals of Mathematical Statistics 22
    """
    if not real or not other:
        return None
    counts, others = Counter(real), Counter(other)
    support = set(counts) | set(others)
    n = len(real) + _SMOOTHING * len(support)
    m = len(other) + _SMOOTHING * len(support)
    return sum(
        (counts[value] + _SMOOTHING)
        / n
        * math.log2((counts[value] + _SMOOTHING) / n / ((others[value] + _SMOOTHING) / m))
        for value in support
    )


def cramer(real: Sequence[float], other: Sequence[float]) -> float | None:
    """Cramér distance: the integral of the squared difference of the two distribution functions.

    Input   numbers; the unit of the distance is theirs
    Empty   either has none: missing
    Source  Cramér (1928), Skandinavisk Aktuarietidskrift 11; Székely and Rizzo (2013)
    """
    if not real or not other:
        return None
    counts, others = Counter(real), Counter(other)
    points = sorted(set(counts) | set(others))
    total = below = beside = 0.0
    for at, following in pairwise(points):
        below += counts[at] / len(real)
        beside += others[at] / len(other)
        total += (below - beside) ** 2 * (following - at)
    return total
