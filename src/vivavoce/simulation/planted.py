"""Comparisons in a study's transcript judgements, and effects planted into simulated ones."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.steps.pairwise_preference.material import ComparedTranscripts
from vivavoce.study.model import Study
from vivavoce.study.pairs_study import variables_of
from vivavoce.study.planted_preferences import ALIKE, PlantedPreferences, read_planted
from vivavoce.study.steps import OfferedStep

ONLY_TRANSCRIPTS: Final = "simulated preferences need a step `compare` with transcripts"


class WhatIsCompared(NamedTuple):
    """Comparisons of judges: variables, questions about each, and whether they may be tied."""

    variables: tuple[str, ...]
    questions: tuple[str, ...]
    ties: bool


def compared_in(plan: Study) -> WhatIsCompared:
    """The step in which a study's transcripts are compared. Raises  InputError: there is none"""

    for step in plan.visit:
        if isinstance(step, OfferedStep) and isinstance(step.material, ComparedTranscripts):
            variables = variables_of(plan.pairs, step.settings.variables)
            question_ids = tuple(question.question_id for question in step.material.questions)
            return WhatIsCompared(variables, question_ids, step.settings.ties)
    raise InputError(
        "the study does not compare transcripts", place=f"study {plan.name}", hint=ONLY_TRANSCRIPTS
    )


def planted_in(plan: Study, prefer: Sequence[str], alike: float | None) -> PlantedPreferences:
    """Preferences as they are written, of a study's own variables and questions."""

    step = compared_in(plan)
    return read_planted(prefer, step.variables, step.questions, ALIKE if alike is None else alike)
