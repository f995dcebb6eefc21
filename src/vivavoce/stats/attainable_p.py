"""The smallest p that these participants can reach, against alpha."""

from collections.abc import Iterable, Sequence

from vivavoce.core.statement import FormattedNumber, LocalizedText, statement
from vivavoce.stats.declared_results import ALPHA, Family
from vivavoce.stats.summary_results import ClusteredDifference, GroupTest, SystemTest

Test = GroupTest | SystemTest


def reach_warnings(tests: Iterable[tuple[Test, Family]]) -> list[LocalizedText]:
    """A sentence a family of comparisons of which some, or all, could not have become significant.

    Input   each test, with its `alpha`, beside the facts of its family: tests, correction, why
    """
    families: dict[LocalizedText, tuple[Family, list[Test]]] = {}
    for test, family in tests:
        families.setdefault(family.why, (family, []))[1].append(test)
    warnings = (
        reach_warning(
            [result.clustered for result in family_results],
            family_results[0].alpha or ALPHA,
            family.tests if family.correction in ("holm", "bonferroni") else 1,
        )
        for family, family_results in families.values()
    )
    return list(dict.fromkeys(warning for warning in warnings if warning))


def reach_warning(
    tests: Sequence[ClusteredDifference], alpha: float, adjusted_by: int = 1
) -> LocalizedText | None:
    """A sentence where no result of a comparison could have been significant.

    Input   tests: their clustered sides (`smallest_p` None: no floor); adjusted_by: how many comparisons
            the smallest p of the family is multiplied by
    Empty   everything is within reach: None
    """
    floors = [test.smallest_p for test in tests]
    unreachable = [test for test, p in zip(tests, floors, strict=True) if p is not None and p >= alpha]
    if unreachable:
        lowest = min(p for p in floors if p is not None and p >= alpha)
        which = statement("{k} of {n} comparisons", k=len(unreachable), n=len(tests))
        if len(unreachable) == len(tests):
            which = statement("this comparison") if len(tests) == 1 else statement("any comparison")
        return statement(
            "Significance at {alpha} is impossible for {which}: with at most {n} participants, p cannot "
            "fall below {p}.",
            alpha=FormattedNumber(alpha, "g"),
            which=which,
            n=max(test.clusters for test in unreachable),
            p=FormattedNumber(lowest, ".2g"),
        ) + _hint(unreachable)
    if adjusted_by > 1 and floors and all(p is not None and p * adjusted_by >= alpha for p in floors):
        lowest = min(p for p in floors if p is not None)
        return statement(
            "Significance at {alpha} is impossible after adjustment for {n} comparisons: with so few "
            "participants, unadjusted p cannot fall below {p}.",
            alpha=FormattedNumber(alpha, "g"),
            n=adjusted_by,
            p=FormattedNumber(lowest, ".2g"),
        ) + _hint(tests)
    return None


def _hint(tests: Sequence[ClusteredDifference]) -> LocalizedText:
    if any(test.method == "permutation_between" for test in tests):
        return statement("Recruit more participants; more dialogues with the same people do not help.")
    return statement("Recruit more participants, or collect more dialogues with both.")
