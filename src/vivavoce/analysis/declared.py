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
    """What a study file declared, frozen at the first participant.

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
    """What the study file declared, frozen at the first participant, and what later revisions changed.

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
    later = [one["file"] for one in served[served.index(frozen) + 1 :]]
    return FrozenDeclaration(
        analysis=analysis,
        revision=frozen["revision"],
        sha256=hashlib.sha256(frozen["file"].encode()).hexdigest(),
        frozen_at=(frozen["seen_at"] or None) if dated else None,
        first_participant_at=first.isoformat() if first and dated else None,
        revisions=len(served),
        changed=sorted({name for one in later for name in _differences(frozen["file"], one)}),
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
    results = [one for one, _ in tested]
    p_values = adjusted([one.p for one in [*results, *choices]], method)
    results = [_settled(one, p) for one, p in zip(results, p_values, strict=False)]
    choices = [_settled(one, p) for one, p in zip(choices, p_values[len(results) :], strict=True)]
    equal = equivalences(
        ((one.measure, compared) for one, compared in tested), possible_margins(analysis.margins), method
    )
    results = [replace(one, equivalence=same) for one, same in zip(results, equal, strict=True)]
    results = with_no_worse(results, method)
    given = sum(p is not None for p in p_values)
    words = adjustment_words(method, given, "declared comparison")
    family = Family(
        name="declared",
        correction=method,
        tests=given,
        untested=len(p_values) - given,
        measures=list(dict.fromkeys(result.measure for result in results)),
        why=sum(_untested([*results, *choices]), statement("Declared in advance: {words}.", words=words)),
    )
    return DeclaredFamily(family=family, results=results, choices=choices)


def with_no_worse(results: list[DeclaredComparison], method: str) -> list[DeclaredComparison]:
    """Whether one of two systems is no worse than the other, where a margin was declared."""
    found = no_worse_tests(
        ((result.measure, result.a, result.b, result.equivalence) for result in results), method
    )
    return [replace(one, no_worse=tests) for one, tests in zip(results, found, strict=True)]


def _settled(one: Declared, p: float | None) -> Declared:
    return replace(one, p_adjusted=p, significant=None if p is None else p < one.alpha)


def _results(dataset: Dataset, analysis: Analysis) -> list[tuple[DeclaredComparison, Comparison | None]]:
    """Every declared comparison of systems, beside what judges its equivalence."""
    found = groups(dataset, "system")
    nested = ClusteredSummary(sums(dataset), found)
    places = {group.key: place for place, group in enumerate(found)}
    questions = [("primary", analysis.primary), *(("secondary", one) for one in analysis.secondary)]
    pairs = [
        (question, asked, pair)
        for question, asked in questions
        if asked is not None
        for pair in combinations(asked.compare, 2)
    ]
    nested.ask(
        (
            GroupQuestion(asked.measure, places[a], places[b])
            for _, asked, (a, b) in pairs
            if asked.measure in MEASURES and a in places and b in places
        ),
        level=LEVEL,
    )
    return [_result(nested, places, question, asked, pair, dataset.hash) for question, asked, pair in pairs]


def _untested(members: Sequence[DeclaredComparison | DeclaredChoice]) -> list[LocalizedText]:
    """How many of the declared comparisons could not be tested, one sentence a reason."""
    counted = Counter(_obstacle(member) for member in members if member.p is None)
    of = PluralCount(len(members), "declared comparison")
    return [
        statement("{n} of {of} could not be tested: {why}.", n=n, of=of, why=why)
        for why, n in counted.items()
    ]


def _obstacle(one: DeclaredComparison | DeclaredChoice) -> LocalizedText:
    """Why a declared comparison has no p."""
    if isinstance(one, DeclaredChoice):
        return statement("not adjudicated")
    if one.unknown is not None:
        return statement("the dataset has no {name}", name=one.unknown)
    told = dict(one.why.values).get("first", one.why)  # the rule behind it stands with the comparison
    if not isinstance(told, LocalizedText):
        told = one.why
    why = told.template.removesuffix(".") or "no test was possible"
    return LocalizedText(why[0].lower() + why[1:], told.values)


def _choices(dataset: Dataset, analysis: Analysis) -> list[DeclaredChoice]:
    """The declared comparisons of transcripts: each question of each variable against an even split.

    Note    a person answers each question once, so choices are people; the interval is Wilson's. Where fewer
            than 10 decided, the binomial test stands in for a declared chi-square
    Source  Guerini and others (2018), section 4.4: chi-square for every variable and question
    """
    asked = analysis.preferences
    if asked is None or not dataset.read("preferences").num_rows:
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
            alpha=asked.alpha,
            p=cell.decisive if asked.test == "chi_square" else cell.p_exact,
            decided=cell.decided,
            signature=signature(
                "preference",
                unit="participant",
                n=cell.decided,
                data=dataset.hash,
                variable=cell.variable,
                question=cell.question,
                test="exact" if cell.is_exact else asked.test,
                interval=f"wilson {LEVEL}",
            ),
        )
        for cell in compare_transcripts(dataset, level=LEVEL).cells
    ]


def _result(
    nested: ClusteredSummary,
    places: dict[str | None, int],
    question: str,
    asked: Primary,
    pair: tuple[str, str],
    data: str,
) -> tuple[DeclaredComparison, Comparison | None]:
    a, b = pair
    found = DeclaredComparison(question=question, measure=asked.measure, a=a, b=b, alpha=asked.alpha)
    if asked.measure not in MEASURES:
        return replace(found, unknown=asked.measure), None
    missing = next((name for name in (a, b) if name not in places), None)
    if missing is not None:
        return replace(found, unknown=missing), None
    test = nested.decisive(asked.measure, places[a], places[b], level=LEVEL)
    compared = nested.compare(asked.measure, places[a], places[b], level=LEVEL) if nested.known else None
    found = replace(
        found,
        difference=test.difference,
        low=test.low,
        high=test.high,
        p=test.p,
        method=test.method,
        why=test.why,
        clusters=test.clusters,
        se=test.se,
    )
    cases = sum(nested.cases(asked.measure, places[name]) for name in pair)
    signed = signed_difference(
        found.measure, a, b, method=found.method, clusters=found.clusters, by="system", n=cases, data=data
    )
    return replace(found, signature=signed), compared


def _differences(before: str, after: str) -> list[str]:
    """Settings that two study files have otherwise: of the analysis, and what is known of good work."""
    one, two = written_analysis(before), written_analysis(after)
    quality = ["quality"] if written_quality(before).by_rules != written_quality(after).by_rules else []
    if one is None or two is None:
        return ["primary", *quality]
    return changed_settings(one, two) + quality
