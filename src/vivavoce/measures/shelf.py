"""The shelf of measures, on which each entry point puts one, or a family of them."""

from typing import Any, Final

from vivavoce.core.registry import Member, Registry
from vivavoce.measures.base import Measure


def _measures(offered: Any) -> list[Member[Measure]]:
    family = [offered] if isinstance(offered, Measure) else offered
    if not isinstance(family, list | tuple) or not all(isinstance(one, Measure) for one in family):
        raise TypeError("it needs to be a Measure, or a tuple of them, as in the guide")
    return [(one.name, lambda one=one: one) for one in family]


MEASURES: Final[Registry[Measure]] = Registry("measure", unpack=_measures)
