"""A difference of two ratios over participants: estimate, interval, p, and equivalence within a margin."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.rounding import half_up
from vivavoce.core.statement import NOTHING, FormattedNumber, LocalizedText, statement
from vivavoce.stats.clusters import ALIKE, FEW, Floats, counted
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.interval import Interval
from vivavoce.stats.permutation import DRAWS, Cells, Relabelled, Relabelling, Side, relabellings
from vivavoce.stats.sandwich import Error, Residuals, residuals, robust_error, spread_of_totals


class Equivalence(NamedTuple):
    """p of the larger one-sided test; equivalent at alpha where p < alpha, that is, the interval lies inside.

    The interval has level 1 - 2 alpha.
    """

    difference: float
    se: float
    margin: float
    p_lower: float
    p_upper: float
    p: float
    interval: Interval
    equivalent: bool


def equivalence(
    difference: float, se: float, margin: float, *, df: float | None = None, alpha: float = 0.05
) -> Equivalence:
    """Two one-sided tests of any estimate with a standard error.

    Input   `df` gives t, as for participant-clustered differences; without it z
    Raises  InputError: a margin that is not above 0
    Source  Schuirmann 1987; golden case 33 in tests/golden/statistics-counts.json
    """
    if margin <= 0 or se <= 0:
        raise InputError(
            f"margin {margin:g}, standard error {se:g}", hint="both lie above 0, such as a margin of 0.05"
        )
    free = math.inf if df is None else df  # with no end of degrees of freedom Student's law is the normal one
    lower, upper = t_tail((difference + margin) / se, free), t_tail((margin - difference) / se, free)
    reach = t_quantile(1 - alpha, free) * se
    worst = max(lower, upper)
    return Equivalence(
        difference,
        se,
        margin,
        lower,
        upper,
        worst,
        Interval(difference - reach, difference + reach),
        worst < alpha,
    )


def equivalent_proportions(
    successes_a: int, n_a: int, successes_b: int, n_b: int, margin: float, *, alpha: float = 0.05
) -> Equivalence | None:
    """Two one-sided z-tests of two independent proportions with unpooled errors.

    Empty   either n = 0, or nothing varied: None
    Source  golden case 33 in tests/golden/statistics-counts.json
    """
    if not (n_a and n_b):
        return None
    rate_a, rate_b = successes_a / n_a, successes_b / n_b
    se = math.sqrt(rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b)
    return equivalence(rate_a - rate_b, se, margin, alpha=alpha) if se else None


MANY: Final = 400
LIMITS: Final = Interval(-1.0, 1.0)
HOW: Final = {
    "permutation_within": N_("systems swapped within participants"),
    "permutation_between": N_("groups switched"),
    "cluster_robust_t": "cluster-robust t test",
}
WEIGHED: Final = N_("Labels have inverse-probability weights (Hajek).")
Cases = tuple[Floats, Floats]
Relabel = Callable[[np.ndarray, np.ndarray], Relabelling]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two ratios compared; the interval holds what the very test of `p` does not reject.

    estimate    a minus b, of the ratios of sums (per case, not per participant)
    low, high   None where nothing varied, or where the design can reject no difference at all
    p           two-tailed; None where it cannot be tested
    method      permutation_within (participants swap what the two systems gave them), permutation_between
                (participants change sides), cluster_robust_t (more than 400 participants), or none
    smallest_p  the smallest p that so few participants can give
    se          standard error over participants, for description
    clusters    participants with cases
    why         the method in words
    """

    estimate: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    method: str = "none"
    smallest_p: float | None = None
    se: float | None = None
    clusters: int
    why: LocalizedText = NOTHING
    procedure: "Relabelled | _Robust | None" = field(default=None, repr=False, compare=False)
    limits: Interval | None = field(default=None, repr=False, compare=False)

    def interval(self, level: float) -> Interval | None:
        """The interval at another level, from the same procedure; None where there is none."""
        limits = self.procedure.interval(level, self.limits) if self.procedure and self._varied else None
        return _within(limits, self.limits)

    def equivalence(self, margin: float, *, alpha: float = 0.05) -> Equivalence | None:
        """Two one-sided tests by the same procedure: is the difference smaller than `margin`?

        Empty   no interval: None
        Raises  InputError: a margin that is not above 0
        Source  Schuirmann 1987
        """
        if margin <= 0:
            raise InputError(f"margin {margin:g}", hint="a margin lies above 0, such as 0.05")
        span = self.interval(1 - 2 * alpha)
        if self.procedure is None or span is None or self.se is None:
            return None
        lower, upper = self.procedure.p(-margin, "greater"), self.procedure.p(margin, "less")
        p = max(lower, upper)
        return Equivalence(self.estimate, self.se, margin, lower, upper, p, span, p < alpha)

    @property
    def _varied(self) -> bool:
        return self.se is not None and self.se > ALIKE


class _Robust:
    """t with a robust error, for many participants, by the same words as `Relabelled`."""

    smallest_p = 0.0

    def __init__(self, estimate: float, error: Error) -> None:
        self.estimate, self.error = estimate, error

    def p(self, supposed: float = 0.0, side: Side = "two") -> float:
        t = (self.estimate - supposed) / self.error.se
        if side == "two":
            return 2 * t_tail(abs(t), self.error.df)
        return t_tail(t if side == "greater" else -t, self.error.df)

    def interval(self, level: float, limits: Interval | None = None) -> Interval:
        reach = t_quantile((1 + level) / 2, self.error.df) * self.error.se
        return Interval(self.estimate - reach, self.estimate + reach)


def compare_clusters(
    people_a: np.ndarray,
    people_b: np.ndarray,
    a: Cases,
    b: Cases,
    *,
    level: float = 0.95,
    most: float | None = None,
    spans: bool = True,
    relabel: Relabel = relabellings,
    weighed: bool = False,
) -> Comparison | None:
    """Compare two ratios of sums when a participant may have cases in both.

    Input   participant codes and (numerators, denominators), one entry a dialogue, of each group; `most`: the
            largest difference there can be (of rates 1 without asking); `spans` False: p without the
            interval, for simulations; `relabel` where relabellings of the same participants are drawn once;
            `weighed`: components weigh by inverse chances, which go with the system, so nothing is relabelled
    Output  from 10 participants on ties count half (mid-p); below, p is exact and never too small
    Empty   a group without cases: None; a group of one participant, or nothing that varied: no p, and why
    Note    bench and reasons: docs/explanation/inference-bench.md
    """
    if not (a[1].sum() > 0 and b[1].sum() > 0):
        return None
    unique_people, codes = np.unique(np.concatenate([people_a, people_b]), return_inverse=True)
    where = np.split(codes, [len(people_a)])
    rates = counted(*a) and counted(*b) and not weighed
    residual_sums = [
        residuals(who, len(unique_people), *cases, counted=rates)
        for who, cases in zip(where, (a, b), strict=True)
    ]
    used = (residual_sums[0].cases + residual_sums[1].cases) > 0
    residual_sums = [_chosen(side, used) for side in residual_sums]
    sums = [
        Cells(*(np.bincount(who, values, len(unique_people))[used].astype(float) for values in cases))
        for who, cases in zip(where, (a, b), strict=True)
    ]
    estimate = float(sums[0].tops.sum() / sums[0].bottoms.sum() - sums[1].tops.sum() / sums[1].bottoms.sum())
    error, people = robust_error(*residual_sums, even=not weighed), int(used.sum())
    if error is None:
        why = statement(
            "One group has a single participant, so effects of participants and systems cannot be separated."
        )
        return Comparison(estimate=estimate, clusters=people, why=why)
    if error.se <= ALIKE and (weighed or abs(estimate) <= ALIKE):
        why = statement("Participants do not vary.")
        return Comparison(estimate=estimate, clusters=people, why=why)
    limits = LIMITS if rates else None if most is None else Interval(-most, most)
    if weighed or (people > MANY and error.se > ALIKE):
        outcome = _by_t(estimate, error, people, limits, level)
        return replace(outcome, why=statement(WEIGHED) + outcome.why) if weighed else outcome
    return _by_relabelling(sums, residual_sums, error, limits, level if spans else None, relabel)


def procedure_words() -> str:
    """Method for differences, before there are data: for any number of participants."""
    return (
        f"Up to {MANY} participants are relabelled as wholes ({HOW['permutation_within']} where they met "
        f"both, else {HOW['permutation_between']}): all ways, or {DRAWS:,} of them, drawn; the test is "
        f"studentised, ties count half from {FEW} participants on, and the interval holds what it does not "
        f"reject. More than {MANY} participants: {HOW['cluster_robust_t']} (CR2 with Satterthwaite's "
        "degrees of freedom)."
    )


def interval_facts(comparison: Comparison | None) -> dict[str, float | None]:
    """Interval and p for JSON; all None where there was nothing to compare."""
    return {name: getattr(comparison, name, None) for name in ("low", "high", "p")}


def _by_t(estimate: float, error: Error, people: int, limits: Interval | None, level: float) -> Comparison:
    procedure = _Robust(estimate, error)
    span = _within(procedure.interval(level), limits)
    why = statement(
        "{people} participants; cluster-robust t test with {df} degrees of freedom.",
        people=people,
        df=FormattedNumber(error.df, ".0f"),
    )
    return Comparison(
        estimate=estimate,
        low=span and span.low,
        high=span and span.high,
        p=procedure.p(),
        clusters=people,
        method="cluster_robust_t",
        smallest_p=0.0,
        se=error.se,
        why=why,
        procedure=procedure,
        limits=limits,
    )


def _by_relabelling(
    sums: list[Cells],
    residual_sums: list[Residuals],
    error: Error,
    limits: Interval | None,
    level: float | None,
    relabel: Relabel,
) -> Comparison:
    met = [side.met for side in sums]
    people, within = len(met[0]), bool((met[0] & met[1]).any())
    labels = relabel(*met)
    procedure = Relabelled(sums[0], sums[1], spread_of_totals(*residual_sums), labels, mid=people >= FEW)
    varied = error.se > ALIKE
    method = "permutation_within" if within else "permutation_between"
    span = _within(procedure.interval(level, limits), limits) if varied and level is not None else None
    return Comparison(
        estimate=procedure.estimate,
        low=span and span.low,
        high=span and span.high,
        p=procedure.p(),
        method=method,
        clusters=people,
        limits=limits,
        smallest_p=procedure.smallest_p,
        se=error.se,
        procedure=procedure,
        why=_in_words(people, method, labels, procedure.smallest_p, 1 - (level or 0.95), varied=varied),
    )


def _in_words(
    people: int, method: str, labels: Relabelling, smallest_p: float, alpha: float, *, varied: bool
) -> LocalizedText:
    ways = statement("{n} random permutations", n=len(labels.kept) - 1)
    if labels.every:
        ways = statement("all {n} permutations", n=len(labels.kept))
    how = statement(HOW[method])
    why = statement("Permutation of {people} participants, {how}: {ways}.", people=people, how=how, ways=ways)
    if not varied:
        return why + statement("All give the same value, so there is no interval.")
    if smallest_p >= alpha:
        return why + statement(
            "With so few participants p cannot fall below {floor}, so significance at {alpha} is impossible.",
            floor=FormattedNumber(half_up(smallest_p, 3)),
            alpha=FormattedNumber(alpha, "g"),
        )
    return why


def _chosen(residuals: Residuals, who: np.ndarray) -> Residuals:
    return Residuals(*(part[who] for part in residuals[:4]), size=residuals.size)


def _within(span: Interval | None, limits: Interval | None) -> Interval | None:
    if span is None or limits is None:
        return span
    return Interval(max(limits.low, span.low), min(limits.high, span.high))
