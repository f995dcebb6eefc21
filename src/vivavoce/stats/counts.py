"""A calculator for published counts: what can be said of `A=259/403` without the data behind it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.stats.anytime import e_value
from vivavoce.stats.contingency import fisher
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.proportions import (
    DIFFERENCES,
    INTERVALS,
    Z_METHODS,
    Interval,
    ZMethod,
    cohen_h,
    one_proportion_p,
    two_proportion_z,
    wilson,
)

SHOWN: Final = ("wald", "wilson", "clopper_pearson")
_COUNT: Final = re.compile(r"(?P<name>[^=]+)=(?P<successes>\d+)/(?P<n>\d+)")


class Count(NamedTuple):
    """Named count of successes among n cases."""

    name: str
    successes: int
    n: int


@dataclass(frozen=True, slots=True)
class CountedRate:
    """A rate (0 to 1), k of n, with its intervals by method."""

    name: str
    k: int
    n: int
    ratio: float
    intervals: dict[str, Interval | None]


@dataclass(frozen=True, slots=True)
class RateTest:
    """A z-test of two rates; p_holm over all pairs of this method. Empty: nothing varies: no z, no p."""

    a: str
    b: str
    method: str
    z: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class RateDifference:
    """a minus b (-1 to 1), intervals by method, Cohen's h, and Fisher's p, adjusted over all pairs."""

    a: str
    b: str
    difference: float
    intervals: dict[str, Interval | None]
    cohen_h: float | None
    p_fisher: float
    p_fisher_holm: float | None


@dataclass(frozen=True, slots=True)
class RatesCompared:
    """Rates with intervals of this level, and every pair compared in every way."""

    level: float
    rates: list[CountedRate]
    tests: list[RateTest]
    differences: list[RateDifference]


@dataclass(frozen=True, slots=True)
class CountedChoice:
    """Share of choices (k of n, from 0 to 1) of the first of two options.

    p, p_exact  of chi-square with one degree of freedom, and of the binomial; `..._holm`: adjusted over all
                choices given
    interval    Wilson's
    e_value     evidence however often one looked (uniform mixture)
    """

    name: str
    k: int
    n: int
    ratio: float
    chi2: float
    p: float | None
    p_exact: float | None
    interval: Interval | None
    e_value: float
    p_holm: float | None
    p_exact_holm: float | None


@dataclass(frozen=True, slots=True)
class CountedChoices:
    """Choices against a chance share (`against`, 0 to 1), with intervals of this level."""

    level: float
    against: float
    choices: list[CountedChoice]


def read_counts(words: Sequence[str]) -> list[Count]:
    """Read `A=259/403 B=263/390`.

    Raises  InputError: not of this form, more successes than cases, no case, or a name given twice
    """
    counts: list[Count] = []
    for word in words:
        match = _COUNT.fullmatch(word)
        if match is None:
            raise InputError(f"cannot read {word!r}", hint="write NAME=SUCCESSES/CASES, such as A=259/403")
        count = Count(match["name"], int(match["successes"]), int(match["n"]))
        if not 0 < count.n >= count.successes:
            raise InputError(
                f"{word!r} is not a rate", hint="use successes from 0 to the number of cases, at least 1 case"
            )
        if any(count.name == earlier.name for earlier in counts):
            raise InputError(f"{count.name!r} is given twice", hint="give every count a name of its own")
        counts.append(count)
    if not counts:
        raise InputError("no counts given", hint="write some, such as A=259/403 B=263/390")
    return counts


def rates(counts: Sequence[Count], level: float = 0.95) -> RatesCompared:
    """Rates with intervals, and every pair compared in every way, Holm-adjusted over the pairs of one way.

    Note    the cases are taken as independent: published counts do not say who they came from
    """
    pairs = list(combinations(counts, 2))
    exact = [fisher(*a[1:], *b[1:]) for a, b in pairs]
    return RatesCompared(
        level,
        [
            CountedRate(
                count.name,
                count.successes,
                count.n,
                count.successes / count.n,
                {name: INTERVALS[name](count.successes, count.n, level) for name in SHOWN},
            )
            for count in counts
        ],
        [test for method in Z_METHODS for test in _tests(pairs, method)],
        [
            RateDifference(
                a.name,
                b.name,
                a.successes / a.n - b.successes / b.n,
                {name: interval(*a[1:], *b[1:], level) for name, interval in DIFFERENCES.items()},
                cohen_h(*a[1:], *b[1:]),
                p,
                p_holm,
            )
            for (a, b), p, p_holm in zip(pairs, exact, holm(exact), strict=True)
        ],
    )


def _tests(pairs: list[tuple[Count, Count]], method: ZMethod) -> list[RateTest]:
    tests = [two_proportion_z(*a[1:], *b[1:], method=method) or (None, None) for a, b in pairs]
    adjusted = holm([p for _, p in tests])
    return [
        RateTest(a.name, b.name, method, z, p, p_holm)
        for (a, b), (z, p), p_holm in zip(pairs, tests, adjusted, strict=True)
    ]


def choices(counts: Sequence[Count], against: float = 0.5, level: float = 0.95) -> CountedChoices:
    """Share of choices of the first option: chi-square and exact binomial test against a share."""
    tested = [
        [one_proportion_p(count.successes, count.n, against, how) for count in counts]
        for how in ("chi_square", "exact")
    ]
    rows = [
        CountedChoice(
            count.name,
            count.successes,
            count.n,
            count.successes / count.n,
            (count.successes - count.n * against) ** 2 / (count.n * against * (1 - against)),
            p,
            p_exact,
            wilson(count.successes, count.n, level),
            e_value(count.successes, count.n, against),
            p_holm,
            exact_holm,
        )
        for count, p, p_exact, p_holm, exact_holm in zip(counts, *tested, *map(holm, tested), strict=True)
    ]
    return CountedChoices(level, against, rows)
