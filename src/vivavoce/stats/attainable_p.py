"""Whether the participants there are could have shown anything: the floor of p against alpha."""

from collections.abc import Iterable, Sequence

from vivavoce.stats.declared_results import ALPHA, Family
from vivavoce.stats.summary_results import ClusteredDifference, GroupTest, SystemTest

Test = GroupTest | SystemTest


def reach_warnings(tests: Iterable[tuple[Test, Family]]) -> list[str]:
    """A sentence a family of comparisons of which some, or all, could not have become significant.

    Input   each test, with its `alpha`, beside the facts of its family: tests, correction, why
    """
    families: dict[str, tuple[Family, list[Test]]] = {}
    for test, family in tests:
        families.setdefault(family.why, (family, []))[1].append(test)
    told = (
        reach_warning(
            [one.clustered for one in own],
            own[0].alpha or ALPHA,
            family.tests if family.correction in ("holm", "bonferroni") else 1,
        )
        for family, own in families.values()
    )
    return list(dict.fromkeys(one for one in told if one))


def reach_warning(tests: Sequence[ClusteredDifference], alpha: float, adjusted_by: int = 1) -> str | None:
    """A sentence where no result of a comparison could have been significant.

    Input   tests: their clustered sides (`smallest_p` None: no floor); adjusted_by: how many comparisons
            the smallest p of the family is multiplied by
    Empty   everything is within reach: None
    """
    floors = [test.smallest_p for test in tests]
    told = [test for test, p in zip(tests, floors, strict=True) if p is not None and p >= alpha]
    if told:
        lowest = min(p for p in floors if p is not None and p >= alpha)
        which = "any comparison" if len(told) == len(tests) else f"{len(told)} of {len(tests)} comparisons"
        if len(tests) == 1:
            which = "this comparison"
        return (
            f"Significance at {alpha:g} is out of reach for {which}: with so few participants (at most "
            f"{max(test.clusters for test in told)}) p cannot fall below {lowest:.2g}, "
            f"whatever they do. {_hint(told)}"
        )
    if adjusted_by > 1 and floors and all(p is not None and p * adjusted_by >= alpha for p in floors):
        lowest = min(p for p in floors if p is not None)
        return (
            f"Significance at {alpha:g} is out of reach after adjustment over {adjusted_by} comparisons: "
            f"with so few participants p cannot fall below {lowest:.2g} before it, whatever they do. "
            f"{_hint(tests)}"
        )
    return None


def _hint(tests: Sequence[ClusteredDifference]) -> str:
    if any(test.method == "permutation_between" for test in tests):
        return "More participants are needed; more dialogues of the same people do not help."
    return "More participants are needed, or more dialogues with both."
