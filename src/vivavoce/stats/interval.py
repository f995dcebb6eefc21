"""A confidence interval."""

from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval of a proportion or of a difference of two."""

    low: float
    high: float
