"""Sums of many numbers that are exact before they are rounded once, as those of `math.fsum`, by columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]
else:
    np = later("numpy")
    Floats = Any

EXACT: Final = 2.0**53
DIGITS: Final = 53
HALF: Final = 27


def exact_sum(values: Floats) -> float:
    """The sum rounded once, whatever the order. Empty: 0.0"""
    magnitude = float(np.abs(values).sum())
    if magnitude < EXACT and not np.any(values != np.trunc(values)):
        return float(values.sum()) + 0.0  # never -0.0
    if not math.isfinite(magnitude):
        return math.fsum(values.tolist())
    mantissas, exponents = np.frexp(values)
    integers = np.ldexp(mantissas, DIGITS).astype(np.int64)
    lowest = int(exponents.min())
    places = exponents - lowest
    # two halves of each mantissa, so that floats count them exactly
    high, low = (np.bincount(places, part).tolist() for part in (integers >> HALF, integers & (2**HALF - 1)))
    total = sum(
        ((int(a) << HALF) + int(b)) << place for place, (a, b) in enumerate(zip(high, low, strict=True))
    )
    shift = lowest - DIGITS
    return float(total << shift) if shift >= 0 else total / (1 << -shift)
