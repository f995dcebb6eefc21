"""Outcomes of simulated trials, which have no turns, as what the measures counted."""

from typing import Any

import numpy as np

from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import _COMPUTED, Sums, _all

Floats = np.ndarray[Any, np.dtype[np.float64]]


def assume_sums(dataset: Dataset, numerators: Floats, denominators: Floats) -> None:
    """Set the sums of a dataset: measures x dialogues, in the order of the registry and of the dataset."""
    dialogues = dataset.read("dialogues")["dialogue_id"].to_pylist()
    _COMPUTED[dataset] = {(_all(), None): Sums(MEASURES.names(), dialogues, numerators, denominators)}
