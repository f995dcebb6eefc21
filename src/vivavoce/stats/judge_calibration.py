"""A judge held to people: how far they agree, what its words are worth, where it is wrong.

Whatever is said of a judge can be said of one more person by the same figures, so that "as good as one more
person" is a test. Participants are the unit: of judgements of one participant's dialogues, none is new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.stats.clusters import ALIKE, clustered_rate, ratio_interval, sum_by_participant
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.sandwich import residuals, robust_error

Floats = np.ndarray[Any, np.dtype[np.float64]]
Alignment = Literal["same", "distance"]
LEVEL: Final = 0.95
BINS: Final = 5
LEAST_CASES: Final = 30
FALSE_DISCOVERIES: Final = 0.05
PASSES: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFigure:
    """A figure with its 95 % interval over participants; missing where it cannot be said."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def beyond_zero(self) -> bool:
        """True if the interval leaves 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """Agreement of two judgements of the same dialogues.

    n, participants  pairs of judgements, and participants whose dialogues they are of
    difference       the first less the second, on the scale of the labels: lenient above 0
    same             share in which both are the same after rounding to a code
    correlation      Pearson's; alpha: Krippendorff's, interval scale (of labels of 0 and 1: nominal, too)
    """

    n: int
    participants: int
    difference: JudgeFigure = JudgeFigure()
    same: JudgeFigure = JudgeFigure()
    correlation: JudgeFigure = JudgeFigure()
    alpha: JudgeFigure = JudgeFigure()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Dialogues of which the judge says about the same: what it says on average, and what people say."""

    n: int
    said: float
    label: JudgeFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeAnnotator:
    """The alternative annotator test: may the judge stand in for one of these people?

    winning_rate   share of people whom it matches or beats; it passes from 0.5 on
    advantage      chance that it is at least as close to the others as a person drawn from them
    epsilon        by how much a person may be better and still be replaced, as people cost more
    annotators     of whom it was asked; passes None: nobody judged enough dialogues that others judged, too
    """

    winning_rate: float | None
    advantage: float | None
    epsilon: float
    annotators: int
    passes: bool | None


def agree(first: Floats, second: Floats, people: np.ndarray) -> JudgeAgreement:
    """Agreement of two judgements of each dialogue, the first by a judge or by a person.

    Input   one entry a pair of judgements: both values, and the participant whose dialogue it is
    Empty   no pair: every figure missing; a correlation where one of them never varies, too
    """
    person_ids, codes = np.unique(people, return_inverse=True)
    n, size = len(first), len(person_ids)
    if not n:
        return JudgeAgreement(n=0, participants=0)
    alike = (np.round(first) == np.round(second)).astype(float)
    rate = clustered_rate(sum_by_participant(codes, alike, np.ones(n)))
    moments = (np.ones(n), first, second, first**2, second**2, first * second)
    moment_sums = np.column_stack([np.bincount(codes, part, size).astype(float) for part in moments])
    return JudgeAgreement(
        n=n,
        participants=size,
        difference=_mean(first - second, codes),
        same=JudgeFigure(value=float(alike.mean()), low=rate.low, high=rate.high),
        correlation=_jackknifed(moment_sums, _pearson),
        alpha=_jackknifed(moment_sums, _alpha),
    )


def reliability_diagram(
    predictions: Floats, labels: Floats, people: np.ndarray, *, bins: int = BINS
) -> list[ReliabilityBin]:
    """Labels by people against the judge's values, in bins of equal size where possible.

    Empty   no dialogue: no bin; one bin where the judge says the same of everything
    """
    if not len(predictions):
        return []
    edges = np.unique(np.quantile(predictions, np.linspace(0, 1, bins + 1)[1:-1]))
    place = np.searchsorted(edges, predictions, side="right")
    return [
        ReliabilityBin(
            n=int(chosen.sum()),
            said=float(predictions[chosen].mean()),
            label=_mean(labels[chosen], people[chosen]),
        )
        for chosen in (place == bin_index for bin_index in np.unique(place))
    ]


def judge_effects(
    excess: Floats, people: np.ndarray, features: Mapping[str, Floats]
) -> dict[str, JudgeFigure]:
    """Effect of each feature on the judge's difference from people, one feature at a time.

    Input   excess: what the judge says less what people say; features: of 0 and 1, such as a system, a
            language, the judge's own family (self-preference), success; or on a scale, such as length, then
            by deviation
    Output  difference of the excess with and without the feature, or over one deviation of it
    Empty   a feature that never varies: missing
    """
    effects: dict[str, JudgeFigure] = {}
    for name, values in features.items():
        valid = ~np.isnan(values)
        x, y = values[valid], excess[valid]
        if not valid.any() or np.ptp(x) <= ALIKE:
            effects[name] = JudgeFigure()
            continue
        binary = np.isin(x, (0.0, 1.0)).all()
        x = (x - x.mean()) / (1.0 if binary else x.std())
        effects[name] = _ratio(x * (y - y.mean()), x**2, people[valid])
    return effects


def position_effect(first_chosen: Floats, people: np.ndarray) -> JudgeFigure:
    """Preference of a judge for what it reads first, from pairs judged in both orders.

    Input   one entry a pair: share of its two answers (0, 0.5, 1) that named what stood first; 0.5: no effect
    Output  mean less one half
    """
    return _mean(first_chosen - 0.5, people)


def alternative_annotator_test(
    judge: Mapping[str, float],
    people: Mapping[str, Mapping[str, float]],
    participants: Mapping[str, str] | None = None,
    *,
    epsilon: float = 0.15,
    alignment: Alignment = "same",
    least: int = LEAST_CASES,
) -> AlternativeAnnotator:
    """Test if a judge agrees with people as well as each agrees with the others, less the cost of people.

    Input   judge: what it says by dialogue; people: what each annotator says by dialogue; participants: whose
            dialogues they are (each its own where left out); epsilon: 0.1 for crowd workers, 0.15 for skilled
            annotators, 0.2 for experts; alignment: share of others who say the same, or root mean square
            distance from them; least: dialogues that an annotator needs
    Output  one-sided test of each annotator, t with an error over participants; Benjamini and Yekutieli's
            procedure at 5 %
    Empty   nobody has so many dialogues that somebody else judged, too: all missing
    Raises  InputError: epsilon is not from 0 to below 1
    Source  Calderon, Reichart and Dror 2025 (arXiv 2501.10970); golden case by their own program in
            tests/golden/alternative-annotator.json
    """
    if not 0 <= epsilon < 1:
        raise InputError(f"epsilon {epsilon:g}", hint="from 0 to below 1, such as 0.15")
    whose = participants or {}
    p_values, wins = [], []
    for name, labels in people.items():
        other_people = [other_labels for other_name, other_labels in people.items() if other_name != name]
        judged = [
            case
            for case in labels
            if case in judge and any(case in other_labels for other_labels in other_people)
        ]
        if len(judged) < least:
            continue
        pairs = [
            _closer(
                judge[other_labels],
                labels[other_labels],
                [o[other_labels] for o in other_people if other_labels in o],
                alignment,
            )
            for other_labels in judged
        ]
        wins.append(sum(ours >= theirs for ours, theirs in pairs) / len(pairs))
        worse = np.array([float(theirs >= ours) - float(ours >= theirs) for ours, theirs in pairs])
        p_values.append(_below(worse, np.array([whose.get(case, case) for case in judged]), epsilon))
    if not wins:
        return AlternativeAnnotator(
            winning_rate=None, advantage=None, epsilon=epsilon, annotators=0, passes=None
        )
    rate = _rejected(p_values) / len(p_values)
    return AlternativeAnnotator(
        winning_rate=rate,
        advantage=float(np.mean(wins)),
        epsilon=epsilon,
        annotators=len(wins),
        passes=rate >= PASSES,
    )


def _closer(
    judge: float, person: float, other_labels: Sequence[float], alignment: Alignment
) -> tuple[float, float]:
    """Closeness of the judge, and of the person, to the other people; more is closer."""
    references = np.asarray(other_labels)
    if alignment == "same":
        return float((references == judge).mean()), float((references == person).mean())
    return -float(np.sqrt(((references - judge) ** 2).mean())), -float(
        np.sqrt(((references - person) ** 2).mean())
    )


def _below(values: Floats, people: np.ndarray, limit: float) -> float:
    """One-sided p of a mean at or above the limit, over participants."""
    person_ids, codes = np.unique(people, return_inverse=True)
    error = robust_error(residuals(codes, len(person_ids), values, np.ones(len(values))))
    if error is None or error.se <= ALIKE:
        return 0.0 if error is not None and values.mean() < limit else 1.0
    return t_tail((limit - float(values.mean())) / error.se, error.df)


def _rejected(p_values: Sequence[float]) -> int:
    """Hypotheses rejected by Benjamini and Yekutieli's step-up procedure."""
    m = len(p_values)
    ranks = np.arange(1, m + 1)
    bars = ranks / m * FALSE_DISCOVERIES / float((1 / ranks).sum())
    passed = np.flatnonzero(np.sort(p_values) <= bars)
    return int(passed[-1]) + 1 if len(passed) else 0


def _mean(values: Floats, people: np.ndarray) -> JudgeFigure:
    return _ratio(values, np.ones(len(values)), people)


def _ratio(tops: Floats, bottoms: Floats, people: np.ndarray) -> JudgeFigure:
    ratio = ratio_interval(people, tops, bottoms, LEVEL)
    return JudgeFigure(value=float(tops.sum() / bottoms.sum()), low=ratio.low, high=ratio.high)


def _jackknifed(person_sums: Floats, figure: Any) -> JudgeFigure:
    """A figure of sums over participants, its error from leaving each of them out."""
    size, totals = len(person_sums), person_sums.sum(axis=0)
    value = float(figure(totals[None])[0])
    without = figure(totals - person_sums) if size > 2 else np.array([np.nan])
    if not np.isfinite(value) or not np.isfinite(without).all():
        return JudgeFigure(value=value if np.isfinite(value) else None)
    se = float(np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum()))
    effective = float(person_sums[:, 0].sum()) ** 2 / float((person_sums[:, 0] ** 2).sum())
    reach = t_quantile((1 + LEVEL) / 2, max(1.0, effective - 1)) * se
    return JudgeFigure(value=value, low=max(-1.0, value - reach), high=min(1.0, value + reach))


def _pearson(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = sums.T
    spread = (xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)
    covariance = xy / n - x * y / n**2
    return np.divide(covariance, np.sqrt(spread.clip(0)), out=np.full(len(n), np.nan), where=spread > ALIKE)


def _alpha(sums: Floats) -> Floats:
    """Krippendorff's alpha of two judgements each, from their moments."""
    n, x, y, xx, yy, xy = sums.T
    seen = (xx + yy - 2 * xy) / n
    by_chance = 2 * ((xx + yy) - (x + y) ** 2 / (2 * n)) / (2 * n - 1)
    return np.divide(by_chance - seen, by_chance, out=np.full(len(n), np.nan), where=by_chance > ALIKE)
