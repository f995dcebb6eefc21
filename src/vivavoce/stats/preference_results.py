"""Everything that a comparison of transcripts found, in one piece, for terminal, dashboard and report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.result import widened
from vivavoce.core.signature import installed_version, signature
from vivavoce.core.statement import statement
from vivavoce.log.dataset import Dataset
from vivavoce.stats.attributes import attribute
from vivavoce.stats.declared import declared_family
from vivavoce.stats.declared_results import Family
from vivavoce.stats.family import EXPLORED
from vivavoce.stats.multiple_testing import adjustment_words
from vivavoce.stats.pair_agreement import agreement_of_choices
from vivavoce.stats.preference_models import combined, levels, tie_models
from vivavoce.stats.preference_strength import strength_signatures, strengths
from vivavoce.stats.preferences import (
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
from vivavoce.stats.transcripts import compare_transcripts

FEWEST_PAIRS: Final = 10
Row = Mapping[str, Any]
STUDY_RATING: Final = "study_rating"
BEST_RATING: Final = 5


def has_preferences(dataset: Dataset) -> bool:
    """Whether anybody chose between transcripts."""
    return dataset.read("preferences").num_rows > 0


def preference_results(
    dataset: Dataset, *, by: str | None = None, cost: float | None = None, level: float = 0.95
) -> PreferenceResults:
    """What `compare_transcripts` found with tie models, strengths, levels, combinations, rating and cost.

    Input   by: an attribute of participants; cost: what the whole study cost, in any currency
    Output  `agreement` of questions with at least ten pairs judged twice: it is over pairs, and a study in
            which many judge a few has hardly any; `declared` None where the study declared no cells
    Note    a cell has one adjusted p, with its `alpha`: the declared one where it was declared
    Raises  InputError: nothing was chosen, or a cost below zero; UnknownName: no such attribute
    """
    if cost is not None and cost < 0:
        raise InputError(f"cost {cost:g}", place="--cost", hint="write what the study cost, 0 or more")
    people = attribute(dataset, by) if by is not None else None
    found = compare_transcripts(dataset, level=level, groups=people)
    rows = [
        row for row in dataset.read("preferences").to_pylist()
        if row["role"] == "main" and row["accepted"] is not False
    ]  # fmt: skip
    strong, declared = strengths(rows, level), _declared(dataset)
    found = replace(
        found, cells=_with_alpha(found.cells, declared),
        by_group=None if people is None else _with_judgements(found.by_group or (), rows, people),
    )  # fmt: skip
    return widened(
        PreferenceResults, found, declared=declared, families=_families(found, strong, declared),
        level=level, vivavoce=installed_version(), by_what=by,
        agreement=[one for one in agreement_of_choices(rows, level) if one.pairs >= FEWEST_PAIRS],
        ties=tie_models(rows, level), strengths=strong,
        levels=levels(rows, level), combined=combined(rows, level),
        study_rating=study_rating(dataset), cost=_cost(found, cost),
        signatures=_signatures(found, level) | strength_signatures(strong, found.data, level),
    )  # fmt: skip


def _declared(dataset: Dataset) -> DeclaredPreferences | None:
    """What was declared of transcripts; None where nothing."""
    found = declared_family(dataset)
    return (
        DeclaredPreferences(family=found.family, choices=found.choices) if found and found.choices else None
    )


def _with_alpha(
    cells: Sequence[QuestionPreference], declared: DeclaredPreferences | None
) -> list[QuestionPreference]:
    """Each cell with the p and alpha of the family it belongs to."""
    asked = {(one.variable, one.question): one for one in (declared.choices if declared else ())}
    return [
        replace(cell, alpha=own.alpha, p_adjusted=own.p_adjusted)
        if (own := asked.get((cell.variable, cell.question)))
        else cell
        for cell in cells
    ]


def _families(
    found: TranscriptComparison, strong: Sequence[PreferenceStrength], declared: DeclaredPreferences | None
) -> list[Family]:
    """Every family that has a member; whatever was not declared is explored, each kind for itself."""
    explored = {
        "cells": ("question", N_("of all variables"), () if declared else found.cells),
        "variables": ("variable", "", found.variables),
        "strengths of questions": ("strength", N_("of questions"), [one for one in strong if one.question]),
        "strengths": ("strength", N_("of variables"), [one for one in strong if not one.question]),
        "differences": ("difference", N_("of variables"), found.differences),
    }
    families = [replace(declared.family, of="cells")] if declared else []
    for of, (what, of_which, members) in explored.items():
        tested = sum(one.p is not None for one in members)
        of_them = statement(of_which) if tested and of_which else None
        if members:
            families.append(
                Family(
                    name="explored", of=of, correction="holm", tests=tested, untested=len(members) - tested,
                    why=statement(EXPLORED, words=adjustment_words("holm", tested, what, of_them)),
                )
            )  # fmt: skip
    return families


def _with_judgements(
    groups: Sequence[GroupPreference], rows: Sequence[Row], people: dict[str, str]
) -> list[GroupPreference]:
    """Beside every difference of groups the p that takes judgements as people, for comparison only."""
    decided = [row for row in rows if row["choice"] != "tie" and row["participant_id"] in people]

    def judged(test: GroupDifference, own: Sequence[Row]) -> GroupDifference:
        found = two_proportion_z(*_counts(own, people, test.a), *_counts(own, people, test.b))
        return replace(test, p_judgements=found.p if found else None)

    return [
        replace(one, differences=[
            judged(test, [row for row in decided if row["variable"] == one.variable])
            for test in one.differences
        ])
        for one in groups
    ]  # fmt: skip


def _counts(rows: Sequence[Row], people: dict[str, str], group: str) -> tuple[int, int]:
    """How many judgements of a group prefer the experimental version, and how many there are."""
    own = [row["choice"] for row in rows if people[row["participant_id"]] == group]
    return own.count("experimental"), len(own)


def study_rating(dataset: Dataset) -> StudyRating | None:
    """What participants thought of the study itself: mean from 1 to 5, with the number of people.

    Empty  nobody was asked (questionnaire `study_rating`): None
    """
    values = [
        row["value"] for row in dataset.read("ratings").to_pylist()
        if row["instrument"] == STUDY_RATING and row["value"] is not None
    ]  # fmt: skip
    if not values:
        return None
    return StudyRating(mean=float(np.mean(values)), of=BEST_RATING, participants=len(values))


def _cost(found: TranscriptComparison, cost: float | None) -> StudyCost | None:
    """What one judgement and one variable cost; null counts give null."""
    if cost is None:
        return None
    judgements, people = found.responses.judgements, found.responses.participants
    return StudyCost(
        total=cost, per_judgement=cost / judgements if judgements else None,
        per_variable=cost / len(found.variables), per_participant=cost / people if people else None,
    )  # fmt: skip


def _signatures(found: TranscriptComparison, level: float) -> dict[str, str]:
    signed = {
        f"{one.variable}, {one.question}": signature(
            "preference", unit="participant", n=one.participants, data=found.data,
            variable=one.variable, question=one.question, interval=f"{one.method} {level}",
        )
        for one in found.cells
    }  # fmt: skip
    for one in found.variables:
        signed[one.variable] = signature(
            "preference", unit="participant", n=one.participants, data=found.data,
            variable=one.variable, interval=f"{one.method or 'none'} {level}",
        )  # fmt: skip
    return signed
