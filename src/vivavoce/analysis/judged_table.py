"""Labels by people and a judge for the same dialogues, turns or votes; and the judge's uncertainty."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vivavoce.analysis.label_targets import free_parameters, is_label, labelled_cases
from vivavoce.analysis.prediction.table import column_of, parameters, people_of, prediction_table, targets
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import group_keys
from vivavoce.stats.label_choice import doubt_of, is_share, learned_spread
from vivavoce.stats.prediction.cross_fitting import Learner, Predict, cross_fitted
from vivavoce.stats.prediction.fitting import fit
from vivavoce.stats.prediction.logistic import fit_logistic

Floats = np.ndarray[Any, np.dtype[np.float64]]
PARAMETERS: Final = "parameters"
PREFERENCE: Final = "preference"
CHOICES: Final = {"left": 1.0, "right": 0.0, "tie": 0.5, "both_bad": 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTable:
    """Labels by people and a judge for each case (a dialogue, a turn, or a vote), one entry each.

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
    cases = [str(dialogue_id) for dialogue_id in dataset.read("dialogues")["dialogue_id"].to_pylist()]
    labels = answered[column].reindex(cases).to_numpy(dtype="float64")
    whose = people_of(dataset)
    people = [whose[case] for case in cases]
    if judge == PARAMETERS:
        values = _parameters_for(dataset, target, cases)
        predictions = cross_fitted(values, labels, people, train=_learner(labels))
    else:
        rows = _judgements(dataset, judge, column)
        value_of = {row["dialogue_id"]: row["value"] for row in rows}
        predictions = np.array([number_of(value_of.get(case)) for case in cases])
    return JudgedTable(
        target=column,
        cases=cases,
        dialogues=cases,
        people=np.array(people),
        keys=group_keys(dataset, by),
        said=predictions,
        labels=labels,
        first=np.full(len(cases), np.nan),
        words=np.array([float(words.get(case, 0)) for case in cases]),
    )


def doubt(dataset: Dataset, table: JudgedTable, judge: str) -> Floats:
    """Uncertainty of a judge for each case: by its confidence where it gives one, else by its labels.

    Output  1 less the confidence; else as `doubt_of`; on scales how far from people it is expected to be, by
            models that saw nothing of the participant. NaN where it said nothing, or nothing is known
    """
    rows = [] if judge == PARAMETERS else _judgements(dataset, judge, table.target)
    sure = {_case(row): row["confidence"] for row in rows if row["confidence"] is not None}
    if sure and table.target != PREFERENCE:
        return np.array([1 - number_of(sure.get(case)) for case in table.cases])
    if is_share(table.labels):
        return doubt_of(table.said, table.labels)
    try:
        values = _parameters_for(dataset, table.target, table.dialogues)
    except InputError:  # too few answers, or parameters, to learn from
        return doubt_of(table.said, table.labels)
    return learned_spread(
        np.abs(table.labels - table.said),
        lambda off: cross_fitted(values, off, [str(person) for person in table.people], train=_learner(off)),
    )


def _parameters_for(dataset: Dataset, target: str, cases: Sequence[str]) -> Floats:
    """Predictors of an item's answers, one row a dialogue."""
    names = list(prediction_table(dataset, target).predictors)
    return parameters(dataset).reindex(index=list(cases), columns=names).to_numpy(dtype="float64")


def doubts_by_dialogue(
    dataset: Dataset, table: JudgedTable, judge: str
) -> tuple[list[str], Floats, np.ndarray]:
    """Dialogues that people may be asked about: names, the judge's uncertainty, and strata.

    Output  dialogues (of turns the whole dialogue, with the mean of their doubts); of votes the cases
    """
    unsure, keys = doubt(dataset, table, judge), np.array([str(key) for key in table.keys])
    if table.target == PREFERENCE:
        return list(table.cases), unsure, keys
    names = list(dict.fromkeys(table.dialogues))
    places = {name: place for place, name in enumerate(names)}
    at = np.array([places[dialogue] for dialogue in table.dialogues], dtype=int)
    has_doubt = ~np.isnan(unsure)
    counts = np.bincount(at, has_doubt, len(names))
    sums = np.bincount(at, np.where(has_doubt, unsure, 0.0), len(names))
    mean = np.divide(sums, counts, out=np.full(len(names), np.nan), where=counts > 0)
    strata = np.empty(len(names), dtype=keys.dtype)
    strata[at] = keys
    return names, mean, strata


def _learner(labels: Floats) -> Learner:
    """Model of answers: probabilities of yes and no, values on other scales."""
    return _chances if np.isin(labels[~np.isnan(labels)], (0.0, 1.0)).all() else _values


def _chances(values: Floats, answers: Floats, groups: Sequence[str]) -> Predict:
    return fit_logistic(values, answers, groups).predict


def _values(values: Floats, answers: Floats, groups: Sequence[str]) -> Predict:
    return fit("elastic_net", values, answers, groups).predict


def _labels(dataset: Dataset, judge: str, target: str, by: str, words: Mapping[str, int]) -> JudgedTable:
    """Labels by annotators and a judge for each dialogue or turn; `parameters` are those of its dialogue."""
    labelled = labelled_cases(dataset, target)
    whose = people_of(dataset)
    all_dialogues = [
        str(dialogue_id)
        for dialogue_id in dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist()
    ]
    places = {dialogue_id: place for place, dialogue_id in enumerate(all_dialogues)}
    at = [places[dialogue] for dialogue in labelled.dialogues]
    people, keys = [whose[dialogue] for dialogue in labelled.dialogues], group_keys(dataset, by)
    if judge == PARAMETERS:
        values = free_parameters(dataset)[1][at]
        train = _learner(labelled.labels) if values.shape[1] else _nothing_known
        predictions = cross_fitted(values, labelled.labels, people, train=train)
    else:
        rows = _judgements(dataset, judge, target)
        value_of = {(row["dialogue_id"], row["turn_index"]): row["value"] for row in rows}
        predictions = np.array(
            [number_of(value_of.get(place)) for place in zip(labelled.dialogues, labelled.turns, strict=True)]
        )
    if any(turn is not None for turn in labelled.turns):
        texts = dataset.read("turns", ["dialogue_id", "turn_index", "text"]).to_pylist()
        words = {_case(row): len((row["text"] or "").split()) for row in texts}
    return JudgedTable(
        target=target,
        cases=labelled.cases,
        dialogues=labelled.dialogues,
        people=np.array(people),
        keys=[keys[place] for place in at],
        said=predictions,
        labels=labelled.labels,
        words=np.array([float(words.get(case, 0)) for case in labelled.cases]),
        first=np.full(len(labelled.cases), np.nan),
    )


def _nothing_known(values: Floats, answers: Floats, _: Sequence[str]) -> Callable[[Floats], Floats]:
    return lambda new: np.full(len(new), answers.mean())


def _votes(dataset: Dataset, judge: str, words: Mapping[str, int]) -> JudgedTable:
    row_of = {
        (row["dialogue_id"], row["other_dialogue_id"], row["exchange"]): row
        for row in _judgements(dataset, judge, PREFERENCE)
    }
    columns: dict[str, list[Any]] = {
        name: [] for name in ("cases", "dialogues", "people", "keys", "said", "labels", "words", "first")
    }
    for number, vote in enumerate(dataset.read("votes").to_pylist()):
        left_id, right = vote["left_dialogue_id"], vote["right_dialogue_id"]
        a, b = sorted((vote["left_system"], vote["right_system"]))
        turned = vote["left_system"] != a
        row = row_of.get((left_id, right, vote["exchange"]), {})
        label, prediction = CHOICES.get(vote["choice"]), row.get("value")
        longer = words.get(left_id, 0) - words.get(right, 0)
        columns["cases"].append(f"{left_id} {right} {vote['exchange']}")
        columns["dialogues"].append(left_id)
        columns["people"].append(vote["participant_id"] or f"unknown {number}")
        columns["keys"].append(f"{a} : {b}")
        columns["labels"].append(_turned(label, turned))
        columns["said"].append(_turned(prediction, turned))
        columns["words"].append(float(-longer if turned else longer))
        columns["first"].append(number_of(row.get("first_chosen")))
    arrays = {name: np.array(columns[name]) for name in ("people", "said", "labels", "words", "first")}
    return JudgedTable(
        target=PREFERENCE,
        cases=columns["cases"],
        dialogues=columns["dialogues"],
        keys=columns["keys"],
        **arrays,
    )


def _judgements(dataset: Dataset, judge: str, target: str) -> list[dict[str, Any]]:
    rows = dataset.read("judgements").to_pylist()
    judgements = [row for row in rows if row["judge"] == judge and row["target"] == target]
    if not judgements:
        judges = sorted({row["judge"] for row in rows if row["target"] == target} | {PARAMETERS})
        raise UnknownName("judge", judge, judges, place=f"{dataset.folder} target {target}")
    return judgements


def _words(dataset: Dataset) -> dict[str, int]:
    """Words of the system in each dialogue."""
    words_of: dict[str, int] = {}
    for row in dataset.read("turns").select(["dialogue_id", "party", "text"]).to_pylist():
        if row["party"] == "system":
            words_of[row["dialogue_id"]] = words_of.get(row["dialogue_id"], 0) + len(
                (row["text"] or "").split()
            )
    return words_of


def number_of(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _turned(value: float | None, turned: bool) -> float:
    return np.nan if value is None else 1 - value if turned else value


def _case(row: Mapping[str, Any]) -> str:
    """A judgement's case, as tables name it."""
    return row["dialogue_id"] if row["turn_index"] is None else f"{row['dialogue_id']} {row['turn_index']}"
