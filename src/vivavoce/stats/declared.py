"""The analysis that a study declared before its data, and what it says of them."""

import hashlib
from collections import Counter
from itertools import combinations
from typing import Any, Final

from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset
from vivavoce.log.declaration import frozen_revision, served_revisions, written_analysis
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
from vivavoce.stats.clustered_summary import ClusteredSummary
from vivavoce.stats.equivalence import equivalences, possible_margins
from vivavoce.stats.groups import groups
from vivavoce.stats.intervals import signed_difference
from vivavoce.stats.multiple_testing import adjusted, adjustment_words
from vivavoce.stats.transcripts import compare_transcripts
from vivavoce.study.analysis_file import Analysis, Primary

Facts = dict[str, Any]
LEVEL: Final = 0.95


def declaration(dataset: Dataset) -> Facts | None:
    """What the study file declared, frozen at the first participant, and what later revisions changed.

    Output  analysis (as written), revision, sha256 (of the study file's text), frozen_at (ISO or None),
            first_participant_at, revisions (how many were served), changed: names of the settings of the
            analysis that a later revision has otherwise
    Empty   the dataset carries no study file, or the file names no comparison, of systems or of
            transcripts: None
    Note    `frozen_at` is when that revision was first served; where no instant of a participant is known
            the first revision counts
    """
    served = served_revisions(dataset.manifest.get("study", {}))
    if not served:
        return None
    first = dataset.first_participant
    frozen = frozen_revision(served, first)
    analysis = written_analysis(frozen["file"])
    if analysis is None or (analysis.primary is None and analysis.preferences is None):
        return None
    later = [written_analysis(one["file"]) for one in served[served.index(frozen) + 1 :]]
    return {
        "analysis": analysis.model_dump(),
        "revision": frozen["revision"],
        "sha256": hashlib.sha256(frozen["file"].encode()).hexdigest(),
        "frozen_at": frozen["seen_at"] or None,
        "first_participant_at": first.isoformat() if first else None,
        "revisions": len(served),
        "changed": sorted({name for one in later for name in _differences(analysis, one)}),
    }


def declared_family(dataset: Dataset, correction: str | None = None) -> Facts | None:
    """Everything that the study declared to compare, adjusted as the one family that it is.

    Input   `correction` in place of the declared one
    Output  family: {name, correction, tests, untested, measures, why: with what could not be tested, and for
            what reason}; results: the comparisons of systems,
            {question (primary, secondary), measure, a, b, alpha, difference, low, high, p, p_adjusted,
            method, why, clusters, significant (None where there was no test), unknown: what the dataset
            lacks, or None, equivalence (see `equivalences`), signature}, participants as the unit wherever
            they are known; choices: the comparisons of transcripts, {variable, question, experimental,
            decided, ties, ratio, low, high, alpha, p, p_adjusted, significant, signature}
    Empty   nothing is declared: None
    Note    one correction over results and choices together, primary and secondary alike
    """
    declared = declaration(dataset)
    if declared is None:
        return None
    analysis = Analysis.model_validate(declared["analysis"])
    method = correction or analysis.correction
    results, choices = _results(dataset, analysis), _choices(dataset, analysis)
    members = [*results, *choices]
    for one, p in zip(members, adjusted([one["p"] for one in members], method), strict=True):
        one["p_adjusted"] = p
        one["significant"] = None if p is None else p < one["alpha"]
    compared, margins = [one.pop("compared") for one in results], possible_margins(analysis.margins)
    for one, equal in zip(results, equivalences(results, compared, margins, method), strict=True):
        one["equivalence"] = equal
    tested = sum(one["p"] is not None for one in members)
    family = {
        "name": "declared",
        "correction": method,
        "tests": tested,
        "untested": len(members) - tested,
        "measures": list(dict.fromkeys(one["measure"] for one in results)),
        "why": f"Declared beforehand: {adjustment_words(method, tested, 'declared comparison')}."
        + "".join(f" {one}" for one in _untested(members)),
    }
    return {"family": family, "results": results, "choices": choices}


def _results(dataset: Dataset, analysis: Analysis) -> list[Facts]:
    found = groups(dataset, "system")
    nested = ClusteredSummary(sums(dataset), found)
    places = {group.key: place for place, group in enumerate(found)}
    questions = [("primary", analysis.primary), *(("secondary", one) for one in analysis.secondary)]
    return [
        {"question": question, **_result(nested, places, asked, (a, b), dataset.hash)}
        for question, asked in questions
        if asked is not None
        for a, b in combinations(asked.compare, 2)
    ]


def _untested(members: list[Facts]) -> list[str]:
    """How many of the declared comparisons could not be tested, one sentence a reason."""
    counted = Counter(_obstacle(one) for one in members if one["p"] is None)
    of = f"of {len(members)} declared comparison{'' if len(members) == 1 else 's'}"
    return [f"{n} {of} could not be tested: {why}." for why, n in counted.items()]


def _obstacle(one: Facts) -> str:
    """Why a declared comparison has no p."""
    if "variable" in one:
        return "nobody decided"
    if one["unknown"] is not None:
        return f"the dataset has no {one['unknown']}"
    why = one["why"].removesuffix(".") or "No test was possible"
    return why[0].lower() + why[1:]


def _choices(dataset: Dataset, analysis: Analysis) -> list[Facts]:
    """The declared comparisons of transcripts: each question of each variable against an even split.

    Note    a person answers each question once, so choices are people; the interval is Wilson's
    Source  Guerini and others (2018), section 4.4: chi-square for every variable and question
    """
    asked = analysis.preferences
    if asked is None or not dataset.read("preferences").num_rows:
        return []
    p_of = {"chi_square": "p", "exact": "p_exact"}[asked.test]
    same = ("variable", "question", "experimental", "ties", "ratio", "low", "high")
    return [
        {name: one[name] for name in same}
        | {"alpha": asked.alpha, "p": one[p_of], "decided": one["experimental"] + one["control"]}
        | {
            "signature": signature(
                "preference",
                unit="participant",
                n=one["experimental"] + one["control"],
                data=dataset.hash,
                variable=one["variable"],
                question=one["question"],
                test=asked.test,
                interval=f"wilson {LEVEL}",
            )
        }
        for one in compare_transcripts(dataset, level=LEVEL)["cells"]
    ]


def _result(
    nested: ClusteredSummary, places: dict[str | None, int], asked: Primary, pair: tuple[str, str], data: str
) -> Facts:
    a, b = pair
    facts: Facts = {
        "measure": asked.measure,
        "a": a,
        "b": b,
        "alpha": asked.alpha,
        "unknown": None,
        "compared": None,
    }
    if asked.measure not in MEASURES:
        return {**facts, **_NO_TEST, "unknown": asked.measure}
    missing = next((name for name in (a, b) if name not in places), None)
    if missing is not None:
        return {**facts, **_NO_TEST, "unknown": missing}
    test = nested.decisive(asked.measure, places[a], places[b], level=LEVEL)
    if nested.known:
        facts["compared"] = nested.compare(asked.measure, places[a], places[b], level=LEVEL)
    found = {**facts, **{name: test.get(name) for name in _NO_TEST}}
    cases = sum(nested.cases(asked.measure, places[name]) for name in pair)
    return {**found, "signature": signed_difference(found, "system", cases, data)}


_NO_TEST: Final[Facts] = {
    "difference": None,
    "low": None,
    "high": None,
    "p": None,
    "method": "none",
    "why": "",
    "clusters": None,
    "se": None,
    "signature": None,
}


def _differences(before: Analysis, after: Analysis | None) -> list[str]:
    if after is None:
        return ["primary"]
    return [name for name in Analysis.model_fields if getattr(before, name) != getattr(after, name)]
