"""Permutation of system labels: exact whatever the number of participants, hence used where they are few."""

from typing import Any, Final, NamedTuple

import numpy as np

DRAWS: Final = 4999
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Permutation(NamedTuple):
    """p of the difference of two ratios under relabelling; `within` says what was relabelled."""

    p: float
    within: bool
    draws: int


def relabellings(
    people: np.ndarray, is_a: np.ndarray, *, draws: int = DRAWS, seed: int = 1
) -> tuple[np.ndarray, bool]:
    """Random labellings of dialogues that the design could as well have produced.

    Input   participant code and label of each dialogue
    Output  draws x dialogues, and whether labels moved within participants (somebody met both systems) or
            whole participants changed sides (nobody did)
    """
    rng = np.random.default_rng(seed)
    _, codes = np.unique(people, return_inverse=True)
    met_a = np.bincount(codes, is_a) > 0
    met_b = np.bincount(codes, ~is_a) > 0
    if not (met_a & met_b).any():
        sides = rng.permuted(np.tile(met_a, (draws, 1)), axis=1)
        return sides[:, codes], False
    labels = np.tile(is_a, (draws, 1))
    for person in np.flatnonzero(met_a & met_b):
        own = np.flatnonzero(codes == person)
        labels[:, own] = rng.permuted(labels[:, own], axis=1)
    return labels, True


def permutation_p(
    labels: np.ndarray, is_a: np.ndarray, numerators: Floats, denominators: Floats
) -> float | None:
    """Two-tailed p of the difference of two ratios among relabellings.

    Empty   a group without cases: None
    Source  Phipson and Smyth 2010: the observed labelling counts as one of the draws
    """

    def differences(labelled: np.ndarray) -> Floats:
        chosen = np.asarray(labelled, dtype=float)
        top, bottom = chosen @ numerators, chosen @ denominators
        with np.errstate(divide="ignore", invalid="ignore"):
            return top / bottom - (numerators.sum() - top) / (denominators.sum() - bottom)

    observed = float(differences(is_a[None, :])[0])
    if not np.isfinite(observed):
        return None
    drawn = differences(labels)
    extreme = ~(np.abs(drawn) < abs(observed) - 1e-9)  # an empty side counts against us
    return float((1 + extreme.sum()) / (1 + len(drawn)))
