"""The comparisons over which p is adjusted together: what a study declared, and what a summary explores.

Every comparison belongs to one family, so a pair and measure has the same adjusted p in every output.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from vivavoce.analysis.clustered_summary import ClusteredSummary, GroupQuestion
from vivavoce.analysis.declared import declared_family
from vivavoce.analysis.groups import Group, groups
from vivavoce.analysis.margins import turned
from vivavoce.analysis.population_tests import FURTHER
from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.declared_results import (
    ALPHA,
    AdjustedEquivalence,
    DeclaredComparison,
    DeclaredFamily,
    Family,
    NoWorse,
)
from vivavoce.stats.multiple_testing import adjusted, adjustment_words
from vivavoce.stats.rates import HEADLINES
from vivavoce.stats.summary_results import GroupTest, Summary, SystemTest

Key = tuple[str, frozenset[Any]]
EXPLORABLE: Final = (*HEADLINES, *FURTHER)
EXPLORED: Final = N_("Exploratory, not declared: {words}.")


class FamilyMember(NamedTuple):
    """A member of a family: two groups on a measure, and the p that counts."""

    measure: str
    a: str | None
    b: str | None
    p: float | None


class FamilyVerdict(NamedTuple):
    """Verdict on a comparison within its family."""

    alpha: float
    p_adjusted: float | None
    family: Family


class AdjustedTests(NamedTuple):
    """The tests of a summary in their families, and what was declared, None where nothing was."""

    tests: list[GroupTest]
    declared: DeclaredFamily | None
    families: list[Family]


def adjust_tests(
    dataset: Dataset, all_groups: Sequence[Group], tests: Sequence[GroupTest], correction: str | None = None
) -> AdjustedTests:
    """Put every test of a summary into its family: `family`, `alpha`, `significant`, `p_adjusted`.

    Input   the tests of one grouping; `correction` in place of the declared one, or of Holm's where none is
            declared
    Output  one family for each that has any test; `why` names it in a sentence
    Note    without a declaration the three headline rates over all pairs are one family, only explored;
            with one, what the declaration leaves of them is. What populations are compared on besides is of
            that family, too. Variants of a rate are the same cases counted
            otherwise: they are in no family, and have no adjusted p, unless they are declared. Only the
            side of a test that counts is adjusted
    """
    declared = _with_groups(dataset, all_groups, declared_family(dataset, correction))
    declared_results = {
        key: result for result in (declared.results if declared else ()) if (key := _declared_key(result))
    }
    explored = [
        test for test in tests if comparison_key(test) not in declared_results and test.measure in EXPLORABLE
    ]
    method = correction or "holm"
    p_values = adjusted([test.decisive.p for test in explored], method)
    settled = {
        comparison_key(test): ("explored", ALPHA, p) for test, p in zip(explored, p_values, strict=True)
    }
    settled |= {
        key: ("declared", result.alpha, result.p_adjusted) for key, result in declared_results.items()
    }
    families = [declared.family] if declared else []
    if explored:
        members = [FamilyMember(test.measure, test.a, test.b, test.decisive.p) for test in explored]
        families.append(describe_family("explored", members, method))
    return AdjustedTests(
        [_settle(test, settled.get(comparison_key(test))) for test in tests], declared, families
    )


def describe_family(
    name: str, members: Sequence[FamilyMember], correction: str, of: LocalizedText | None = None
) -> Family:
    """A family in facts and in one sentence; only tests that gave a p are counted."""
    used = [member for member in members if member.p is not None]
    pairs = {frozenset((test.a, test.b)) for test in used}
    measures = list(dict.fromkeys(member.measure for member in members))
    if len(used) > 1 and not of:
        of = statement("(measures: {measures}, pairs: {pairs})", measures=len(measures), pairs=len(pairs))
    return Family(
        name=name,
        correction=correction,
        tests=len(used),
        untested=len(members) - len(used),
        measures=measures,
        why=statement(EXPLORED, words=adjustment_words(correction, len(used), "comparison", of)),
    )


def settled(summary: Summary) -> dict[Key, FamilyVerdict]:
    """Verdicts of a summary, by measure and pair."""
    families = {family.name: family for family in summary.families}
    declared = summary.declared.results if summary.declared else ()
    verdicts = {
        key: FamilyVerdict(result.alpha, result.p_adjusted, families["declared"])
        for result in declared
        if (key := _declared_key(result))
    }
    return verdicts | {
        comparison_key(test): FamilyVerdict(
            test.alpha or ALPHA, test.decisive.p_adjusted, families[test.family]
        )
        for test in summary.tests
        if test.family
    }


def declared_margins(
    summary: Summary,
) -> dict[tuple[str, str | None, str | None], tuple[AdjustedEquivalence, Sequence[NoWorse]]]:
    """Verdicts on declared margins, by measure and groups, either one first."""
    margins: dict[tuple[str, str | None, str | None], tuple[AdjustedEquivalence, Sequence[NoWorse]]] = {}
    for result in summary.declared.results if summary.declared else ():
        if result.groups and result.equivalence:
            a, b = result.groups
            group_of: dict[str | None, str | None] = {result.a: a, result.b: b}
            first = [
                replace(test, system=group_of[test.system], than=group_of[test.than])
                for test in result.no_worse
            ]
            margins[result.measure, a, b] = result.equivalence, first
            margins[result.measure, b, a] = turned(result.equivalence), first[::-1]
    return margins


def explore_measure(
    nested: ClusteredSummary, name: str, places: Iterable[tuple[int, int]], correction: str, *, level: float
) -> dict[Key, FamilyVerdict]:
    """Explore a measure that no summary tests, as a separate family over these pairs."""
    places = list(places)
    nested.ask((GroupQuestion(name, a, b) for a, b in places), level=level)
    tests = [
        FamilyMember(name, nested.keys[a], nested.keys[b], nested.decisive(name, a, b, level=level).p)
        for a, b in places
    ]
    family = describe_family(
        "explored", tests, correction, statement("of {name}", name=name.replace("_", " "))
    )
    p_values = adjusted([test.p for test in tests], correction)
    return {
        comparison_key(test): FamilyVerdict(ALPHA, p, family) for test, p in zip(tests, p_values, strict=True)
    }


def _settle(test: GroupTest, verdict: tuple[str, float, float | None] | None) -> GroupTest:
    """The test with what its family makes of it; as it was without one."""
    if verdict is None:
        return test
    family, alpha, p = verdict
    settled_test = replace(test, family=family, alpha=alpha, significant=None if p is None else p < alpha)
    if test.unit == "participant":
        return replace(settled_test, clustered=replace(test.clustered, p_adjusted=p))
    return replace(settled_test, p_adjusted=p)


def comparison_key(test: GroupTest | SystemTest | FamilyMember) -> Key:
    """Key of a comparison, whichever of its groups is named first."""
    return test.measure, frozenset((test.a, test.b))


def _declared_key(result: DeclaredComparison) -> Key | None:
    """Key of a declared comparison among the groups here; None: its systems are no groups here."""
    return (result.measure, frozenset(result.groups)) if result.groups else None


def _with_groups(
    dataset: Dataset, all_groups: Sequence[Group], declared: DeclaredFamily | None
) -> DeclaredFamily | None:
    """With the keys of the groups that hold the dialogues of the systems of each declared comparison."""
    if declared is None:
        return None
    keys = {frozenset(group.dialogue_ids): group.key for group in all_groups}
    systems = {group.key: frozenset(group.dialogue_ids) for group in groups(dataset, "system")}
    results = []
    for result in declared.results:
        group_keys = [systems.get(side) for side in (result.a, result.b)]
        result_groups = (
            [keys[key] for key in group_keys if key] if all(key in keys for key in group_keys) else None
        )
        results.append(replace(result, groups=result_groups))
    return replace(declared, results=results)
