"""Comparisons that the study declared: margins, families over which p is adjusted, and results.

Every comparison belongs to one family, so a pair and measure has the same adjusted p in every output.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from vivavoce.analysis.clustered_summary import ClusteredSummary, GroupQuestion, signed_difference
from vivavoce.analysis.population_tests import FURTHER
from vivavoce.analysis.transcripts import compare_transcripts
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.result import signature
from vivavoce.core.statement import LocalizedText, PluralCount, statement
from vivavoce.dataset.columns import Level
from vivavoce.dataset.declaration import (
    changed_settings,
    frozen_revision,
    served_revisions,
    written_analysis,
    written_quality,
)
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, groups, sums
from vivavoce.stats.declared_results import (
    ALPHA,
    HEADLINES,
    AdjustedEquivalence,
    DeclaredChoice,
    DeclaredComparison,
    DeclaredFamily,
    Family,
    NoWorse,
    is_rate,
)
from vivavoce.stats.difference import Comparison, Equivalence
from vivavoce.stats.interval import Interval
from vivavoce.stats.multiple_testing import adjusted, adjusted_pairs, adjustment_words
from vivavoce.stats.summary_results import GroupTest, Summary, SystemTest
from vivavoce.study.analysis_file import Analysis, Primary

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
        hint="use a margin between 0 and 1, such as 0.05"
        if ratio
        else "use a margin above 0, in the unit of the measure",
    )


def check_margins_used(margins: Margins, names: Iterable[str]) -> None:
    """Every margin belongs to a measure that is compared.

    Raises  InputError: one that would tell nothing, or that belongs to none of these measures
    """
    compared = list(names)
    for name in margins if isinstance(margins, Mapping) else () if margins is None else (RATES,):
        if not (any(map(is_rate, compared)) if name == RATES else name in compared):
            raise InputError(
                f"margin for {'success rates' if name == RATES else name}, which are not compared",
                place="--margin",
                hint=f"add it to the comparison, or remove the margin; compared: {', '.join(compared)}",
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


LEVEL: Final = 0.95
Declared = TypeVar("Declared", DeclaredComparison, DeclaredChoice)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenDeclaration:
    """Declaration of a study file, frozen at the first participant.

    sha256     of the study file's text
    frozen_at  ISO, when that revision was first served; None where that is not known
    revisions  how many were served
    changed    names of the settings of the analysis that a later revision has otherwise; `quality`: what
               rules about the quality of work go by
    """

    analysis: Analysis
    revision: str
    sha256: str
    frozen_at: str | None
    first_participant_at: str | None
    revisions: int
    changed: Sequence[str]


def declaration(dataset: Dataset) -> FrozenDeclaration | None:
    """Declaration of the study file, frozen at the first participant, and its later changes.

    Empty   the dataset carries no study file, or the file names no comparison, of systems or of
            transcripts: None
    Note    `frozen_at` is when that revision was first served; where no instant of a participant is known
            the first revision counts
    """
    served = served_revisions(dataset.manifest.get("study", {}))
    if not served:
        return None
    first, dated = dataset.first_participant, dataset.level is Level.internal
    frozen = frozen_revision(served, first)
    analysis = written_analysis(frozen["file"])
    if analysis is None or (analysis.primary is None and analysis.preferences is None):
        return None
    later = [version["file"] for version in served[served.index(frozen) + 1 :]]
    return FrozenDeclaration(
        analysis=analysis,
        revision=frozen["revision"],
        sha256=hashlib.sha256(frozen["file"].encode()).hexdigest(),
        frozen_at=(frozen["seen_at"] or None) if dated else None,
        first_participant_at=first.isoformat() if first and dated else None,
        revisions=len(served),
        changed=sorted({name for version in later for name in _differences(frozen["file"], version)}),
    )


def declared_family(dataset: Dataset, correction: str | None = None) -> DeclaredFamily | None:
    """Everything that the study declared to compare, adjusted as the one family that it is.

    Input   `correction` in place of the declared one
    Output  the family's `why` says what could not be tested, and for what reason; participants are the unit
            wherever they are known
    Empty   nothing is declared: None
    Note    one correction over results and choices together, primary and secondary alike
    """
    declared = declaration(dataset)
    if declared is None:
        return None
    analysis = declared.analysis
    method = correction or analysis.correction
    tested, choices = _results(dataset, analysis), _choices(dataset, analysis)
    results = [result for result, _ in tested]
    p_values = adjusted([result.p for result in [*results, *choices]], method)
    results = [_settled(result, p) for result, p in zip(results, p_values, strict=False)]
    choices = [_settled(choice, p) for choice, p in zip(choices, p_values[len(results) :], strict=True)]
    equal = equivalences(
        ((result.measure, compared) for result, compared in tested),
        possible_margins(analysis.margins),
        method,
    )
    results = [replace(result, equivalence=same) for result, same in zip(results, equal, strict=True)]
    results = with_no_worse(results, method)
    tested_count = sum(p is not None for p in p_values)
    words = adjustment_words(method, tested_count, "declared comparison")
    family = Family(
        name="declared",
        correction=method,
        tests=tested_count,
        untested=len(p_values) - tested_count,
        measures=list(dict.fromkeys(result.measure for result in results)),
        why=sum(_untested([*results, *choices]), statement("Declared in advance: {words}.", words=words)),
    )
    return DeclaredFamily(family=family, results=results, choices=choices)


def with_no_worse(results: list[DeclaredComparison], method: str) -> list[DeclaredComparison]:
    """Results with non-inferiority tests of the two systems, where a margin was declared."""
    no_worse = no_worse_tests(
        ((result.measure, result.a, result.b, result.equivalence) for result in results), method
    )
    return [replace(result, no_worse=tests) for result, tests in zip(results, no_worse, strict=True)]


def _settled(result: Declared, p: float | None) -> Declared:
    return replace(result, p_adjusted=p, significant=None if p is None else p < result.alpha)


def _results(dataset: Dataset, analysis: Analysis) -> list[tuple[DeclaredComparison, Comparison | None]]:
    """Every declared comparison of systems, beside what judges its equivalence."""
    system_groups = groups(dataset, "system")
    nested = ClusteredSummary(sums(dataset), system_groups)
    places = {group.key: place for place, group in enumerate(system_groups)}
    questions = [
        ("primary", analysis.primary),
        *(("secondary", secondary) for secondary in analysis.secondary),
    ]
    pairs = [
        (question, declared_question, pair)
        for question, declared_question in questions
        if declared_question is not None
        for pair in combinations(declared_question.compare, 2)
    ]
    nested.ask(
        (
            GroupQuestion(declared_question.measure, places[a], places[b])
            for _, declared_question, (a, b) in pairs
            if declared_question.measure in MEASURES and a in places and b in places
        ),
        level=LEVEL,
    )
    return [
        _result(nested, places, question, declared_question, pair, dataset.hash)
        for question, declared_question, pair in pairs
    ]


def _untested(members: Sequence[DeclaredComparison | DeclaredChoice]) -> list[LocalizedText]:
    """Number of declared comparisons that could not be tested, one sentence a reason."""
    counted = Counter(_obstacle(member) for member in members if member.p is None)
    of = PluralCount(len(members), "declared comparison")
    return [
        statement("{n} of {of} could not be tested: {why}.", n=n, of=of, why=why)
        for why, n in counted.items()
    ]


def _obstacle(result: DeclaredComparison | DeclaredChoice) -> LocalizedText:
    """Reason why a declared comparison has no p."""
    if isinstance(result, DeclaredChoice):
        return statement("not adjudicated")
    if result.unknown is not None:
        return statement("the dataset has no {name}", name=result.unknown)
    reason = dict(result.why.values).get("first", result.why)  # the rule behind it stands with the comparison
    if not isinstance(reason, LocalizedText):
        reason = result.why
    why = reason.template.removesuffix(".") or "no test was possible"
    return LocalizedText(why[0].lower() + why[1:], reason.values)


def _choices(dataset: Dataset, analysis: Analysis) -> list[DeclaredChoice]:
    """The declared comparisons of transcripts: each question of each variable against an even split.

    Note    a person answers each question once, so choices are people; the interval is Wilson's. Where fewer
            than 10 decided, the binomial test stands in for a declared chi-square
    Source  Guerini and others (2018), section 4.4: chi-square for every variable and question
    """
    preferences = analysis.preferences
    if preferences is None or not dataset.read("preferences").num_rows:
        return []
    return [
        DeclaredChoice(
            variable=cell.variable,
            question=cell.question,
            experimental=cell.experimental,
            ties=cell.ties,
            ratio=cell.ratio,
            low=cell.low,
            high=cell.high,
            alpha=preferences.alpha,
            p=cell.decisive if preferences.test == "chi_square" else cell.p_exact,
            decided=cell.decided,
            signature=signature(
                "preference",
                unit="participant",
                n=cell.decided,
                data=dataset.hash,
                variable=cell.variable,
                question=cell.question,
                test="exact" if cell.is_exact else preferences.test,
                interval=f"wilson {LEVEL}",
            ),
        )
        for cell in compare_transcripts(dataset, level=LEVEL).cells
    ]


def _result(
    nested: ClusteredSummary,
    places: dict[str | None, int],
    question: str,
    question_settings: Primary,
    pair: tuple[str, str],
    data: str,
) -> tuple[DeclaredComparison, Comparison | None]:
    a, b = pair
    comparison = DeclaredComparison(
        question=question, measure=question_settings.measure, a=a, b=b, alpha=question_settings.alpha
    )
    if question_settings.measure not in MEASURES:
        return replace(comparison, unknown=question_settings.measure), None
    missing = next((name for name in (a, b) if name not in places), None)
    if missing is not None:
        return replace(comparison, unknown=missing), None
    test = nested.decisive(question_settings.measure, places[a], places[b], level=LEVEL)
    compared = (
        nested.compare(question_settings.measure, places[a], places[b], level=LEVEL) if nested.known else None
    )
    comparison = replace(
        comparison,
        difference=test.difference,
        low=test.low,
        high=test.high,
        p=test.p,
        method=test.method,
        why=test.why,
        clusters=test.clusters,
        se=test.se,
    )
    cases = sum(nested.cases(question_settings.measure, places[name]) for name in pair)
    signed = signed_difference(
        comparison.measure,
        a,
        b,
        method=comparison.method,
        clusters=comparison.clusters,
        by="system",
        n=cases,
        data=data,
    )
    return replace(comparison, signature=signed), compared


def _differences(before: str, after: str) -> list[str]:
    """Settings that two study files have otherwise: of the analysis, and what is known of good work."""
    settings_before, two = written_analysis(before), written_analysis(after)
    quality = ["quality"] if written_quality(before).by_rules != written_quality(after).by_rules else []
    if settings_before is None or two is None:
        return ["primary", *quality]
    return changed_settings(settings_before, two) + quality


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
