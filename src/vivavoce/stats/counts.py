"""A calculator for published counts: what can be said of `A=259/403` without the data behind it."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.stats.anytime import e_value
from vivavoce.stats.contingency import fisher
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.proportions import (
    DIFFERENCES,
    INTERVALS,
    Z_METHODS,
    cohen_h,
    one_proportion_p,
    two_proportion_z,
    wilson,
)

Facts = dict[str, Any]
SHOWN: Final = ("wald", "wilson", "clopper_pearson")
_COUNT: Final = re.compile(r"(?P<name>[^=]+)=(?P<successes>\d+)/(?P<n>\d+)")


class Count(NamedTuple):
    """So many successes of so many cases, under a name."""

    name: str
    successes: int
    n: int


def read_counts(words: Sequence[str]) -> list[Count]:
    """Read `A=259/403 B=263/390`.

    Raises  InputError: not of this form, more successes than cases, no case, or a name given twice
    """
    found: list[Count] = []
    for word in words:
        match = _COUNT.fullmatch(word)
        if match is None:
            raise InputError(f"cannot read {word!r}", hint="write NAME=SUCCESSES/CASES, such as A=259/403")
        count = Count(match["name"], int(match["successes"]), int(match["n"]))
        if not 0 < count.n >= count.successes:
            raise InputError(f"{word!r} is no rate", hint="successes lie between 0 and the cases, at least 1")
        if any(count.name == other.name for other in found):
            raise InputError(f"{count.name!r} is given twice", hint="give every count a name of its own")
        found.append(count)
    if not found:
        raise InputError("no counts given", hint="write some, such as A=259/403 B=263/390")
    return found


def rates(counts: Sequence[Count], level: float = 0.95) -> Facts:
    """Rates with intervals, and every pair compared in every way, Holm-adjusted over the pairs of one way.

    Note    the cases are taken as independent: published counts do not say who they came from
    """
    pairs = list(combinations(counts, 2))
    differences = [_difference(a, b, level) for a, b in pairs]
    for one, p_holm in zip(differences, holm([one["p_fisher"] for one in differences]), strict=True):
        one["p_fisher_holm"] = p_holm
    return {
        "level": level,
        "rates": [
            {
                "name": count.name,
                "k": count.successes,
                "n": count.n,
                "ratio": count.successes / count.n,
                "intervals": {
                    name: list(INTERVALS[name](count.successes, count.n, level) or ()) for name in SHOWN
                },
            }
            for count in counts
        ],
        "tests": [test for method in Z_METHODS for test in _tests(pairs, method)],
        "differences": differences,
    }


def _tests(pairs: list[tuple[Count, Count]], method: Any) -> list[Facts]:
    found = [(a, b, two_proportion_z(*a[1:], *b[1:], method=method)) for a, b in pairs]
    adjusted = holm([test.p if test else None for _, _, test in found])
    return [
        {
            "a": a.name,
            "b": b.name,
            "method": method,
            "z": test.z if test else None,
            "p": test.p if test else None,
            "p_holm": p_holm,
        }
        for (a, b, test), p_holm in zip(found, adjusted, strict=True)
    ]


def _difference(a: Count, b: Count, level: float) -> Facts:
    return {
        "a": a.name,
        "b": b.name,
        "difference": a.successes / a.n - b.successes / b.n,
        "intervals": {
            name: list(interval(*a[1:], *b[1:], level) or ()) for name, interval in DIFFERENCES.items()
        },
        "cohen_h": cohen_h(*a[1:], *b[1:]),
        "p_fisher": fisher(*a[1:], *b[1:]),
    }


def choices(counts: Sequence[Count], against: float = 0.5, level: float = 0.95) -> Facts:
    """How often the first of two was chosen: chi-square and exact binomial against one half.

    Output  p is the chi-square's, p_exact the binomial's, p_holm and p_exact_holm their adjustments over
            all choices given; interval Wilson's; e_value and p_anytime hold however often one looked
            (uniform mixture)
    """
    found = [
        {
            "name": count.name,
            "k": count.successes,
            "n": count.n,
            "ratio": count.successes / count.n,
            "chi2": (count.successes - count.n * against) ** 2 / (count.n * against * (1 - against)),
            "p": one_proportion_p(count.successes, count.n, against, "chi_square"),
            "p_exact": one_proportion_p(count.successes, count.n, against, "exact"),
            "interval": list(wilson(count.successes, count.n, level) or ()),
            "e_value": e_value(count.successes, count.n, against),
        }
        for count in counts
    ]
    for name in ("p", "p_exact"):
        for choice, p_holm in zip(found, holm([choice[name] for choice in found]), strict=True):
            choice[f"{name}_holm"] = p_holm
    return {"level": level, "against": against, "choices": found}
