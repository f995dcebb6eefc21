"""What systems are like, from people's answers and a judge's words: beside each other, never the judge alone.

Labels are what participants answered (or voted); a judge's words are the table `judgements`, or come from
interaction parameters by models that never saw the participant.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.signature import signature
from vivavoce.core.statement import Numeral, Statement, statement
from vivavoce.log.dataset import Dataset
from vivavoce.measures.compute import group_keys
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
from vivavoce.stats.label_choice import doubt_of
from vivavoce.stats.label_targets import (
    by_annotator,
    free_parameters,
    is_label,
    labelled_cases,
    logged_chances,
)
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.prediction.cross_fitting import Learner, cross_fitted
from vivavoce.stats.prediction.fitting import fit
from vivavoce.stats.prediction.logistic import fit_logistic
from vivavoce.stats.prediction.table import column_of, parameters, people_of, prediction_table, targets
from vivavoce.stats.prediction_powered import (
    JudgedCases,
    PoweredDifference,
    PoweredMean,
    effective_labels,
    powered_difference,
    powered_mean,
)

Floats = np.ndarray[Any, np.dtype[np.float64]]
PARAMETERS: Final = "parameters"
PREFERENCE: Final = "preference"
DOUBTFUL: Final = 0.01
CHOICES: Final = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """What people and a judge say of each case (a dialogue, a turn, or a vote), one entry each.

    target    as judgements are kept by it: of an item's other names its own
    dialogues  whose cases they are: of a vote the left one
    keys      the group of each; of votes the two systems as "a : b", a before b, and 1 means that a is better
    words     of the case, for the judge's love of length: of a vote those of a less those of b
    first     of votes, the judge's share for what it read first
    """

    target: str
    cases: Sequence[str]
    dialogues: Sequence[str]
    people: np.ndarray
    keys: Sequence[str | None]
    said: Floats
    labels: Floats
    words: Floats
    first: Floats


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
    words: list[Statement]
    warnings: list[Statement]
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


def judged_table(dataset: Dataset, judge: str, target: str, by: str = "system") -> JudgedTable:
    """Labels and a judge's words of every case of a dataset.

    Input   judge: a name in the table `judgements`, or `parameters`; target: an item, a score, a layer of
            annotation and its label (`context.AP`), or `preference`
    Raises  UnknownName: no such judge of this target, or nobody was asked such a thing
    """
    words = _words(dataset)
    if target == PREFERENCE:
        return _votes(dataset, judge, words)
    if is_label(dataset, target):
        return _labels(dataset, judge, target, by, words)
    answered = targets(dataset)
    column = column_of(target, answered, dataset)
    cases = [str(one) for one in dataset.read("dialogues")["dialogue_id"].to_pylist()]
    labels = answered[column].reindex(cases).to_numpy(dtype="float64")
    whose = people_of(dataset)
    people = [whose[one] for one in cases]
    if judge == PARAMETERS:
        table = prediction_table(dataset, target)
        values = parameters(dataset).reindex(index=cases, columns=list(table.predictors))
        said = cross_fitted(values.to_numpy(dtype="float64"), labels, people, train=_learner(labels))
    else:
        rows = _judgements(dataset, judge, column)
        told = {row["dialogue_id"]: row["value"] for row in rows}
        said = np.array([_number(told.get(one)) for one in cases])
    return JudgedTable(
        target=column, cases=cases, dialogues=cases, people=np.array(people), keys=group_keys(dataset, by), said=said,
        labels=labels, first=np.full(len(cases), np.nan),
        words=np.array([float(words.get(one, 0)) for one in cases]),
    )  # fmt: skip


def estimate(
    dataset: Dataset, judge: str, target: str, *, by: str = "system",
    chances: Mapping[str, float] | None = None, level: float = 0.95,
) -> JudgeEstimates:  # fmt: skip
    """Groups of dialogues from people and judge, with people alone and the judge alone beside them.

    Input   chances: with which people were asked of each dialogue, where they were not the same for all
    Raises  UnknownName: no such judge, target or grouping; InputError: a dialogue that people judged without
            a chance of it, or a chance that is none
    """
    table = judged_table(dataset, judge, target, by)
    asked = ~np.isnan(table.labels)
    rate = bool(np.isin(table.labels[asked], (0.0, 1.0)).all()) and bool(asked.any())
    logged = logged_chances(dataset, target) if chances is None else {}
    if logged:
        chances = {one: chance for one, (chance, _) in logged.items()}
        table, asked = _as_drawn(table, logged)
    odds = None if chances is None else _chances(table, chances)
    keys = sorted({one for one in table.keys if one is not None})
    sides = [_sides(table, np.array([one == key for one in table.keys]), odds) for key in keys]
    groups = [_group(key, side, rate=rate, level=level) for key, side in zip(keys, sides, strict=True)]
    differences = [] if target == PREFERENCE else _differences(keys, sides, level)
    return JudgeEstimates(
        judge=judge, target=target, by=by, rate=rate, groups=groups, differences=differences,
        words=[*_in_words(table, judge, chosen=odds is not None), *_drawn_words(table, logged)], warnings=_doubts(table, asked, odds),
        signature=signature(
            f"{target}_prediction_powered", unit="participant", n=len(np.unique(table.people[asked])),
            data=dataset.hash, judge=judge, by=by, method="ppi++ clustered",
        ),
    )  # fmt: skip


def calibrate(dataset: Dataset, judge: str, target: str, *, epsilon: float = 0.15) -> JudgeCalibration:
    """How far a judge agrees with people, where it is wrong, and whether it may stand in for one of them.

    Raises  as `judged_table`; InputError: people and judge have no case in common
    """
    table = judged_table(dataset, judge, target)
    both = ~np.isnan(table.labels) & ~np.isnan(table.said)
    if not both.any():
        raise InputError(f"people and {judge!r} judged no dialogue in common", place=target,
                         hint="let people judge some that it judged")  # fmt: skip
    said, labels, people = table.said[both], table.labels[both], table.people[both]
    features = _features(dataset, table)
    effects = judge_effects(said - labels, people, {name: one[both] for name, one in features.items()})
    placed = ~np.isnan(table.first)
    if placed.any():
        effects["position"] = position_effect(table.first[placed], table.people[placed])
    annotators = _annotators(dataset, table.target)
    pairs = _pairs(annotators, dict(zip(table.cases, table.people, strict=True)))
    return JudgeCalibration(
        judge=judge, target=target, agreement=agree(said, labels, people),
        reliability=reliability_diagram(said, labels, people), effects=effects,
        people_with_people=agree(*pairs) if pairs else None,
        alternative=alternative_annotator_test(
            {one: float(value) for one, value in zip(table.cases, table.said, strict=True) if value == value},
            annotators, {one: str(who) for one, who in zip(table.cases, table.people, strict=True)},
            epsilon=epsilon, alignment="same" if _whole(table.said) else "distance",
        ) if len(annotators) > 1 else None,
        signature=signature(
            f"{target}_judge_calibration", unit="participant", n=len(np.unique(people)), data=dataset.hash,
            judge=judge,
        ),
    )  # fmt: skip


def doubt(dataset: Dataset, table: JudgedTable, judge: str) -> Floats:
    """How unsure a judge is of each case: by its confidence where it says one, else by what it says.

    Output  1 less the confidence; else as `doubt_of`; NaN where it said nothing
    """
    rows = [] if judge == PARAMETERS else _judgements(dataset, judge, table.target)
    sure = {_case(row): row["confidence"] for row in rows if row["confidence"] is not None}
    if sure and table.target != PREFERENCE:
        return np.array([1 - _number(sure.get(one)) for one in table.cases])
    return doubt_of(table.said, table.labels)


def doubts_by_dialogue(
    dataset: Dataset, table: JudgedTable, judge: str
) -> tuple[list[str], Floats, np.ndarray]:
    """What people may be asked about: its names, how unsure the judge is of each, and its stratum.

    Output  dialogues (of turns the whole dialogue, with the mean of their doubts); of votes the cases
    """
    unsure, keys = doubt(dataset, table, judge), np.array([str(one) for one in table.keys])
    if table.target == PREFERENCE:
        return list(table.cases), unsure, keys
    names = list(dict.fromkeys(table.dialogues))
    places = {one: place for place, one in enumerate(names)}
    at = np.array([places[one] for one in table.dialogues], dtype=int)
    known = ~np.isnan(unsure)
    counts = np.bincount(at, known, len(names))
    sums = np.bincount(at, np.where(known, unsure, 0.0), len(names))
    mean = np.divide(sums, counts, out=np.full(len(names), np.nan), where=counts > 0)
    strata = np.empty(len(names), dtype=keys.dtype)
    strata[at] = keys
    return names, mean, strata


def _learner(labels: Floats) -> Learner:
    """What learns to predict answers: of yes and no their chances, of other scales their values."""
    if np.isin(labels[~np.isnan(labels)], (0.0, 1.0)).all():
        return lambda values, answers, groups: fit_logistic(values, answers, groups).predict
    return lambda values, answers, groups: fit("elastic_net", values, answers, groups).predict


def _group(key: str | None, sides: Mapping[str, JudgedCases], *, rate: bool, level: float) -> EstimatedGroup:
    people, joined = (powered_mean(sides[way], rate=rate, level=level) for way in ("people", "joined"))
    return EstimatedGroup(
        key=key, dialogues=len(sides["joined"].said), people=people, joined=joined,
        judge_uncorrected=powered_mean(sides["judge_uncorrected"], rate=False, level=level),
        effective_labels=effective_labels(people.labels, people.se, joined.se),
    )  # fmt: skip


def _differences(
    keys: Sequence[str], sides: Sequence[Mapping[str, JudgedCases]], level: float
) -> list[EstimatedDifference]:
    pairs = list(combinations(range(len(keys)), 2))
    found = [
        {way: powered_difference(sides[i][way], sides[j][way], level=level) for way in sides[i]}
        for i, j in pairs
    ]
    adjusted = holm([one["joined"].p for one in found])
    return [
        EstimatedDifference(a=keys[i], b=keys[j], p_adjusted=p, **one)
        for (i, j), one, p in zip(pairs, found, adjusted, strict=True)
    ]


def _sides(table: JudgedTable, chosen: np.ndarray, odds: Floats | None) -> dict[str, JudgedCases]:
    people, said, labels = table.people[chosen], table.said[chosen], table.labels[chosen]
    joined = JudgedCases(people, said, labels, None if odds is None else odds[chosen])
    nothing = np.full(len(said), np.nan)
    return {"people": joined.without_judge(), "joined": joined,
            "judge_uncorrected": JudgedCases(people, nothing, said)}  # fmt: skip


def _chances(table: JudgedTable, chances: Mapping[str, float]) -> Floats:
    found = np.array([
        _number(chances.get(case, chances.get(one)))
        for case, one in zip(table.cases, table.dialogues, strict=True)
    ])  # fmt: skip
    asked = ~np.isnan(table.labels)
    lacking = [one for one, odds in zip(table.cases, found, strict=True) if odds != odds]
    judged = [one for one in lacking if one in set(np.array(table.cases)[asked])]
    if judged:
        raise InputError(f"dialogue {judged[0]!r} was judged, and has no chance", place="--chances",
                         hint="give the file that `judge choose` wrote for these dialogues")  # fmt: skip
    wrong = found[(found <= 0) | (found > 1)]
    if len(wrong):
        raise InputError(f"a chance of {wrong[0]:g}", place="--chances", hint="above 0, and at most 1")
    return np.where(np.isnan(found), 1.0, found)


def _in_words(table: JudgedTable, judge: str, *, chosen: bool) -> list[Statement]:
    asked, known = ~np.isnan(table.labels), ~np.isnan(table.said)
    found = [
        statement(
            "People judged {labels} of {n} cases ({people} participants); of {predicted} more only {judge} "
            "speaks, whose mean error on the cases of people is subtracted.",
            labels=int(asked.sum()), n=len(asked), people=len(np.unique(table.people[asked])),
            predicted=int((~asked & known).sum()), judge=judge,
        ),
        statement("The figures of the judge alone are uncorrected: they say how wrong it would have been."),
    ]  # fmt: skip
    if judge == PARAMETERS:
        found.append(statement("Each dialogue is predicted by models that never saw its participant."))
    if not chosen:
        found.append(
            statement(
                "This holds where people judged a random sample; which ones were asked is not logged here."
            )
        )
    if silent := int((~known).sum()):
        found.append(statement("The judge said nothing of {n} cases; its mean stands there.", n=silent))
    return found


def _doubts(table: JudgedTable, asked: np.ndarray, odds: Floats | None) -> list[Statement]:
    """Whether the judge finds what people judged better than the rest: then it is no random sample."""
    known = ~np.isnan(table.said)
    parts = [known & asked, known & ~asked]
    if odds is not None or min(int(one.sum()) for one in parts) < 2:
        return []
    nothing = np.full(len(asked), np.nan)
    first, second = (JudgedCases(table.people[one], nothing[one], table.said[one]) for one in parts)
    found = powered_difference(first, second)
    if found.p is None or found.p >= DOUBTFUL or found.estimate is None:
        return []
    return [
        statement(
            "The judge finds what people judged {difference} better than the rest (p {p}): that is hardly a "
            "random sample, and no figure here is safe. Draw cases by `judge choose`.",
            difference=Numeral(found.estimate, "+.2f"), p=Numeral(found.p, ".2g"),
        )
    ]  # fmt: skip


def _features(dataset: Dataset, table: JudgedTable) -> dict[str, Floats]:
    """Where the judge may be wrong: each system and language against all others, length, success."""
    found: dict[str, Floats] = {"words": table.words}
    keys = sorted({str(one) for one in table.keys})
    if len(keys) > 1:
        found |= {f"system {key}": np.array([float(one == key) for one in table.keys]) for key in keys}
    rows = dataset.read("dialogues").select(["dialogue_id", "language"]).to_pylist()
    languages = {row["dialogue_id"]: row["language"] for row in rows}
    spoken = [languages.get(one) for one in table.dialogues]
    several = sorted({one for one in spoken if one})
    if len(several) > 1:
        found |= {f"language {key}": np.array([float(one == key) for one in spoken]) for key in several}
    success = parameters(dataset, every=False)
    for name in ("objective_success_assigned",):
        if name in success:
            found[name] = success[name].reindex(list(table.dialogues)).to_numpy(dtype="float64")
    return found


def _votes(dataset: Dataset, judge: str, words: Mapping[str, int]) -> JudgedTable:
    told = {
        (row["dialogue_id"], row["other_dialogue_id"], row["exchange"]): row
        for row in _judgements(dataset, judge, PREFERENCE)
    }
    columns: dict[str, list[Any]] = {
        name: [] for name in ("cases", "dialogues", "people", "keys", "said", "labels", "words", "first")
    }
    for number, vote in enumerate(dataset.read("votes").to_pylist()):
        left, right = vote["left_dialogue_id"], vote["right_dialogue_id"]
        a, b = sorted((vote["left_system"], vote["right_system"]))
        turned = vote["left_system"] != a
        row = told.get((left, right, vote["exchange"]), {})
        label, said = CHOICES.get(vote["choice"]), row.get("value")
        longer = words.get(left, 0) - words.get(right, 0)
        columns["cases"].append(f"{left} {right} {vote['exchange']}")
        columns["dialogues"].append(left)
        columns["people"].append(vote["participant_id"] or f"unknown {number}")
        columns["keys"].append(f"{a} : {b}")
        columns["labels"].append(_turned(label, turned))
        columns["said"].append(_turned(said, turned))
        columns["words"].append(float(-longer if turned else longer))
        columns["first"].append(_number(row.get("first_chosen")))
    arrays = {name: np.array(columns[name]) for name in ("people", "said", "labels", "words", "first")}
    listed = {name: columns[name] for name in ("cases", "dialogues", "keys")}
    return JudgedTable(target=PREFERENCE, **listed, **arrays)


def _labels(
    dataset: Dataset, judge: str, target: str, by: str, words: Mapping[str, int]
) -> JudgedTable:
    """What annotators and a judge say of each dialogue or turn; `parameters` are those of its dialogue."""
    found = labelled_cases(dataset, target)
    whose = people_of(dataset)
    every = [str(one) for one in dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist()]
    places = {one: place for place, one in enumerate(every)}
    at = [places[one] for one in found.dialogues]
    people, keys = [whose[one] for one in found.dialogues], group_keys(dataset, by)
    if judge == PARAMETERS:
        values = free_parameters(dataset)[1][at]
        train = _learner(found.labels) if values.shape[1] else _nothing_known
        said = cross_fitted(values, found.labels, people, train=train)
    else:
        rows = _judgements(dataset, judge, target)
        told = {(row["dialogue_id"], row["turn_index"]): row["value"] for row in rows}
        said = np.array([
            _number(told.get(one)) for one in zip(found.dialogues, found.turns, strict=True)
        ])  # fmt: skip
    if any(turn is not None for turn in found.turns):
        texts = dataset.read("turns", ["dialogue_id", "turn_index", "text"]).to_pylist()
        words = {f"{row['dialogue_id']} {row['turn_index']}": len((row["text"] or "").split()) for row in texts}
    return JudgedTable(
        target=target, cases=found.cases, dialogues=found.dialogues, people=np.array(people),
        keys=[keys[place] for place in at], said=said, labels=found.labels,
        words=np.array([float(words.get(one, 0)) for one in found.cases]),
        first=np.full(len(found.cases), np.nan),
    )  # fmt: skip


def _nothing_known(values: Floats, answers: Floats, _: Sequence[str]) -> Callable[[Floats], Floats]:
    return lambda new: np.full(len(new), answers.mean())


def _as_drawn(
    table: JudgedTable, logged: Mapping[str, tuple[float, bool]]
) -> tuple[JudgedTable, np.ndarray]:
    """The table without labels of dialogues that no lot fell on: by what chance they were judged, nobody knows."""
    drawn = np.array([logged.get(one, (0.0, False))[1] for one in table.dialogues])
    labels = np.where(drawn, table.labels, np.nan)
    return replace(table, labels=labels), ~np.isnan(labels)


def _drawn_words(table: JudgedTable, logged: Mapping[str, tuple[float, bool]]) -> list[Statement]:
    if not logged:
        return []
    judged = {one for one, label in zip(table.dialogues, table.labels, strict=True) if label == label}
    drawn = {one for one in table.dialogues if logged.get(one, (0.0, False))[1]}
    return [
        statement(
            "Dialogues were chosen for annotators by logged chances: {drawn} of {n}, of which {open} wait. "
            "Labels weigh by the inverse of their chance.",
            drawn=len(drawn), n=len(set(table.dialogues)), open=len(drawn - judged),
        )
    ]  # fmt: skip


def _judgements(dataset: Dataset, judge: str, target: str) -> list[dict[str, Any]]:
    rows = dataset.read("judgements").to_pylist()
    found = [row for row in rows if row["judge"] == judge and row["target"] == target]
    if not found:
        known = sorted({row["judge"] for row in rows if row["target"] == target} | {PARAMETERS})
        raise UnknownName("judge", judge, known, place=f"{dataset.folder} target {target}")
    return found


def _annotators(dataset: Dataset, target: str) -> dict[str, dict[str, float]]:
    """What each person who judges says of each case: judges of the kind `person`, and annotators of a label."""
    found = by_annotator(dataset, target) if is_label(dataset, target) else {}
    for row in dataset.read("judgements").to_pylist():
        if row["kind"] == "person" and row["target"] == target and row["value"] is not None:
            found.setdefault(row["judge"], {})[row["dialogue_id"]] = row["value"]
    return found


def _pairs(
    annotators: Mapping[str, Mapping[str, float]], people: Mapping[str, str]
) -> tuple[Any, Any, Any] | None:
    rows = [
        (one[case], other[case], people.get(case, case))
        for one, other in combinations(annotators.values(), 2)
        for case in one
        if case in other
    ]
    if not rows:
        return None
    first, second, who = zip(*rows, strict=True)
    return np.array(first), np.array(second), np.array(who)


def _words(dataset: Dataset) -> dict[str, int]:
    """Words of the system in each dialogue."""
    found: dict[str, int] = {}
    for row in dataset.read("turns").select(["dialogue_id", "party", "text"]).to_pylist():
        if row["party"] == "system":
            found[row["dialogue_id"]] = found.get(row["dialogue_id"], 0) + len((row["text"] or "").split())
    return found


def _case(row: Mapping[str, Any]) -> str:
    """A judgement's case, as tables name it."""
    return row["dialogue_id"] if row["turn_index"] is None else f"{row['dialogue_id']} {row['turn_index']}"


def _whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool((known == np.round(known)).all())


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _turned(value: float | None, turned: bool) -> float:
    return np.nan if value is None else 1 - value if turned else value
