"""Margins of equivalence: which measure has one, and the tests within it over a family of comparisons."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, Protocol

from vivavoce.core.errors import InputError
from vivavoce.measures import MEASURES
from vivavoce.stats.declared_results import ALPHA, AdjustedEquivalence, NoWorse
from vivavoce.stats.equivalence import Equivalence
from vivavoce.stats.interval import Interval
from vivavoce.stats.multiple_testing import adjusted, adjusted_pairs
from vivavoce.stats.rates import is_rate

Margins = float | Mapping[str, float] | None
RATES: Final = "rates"


def margin_of(name: str, margins: Margins) -> float | None:
    """The margin of one measure: a difference smaller than this, in the measure's unit, counts as none.

    Input   a number is for success rates alone; a mapping has margins by measure, and under `rates` the one
            of every success rate that it does not name
    Empty   none was declared for this measure: None
    Raises  InputError: no difference could reach it, see `check_margin`
    """
    by_name = margins if isinstance(margins, Mapping) else {} if margins is None else {RATES: margins}
    margin = by_name.get(name, by_name.get(RATES) if is_rate(name) else None)
    return None if margin is None else check_margin(name, margin)


def check_margin(name: str, margin: float, *, place: str = "margin") -> float:
    """The margin of a measure, or of all success rates under `rates`, if it can tell anything.

    Raises  InputError: not above 0, without end, or, of a ratio, 1 or more: within it everything is equal
    """
    ratio = name == RATES or (name in MEASURES and MEASURES.get(name).unit == "ratio")
    if 0 < margin < (1 if ratio else math.inf):
        return margin
    of = "" if name == RATES else f" of {name}"
    raise InputError(
        f"margin {margin:g}{of}",
        place=place,
        hint="a margin of a ratio lies between 0 and 1, such as 0.05"
        if ratio
        else "a margin lies above 0, in the unit of its measure",
    )


def check_margins_used(margins: Margins, names: Iterable[str]) -> None:
    """Every margin belongs to a measure that is compared.

    Raises  InputError: one that would tell nothing, or that belongs to none of these measures
    """
    compared = list(names)
    for name in margins if isinstance(margins, Mapping) else () if margins is None else (RATES,):
        if not (any(map(is_rate, compared)) if name == RATES else name in compared):
            raise InputError(
                f"a margin of {'success rates' if name == RATES else name}, and none is compared",
                place="--margin",
                hint=f"compare it, or leave the margin out; compared: {', '.join(compared)}",
            )
        margin_of(name, margins)


def possible_margins(margins: Mapping[str, float]) -> dict[str, float]:
    """Declared margins without those that nothing can miss, as an older study may have."""
    checked: dict[str, float] = {}
    for name, margin in margins.items():
        with suppress(InputError):
            checked[name] = check_margin(name, margin)
    return checked


class Compared(Protocol):
    """A comparison that judges equivalence by its own procedure."""

    def equivalence(self, margin: float, *, alpha: float = 0.05) -> Equivalence | None:
        """Two one-sided tests; None where there is no interval."""
        ...


def equivalences(
    compared: Iterable[tuple[str, Compared | None]], margins: Margins, correction: str
) -> list[AdjustedEquivalence | None]:
    """Two one-sided tests of every difference whose measure has a margin, adjusted over these tests.

    Input   measures, each with the comparison behind its test (None: it cannot be judged)
    Empty   no margin of this measure, or nothing to judge: None in its place
    """
    tests_or_none = [
        _equivalence(difference, margin_of(measure, margins)) for measure, difference in compared
    ]
    p_values = iter(adjusted([equivalence.p for equivalence in tests_or_none if equivalence], correction))
    tests = sum(equivalence is not None for equivalence in tests_or_none)
    return [equivalence and _adjusted(equivalence, next(p_values), tests) for equivalence in tests_or_none]


def _adjusted(equivalence: AdjustedEquivalence, p: float | None, tests: int) -> AdjustedEquivalence:
    return replace(equivalence, p_adjusted=p, tests=tests, equivalent=p is not None and p < 0.05)


def _equivalence(difference: Compared | None, margin: float | None) -> AdjustedEquivalence | None:
    same = difference.equivalence(margin) if difference is not None and margin is not None else None
    return AdjustedEquivalence(**same._asdict()) if same else None


def no_worse_tests(
    compared: Iterable[tuple[str, str | None, str | None, AdjustedEquivalence | None]], correction: str
) -> list[Sequence[NoWorse]]:
    """Non-inferiority of each of two groups: the two tests of equivalence, each by itself.

    Input   measures, each with its two groups and the equivalence of their difference
    Output  of each the first than the second, and the second than the first
    Empty   no equivalence was tested, or no value of the measure is better: ()
    Note    of a comparison's two hypotheses at most one is true; all of these are adjusted as one family
    Source  non-inferiority by one test against a margin named beforehand: Piaggio et al. 2012
    """
    comparisons = list(compared)
    tested = [
        equivalence
        for measure, _, _, equivalence in comparisons
        if equivalence and MEASURES.get(measure).direction is not None
    ]
    ps = iter(
        adjusted_pairs([(equivalence.p_lower, equivalence.p_upper) for equivalence in tested], correction)
    )
    test_pairs: list[Sequence[NoWorse]] = []
    for measure, a, b, tested_pair in comparisons:
        if tested_pair is None or (direction := MEASURES.get(measure).direction) is None:
            test_pairs.append(())
            continue
        sides = list(zip((tested_pair.p_lower, tested_pair.p_upper), next(ps), strict=True))
        first, second = sides if direction == "higher" else reversed(sides)
        test_pairs.append(
            (_no_worse(a, b, tested_pair, *first), _no_worse(b, a, turned(tested_pair), *second))
        )
    return test_pairs


def turned(equivalence: AdjustedEquivalence) -> AdjustedEquivalence:
    """Swap the groups of an equivalence."""
    return replace(
        equivalence,
        difference=-equivalence.difference,
        interval=Interval(-equivalence.interval[1], -equivalence.interval[0]),
        p_lower=equivalence.p_upper,
        p_upper=equivalence.p_lower,
    )


def _no_worse(
    system: str | None, than: str | None, equivalence: AdjustedEquivalence, p: float, p_adjusted: float
) -> NoWorse:
    return NoWorse(
        system=system,
        than=than,
        margin=equivalence.margin,
        difference=equivalence.difference,
        interval=equivalence.interval,
        p=p,
        p_adjusted=p_adjusted,
        shown=p_adjusted < ALPHA,
    )
