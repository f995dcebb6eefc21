"""Weights of annotators' labels, where a lot chose the dialogues to annotate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np

    from vivavoce.dataset.reader import Dataset

    Floats = np.ndarray[Any, np.dtype[np.float64]]
else:
    np = later("numpy")
    Floats = Any

TABLE: Final = "label_chances"
INVERSE: Final = "inverse chance"


def logged_chances(dataset: Dataset, layer: str) -> dict[str, tuple[float, bool]]:
    """The chance of each dialogue to be judged in a layer, and whether the lot fell on it.

    Empty   no chances were logged: everything was to be judged, or nobody knows what
    """
    rows = dataset.read(TABLE, ["dialogue_id", "layer", "chance", "drawn"]).to_pylist()
    return {row["dialogue_id"]: (row["chance"], row["drawn"]) for row in rows if row["layer"] == layer}


def chosen_layers(dataset: Dataset) -> set[str]:
    """Layers in which dialogues were judged by chances that differ."""
    chances: dict[str, set[float]] = {}
    for row in dataset.read(TABLE, ["layer", "chance"]).to_pylist():
        chances.setdefault(row["layer"], set()).add(row["chance"])
    return {layer for layer, layer_chances in chances.items() if len(layer_chances) > 1}


def label_weights(
    dataset: Dataset,
    looked_at: Mapping[str, Collection[str]],
    dialogues: Sequence[str],
) -> dict[str, Floats]:
    """The inverse chance of each dialogue, 0 where no lot fell on it, by measure of a chosen layer.

    Input   the layers of annotation that each measure looks at
    Empty   measures that look at no layer in which dialogues were chosen by chances that differ: left out
    Source  Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite
            universe, JASA 47; a measure is a ratio of two such sums (Hajek 1971)
    """
    chosen = chosen_layers(dataset)
    weights = {layer: np.fromiter(_weights(dataset, layer, dialogues), float) for layer in chosen}
    layers = {name: sorted(chosen.intersection(layer_names)) for name, layer_names in looked_at.items()}
    return {name: weights[layer_names[0]] for name, layer_names in layers.items() if layer_names}


def _weights(dataset: Dataset, layer: str, dialogues: Sequence[str]) -> Iterator[float]:
    drawn_chances = logged_chances(dataset, layer)
    for chance, selected in (drawn_chances.get(dialogue, (1.0, False)) for dialogue in dialogues):
        yield 1 / chance if selected else 0.0
