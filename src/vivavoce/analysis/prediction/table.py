"""Table for prediction: one row a dialogue, interaction parameters beside judgements."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES, components
from vivavoce.questionnaires.instrument import INSTRUMENTS

Numbers = NDArray[np.float64]
JUDGEMENTS: Final = ("subjective_success",)
HEADLINES: Final = ("objective_success_assigned", "objective_success_inferred")
ALIASES: Final = {"understood_me": "understood", "satisfaction": "satisfied", "use_again": "future"}
LEAST_KNOWN: Final = 0.5
TWINS: Final = 0.999
LEAST_OTHERS: Final = 10


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """Dialogues in which the target was answered.

    values        one column a predictor; NaN where a measure is missing
    judgements    predictors that are users' judgements themselves, admitted because they were asked for
    left_out      measures that are no predictors after all: the predictor that says the same, or why
    """

    target: str
    predictors: tuple[str, ...]
    judgements: tuple[str, ...]
    values: Numbers
    answers: Numbers
    participants: list[str]
    systems: list[str]
    dialogues: list[str]
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def warnings(self) -> list[str]:
        """Limits of any model of these answers.

        Source  ten dialogues of the rarer answer a predictor: Peduzzi and others 1996; here: ten at all
        """
        values, counts = np.unique(self.answers, return_counts=True)
        most, n = counts.max(), counts.sum()
        if n - most >= LEAST_OTHERS:
            return []
        same = f"{most} of {n} dialogues have the same answer ({values[counts.argmax()]:g})"
        few = f"there are too few others to learn from (fewer than {LEAST_OTHERS})"
        return [f"{same}; {few}. Always predicting it is right in {most / n:.0%}"]


def targets(dataset: Dataset) -> pd.DataFrame:
    """Every score and item that was answered about dialogues: one row a dialogue, one column a target.

    A score of a known questionnaire goes by its name, a single item by its item's; scores come first.
    """
    answers: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in dataset.read("ratings").to_pylist():
        if row["dialogue_id"] is not None and row["value"] is not None:
            answers[row["instrument"]][row["dialogue_id"]][row["item_id"]] = row["value"]
    values_by_item: dict[str, dict[str, float]] = defaultdict(dict)
    for name, forms in answers.items():
        for dialogue_id, form in forms.items():
            for item, value in {**form, **_scores(name, form)}.items():
                values_by_item[item][dialogue_id] = value
    return pd.DataFrame({name: pd.Series(column, dtype="float64") for name, column in values_by_item.items()})


def _scores(name: str, form: dict[str, float]) -> dict[str, float]:
    if name not in INSTRUMENTS:
        return {}
    instrument = INSTRUMENTS.get(name)
    item_ids = {item.item_id for item in instrument.items}
    scores = instrument.score({item: value for item, value in form.items() if item in item_ids})
    return {score: value for score, value in scores.items() if value is not None}


def column_of(target: str, answered: pd.DataFrame, dataset: Dataset) -> str:
    """The column of a target, by its name or an alias of it.

    Raises  UnknownName: nobody answered such a thing
    """
    column = target if target in answered else ALIASES.get(target, target)
    if column not in answered:
        raise UnknownName("target", target, sorted(answered.columns), place=str(dataset.folder))
    return column


def people_of(dataset: Dataset) -> dict[str, str]:
    """The participant of each dialogue; one who is not known is a participant of their own."""
    rows = dataset.read("dialogues").select(["dialogue_id", "participant_id"]).to_pylist()
    return {row["dialogue_id"]: row["participant_id"] or f"unknown {row['dialogue_id']}" for row in rows}


def parameters(dataset: Dataset, *, every: bool = False) -> pd.DataFrame:
    """The value of each measure in each dialogue; of the variants of objective success only the headlines.

    Input   every: all variants too
    """
    names = [
        name
        for name in MEASURES.names()
        if every or not name.startswith("objective_success_") or name in HEADLINES
    ]
    parts = components(dataset, names).copy()
    parts["value"] = parts["numerator"] / parts["denominator"].where(parts["denominator"] > 0)
    return parts.pivot(index="dialogue_id", columns="measure", values="value")


def prediction_table(
    dataset: Dataset, target: str, predictors: Sequence[str] | None = None, *, judgements: bool = False
) -> PredictionTable:
    """Parameters and one target.

    Input   predictors: names of measures; None takes all. Those that vary and are known in half of the
            dialogues are used, and of several that say the same the first.
            judgements: also admit what users judged, which leaks what is to be predicted
    Raises  UnknownName: no such target or measure; InputError: a judgement among the predictors, or too few
            dialogues
    """
    answered = targets(dataset)
    column = column_of(target, answered, dataset)
    all_parameters = parameters(dataset)
    for name in predictors or ():
        MEASURES.get(name)
        if name in JUDGEMENTS and not judgements:
            raise InputError(
                f"{name} is a user judgement, like the target",
                place="predictors",
                hint="remove it, or allow it with --judgements",
            )
    goal = answered[column].dropna()
    rows = all_parameters.loc[[key for key in goal.index if key in all_parameters.index]]
    columns = (
        list(dict.fromkeys(predictors)) if predictors is not None else [str(name) for name in rows.columns]
    )
    names, left_out = usable(rows.reindex(columns=columns), judgements)
    if len(rows) < 10 or not names:
        raise InputError(
            f"{len(rows)} dialogues with an answer and {len(names)} predictors are too few",
            place=target,
            hint="use a dataset with at least ten",
        )
    if rows.empty or goal.loc[rows.index].nunique() < 2:
        raise InputError(
            f"all {len(rows)} dialogues have the same answer",
            place=target,
            hint="choose a target whose answers vary",
        )
    people = people_of(dataset)
    table = dataset.read("dialogues").select(["dialogue_id", "system"]).to_pydict()
    systems: dict[str, Any] = dict(zip(table["dialogue_id"], table["system"], strict=True))
    return PredictionTable(
        target=target,
        predictors=tuple(names),
        judgements=tuple(name for name in names if name in JUDGEMENTS),
        values=rows[names].to_numpy(dtype="float64"),
        answers=goal.loc[rows.index].to_numpy(dtype="float64"),
        participants=[people[key] for key in rows.index],
        systems=[systems[key] for key in rows.index],
        dialogues=[str(key) for key in rows.index],
        left_out=left_out
        if predictors is not None
        else tuple(omission for omission in left_out if omission[1] in names),
    )


def usable(rows: pd.DataFrame, judgements: bool) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Measures known in half of the dialogues that vary; of twins that say the same, the first."""
    usable_columns: dict[str, Numbers] = {}
    left_out: list[tuple[str, str]] = []
    for name in rows.columns:
        if name in JUDGEMENTS and not judgements:
            continue
        column = rows[name].to_numpy(dtype="float64")
        present = ~np.isnan(column)
        if present.mean() < LEAST_KNOWN or np.ptp(column[present]) == 0:
            left_out.append((str(name), "missing in more than half, or always the same"))
            continue
        filled = np.where(present, column, column[present].mean())
        twin = next(
            (o for o, earlier in usable_columns.items() if abs(np.corrcoef(filled, earlier)[0, 1]) > TWINS),
            None,
        )
        if twin is None:
            usable_columns[str(name)] = filled
        else:
            left_out.append((str(name), twin))
    return list(usable_columns), tuple(left_out)
