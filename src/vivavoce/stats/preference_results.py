"""Everything that a comparison of transcripts found, in one piece, for terminal, dashboard and report."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.signature import installed_version, signature
from vivavoce.log.dataset import Dataset
from vivavoce.stats.attributes import attribute
from vivavoce.stats.declared import declared_family
from vivavoce.stats.family import ALPHA
from vivavoce.stats.multiple_testing import adjustment_words
from vivavoce.stats.pair_agreement import agreement_of_choices
from vivavoce.stats.preference_models import combined, levels, tie_models
from vivavoce.stats.preference_strength import strength_signatures, strengths
from vivavoce.stats.proportions import two_proportion_z
from vivavoce.stats.transcripts import compare_transcripts

FEWEST_PAIRS: Final = 10
Facts = dict[str, Any]
STUDY_RATING: Final = "study_rating"
BEST_RATING: Final = 5


def has_preferences(dataset: Dataset) -> bool:
    """Whether anybody chose between transcripts."""
    return dataset.read("preferences").num_rows > 0


def preference_results(
    dataset: Dataset, *, by: str | None = None, cost: float | None = None, level: float = 0.95
) -> Facts:
    """The facts of `compare_transcripts` with tie models, strengths, levels, combinations, rating and cost.

    Input   by: an attribute of participants; cost: what the whole study cost, in any currency
    Output  also ties, agreement (of questions with at least ten pairs judged twice: agreement is over pairs,
            and a study in which many judge a few has hardly any), strengths, levels, combined, study_rating,
            cost, by_what, level, vivavoce, signatures (variable and question -> signature); declared:
            {family, choices} where the study declared its cells, else None; families: over which the p of
            cells, variables, strengths and differences (`of`) is adjusted, each with its `why` in words
    Note    a cell has one adjusted p, with its `alpha`: the declared one where it was declared
    Raises  InputError: nothing was chosen, or a cost below zero; UnknownName: no such attribute
    """
    if cost is not None and cost < 0:
        raise InputError(f"cost {cost:g}", place="--cost", hint="write what the study cost, 0 or more")
    people = attribute(dataset, by) if by is not None else None
    facts = compare_transcripts(dataset, level=level, groups=people)
    rows = [
        row for row in dataset.read("preferences").to_pylist()
        if row["role"] == "main" and row["accepted"] is not False
    ]  # fmt: skip
    if people is not None:
        _add_judgements(facts["by_group"], rows, people)
    strong = strengths(rows, level)
    declared = _declare_cells(dataset, facts["cells"])
    return {
        **facts, "declared": declared, "families": _families(facts, strong, declared),
        "level": level, "vivavoce": installed_version(), "by_what": by,
        "agreement": [one for one in agreement_of_choices(rows, level) if one["pairs"] >= FEWEST_PAIRS],
        "ties": tie_models(rows, level), "strengths": strong,
        "levels": levels(rows, level), "combined": combined(rows, level),
        "study_rating": study_rating(dataset), "cost": _cost(facts, cost),
        "signatures": _signatures(facts, level) | strength_signatures(strong, facts["data"], level),
    }  # fmt: skip


def _declare_cells(dataset: Dataset, cells: list[Facts]) -> Facts | None:
    """Give each cell the p and alpha of the family it belongs to; the declared one, or None."""
    declared = declared_family(dataset)
    choices = declared["choices"] if declared else []
    asked = {(one["variable"], one["question"]): one for one in choices}
    for cell in cells:
        own = asked.get((cell["variable"], cell["question"]), {"alpha": ALPHA})
        cell |= {name: own[name] for name in ("alpha", "p_adjusted") if name in own}
    return {"family": declared["family"], "choices": choices} if declared and choices else None


def _families(facts: Facts, strong: list[Facts], declared: Facts | None) -> list[Facts]:
    """Every family that has a member; whatever was not declared is explored, each kind for itself."""
    explored = {
        "cells": ("question", " of all variables", [] if declared else facts["cells"]),
        "variables": ("variable", "", facts["variables"]),
        "strengths of questions": ("strength", " of questions", [one for one in strong if one["question"]]),
        "strengths": ("strength", " of variables", [one for one in strong if not one["question"]]),
        "differences": ("difference", " of variables", facts["differences"]),
    }
    found = [{**declared["family"], "of": "cells"}] if declared else []
    for of, (what, of_which, members) in explored.items():
        tested = sum(one["p"] is not None for one in members)
        words = adjustment_words("holm", tested, what) + (of_which if tested else "")
        if members:
            found.append({
                "name": "explored", "of": of, "correction": "holm", "tests": tested,
                "untested": len(members) - tested, "measures": [],
                "why": f"Explored, not declared: {words}.",
            })  # fmt: skip
    return found


def _add_judgements(groups: list[Facts], rows: Sequence[Facts], people: dict[str, str]) -> None:
    """Beside every difference of groups the p that takes judgements as people, for comparison only."""
    decided = [row for row in rows if row["choice"] != "tie" and row["participant_id"] in people]
    for one in groups:
        own = [row for row in decided if row["variable"] == one["variable"]]
        for test in one["differences"]:
            found = two_proportion_z(*_counts(own, people, test["a"]), *_counts(own, people, test["b"]))
            test["p_judgements"] = found.p if found else None


def _counts(rows: Sequence[Facts], people: dict[str, str], group: str) -> tuple[int, int]:
    """How many judgements of a group prefer the experimental version, and how many there are."""
    own = [row["choice"] for row in rows if people[row["participant_id"]] == group]
    return own.count("experimental"), len(own)


def study_rating(dataset: Dataset) -> Facts | None:
    """What participants thought of the study itself: mean from 1 to 5, with the number of people.

    Empty  nobody was asked (questionnaire `study_rating`): None
    """
    values = [
        row["value"] for row in dataset.read("ratings").to_pylist()
        if row["instrument"] == STUDY_RATING and row["value"] is not None
    ]  # fmt: skip
    if not values:
        return None
    return {"mean": float(np.mean(values)), "of": BEST_RATING, "participants": len(values)}


def _cost(facts: Facts, cost: float | None) -> Facts | None:
    """What one judgement and one variable cost; null counts give null."""
    if cost is None:
        return None
    judgements, people = facts["responses"]["judgements"], facts["responses"]["participants"]
    return {
        "total": cost, "per_judgement": cost / judgements if judgements else None,
        "per_variable": cost / len(facts["variables"]), "per_participant": cost / people if people else None,
    }  # fmt: skip


def _signatures(facts: Facts, level: float) -> dict[str, str]:
    found = {
        f"{one['variable']}, {one['question']}": signature(
            "preference", unit="participant", n=one["participants"], data=facts["data"],
            variable=one["variable"], question=one["question"], interval=f"{one['method']} {level}",
        )
        for one in facts["cells"]
    }  # fmt: skip
    for one in facts["variables"]:
        found[one["variable"]] = signature(
            "preference", unit="participant", n=one["participants"], data=facts["data"],
            variable=one["variable"], interval=f"{one.get('method', 'none')} {level}",
        )  # fmt: skip
    return found
