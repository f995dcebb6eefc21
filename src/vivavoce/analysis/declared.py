"""The analysis that a study declared before its data, and what it says of them."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, TypeVar

from vivavoce.analysis.clustered_summary import ClusteredSummary, GroupQuestion
from vivavoce.analysis.groups import groups
from vivavoce.analysis.intervals import signed_difference
from vivavoce.analysis.margins import equivalences, no_worse_tests, possible_margins
from vivavoce.analysis.transcripts import compare_transcripts
from vivavoce.core.signature import signature
from vivavoce.core.statement import LocalizedText, PluralCount, statement
from vivavoce.dataset.declaration import (
    changed_settings,
    frozen_revision,
    served_revisions,
    written_analysis,
    written_quality,
)
from vivavoce.dataset.levels import Level
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
from vivavoce.stats.declared_results import DeclaredChoice, DeclaredComparison, DeclaredFamily, Family
from vivavoce.stats.difference import Comparison
from vivavoce.stats.multiple_testing import adjusted, adjustment_words
from vivavoce.study.analysis_file import Analysis, Primary

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
