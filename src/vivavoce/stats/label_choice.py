"""Choice of the dialogues to label next: those where a judge is least sure, by chances that are kept.

Every dialogue keeps a chance above 0, so that estimates stay right by weighing labels with its inverse
(`prediction_powered`, `chances`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError

Floats = np.ndarray[Any, np.dtype[np.float64]]
EVEN: Final = 0.25
SMALLEST: Final = 0.25
ROUNDS: Final = 50


def doubt_of(predictions: Floats, labels: Floats) -> Floats:
    """Uncertainty about each case of a judge without confidence.

    Output  of labels from 0 to 1 (shares among them) the deviation of an answer with this mean, .05 at least;
            on other scales NaN: a mean says nothing of the spread there, which `learned_spread` has
    """
    if is_share(labels):
        return np.sqrt((predictions * (1 - predictions)).clip(0.0025))
    return np.full(len(predictions), np.nan)


def is_share(labels: Floats) -> bool:
    """True if labels are yes or no, or shares of it."""
    observed = labels[~np.isnan(labels)]
    return bool(((observed >= 0) & (observed <= 1)).all())


def learned_spread(off: Floats, learn: Callable[[Floats], Floats]) -> Floats:
    """Expected distance of a judge from people in each case.

    Input   off: how far it was, NaN where nobody was asked; learn: what models say of each such distance
    Output  a quarter of the mean distance at least, so that no model rules a case out; NaN: nothing is known
    """
    if np.isnan(off).all():
        return np.full(len(off), np.nan)
    return np.maximum(learn(off), SMALLEST * np.nanmean(off))


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """The chance of each dialogue, and whether it was drawn."""

    chances: Floats
    drawn: np.ndarray


def choose_dialogues(
    doubt: Floats, strata: np.ndarray, number: int, *, seed: int = 1, even: float = EVEN
) -> LabelChoice:
    """Draw dialogues for people to judge.

    Input   doubt: how unsure the judge is of each, 0 or above (NaN: nothing is known, taken as the mean);
            strata: the system of each; number: how many are wanted; even: share of chances all have alike
    Output  each stratum has its share of the number; within it, chances go with doubt but for the even share;
            as many as wanted are drawn by systematic sampling of dialogues in random order
    Raises  InputError: fewer dialogues than wanted, or a share that is not above 0 and at most 1
    Source  Zrnic and Candes 2024 (active statistical inference, arXiv 2403.03208)
    """
    if not 0 < number <= len(doubt):
        raise InputError(
            f"{number} of {len(doubt)} dialogues", place="--number", hint="above 0, and not more"
        )
    if not 0 < even <= 1:
        raise InputError(f"an even share of {even:g}", place="--even", hint="above 0, and at most 1")
    rng = np.random.default_rng(seed)
    chances, selected = np.zeros(len(doubt)), np.zeros(len(doubt), dtype=bool)
    observed = ~np.isnan(doubt)
    unsure = np.where(observed, doubt, doubt[observed].mean() if observed.any() else 1.0)
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        quota = number * len(members) / len(doubt)
        chances[members] = _chances(unsure[members], quota, even)
        order = rng.permutation(members)
        ends = np.cumsum(chances[order]) + rng.random()
        selected[order] = np.floor(ends) > np.floor(ends - chances[order])
    return LabelChoice(chances, selected)


def live_chances(
    doubt: Floats, strata: np.ndarray, new: np.ndarray, share: float, *, even: float = EVEN
) -> Floats:
    """Chances of dialogues that have just ended, while others are still to come.

    Input   doubt and strata of all dialogues so far, as in `choose_dialogues`; new: which have no chance yet;
            share: of dialogues that people are to judge, expected
    Output  of the new ones in order: share x (even + (1 - even) x doubt over its mean in the stratum so far)
    Note    rests on what was known before a dialogue's own label, so that estimates stay right (a martingale)
    Raises  InputError: a share or an even share that is not above 0 and at most 1
    Source  Zrnic and Candes 2024 (arXiv 2403.03208), sequential variant; mixing with equal chances: theirs
    """
    for name, fraction in (("share", share), ("even", even)):
        if not 0 < fraction <= 1:
            raise InputError(f"{name} {fraction:g}", hint="above 0, and at most 1")
    observed = ~np.isnan(doubt)
    unsure = np.where(observed, doubt, doubt[observed].mean() if observed.any() else 1.0)
    relative_doubt = np.ones(len(doubt))
    for stratum in np.unique(strata[new]):
        members = strata == stratum
        mean = float(unsure[members].mean())
        if mean > 0:
            relative_doubt[members] = unsure[members] / mean
    return np.minimum(1.0, share * (even + (1 - even) * relative_doubt[new]))


def _chances(doubt: Floats, quota: float, even: float) -> Floats:
    """Chances that add up to what is wanted, none above 1."""
    n, total_doubt = len(doubt), float(doubt.sum())
    shares = even / n + (1 - even) * (doubt / total_doubt if total_doubt > 0 else np.full(n, 1 / n))
    scale, chances = quota, np.minimum(1.0, quota * shares)
    for _ in range(ROUNDS):
        chances = np.minimum(1.0, scale * shares)
        if abs(chances.sum() - quota) < 1e-9:
            break
        free = chances < 1
        if not free.any():
            break
        scale = (quota - (~free).sum()) / float(shares[free].sum())
    return np.minimum(1.0, scale * shares)
