"""Estimates for systems from people's answers and a judge's labels: side by side, never the judge alone.

Labels are what participants answered (or voted); a judge's words are the table `judgements`, or come from
interaction parameters by models that never saw the participant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from vivavoce.analysis.judged_table import PARAMETERS, PREFERENCE, JudgedTable, judged_table, number_of
from vivavoce.analysis.label_targets import by_annotator, is_label
from vivavoce.analysis.prediction.table import parameters
from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.core.statement import FormattedNumber, LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import logged_chances
from vivavoce.stats.judge_calibration import (
    AlternativeAnnotator,
    JudgeAgreement,
    JudgeFigure,
    ReliabilityBin,
    agree,
    alternative_annotator_test,
    judge_effects,
    position_effect,
    reliability_diagram,
)
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.prediction_powered import (
    JudgedCases,
    PoweredDifference,
    PoweredMean,
    effective_labels,
    powered_difference,
    powered_mean,
)

Floats = np.ndarray[Any, np.dtype[np.float64]]
DOUBTFUL: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedGroup:
    """One group: by people alone, by people and judge, and what the judge alone would say, uncorrected.

    effective_labels  how many labels people alone would need for the error of people and judge
    """

    key: str | None
    dialogues: int
    people: PoweredMean
    joined: PoweredMean
    judge_uncorrected: PoweredMean
    effective_labels: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedDifference:
    """Two groups compared in the three ways; `p_adjusted`: of people and judge, over all pairs (Holm)."""

    a: str | None
    b: str | None
    people: PoweredDifference
    joined: PoweredDifference
    judge_uncorrected: PoweredDifference
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeEstimates:
    """All groups and their differences, and in words what rests on whom."""

    judge: str
    target: str
    by: str
    rate: bool
    groups: list[EstimatedGroup]
    differences: list[EstimatedDifference]
    words: list[LocalizedText]
    warnings: list[LocalizedText]
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCalibration:
    """A judge held to people on what both judged.

    effects  what its difference from people goes with: systems against all others, languages, length (per
             deviation of words), success, position (share for what it read first, less one half)
    """

    judge: str
    target: str
    agreement: JudgeAgreement
    reliability: list[ReliabilityBin]
    effects: Mapping[str, JudgeFigure]
    people_with_people: JudgeAgreement | None
    alternative: AlternativeAnnotator | None
    signature: str


def estimate(
    dataset: Dataset,
    judge: str,
    target: str,
    *,
    by: str = "system",
    chances: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> JudgeEstimates:
    """Groups of dialogues from people and judge, with people alone and the judge alone beside them.

    Input   chances: with which people were asked of each dialogue, where they were not the same for all
    Raises  UnknownName: no such judge, target or grouping; InputError: a dialogue that people judged without
            a chance of it, or a chance that is none
    """
    table = judged_table(dataset, judge, target, by)
    labelled = ~np.isnan(table.labels)
    rate = bool(np.isin(table.labels[labelled], (0.0, 1.0)).all()) and bool(labelled.any())
    logged = logged_chances(dataset, target.partition(".")[0]) if chances is None else {}
    if logged:
        chances = {dialogue: chance for dialogue, (chance, _) in logged.items()}
        table, labelled = _as_drawn(table, logged)
    odds = None if chances is None else _chances(table, chances)
    keys = sorted({key for key in table.keys if key is not None})
    sides = [
        _sides(table, np.array([key_of_case == key for key_of_case in table.keys]), odds) for key in keys
    ]
    groups = [_group(key, side, rate=rate, level=level) for key, side in zip(keys, sides, strict=True)]
    differences = [] if target == PREFERENCE else _differences(keys, sides, level)
    return JudgeEstimates(
        judge=judge,
        target=target,
        by=by,
        rate=rate,
        groups=groups,
        differences=differences,
        words=[*_in_words(table, judge, chosen=odds is not None), *_drawn_words(table, logged)],
        warnings=_doubts(table, labelled, odds),
        signature=signature(
            f"{target}_prediction_powered",
            unit="participant",
            n=len(np.unique(table.people[labelled])),
            data=dataset.hash,
            judge=judge,
            by=by,
            method="ppi++ clustered",
        ),
    )


def calibrate(dataset: Dataset, judge: str, target: str, *, epsilon: float = 0.15) -> JudgeCalibration:
    """Agreement of a judge with people, its errors, and whether it may stand in for one of them.

    Raises  as `judged_table`; InputError: people and judge have no case in common
    """
    table = judged_table(dataset, judge, target)
    judged_twice = ~np.isnan(table.labels) & ~np.isnan(table.said)
    if not judged_twice.any():
        raise InputError(
            f"no dialogue was judged by both people and {judge!r}",
            place=target,
            hint="collect human ratings of dialogues that it judged",
        )
    predictions, labels, people = (
        table.said[judged_twice],
        table.labels[judged_twice],
        table.people[judged_twice],
    )
    features = _features(dataset, table)
    effects = judge_effects(
        predictions - labels, people, {name: feature[judged_twice] for name, feature in features.items()}
    )
    placed = ~np.isnan(table.first)
    if placed.any():
        effects["position"] = position_effect(table.first[placed], table.people[placed])
    annotators = _annotators(dataset, table.target)
    pairs = _pairs(annotators, dict(zip(table.cases, table.people, strict=True)))
    return JudgeCalibration(
        judge=judge,
        target=target,
        agreement=agree(predictions, labels, people),
        reliability=reliability_diagram(predictions, labels, people),
        effects=effects,
        people_with_people=agree(*pairs) if pairs else None,
        alternative=alternative_annotator_test(
            {
                case: float(value)
                for case, value in zip(table.cases, table.said, strict=True)
                if value == value
            },
            annotators,
            {case: str(who) for case, who in zip(table.cases, table.people, strict=True)},
            epsilon=epsilon,
            alignment="same" if _whole(table.said) else "distance",
        )
        if len(annotators) > 1
        else None,
        signature=signature(
            f"{target}_judge_calibration",
            unit="participant",
            n=len(np.unique(people)),
            data=dataset.hash,
            judge=judge,
        ),
    )


def _group(key: str | None, sides: Mapping[str, JudgedCases], *, rate: bool, level: float) -> EstimatedGroup:
    people, joined = (powered_mean(sides[way], rate=rate, level=level) for way in ("people", "joined"))
    return EstimatedGroup(
        key=key,
        dialogues=len(sides["joined"].said),
        people=people,
        joined=joined,
        judge_uncorrected=powered_mean(sides["judge_uncorrected"], rate=False, level=level),
        effective_labels=effective_labels(people.labels, people.se, joined.se),
    )


def _differences(
    keys: Sequence[str], sides: Sequence[Mapping[str, JudgedCases]], level: float
) -> list[EstimatedDifference]:
    pairs = list(combinations(range(len(keys)), 2))
    comparisons = [
        {way: powered_difference(sides[i][way], sides[j][way], level=level) for way in sides[i]}
        for i, j in pairs
    ]
    adjusted = holm([comparison["joined"].p for comparison in comparisons])
    return [
        EstimatedDifference(a=keys[i], b=keys[j], p_adjusted=p, **comparison)
        for (i, j), comparison, p in zip(pairs, comparisons, adjusted, strict=True)
    ]


def _sides(table: JudgedTable, chosen: np.ndarray, odds: Floats | None) -> dict[str, JudgedCases]:
    people, predictions, labels = table.people[chosen], table.said[chosen], table.labels[chosen]
    joined = JudgedCases(people, predictions, labels, None if odds is None else odds[chosen])
    nothing = np.full(len(predictions), np.nan)
    return {
        "people": joined.without_judge(),
        "joined": joined,
        "judge_uncorrected": JudgedCases(people, nothing, predictions),
    }


def _chances(table: JudgedTable, chances: Mapping[str, float]) -> Floats:
    case_chances = np.array(
        [
            number_of(chances.get(case, chances.get(dialogue)))
            for case, dialogue in zip(table.cases, table.dialogues, strict=True)
        ]
    )
    labelled = ~np.isnan(table.labels)
    lacking = [case for case, odds in zip(table.cases, case_chances, strict=True) if odds != odds]
    judged = [case for case in lacking if case in set(np.array(table.cases)[labelled])]
    if judged:
        raise InputError(
            f"dialogue {judged[0]!r} was judged but has no selection probability",
            place="--chances",
            hint="pass the file written by `judge choose` for these dialogues",
        )
    wrong = case_chances[(case_chances <= 0) | (case_chances > 1)]
    if len(wrong):
        raise InputError(
            f"selection probability {wrong[0]:g}", place="--chances", hint="use a value above 0, at most 1"
        )
    return np.where(np.isnan(case_chances), 1.0, case_chances)


def _in_words(table: JudgedTable, judge: str, *, chosen: bool) -> list[LocalizedText]:
    labelled, predicted = ~np.isnan(table.labels), ~np.isnan(table.said)
    sentences = [
        statement(
            "People judged {labels} of {n} cases ({people} participants). {judge} alone judged {predicted} "
            "more; its mean error, measured on the human ratings, is subtracted.",
            labels=int(labelled.sum()),
            n=len(labelled),
            people=len(np.unique(table.people[labelled])),
            predicted=int((~labelled & predicted).sum()),
            judge=judge,
        ),
        statement("Figures of the judge alone are uncorrected; they show its bias."),
    ]
    if judge == PARAMETERS:
        sentences.append(statement("Each dialogue is predicted by models trained on other participants."))
    if not chosen:
        sentences.append(
            statement(
                "This requires a random sample of human-judged cases; the log does not show the sampling."
            )
        )
    if silent := int((~predicted).sum()):
        sentences.append(
            statement("The judge gave no label for {n} cases; its mean is used there.", n=silent)
        )
    return sentences


def _doubts(table: JudgedTable, labelled: np.ndarray, odds: Floats | None) -> list[LocalizedText]:
    """Warning if the judge rates the dialogues that people judged higher than others: no random sample."""
    predicted = ~np.isnan(table.said)
    parts = [predicted & labelled, predicted & ~labelled]
    if odds is not None or min(int(part.sum()) for part in parts) < 2:
        return []
    nothing = np.full(len(labelled), np.nan)
    first, second = (JudgedCases(table.people[part], nothing[part], table.said[part]) for part in parts)
    difference = powered_difference(first, second)
    if difference.p is None or difference.p >= DOUBTFUL or difference.estimate is None:
        return []
    return [
        statement(
            "The judge rates the human-judged cases {difference} better than the rest (p {p}). They are "
            "probably not a random sample, so these figures are unreliable. Sample cases with `judge "
            "choose`.",
            difference=FormattedNumber(difference.estimate, "+.2f"),
            p=FormattedNumber(difference.p, ".2g"),
        )
    ]


def _features(dataset: Dataset, table: JudgedTable) -> dict[str, Floats]:
    """Features for the judge's errors: each system and language against all others, length, success."""
    features: dict[str, Floats] = {"words": table.words}
    keys = sorted({str(key) for key in table.keys})
    if len(keys) > 1:
        features |= {
            f"system {key}": np.array([float(key_of_case == key) for key_of_case in table.keys])
            for key in keys
        }
    rows = dataset.read("dialogues").select(["dialogue_id", "language"]).to_pylist()
    languages = {row["dialogue_id"]: row["language"] for row in rows}
    spoken = [languages.get(dialogue) for dialogue in table.dialogues]
    several = sorted({language for language in spoken if language})
    if len(several) > 1:
        features |= {
            f"language {key}": np.array([float(language == key) for language in spoken]) for key in several
        }
    success = parameters(dataset, every=False)
    for name in ("objective_success_assigned",):
        if name in success:
            features[name] = success[name].reindex(list(table.dialogues)).to_numpy(dtype="float64")
    return features


def _as_drawn(table: JudgedTable, logged: Mapping[str, tuple[float, bool]]) -> tuple[JudgedTable, np.ndarray]:
    """The table without labels of dialogues that no lot fell on: their chance nobody knows."""
    selected = np.array([logged.get(dialogue, (0.0, False))[1] for dialogue in table.dialogues])
    labels = np.where(selected, table.labels, np.nan)
    return replace(table, labels=labels), ~np.isnan(labels)


def _drawn_words(table: JudgedTable, logged: Mapping[str, tuple[float, bool]]) -> list[LocalizedText]:
    if not logged:
        return []
    judged = {
        dialogue for dialogue, label in zip(table.dialogues, table.labels, strict=True) if label == label
    }
    selected = {dialogue for dialogue in table.dialogues if logged.get(dialogue, (0.0, False))[1]}
    return [
        statement(
            "Dialogues were sampled for annotation with logged probabilities: {drawn} of {n}, of which "
            "{open} are pending. Labels have inverse-probability weights.",
            drawn=len(selected),
            n=len(set(table.dialogues)),
            open=len(selected - judged),
        )
    ]


def _annotators(dataset: Dataset, target: str) -> dict[str, dict[str, float]]:
    """Labels by each person: judges of the kind `person`, and annotators."""
    labels_of = by_annotator(dataset, target) if is_label(dataset, target) else {}
    for row in dataset.read("judgements").to_pylist():
        if row["kind"] == "person" and row["target"] == target and row["value"] is not None:
            labels_of.setdefault(row["judge"], {})[row["dialogue_id"]] = row["value"]
    return labels_of


def _pairs(
    annotators: Mapping[str, Mapping[str, float]], people: Mapping[str, str]
) -> tuple[Any, Any, Any] | None:
    rows = [
        (first[case], second[case], people.get(case, case))
        for first, second in combinations(annotators.values(), 2)
        for case in first
        if case in second
    ]
    if not rows:
        return None
    first, second, who = zip(*rows, strict=True)
    return np.array(first), np.array(second), np.array(who)


def _whole(values: Floats) -> bool:
    valid = values[~np.isnan(values)]
    return bool((valid == np.round(valid)).all())
