"""Classifier two-sample test of simulated against real calls, tested on callers it has not seen.

What cannot be told apart by what is looked at here may still differ in what is not.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from vivavoce.analysis.annotated_calls import Call, calls_of
from vivavoce.core.executor import in_pieces
from vivavoce.core.result import unless_none
from vivavoce.core.text import spoken_words
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.vocabulary import TYPE
from vivavoce.stats.bootstrap import bootstrap_difference
from vivavoce.stats.prediction.linear import folds

FOLDS: Final = 10
_LEAST_CALLS: Final = 5  # of those learnt from, in which a feature must occur
_PENALTY: Final = 1.0
_MOST_TELLING: Final = 6
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldApart:
    """Accuracy of a classifier of real and simulated calls on callers that it has not seen.

    by                 words: words and pairs of words of user turns, values as the names of their slots
                       (kinds of venue as they are);
                       acts: kinds of user acts, pairs of them in a row, turns and words a turn
    balanced_accuracy  mean of the shares of real and of simulated calls told rightly; 0.5: not at all
    low, high          95 % interval, whole callers drawn; None where all draws are alike
    of_real, of_simulated  features that tell most for either, the strongest first, learnt from all calls
    """

    by: Literal["words", "acts"]
    balanced_accuracy: float
    low: float | None = unless_none()
    high: float | None = unless_none()
    calls: int
    callers: int
    of_real: list[str]
    of_simulated: list[str]


def tell_apart(real: Dataset, simulated: Dataset) -> list[ToldApart]:
    """Tell calls apart by logistic regression with a ridge penalty, both parties weighing the same.

    Input   datasets with what user turns meant; folds keep callers together, ten where there are so many
    Empty   fewer than two callers of either party: []
    Source  Lopez-Paz and Oquab (2017), Revisiting classifier two-sample tests, ICLR; bootstrap: Field and
            Welsh (2007)
    """
    parties = [calls_of(real), calls_of(simulated)]
    callers = [[call.participant_id for call in calls] for calls in parties]
    if min(len(set(names)) for names in callers) < 2:
        return []
    calls = [*parties[0], *parties[1]]
    are_real = np.arange(len(calls)) < len(parties[0])
    tests = _tests(callers)
    names = [
        f"{'real' if is_real else 'simulated'} {call.participant_id}"
        for call, is_real in zip(calls, are_real, strict=True)
    ]
    return [_told_apart(by, [read(call) for call in calls], are_real, tests, names) for by, read in _READ]


def _tests(callers: Sequence[Sequence[str]]) -> list[Flags]:
    """Calls to classify, by fold: some callers of either party, each in one fold."""
    number = min(FOLDS, *(len(set(names)) for names in callers))
    split = [folds(names, number) for names in callers]
    return [
        np.concatenate([real_fold[1], simulated_fold[1]])
        for real_fold, simulated_fold in zip(*split, strict=True)
    ]


def _told_apart(
    by: Literal["words", "acts"],
    features_of_calls: Sequence[Counter[str]],
    are_real: Flags,
    tests: Sequence[Flags],
    names: Sequence[str],
) -> ToldApart:
    told_real = np.zeros(len(features_of_calls), dtype=bool)
    for test, fold_predictions in zip(
        tests, in_pieces(partial(_told, features_of_calls, are_real), tests), strict=True
    ):
        told_real[test] = fold_predictions
    real_counts, simulated_counts = (_by_caller(told_real, group, names) for group in (are_real, ~are_real))
    rates = [float(right.sum() / cases.sum()) for right, cases in (real_counts, simulated_counts)]
    apart = bootstrap_difference(real_counts, simulated_counts)
    features = _features(features_of_calls)
    weights = _fit(_matrix(features_of_calls, features), are_real)[1:]
    order = [features[place] for place in np.argsort(weights)]
    return ToldApart(
        by=by,
        balanced_accuracy=round((1 + rates[0] - rates[1]) / 2, 4),
        low=apart and round((1 + apart.low) / 2, 4),
        high=apart and round((1 + apart.high) / 2, 4),
        calls=len(features_of_calls),
        callers=len(set(names)),
        of_real=order[: -_MOST_TELLING - 1 : -1],
        of_simulated=order[:_MOST_TELLING],
    )


def _told(features_of_calls: Sequence[Counter[str]], are_real: Flags, test: Flags) -> Flags:
    """Calls of a fold that a classifier trained on the others takes for real."""
    features = _features(
        [call_features for call_features, tested in zip(features_of_calls, test, strict=True) if not tested]
    )
    inputs = _matrix(features_of_calls, features)
    weights = _fit(inputs[~test], are_real[~test])
    return inputs[test] @ weights[1:] + weights[0] > 0


def _by_caller(told_real: Flags, party: Flags, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Counts for each caller: calls of a party that were taken for real, and all of them."""
    _, places = np.unique(np.asarray(names), return_inverse=True)
    taken_as_real, cases = (
        np.bincount(places, weights=flags).astype(float) for flags in (told_real & party, party)
    )
    return taken_as_real, cases


def _features(features_of_calls: Sequence[Counter[str]]) -> list[str]:
    """Features that occur in enough calls, in alphabetical order."""
    calls = Counter(feature for call_features in features_of_calls for feature in call_features)
    return sorted(feature for feature, number in calls.items() if number >= _LEAST_CALLS)


def _matrix(features_of_calls: Sequence[Counter[str]], feature_names: Sequence[str]) -> Any:
    """A row a call: logarithms of the counts, scaled to length 1 so that long calls weigh as short ones."""
    places = {feature: place for place, feature in enumerate(feature_names)}
    rows, columns, values = [], [], []
    for row, counts in enumerate(features_of_calls):
        logs = {
            places[feature]: float(np.log1p(number))
            for feature, number in counts.items()
            if feature in places
        }
        length = float(np.sqrt(sum(value**2 for value in logs.values()))) or 1.0
        rows += [row] * len(logs)
        columns += list(logs)
        values += [value / length for value in logs.values()]
    return csr_array((values, (rows, columns)), shape=(len(features_of_calls), len(feature_names)))


def _fit(inputs: Any, are_real: Flags) -> Floats:
    """Weights of a logistic regression, the constant first, which is not penalised."""
    signs = np.where(are_real, 1.0, -1.0)
    shares = np.where(are_real, 0.5 / are_real.sum(), 0.5 / (~are_real).sum()) * len(signs)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (inputs @ weights[1:] + weights[0])
        pull = -shares * signs / (1 + np.exp(np.clip(margins, -500, 500)))
        slope = np.concatenate([[pull.sum()], inputs.T @ pull + _PENALTY * weights[1:]])
        value = float(shares @ np.logaddexp(0, -margins) + _PENALTY / 2 * weights[1:] @ weights[1:])
        return value, slope

    return minimize(loss, np.zeros(inputs.shape[1] + 1), jac=True, method="L-BFGS-B").x


def _words(call: Call) -> Counter[str]:
    ngrams: Counter[str] = Counter()
    for text, acts in zip(call.said, call.acts, strict=True):
        spoken = " ".join(spoken_words(text))
        for _, slot, value in acts:
            if slot and slot != TYPE and value and (spoken_value := " ".join(spoken_words(value))):
                spoken = spoken.replace(spoken_value, f"<{slot}>")
        turn = ["^", *spoken.split(), "$"]
        ngrams.update(turn[1:-1])
        ngrams.update(f"{word} {next_word}" for word, next_word in pairwise(turn))
    return ngrams


def _acts(call: Call) -> Counter[str]:
    kinds = [" + ".join(sorted({act for act, _, _ in acts})) or "null" for acts in call.acts]
    features = Counter(kinds)
    features.update(f"{act}, then {next_act}" for act, next_act in pairwise(["^", *kinds, "$"]))
    features.update(f"{min(count, 9)} words" for count in call.words)
    features[f"{min(len(kinds) // 3 * 3, 15)} turns or more"] = 1
    return features


_READ: Final[tuple[tuple[Literal["words", "acts"], Callable[[Call], Counter[str]]], ...]] = (
    ("words", _words),
    ("acts", _acts),
)
