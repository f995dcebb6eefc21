"""The figures of a corpus of commands, with intervals over speakers."""

from collections.abc import Callable
from dataclasses import astuple, fields
from typing import Any, Final

import numpy as np

from vivavoce.core.result import signature
from vivavoce.stats.bootstrap import bootstrap_difference, bootstrap_ratio
from vivavoce.stats.clusters import FEW
from vivavoce_commands.scoring import Scores, SpeakerCounts, repeated_commands

REPETITION_WEIGHT: Final = 0.5
Components = tuple[Callable[[SpeakerCounts], float], Callable[[SpeakerCounts], float]]


def components(repetition_weight: float = REPETITION_WEIGHT) -> dict[str, Components]:
    """Each figure as numerator and denominator, so that speakers add up.

    `..._of_all` counts the arguments of unrecognised predicates as wrong; without it they do not count, as
    in 2018. The weighted errors count a request to repeat as a part of a wrong argument: the weight of 2018
    was never published.
    """
    return {
        "correct_actions": (lambda c: c.recognised, lambda c: c.predicates),
        "incorrect_actions": (lambda c: c.predicates - c.recognised, lambda c: c.predicates),
        "correct_arguments": (lambda c: c.correct, lambda c: c.expected),
        "correct_arguments_of_all": (lambda c: c.correct, lambda c: c.arguments),
        "incorrect_arguments": (
            lambda c: max(0, c.expected - c.correct - c.repetitions),
            lambda c: c.expected,
        ),
        "argument_repetitions": (lambda c: c.repetitions, lambda c: c.expected),
        "argument_distance": (lambda c: c.distance, lambda c: c.expected),
        "weighted_argument_errors": (
            lambda c: c.distance + repetition_weight * c.repetitions,
            lambda c: c.expected,
        ),
        "exact_utterances": (lambda c: c.exact, lambda c: c.utterances),
        "slot_f1": (lambda c: 2 * c.correct, lambda c: c.arguments + c.answered),
    }


def corpus_figures(
    scores: Scores, *, repetition_weight: float = REPETITION_WEIGHT, seed: int = 1, data: str = "files"
) -> dict[str, Any]:
    """The corpus figures as ratios.

    Output  keys `corpus` (figure: ratio), `intervals` (figure: [low, high], 95 %, speakers drawn), `counts`,
            `speakers`, `repetition_weight` (0 in `official`, whose distance holds requests), `signature`
    Empty   a figure without cases is None; with fewer than 2 speakers every interval is None, and so is that
            of a figure in which no speaker differs from another
    Note    `few`: a sentence where there are so few speakers that the intervals are too narrow, else None
    """
    people = list(scores.speakers.values())
    repetition_weight = _weight(scores, repetition_weight)
    ratios: dict[str, float | None] = {}
    intervals: dict[str, list[float] | None] = {}
    for name, (above, below) in components(repetition_weight).items():
        numerators, denominators = _sums(people, above), _sums(people, below)
        total = float(denominators.sum())
        ratios[name] = float(numerators.sum()) / total if total else None
        interval = bootstrap_ratio(numerators, denominators, seed=seed)
        intervals[name] = list(interval) if interval else None
    counts = _totals(people)
    return {
        "corpus": ratios,
        "intervals": intervals,
        "counts": counts,
        "speakers": len(people),
        "repetition_weight": repetition_weight,
        "few": few(len(people)),
        "repeated_commands": repeated_commands(scores),
        "signature": signature(
            "command_understanding",
            unit="predicate",
            n=counts["predicates"],
            data=data,
            mode=scores.mode,
            repetition_weight=repetition_weight,
            speakers=len(people),
            seed=seed,
        ),
    }


def few(speakers: int) -> str | None:
    """Warning about intervals from few speakers."""
    if not 1 < speakers < FEW:
        return None
    return f"only {speakers} speakers: with fewer than {FEW}, a 95% CI is too narrow"


def compare_figures(
    a: Scores,
    b: Scores,
    *,
    repetition_weight: float = REPETITION_WEIGHT,
    seed: int = 1,
    data: str = "files",
) -> dict[str, dict[str, Any]]:
    """System a minus system b on the same speakers: a paired bootstrap over the speakers that both answered.

    Output  figure: {a, b, difference, interval, speakers, signature}
    Empty   no common speaker: values None; fewer than 2: interval None
    """
    repetition_weight = _weight(a, repetition_weight)
    common = [speaker for speaker in a.speakers if speaker in b.speakers]
    first, second = [a.speakers[speaker] for speaker in common], [b.speakers[speaker] for speaker in common]
    facts: dict[str, dict[str, Any]] = {}
    for name, (above, below) in components(repetition_weight).items():
        sums = [(_sums(people, above), _sums(people, below)) for people in (first, second)]
        values = [float(up.sum() / down.sum()) if down.sum() else None for up, down in sums]
        facts[name] = {"a": values[0], "b": values[1], "difference": None, "interval": None}
        if values[0] is not None and values[1] is not None:
            interval = bootstrap_difference(sums[0], sums[1], seed=seed)
            facts[name]["difference"] = values[0] - values[1]
            facts[name]["interval"] = list(interval) if interval else None
        facts[name]["speakers"] = len(common)
        facts[name]["signature"] = signature(
            f"{name}_difference",
            unit="speaker",
            n=len(common),
            data=data,
            mode=a.mode,
            seed=seed,
            repetition_weight=repetition_weight,
        )
    return facts


def _weight(scores: Scores, repetition_weight: float) -> float:
    """Distance added by a request to repeat: 0 where the distance includes it."""
    return 0.0 if scores.mode == "official" else repetition_weight


def by_action(scores: Scores) -> dict[str, dict[str, Any]]:
    """Per action of the reference: predicates, recognised, expected, correct and repeated arguments."""
    table: dict[str, SpeakerCounts] = {}
    for score in scores.predicates:
        table.setdefault(score.action, SpeakerCounts()).add(score)
    return {
        action: {
            "predicates": counts.predicates,
            "correct_actions": counts.recognised / counts.predicates,
            "expected_arguments": counts.expected,
            "correct_arguments": counts.correct / counts.expected if counts.expected else None,
            "argument_repetitions": counts.repetitions,
        }
        for action, counts in sorted(table.items(), key=lambda row: -row[1].predicates)
    }


def confusions(scores: Scores) -> list[dict[str, Any]]:
    """Confusion counts of actions, most first; None: no such predicate on that side."""
    ordered = sorted(scores.confusions.items(), key=lambda row: (-row[1], str(row[0])))
    return [
        {"reference": expected, "answer": answered, "count": count} for (expected, answered), count in ordered
    ]


def _sums(people: list[SpeakerCounts], part: Callable[[SpeakerCounts], float]) -> np.ndarray:
    return np.array([part(person) for person in people], dtype=float)


def _totals(people: list[SpeakerCounts]) -> dict[str, int]:
    names = [field.name for field in fields(SpeakerCounts)]
    sums = [sum(column) for column in zip(*(astuple(person) for person in people), strict=True)] or [0] * len(
        names
    )
    return dict(zip(names, sums, strict=True))
