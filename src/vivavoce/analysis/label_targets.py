"""Labels of annotators as something that a judge says, too: one stands (1) or does not (0)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vivavoce.analysis.prediction.table import parameters, usable
from vivavoce.core.errors import UnknownName
from vivavoce.dataset.annotation_layers import ADJUDICATED, LAYERS, UNDECIDED, Dispute, Label, Labels
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.base import Tables

Floats = np.ndarray[Any, np.dtype[np.float64]]
DIALOGUE: Final = "dialogue"


@dataclass(frozen=True, slots=True)
class LabelledCases:
    """The dialogues, or turns, that a label is about, and whether it stands.

    cases, turns  "DIALOGUE TURN" and the turn's index; of dialogues their names and None
    labels        1 or 0; where annotators are at odds and nobody decided, the share of them who say so; NaN:
                  nobody annotated the dialogue in this layer
    """

    target: str
    cases: list[str]
    dialogues: list[str]
    turns: list[int | None]
    labels: Floats


def is_label(dataset: Dataset, target: str) -> bool:
    """True if a target names a layer of annotation and one of its labels, such as `context.AP`."""
    layer, dot, _ = target.partition(".")
    return bool(dot) and (layer in LAYERS or layer in _layers(dataset))


def _layers(dataset: Dataset) -> set[str]:
    return set(dataset.read("annotations", ["layer"])["layer"].to_pylist())


def is_turn_label(dataset: Dataset, target: str) -> bool:
    """True if a target is a label of turns."""
    if not is_label(dataset, target):
        return False
    rows = _rows(dataset, target)
    return bool(_parties(dataset, target.partition(".")[0], rows))


def labelled_cases(dataset: Dataset, target: str) -> LabelledCases:
    """Every dialogue or turn of a dataset that a label is about, in the dataset's order.

    Raises  UnknownName: no such label in this layer
    """
    rows = _rows(dataset, target)
    layer, _, label = target.partition(".")
    standing = Labels(rows)
    won, disputes = standing.of(layer), standing.open(layer)
    cases, dialogues, turns, labels = list[str](), list[str](), list[int | None](), list[float]()
    for dialogue_id, turn in _places(dataset, layer, rows):
        cases.append(dialogue_id if turn is None else f"{dialogue_id} {turn}")
        dialogues.append(dialogue_id)
        turns.append(turn)
        labels.append(
            np.nan
            if dialogue_id not in won
            else _stands(label, turn, won[dialogue_id], disputes.get(dialogue_id, []))
        )
    return LabelledCases(target, cases, dialogues, turns, np.array(labels, dtype=float))


def by_annotator(dataset: Dataset, target: str) -> dict[str, dict[str, float]]:
    """Labels of each annotator for each case of the dialogues that they annotated."""
    rows = [row for row in _rows(dataset, target) if row["annotator_id"] != ADJUDICATED]
    layer, _, label = target.partition(".")
    annotated_by: dict[str, set[str]] = {}
    labelled_by: dict[str, set[tuple[str, int | None]]] = {}
    for row in rows:
        annotated_by.setdefault(row["annotator_id"], set()).add(row["dialogue_id"])
        if row["label"] == label:
            labelled_by.setdefault(row["annotator_id"], set()).add((row["dialogue_id"], row["turn_index"]))
    places = _places(dataset, layer, rows)
    return {
        who: {
            dialogue_id if turn is None else f"{dialogue_id} {turn}": float(
                (dialogue_id, turn) in labelled_by.get(who, set())
            )
            for dialogue_id, turn in places
            if dialogue_id in mine
        }
        for who, mine in annotated_by.items()
    }


def free_parameters(dataset: Dataset) -> tuple[list[str], Floats]:
    """Names and values of measures that look at no annotation, one row a dialogue: what predicts a label.

    Output  those that vary and are known in half of all dialogues
    """
    table = parameters(dataset)
    tables = Tables(dataset)
    free = [
        str(column) for column in table.columns if not tables.counted(MEASURES.get(str(column)).components)[1]
    ]
    names, _ = usable(table.reindex(columns=free), judgements=False)
    dialogues = [
        str(dialogue_id)
        for dialogue_id in dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist()
    ]
    return names, table.reindex(index=dialogues, columns=names).to_numpy(dtype="float64")


def _rows(dataset: Dataset, target: str) -> list[Mapping[str, Any]]:
    layer, _, label = target.partition(".")
    rows = [row for row in dataset.read("annotations").to_pylist() if row["layer"] == layer]
    known_labels = {row["label"] for row in rows} | set(LAYERS[layer].labels if layer in LAYERS else ())
    if label not in known_labels:
        labels = sorted(f"{layer}.{other_label}" for other_label in known_labels - {"none", UNDECIDED})
        raise UnknownName("target", target, labels, place=str(dataset.folder))
    return rows


def _places(dataset: Dataset, layer: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, int | None]]:
    """Dialogues, or turns of the parties of the layer: those with a label, for a layer not built in."""
    dialogues = [
        str(dialogue_id)
        for dialogue_id in dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist()
    ]
    parties = _parties(dataset, layer, rows)
    if not parties:
        return [(dialogue, None) for dialogue in dialogues]
    turns: dict[str, list[int]] = {}
    for turn_dialogue, index, party in _turns(dataset):
        if party in parties:
            turns.setdefault(turn_dialogue, []).append(index)
    return [(dialogue, index) for dialogue in dialogues for index in sorted(turns.get(dialogue, []))]


def _parties(dataset: Dataset, layer: str, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Parties whose turns a layer is about; none: whole dialogues."""
    if layer in LAYERS:
        about = LAYERS[layer].about
        return {"user", "system"} if about == "turn" else {about} - {DIALOGUE}
    labelled = {(row["dialogue_id"], row["turn_index"]) for row in rows}
    return {party for dialogue_id, index, party in _turns(dataset) if (dialogue_id, index) in labelled}


def _turns(dataset: Dataset) -> list[tuple[str, int, str]]:
    rows = dataset.read("turns", ["dialogue_id", "turn_index", "party"]).to_pylist()
    return [(row["dialogue_id"], row["turn_index"], row["party"]) for row in rows]


def _stands(label: str, turn: int | None, won: Sequence[Label], disputes: Sequence[Dispute]) -> float:
    if any(standing.label == label and standing.turn_index == turn for standing in won):
        return 1.0
    shares = [
        sum(_says(dispute.options[place], label) for place in dispute.said) / len(dispute.said)
        for dispute in disputes
        if dispute.turn_index == turn and any(_says(option, label) for option in dispute.options)
    ]
    return max(shares, default=0.0)


def _says(option: Label | None, label: str) -> bool:
    return option is not None and option.label == label
