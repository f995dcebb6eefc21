"""Everything that a comparison of transcripts found, in one piece, for terminal, dashboard and report."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from vivavoce.analysis.attributes import attribute
from vivavoce.analysis.declared import EXPLORED, declared_family
from vivavoce.analysis.transcripts import compare_transcripts
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.result import installed_version, signature, widened
from vivavoce.core.statement import statement
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.agreement import Agreement, fleiss, krippendorff
from vivavoce.stats.bounded import METHOD, bounded_mean
from vivavoce.stats.declared_results import Family
from vivavoce.stats.multiple_testing import adjustment_words, holm
from vivavoce.stats.preference_models import OUTCOMES, combined, levels, people_of, tie_models
from vivavoce.stats.preferences import (
    ChoiceAgreement,
    DeclaredPreferences,
    GroupDifference,
    GroupPreference,
    PreferenceResults,
    PreferenceStrength,
    QuestionPreference,
    StudyCost,
    StudyRating,
    TranscriptComparison,
)
from vivavoce.stats.proportions import two_proportion_z

Row = Mapping[str, Any]
MOST: Final = 3
CODES: Final = range(-MOST, MOST + 1)
FEW: Final = 12


def strengths(rows: Sequence[Row], level: float = 0.95) -> list[PreferenceStrength]:
    """Mean signed strength of every variable, question by question and over all of them.

    Empty   nobody was asked: []; a decided choice without a strength is left out
    Source  Wilcoxon 1945; Pratt 1959 for zeros
    """
    rated = [row for row in rows if row["choice"] == "tie" or row.get("strength") is not None]
    variables = {row["variable"] for row in rated if row.get("strength") is not None}
    questions, wholes = [], []
    for variable in sorted(variables):
        variable_rows = [row for row in rated if row["variable"] == variable]
        wholes.append(_strength(variable_rows, variable, None, level))
        for question in dict.fromkeys(row["question"] for row in variable_rows):
            question_rows = [row for row in variable_rows if row["question"] == question]
            questions.append(_strength(question_rows, variable, question, level))
    adjusted = [
        replace(strength, p_holm=p)
        for family in (questions, wholes)
        for strength, p in zip(family, holm([family_strength.p for family_strength in family]), strict=True)
    ]
    return sorted(adjusted, key=lambda strength: strength.variable)


def _strength(rows: Sequence[Row], variable: str, question: str | None, level: float) -> PreferenceStrength:
    signed = [OUTCOMES[row["choice"]] * (row.get("strength") or 0) for row in rows]
    people, counted = people_of(rows), Counter(signed)
    mean = bounded_mean(people, signed, -MOST, MOST, level)
    return PreferenceStrength(
        variable=variable,
        question=question,
        mean=mean.mean,
        low=mean.low,
        high=mean.high,
        p=mean.p,
        participants=mean.participants,
        method=mean.method,
        p_signed_rank=_signed_rank(people, signed),
        choices=len(signed),
        counts={code: counted[code] for code in CODES},
    )


def _signed_rank(people: np.ndarray, signed: Sequence[float]) -> float | None:
    """Wilcoxon's test of participants' means, every sign turned where they are few; None where all are 0."""
    from scipy.stats import PermutationMethod, wilcoxon

    _, codes = np.unique(people, return_inverse=True)
    means = np.bincount(codes, np.array(signed)) / np.bincount(codes)
    if len(means) < 2 or not means.any():
        return None
    method: Any = PermutationMethod() if len(means) <= FEW else "asymptotic"
    test: Any = wilcoxon(means, zero_method="pratt", method=method)
    return float(test.pvalue)


def strength_signatures(strengths: Sequence[PreferenceStrength], data: str, level: float) -> dict[str, str]:
    """The line behind each variable's strength."""
    return {
        f"{strength.variable}, strength": signature(
            "preference_strength",
            unit="participant",
            n=strength.participants,
            data=data,
            variable=strength.variable,
            interval=f"{METHOD} {level}",
            scale=f"{-MOST}..{MOST}",
        )
        for strength in strengths
        if strength.question is None
    }


CHOICES: Final = ("experimental", "tie", "control")


def agreement_of_choices(rows: Iterable[Mapping[str, Any]], level: float = 0.95) -> list[ChoiceAgreement]:
    """Agreement beyond chance of all who judged the same pair.

    Input   rows of `preferences`
    Empty   no pair was judged twice: no entry
    Source  Fleiss 1971; Krippendorff 2011
    """
    cells: defaultdict[tuple[str, str], defaultdict[str, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for row in rows:
        cells[row["variable"], row["question"]][row["pair_id"]][row["choice"]] += 1
    choice_agreements: list[ChoiceAgreement] = []
    for (variable, question), pairs in sorted(cells.items()):
        total = sum(pairs.values(), Counter[str]())
        counts = [[pair[choice] for choice in CHOICES] for pair in pairs.values() if pair.total() > 1]
        if counts:
            sizes = {sum(count) for count in counts}
            alike = len(sizes) == 1
            agreed = fleiss(counts, level=level) if alike else _alpha(counts, level)
            low, high = agreed.interval or (None, None)
            choice_agreements.append(
                ChoiceAgreement(
                    variable=variable,
                    question=question,
                    pairs=len(counts),
                    judges=sizes.pop() if alike else None,
                    method="fleiss" if alike else "krippendorff",
                    value=agreed.value,
                    low=low,
                    high=high,
                    judgements=total.total(),
                    **{choice: total[choice] / total.total() for choice in CHOICES},
                )
            )
    return choice_agreements


def _alpha(counts: list[list[int]], level: float) -> Agreement:
    """Krippendorff's alpha of counts, for which it does not matter who judged."""
    most = max(sum(count) for count in counts)
    units = [[float(code) for code, n in enumerate(count) for _ in range(n)] for count in counts]
    padded = [[*unit, *([None] * (most - len(unit)))] for unit in units]
    return krippendorff(list(zip(*padded, strict=True)), level=level)


FEWEST_PAIRS: Final = 10
STUDY_RATING: Final = "study_rating"
BEST_RATING: Final = 5


def has_preferences(dataset: Dataset) -> bool:
    """True if anybody chose between transcripts."""
    return dataset.read("preferences").num_rows > 0


def preference_results(
    dataset: Dataset, *, by: str | None = None, cost: float | None = None, level: float = 0.95
) -> PreferenceResults:
    """Results of `compare_transcripts` with tie models, strengths, levels, combinations, rating and cost.

    Input   by: an attribute of participants; cost: what the whole study cost, in any currency
    Output  `agreement` of questions with at least ten pairs judged twice: it is over pairs, and a study in
            which many judge a few has hardly any; `declared` None where the study declared no cells
    Note    a cell has one adjusted p, with its `alpha`: the declared one where it was declared
    Raises  InputError: nothing was chosen, or a cost below zero; UnknownName: no such attribute
    """
    if cost is not None and cost < 0:
        raise InputError(f"cost {cost:g}", place="--cost", hint="write what the study cost, 0 or more")
    people = attribute(dataset, by) if by is not None else None
    results = compare_transcripts(dataset, level=level, groups=people)
    rows = [
        row
        for row in dataset.read("preferences").to_pylist()
        if row["role"] == "main" and row["accepted"] is not False
    ]
    strong, declared = strengths(rows, level), _declared(dataset)
    results = replace(
        results,
        cells=_with_alpha(results.cells, declared),
        by_group=None if people is None else _with_judgements(results.by_group or (), rows, people),
    )
    return widened(
        PreferenceResults,
        results,
        declared=declared,
        families=_families(results, strong, declared),
        level=level,
        vivavoce=installed_version(),
        by_what=by,
        agreement=[
            agreement for agreement in agreement_of_choices(rows, level) if agreement.pairs >= FEWEST_PAIRS
        ],
        ties=tie_models(rows, level),
        strengths=strong,
        levels=levels(rows, level),
        combined=combined(rows, level),
        study_rating=study_rating(dataset),
        cost=_cost(results, cost),
        signatures=_signatures(results, level) | strength_signatures(strong, results.data, level),
    )


def _declared(dataset: Dataset) -> DeclaredPreferences | None:
    """Declared tests of transcripts; None where nothing was declared."""
    family = declared_family(dataset)
    return (
        DeclaredPreferences(family=family.family, choices=family.choices)
        if family and family.choices
        else None
    )


def _with_alpha(
    cells: Sequence[QuestionPreference], declared: DeclaredPreferences | None
) -> list[QuestionPreference]:
    """Each cell with the p and alpha of the family it belongs to."""
    declared_of = {
        (choice.variable, choice.question): choice for choice in (declared.choices if declared else ())
    }
    return [
        replace(cell, alpha=declared_choice.alpha, p_adjusted=declared_choice.p_adjusted)
        if (declared_choice := declared_of.get((cell.variable, cell.question)))
        else cell
        for cell in cells
    ]


def _families(
    comparison: TranscriptComparison,
    strong: Sequence[PreferenceStrength],
    declared: DeclaredPreferences | None,
) -> list[Family]:
    """Every family that has a member; whatever was not declared is explored, each kind for itself."""
    explored = {
        "cells": ("question", N_("of all variables"), () if declared else comparison.cells),
        "variables": ("variable", "", comparison.variables),
        "strengths of questions": (
            "strength",
            N_("of questions"),
            [strength for strength in strong if strength.question],
        ),
        "strengths": (
            "strength",
            N_("of variables"),
            [strength for strength in strong if not strength.question],
        ),
        "differences": ("difference", N_("of variables"), comparison.differences),
    }
    families = [replace(declared.family, of="cells")] if declared else []
    for of, (what, of_which, members) in explored.items():
        tested = sum(member.p is not None for member in members)
        of_them = statement(of_which) if tested and of_which else None
        if members:
            families.append(
                Family(
                    name="explored",
                    of=of,
                    correction="holm",
                    tests=tested,
                    untested=len(members) - tested,
                    why=statement(EXPLORED, words=adjustment_words("holm", tested, what, of_them)),
                )
            )
    return families


def _with_judgements(
    groups: Sequence[GroupPreference], rows: Sequence[Row], people: dict[str, str]
) -> list[GroupPreference]:
    """Beside every difference of groups the p that takes judgements as people, for comparison only."""
    decided = [row for row in rows if row["choice"] != "tie" and row["participant_id"] in people]

    def judged(test: GroupDifference, choice_rows: Sequence[Row]) -> GroupDifference:
        z_test = two_proportion_z(
            *_counts(choice_rows, people, test.a), *_counts(choice_rows, people, test.b)
        )
        return replace(test, p_judgements=z_test.p if z_test else None)

    return [
        replace(
            group,
            differences=[
                judged(test, [row for row in decided if row["variable"] == group.variable])
                for test in group.differences
            ],
        )
        for group in groups
    ]


def _counts(rows: Sequence[Row], people: dict[str, str], group: str) -> tuple[int, int]:
    """Judgements of a group that prefer the experimental version, and all of its judgements."""
    choices = [row["choice"] for row in rows if people[row["participant_id"]] == group]
    return choices.count("experimental"), len(choices)


def study_rating(dataset: Dataset) -> StudyRating | None:
    """Participants' rating of the study itself: mean from 1 to 5, with the number of people.

    Empty  nobody was asked (questionnaire `study_rating`): None
    """
    values = [
        row["value"]
        for row in dataset.read("ratings").to_pylist()
        if row["instrument"] == STUDY_RATING and row["value"] is not None
    ]
    if not values:
        return None
    return StudyRating(mean=float(np.mean(values)), of=BEST_RATING, participants=len(values))


def _cost(comparison: TranscriptComparison, cost: float | None) -> StudyCost | None:
    """Cost of one judgement and of one variable; null counts give null."""
    if cost is None:
        return None
    judgements, people = comparison.responses.judgements, comparison.responses.participants
    return StudyCost(
        total=cost,
        per_judgement=cost / judgements if judgements else None,
        per_variable=cost / len(comparison.variables),
        per_participant=cost / people if people else None,
    )


def _signatures(comparison: TranscriptComparison, level: float) -> dict[str, str]:
    signed = {
        f"{cell.variable}, {cell.question}": signature(
            "preference",
            unit="participant",
            n=cell.participants,
            data=comparison.data,
            variable=cell.variable,
            question=cell.question,
            interval=f"{cell.method} {level}",
        )
        for cell in comparison.cells
    }
    for variable in comparison.variables:
        signed[variable.variable] = signature(
            "preference",
            unit="participant",
            n=variable.participants,
            data=comparison.data,
            variable=variable.variable,
            interval=f"{variable.method or 'none'} {level}",
        )
    return signed
