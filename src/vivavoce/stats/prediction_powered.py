"""Means, rates and differences from few labels by people and many by a judge, whose error is subtracted.

A judge is anything that says something of every dialogue. Whatever it says, the estimate is right on average
where people judged a random sample: what they say beside it corrects it. A good judge makes the interval
narrower, a useless one is given no weight. Participants are the unit, systems are strata.
"""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from vivavoce.stats.clusters import NOTHING_VARIED, clustered_rate, score_interval, sum_by_participant
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.interval import Interval
from vivavoce.stats.sandwich import ALIKE, NONE, Residuals, correlations

Floats = np.ndarray[Any, np.dtype[np.float64]]
Tuning = Literal["tuned"] | float
FEWEST: Final = 3
FOLDS: Final = 5
FEWEST_LABELS: Final = 40  # of each system, for a test with a judge


@dataclass(frozen=True, slots=True)
class JudgedCases:
    """Dialogues of one system, one entry each.

    people    participant codes (any integers)
    said      what the judge says; NaN where it refused
    labels    what people say; NaN where nobody was asked
    chances   probability with which people were asked, where it was logged; None: the same for all
    """

    people: np.ndarray
    said: Floats
    labels: Floats
    chances: Floats | None = None

    @property
    def labelled(self) -> np.ndarray:
        """True where people labelled a dialogue."""
        return ~np.isnan(self.labels)

    def without_judge(self) -> "JudgedCases":
        """Copy of these cases without the judge."""
        return JudgedCases(self.people, np.full(len(self.said), np.nan), self.labels, self.chances)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredMean:
    """A mean or rate with its interval over participants; missing where it cannot be said.

    weight          what the judge's words weigh (lambda, 0 to 1); 0: people alone
    labels, people  dialogues that people judged, and of how many participants
    predicted       dialogues of which the judge alone speaks
    method          prediction_powered_t, prediction_powered_wilson_t; people_t, people_wilson_t where the
                    judge has no weight; wilson_effective_participants where all say the same; or none and why
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    df: float | None = None
    weight: float = 0.0
    labels: int = 0
    people: int = 0
    predicted: int = 0
    method: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoweredDifference:
    """The first mean minus the second, interval and p of one t; missing where it cannot be said."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    df: float | None = None
    p: float | None = None
    people: int = 0
    method: str = "none"


class _Side(NamedTuple):
    """One system's estimate.

    away    what leaving each participant out changes, damped by their leverage among labels; the judge's
            weight is tuned anew without them
    spread  what the variance of that is proportional to under the working model
    even    whether all labels weigh alike
    """

    estimate: float
    away: Floats
    spread: Floats
    weight: float
    even: bool


def powered_mean(
    cases: JudgedCases, *, rate: bool, level: float = 0.95, tuning: Tuning = "tuned"
) -> PoweredMean:
    """A mean over dialogues, from people's labels and a judge's words.

    Input   rate: labels of 0 and 1; the interval is then Wilson's, of the effective number of labels
            tuning: the judge's weight; "tuned" takes the one that makes the error smallest, within 0 and 1
    Output  the ratio of sums of labels, plus the weighted difference of what the judge says of the other
            dialogues and of those that people judged. Error: participants left out in turn, the weight tuned
            anew for each; weighed as in `sandwich` where all have the same chance, else summed as they are;
            df: the effective number of participants less 1
    Empty   labels of fewer than 2 participants: no interval. The judge has no weight where labels are of
            fewer than 3 participants, where all are alike, or where it says the same of everything
    Note    chances that differ: labels weigh by their inverse (Hajek), and the judge's words are those of all
            dialogues. Where it refused, its mean stands, which is as right as anything else
    Source  Angelopoulos, Duchi and Zrnic 2023 (PPI++, arXiv 2311.01453); weights: Zrnic and Candes 2024
            (active inference, arXiv 2403.03208); the interval of rates: Franco, Little, Louis and Slud 2019
            (effective cases and degrees of freedom, Journal of Survey Statistics and Methodology 7); golden
            cases by ppi-python: tests/golden/prediction-powered.json; coverage: docs/explanation/judges.md
    """
    who, codes = np.unique(cases.people, return_inverse=True)
    facts = _counts(cases)
    side = _side(cases, codes, len(who), tuning)
    if side is None:
        return PoweredMean(**facts, method="none: nobody was asked")
    if facts["people"] < 2:
        return PoweredMean(
            **facts, estimate=side.estimate, method="none: labels of fewer than 2 participants"
        )
    se, df = _error(side.away, side.spread, even=side.even)
    facts |= {"estimate": side.estimate, "weight": side.weight}
    if se <= ALIKE:
        if side.weight:
            return powered_mean(cases.without_judge(), rate=rate, level=level)
        return _edge(cases, facts, level) if rate else PoweredMean(**facts, se=0.0, method=NOTHING_VARIED)
    reach, name = t_quantile((1 + level) / 2, df) * se, "prediction_powered" if side.weight else "people"
    span = Interval(side.estimate - reach, side.estimate + reach)
    if rate and 0 < side.estimate < 1:
        span, name = score_interval(side.estimate, se, reach / se), f"{name}_wilson"
    elif rate:
        span = Interval(max(0.0, span.low), min(1.0, span.high))
    return PoweredMean(**facts, low=span.low, high=span.high, se=se, df=df, method=f"{name}_t")


def powered_difference(
    a: JudgedCases, b: JudgedCases, *, level: float = 0.95, tuning: Tuning = "tuned"
) -> PoweredDifference:
    """Return the mean of `a` minus that of `b`; participants may have dialogues of both.

    Labels drawn with the same chance: the judge's weight is the same for both systems and cross-fitted over
    five folds of participants, so that it does not depend on the labels that it corrects; fewer than 40
    labels of a system give no p. Chances that differ, or a given weight: participants are left out of both.
    No interval and no p where fewer than 2 participants were labelled, or nothing varied.
    Source: docs/explanation/judges.md; reference values in tests/golden/decisions.json.
    """
    who, codes = np.unique(np.concatenate([a.people, b.people]), return_inverse=True)
    sides = [
        _side(cases, at, len(who), tuning)
        for cases, at in zip((a, b), np.split(codes, [len(a.people)]), strict=True)
    ]
    n_people = len(np.unique(np.concatenate([a.people[a.labelled], b.people[b.labelled]])))
    if sides[0] is None or sides[1] is None:
        return PoweredDifference(people=n_people, method="none: nobody was asked about one of them")
    estimate = sides[0].estimate - sides[1].estimate
    if min(len(np.unique(cases.people[cases.labelled])) for cases in (a, b)) < 2:
        why = "none: labels of fewer than 2 participants about one of them"
        return PoweredDifference(people=n_people, estimate=estimate, method=why)
    even = sides[0].even and sides[1].even
    judged = any(side.weight for side in sides if side)
    fitted = _cross_fitted(a, b, codes) if even and judged and tuning == "tuned" else None
    if fitted is not None:
        estimate, se, df = fitted
    else:
        se, df = _error(sides[0].away - sides[1].away, sides[0].spread + sides[1].spread, even=even)
    if se <= ALIKE:
        return PoweredDifference(people=n_people, estimate=estimate, se=0.0, method=NOTHING_VARIED)
    reach = t_quantile((1 + level) / 2, df) * se
    fewest = min(int(cases.labelled.sum()) for cases in (a, b))
    return PoweredDifference(
        estimate=estimate,
        low=estimate - reach,
        high=estimate + reach,
        se=se,
        df=df,
        p=None if fitted and fewest < FEWEST_LABELS else 2 * t_tail(abs(estimate) / se, df),
        people=n_people,
        method="prediction_powered_t" if judged else "people_t",
    )


class CrossFitted(NamedTuple):
    """Difference of two means with a cross-fitted weight of the judge."""

    difference: float
    se: float
    df: float


class _FoldedCases:
    """One system's cases with their fold: what the judge says, labels, and sums for its weight."""

    def __init__(self, cases: JudgedCases, folds: np.ndarray) -> None:
        predicted = ~np.isnan(cases.said)
        mean = float(cases.said[predicted].mean()) if predicted.any() else 0.0
        self.said = np.where(predicted, cases.said, mean)
        self.labelled, self.folds = cases.labelled, folds
        self.labels = np.where(self.labelled, cases.labels, 0.0)
        self.in_fold = np.array([(self.labelled & (folds == fold)).sum() for fold in range(FOLDS)])
        self.open_in_fold = np.array([(~self.labelled & (folds == fold)).sum() for fold in range(FOLDS)])

    def covariance_and_variance(self, fold: int) -> tuple[float, float]:
        """Sums for the weight of a fold, from all other folds."""
        others = self.folds != fold
        labelled = others & self.labelled
        count, open_cases = int(labelled.sum()), int((others & ~self.labelled).sum())
        if not count or not open_cases:
            return 0.0, 0.0
        covariance = float(np.cov(self.labels[labelled], self.said[labelled], ddof=0)[0, 1])
        return covariance, float(self.said[others].var(ddof=1)) * (1 + count / open_cases)

    def estimate(self, weights: Floats) -> float:
        """Mean of the labels, corrected by the judge with the weight of each fold."""
        own = weights[self.folds]
        corrected = float((self.labels - own * self.said)[self.labelled].mean())
        return corrected + float((self._shares() * own * self.said)[~self.labelled].sum())

    def contributions(self, weights: Floats) -> Floats:
        """Part of each case in the error of the estimate, centred."""
        own, said = weights[self.folds], self.said - self.said.mean()
        labelled = (self.labels - self.estimate(weights) - own * said) / self.labelled.sum()
        return np.where(self.labelled, labelled, self._shares() * own * said)

    def _shares(self) -> Floats:
        """Weight of a case without a label: its fold's share of the labels over its fold's open cases."""
        shares = self.in_fold / self.in_fold.sum() / np.maximum(self.open_in_fold, 1)
        return np.asarray(shares[self.folds])


def _cross_fitted(a: JudgedCases, b: JudgedCases, codes: np.ndarray) -> CrossFitted | None:
    """Estimate with one cross-fitted weight for both systems; None where the judge gets no weight."""
    folds = deal_folds(codes, np.concatenate([a.labelled, b.labelled]))[codes]
    split = len(a.people)
    return cross_fitted_difference((a, b), (codes[:split], codes[split:]), (folds[:split], folds[split:]))


def deal_folds(codes: np.ndarray, labelled: np.ndarray) -> np.ndarray:
    """Fold of each participant: those with the most labels are dealt out first, in turn."""
    labels = np.bincount(codes, labelled)
    folds = np.empty(len(labels), dtype=int)
    folds[np.argsort(-labels, kind="stable")] = np.arange(len(labels)) % FOLDS
    return folds


def cross_fitted_difference(
    cases: tuple[JudgedCases, JudgedCases],
    codes: tuple[np.ndarray, np.ndarray],
    folds: tuple[np.ndarray, np.ndarray],
) -> CrossFitted | None:
    """Return the first mean minus the second, given the participant and the fold of each case."""
    sides = [_FoldedCases(*side) for side in zip(cases, folds, strict=True)]
    weights = np.zeros(FOLDS)
    for fold in range(FOLDS):
        covariance, variance = np.sum([side.covariance_and_variance(fold) for side in sides], axis=0)
        usable = variance > ALIKE and all(side.open_in_fold[fold] for side in sides)
        weights[fold] = min(max(covariance / variance, 0.0), 1.0) if usable else 0.0
    if not weights.any():
        return None
    people = int(max(who.max() for who in codes)) + 1
    first, second = (
        np.bincount(who, side.contributions(weights), people) for who, side in zip(codes, sides, strict=True)
    )
    met = [np.bincount(who, minlength=people) > 0 for who in codes]
    difference = sides[0].estimate(weights) - sides[1].estimate(weights)
    if (met[0] & met[1]).any():
        groups = [(first - second, met[0] | met[1])]
    else:
        groups = [(first, met[0]), (second, met[1])]
    counts = [int(group.sum()) for _, group in groups]
    if min(counts) < 2:
        return None
    variances = [
        float((parts**2).sum()) * count / (count - 1)
        for (parts, _), count in zip(groups, counts, strict=True)
    ]
    return CrossFitted(difference, math.sqrt(sum(variances)), sum(counts) - len(counts))


def effective_labels(labels: int, alone: float | None, joined: float | None) -> float | None:
    """Number of labels by people alone that would give as narrow an interval as people and judge together.

    Input   labels that there are; standard errors without and with the judge
    Empty   an error is missing or 0: None
    """
    return labels * (alone / joined) ** 2 if alone and joined else None


def _edge(cases: JudgedCases, facts: dict[str, Any], level: float) -> PoweredMean:
    """Everybody said the same: the interval that every other rate has here, and the judge no weight."""
    labelled = cases.labelled
    sums = sum_by_participant(cases.people[labelled], cases.labels[labelled], np.ones(facts["labels"]))
    rate = clustered_rate(sums, level)
    return PoweredMean(**facts, low=rate.low, high=rate.high, se=0.0, method=rate.method)


def _counts(cases: JudgedCases) -> dict[str, Any]:
    labelled = cases.labelled
    return {
        "labels": int(labelled.sum()),
        "people": len(np.unique(cases.people[labelled])),
        "predicted": int((~labelled & ~np.isnan(cases.said)).sum()),
    }


def _side(cases: JudgedCases, codes: np.ndarray, people: int, tuning: Tuning) -> _Side | None:
    labelled = cases.labelled
    if not labelled.any():
        return None
    predicted = ~np.isnan(cases.said)
    predictions = np.where(predicted, cases.said, cases.said[predicted].mean() if predicted.any() else 0.0)
    weights = np.where(labelled, 1.0 if cases.chances is None else 1 / cases.chances, 0.0)
    # With one chance for all, what people judged needs no prediction: the same estimate, in PPI++'s own form.
    pool = ~labelled if cases.chances is None else np.ones(len(labelled), dtype=bool)
    labels = np.where(labelled, cases.labels, 0.0)
    parts = (
        weights,
        weights * labels,
        weights * predictions,
        weights * labels * predictions,
        weights * predictions**2,
        pool,
        pool * predictions,
        pool * predictions**2,
    )
    person_sums = np.column_stack([np.bincount(codes, part, people) for part in parts])
    usable = len(np.unique(codes[labelled])) >= FEWEST and predicted.any() and pool.any()
    requested = tuning if usable else 0.0
    totals = person_sums.sum(axis=0)
    estimate, weight = sums_to_estimates(totals[None], requested, whole=cases.chances is not None)
    without_person = totals - person_sums
    without_person = np.where(without_person[:, :1] > 0, without_person, totals)
    damped = np.sqrt(1 - person_sums[:, 0] / totals[0])
    others = sums_to_estimates(without_person, requested, whole=cases.chances is not None)[0]
    away = (float(estimate[0]) - others) * damped
    spread = _spread(cases, codes, people, predictions, weights, pool, float(weight[0]))
    return _Side(float(estimate[0]), away, spread, float(weight[0]), cases.chances is None)


def sums_to_estimates(sums: Floats, tuning: Tuning | Floats, *, whole: bool) -> tuple[Floats, Floats]:
    """Estimates and the judge's weights, one a row of sums over dialogues in the order of `_side`'s parts."""
    w, wy, wf, wyf, wff, n, f, ff = sums.T
    mean_y, mean_f, size = wy / w, wf / w, np.where(n > 0, n, 1.0)
    if not isinstance(tuning, str):
        weight = np.where(n > 0, tuning, 0.0)
    else:
        covariance = wyf / w - mean_y * mean_f
        if whole:
            variance = ff / size - (f / size) ** 2
        else:
            n_total = np.maximum(w + n, 2.0)
            variance = (wff + ff - (wf + f) ** 2 / n_total) / (n_total - 1) * (1 + w / size)
        weight = np.divide(covariance, variance, out=np.zeros_like(w), where=(variance > ALIKE) & (n > 0))
        weight = weight.clip(0, 1)
    return mean_y - weight * (mean_f - f / size), weight


def _error(away: Floats, spread: Floats, *, even: bool) -> tuple[float, float]:
    """Standard error and degrees of freedom from what leaving each participant out changes.

    Input   away: changes, damped by the participant's leverage; spread: what their variances go with; even:
            all labels weigh alike
    Output  squares weighed by the inverse root of their variance, as in `sandwich`. Where chances differ they
            go with how unsure the judge is, and so with the variance itself, which no working model of equal
            cases knows: squares are then summed as they are, which is unbiased whatever their variances
            (Bell and McCaffrey 2002), and the working model gives the degrees of freedom alone
    """
    varying = spread > NONE * spread.max(initial=0.0)
    if not varying.any():
        return 0.0, 1.0
    variances = spread[varying]
    weights = variances**-0.5 if even else np.ones(len(variances))
    square = (
        float((weights * away[varying] ** 2).sum())
        * float(variances.sum())
        / float((weights * variances).sum())
    )
    return math.sqrt(square), max(
        1.0, float((weights * variances).sum()) ** 2 / float(((weights * variances) ** 2).sum()) - 1
    )


def _spread(
    cases: JudgedCases,
    codes: np.ndarray,
    people: int,
    predictions: Floats,
    weights: Floats,
    pool: np.ndarray,
    weight: float,
) -> Floats:
    """Contribution of each participant to the variance under an exchangeable correlation of dialogues."""
    labelled = cases.labelled
    deviations = np.where(labelled, np.where(labelled, cases.labels, 0.0) - weight * predictions, 0.0)
    parts = [_working(codes, people, weights, deviations)]
    if weight:
        parts.append(_working(codes, people, pool.astype(float), weight * predictions))
    return np.sum(parts, axis=0)


def _working(codes: np.ndarray, people: int, weights: Floats, values: Floats) -> Floats:
    size = float(weights.sum())
    used = weights > 0
    ratio = float((weights * values).sum()) / size
    deviations = np.where(used, weights * (values - ratio), 0.0)
    totals, squares, cases, shares = (
        np.bincount(codes, part, people).astype(float)
        for part in (deviations, deviations**2, used.astype(float), weights / size)
    )
    sums = Residuals(totals, squares, cases, shares, size)
    mean = float(squares.sum()) / cases.sum() / size**2
    return mean * cases * (1 + (cases - 1) * correlations(sums).within)
