"""The analysis that a study declared before its data, and what it says of them."""

import hashlib
from itertools import combinations
from typing import Any, Final

from vivavoce.analysis.families import ADJUSTMENTS
from vivavoce.analysis.groups import groups
from vivavoce.analysis.nested import Nested
from vivavoce.analysis.transcripts import compare_transcripts
from vivavoce.log.dataset import Dataset
from vivavoce.log.declaration import frozen_revision, served_revisions, written_analysis
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
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


def declared_results(dataset: Dataset, declared: Facts) -> list[Facts]:
    """The declared comparisons, participants as the unit, adjusted over the pairs of each question.

    Output  question (primary, secondary), measure, a, b, alpha, difference, low, high, p, p_adjusted, method,
            why, significant (None where there was no test), unknown: what the dataset lacks, or None
    """
    analysis = Analysis.model_validate(declared["analysis"])
    found = groups(dataset, "system")
    nested = Nested(sums(dataset), found)
    places = {group.key: place for place, group in enumerate(found)}
    results: list[Facts] = []
    questions = [("primary", analysis.primary), *(("secondary", one) for one in analysis.secondary)]
    for question, asked in questions:
        if asked is not None:
            family = [_result(nested, places, asked, a, b) for a, b in combinations(asked.compare, 2)]
            _adjust(family, analysis.correction, asked.alpha)
            results += [{"question": question, **one} for one in family]
    return results


def declared_preferences(dataset: Dataset, declared: Facts) -> list[Facts]:
    """The declared comparisons of transcripts: each question of each variable against an even split.

    Output  variable, question, experimental, decided, ties, ratio, low, high (Wilson), p, p_adjusted,
            significant (None where nothing was decided)
    Empty   the study declares none, or nobody chose: []
    Note    a person answers each question once, so choices are people; p is adjusted over all of them
    Source  Guerini and others (2018), section 4.4: chi-square for every variable and question
    """
    analysis = Analysis.model_validate(declared["analysis"])
    asked = analysis.preferences
    if asked is None or not dataset.read("preferences").num_rows:
        return []
    p_of = {"chi_square": "p", "exact": "p_exact"}[asked.test]
    same = ("variable", "question", "experimental", "ties", "ratio", "low", "high")
    family: list[Facts] = [
        {name: one[name] for name in same}
        | {"p": one[p_of], "decided": one["experimental"] + one["control"]}
        for one in compare_transcripts(dataset, level=LEVEL)["cells"]
    ]  # fmt: skip
    _adjust(family, analysis.correction, asked.alpha)
    return family


def _result(nested: Nested, places: dict[str | None, int], asked: Primary, a: str, b: str) -> Facts:
    facts: Facts = {"measure": asked.measure, "a": a, "b": b, "alpha": asked.alpha, "unknown": None}
    if asked.measure not in MEASURES:
        return {**facts, **_NO_TEST, "unknown": asked.measure}
    missing = next((name for name in (a, b) if name not in places), None)
    if missing is not None:
        return {**facts, **_NO_TEST, "unknown": missing}
    test = nested.test(asked.measure, places[a], places[b], level=LEVEL)
    return {**facts, **{name: test[name] for name in _NO_TEST}}


_NO_TEST: Final[Facts] = {
    "difference": None,
    "low": None,
    "high": None,
    "p": None,
    "method": "none",
    "why": "",
}


def _adjust(family: list[Facts], correction: str, alpha: float) -> None:
    given = [one["p"] for one in family]
    adjusted = given if correction == "none" else ADJUSTMENTS[correction](given)
    for one, p in zip(family, adjusted, strict=True):
        one["p_adjusted"] = p
        one["significant"] = None if p is None else p < alpha


def _differences(before: Analysis, after: Analysis | None) -> list[str]:
    if after is None:
        return ["primary"]
    return [name for name in Analysis.model_fields if getattr(before, name) != getattr(after, name)]
