"""Required numbers of dialogues and participants, by formula."""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from scipy.stats import binom, norm
from statsmodels.stats.power import TTestIndPower, normal_sample_size_one_tail
from statsmodels.stats.proportion import power_proportions_2indep, proportion_confint

from vivavoce.core.errors import InputError
from vivavoce.core.result import spread, unless_none

Design = Literal["between", "within"]
MOST: Final = 10_000_000
TIMES_HELD: Final = (1, 2, 5, 10)
EFFICIENCY_OF_RANKS: Final = 3 / math.pi


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """Nesting of dialogues in participants.

    calls        dialogues of one participant, over all systems; a mean where a profile is known
    profile      dialogues of each participant of a pilot, from whom those of the trial are drawn
    icc          how alike dialogues of one participant are (0 to 1)
    interaction  share of the variance that is a participant's own liking of one system over the other
    design       between: a participant meets one system; within: both, balanced
    """

    calls: float = 1
    icc: float = 0.0
    interaction: float = 0.0
    design: Design = "between"
    profile: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.profile:
            object.__setattr__(self, "calls", sum(self.profile) / len(self.profile))
        if self.design == "within" and max(self.profile, default=self.calls) <= 1:
            raise InputError(
                "1 dialogue a participant, within participants",
                hint="who meets both systems holds at least 2 dialogues; or say --design between",
            )
        if self.calls < 1 or not 0 <= self.icc < 1 or not 0 <= self.interaction < 1:
            raise InputError(
                f"calls {self.calls:g}, icc {self.icc:g}, interaction {self.interaction:g}",
                hint="at least 1 call a participant; icc and interaction from 0 to below 1",
            )

    @property
    def typical_calls(self) -> float:
        """Dialogues that a dialogue's participant has on average (m*), which unequal callers raise."""
        return sum(calls**2 for calls in self.profile) / sum(self.profile) if self.profile else self.calls

    @property
    def design_effect(self) -> float:
        """Factor on the number of independent dialogues."""
        if self.design == "between":
            return 1 + (self.typical_calls - 1) * self.icc
        calls_per_system = max(1.0, self.typical_calls / 2)
        return 1 - min(self.icc + self.interaction, 1) + calls_per_system * self.interaction


ALONE: Final = Nested()


@dataclass(frozen=True, slots=True, kw_only=True)
class ByCorrection:
    """A factor, or a power (0 to 1), at the sizes without and with continuity correction."""

    rates: tuple[float, float] | None = unless_none()
    pooled: float
    continuity_corrected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalDifference:
    """Dialogues per system at which exactly the observed difference reaches alpha, and the power there."""

    pooled: int
    continuity_corrected: int
    unpooled: int
    unpooled_continuity_corrected: int
    steps_of_ten: int
    power: ByCorrection


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSize:
    """Size of a trial: cases per system; dialogues and participants over all systems."""

    per_group: int
    dialogues: int
    participants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredSize:
    """The size where dialogues are nested in participants; `formula`: that of the formula, once simulated."""

    calls: float
    icc: float
    interaction: float
    design: Design
    design_effect: float
    size: TrialSize = spread()
    formula: TrialSize | None = unless_none()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPower:
    """Power and false alarms (0 to 1), with their standard errors, of `participants` over two systems."""

    participants: int
    power: float
    power_error: float
    type_one_error: float
    type_one_error_error: float
    draws: int
    type_one_draws: int
    seed: int
    test: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsWithJudge:
    """Dialogues a system to be judged by people where a judge labels all of them.

    held    dialogues a system; times: as a multiple of those that people alone would judge
    labels  by people, a system; saved: share of those that people alone would give
    """

    held: int
    times: int
    labels: int
    saved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredSample:
    """Required number of cases, in its `unit`; None for what another question needs.

    per_group    with the power asked for (with `half_width`: the `precision`), cases taken as independent
    exact        least n from which on the exact binomial test has the power
    ties         share of undecided judgements; `decided`: the others among `per_group`
    comparisons  declared, whose p are adjusted together: alpha is that of one
    """

    question: str
    rates: tuple[float, float] | None = unless_none()
    rate: float | None = unless_none()
    difference: float | None = unless_none()
    deviation: float | None = unless_none()
    cohen_d: float | None = unless_none()
    alpha: float
    half_width: float | None = unless_none()
    precision: int | None = unless_none()
    against: float | None = unless_none()
    power: float | None = unless_none()
    critical_difference: CriticalDifference | None = unless_none()
    half_the_difference: ByCorrection | None = unless_none()
    per_group: int
    per_group_continuity_corrected: int | None = unless_none()
    per_group_ranks: int | None = unless_none()
    exact: int | None = unless_none()
    unit: str
    clustered: ClusteredSize
    ties: float | None = unless_none()
    decided: int | None = unless_none()
    comparisons: int | None = unless_none()
    study: str | None = unless_none()
    measure: str | None = unless_none()
    compare: tuple[str, ...] | None = unless_none()
    assumptions: tuple[str, ...] = ()
    simulated: SimulatedPower | None = unless_none()
    pilot_simulated: bool | None = unless_none()
    judge_agreement: float | None = unless_none()
    with_judge: tuple[LabelsWithJudge, ...] = ()


def labels_with_judge(alone: int, agreement: float) -> tuple[LabelsWithJudge, ...]:
    """Labels by people, for the same error, where a judge agrees with them by so much.

    Input   alone: dialogues that people alone would judge; agreement: correlation with people within a system
    Output  as many dialogues held, twice, five and ten times as many: the judge saves nothing of the first,
            as no dialogue is left of which it alone speaks
    Raises  InputError: an agreement that is not between -1 and 1
    Source  variance of PPI++ (arXiv 2311.01453): 1 / labels times 1 - r^2 (1 - labels / held)
    """
    if not -1 < agreement < 1:
        raise InputError(f"agreement {agreement:g}", place="--judge-agreement", hint="between -1 and 1")
    square, savings = agreement**2, []
    for times in TIMES_HELD:
        labels = _ceil(alone * (1 - square) / (1 - square / times))
        savings.append(
            LabelsWithJudge(held=alone * times, times=times, labels=labels, saved=1 - labels / alone)
        )
    return tuple(savings)


def two_rates(
    a: float,
    b: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    nested: Nested = ALONE,
    systems: int = 2,
) -> RequiredSample:
    """Two success rates: dialogues per system at which a difference shows, and at which it is likely to.

    Note    the critical difference says nothing about power, which there is about 50 %
    Raises  InputError: rates that are equal or not between 0 and 1
    Source  Fleiss, Levin and Paik 2003; golden case 8 in tests/golden/statistics-power.json
    """
    _check_rates(a, b)
    difference, middle = abs(a - b), (a + b) / 2
    null = math.sqrt(2 * middle * (1 - middle))
    alternative = math.sqrt(a * (1 - a) + b * (1 - b))
    z = float(norm.isf(alpha / 2))
    uncorrected, unpooled = (z * null / difference) ** 2, (z * alternative / difference) ** 2
    needed = float(
        normal_sample_size_one_tail(difference, power, alpha / 2, null, std_alternative=alternative)
    )
    least, corrected = _ceil(uncorrected), _with_continuity(uncorrected, difference)
    critical = CriticalDifference(
        pooled=least,
        continuity_corrected=_ceil(corrected),
        unpooled=_ceil(unpooled),
        unpooled_continuity_corrected=_ceil(_with_continuity(unpooled, difference)),
        steps_of_ten=10 * _ceil(corrected / 10),
        power=ByCorrection(
            pooled=power_of_two_rates(a, b, least, alpha=alpha),
            continuity_corrected=power_of_two_rates(a, b, _ceil(corrected), alpha=alpha),
        ),
    )
    return RequiredSample(
        question="two rates",
        rates=(a, b),
        alpha=alpha,
        power=power,
        critical_difference=critical,
        half_the_difference=_half(a, b, uncorrected, corrected, z),
        per_group=_ceil(needed),
        per_group_continuity_corrected=_ceil(_with_continuity(needed, difference)),
        unit="dialogues per system, taken as independent",
        clustered=_clustered(_ceil(needed), nested, systems),
    )


def power_of_two_rates(a: float, b: float, n: int, *, alpha: float = 0.05) -> float:
    """Chance that a pooled z-test of n dialogues per system finds this difference."""
    _check_rates(a, b)
    power_result: Any = power_proportions_2indep(a - b, b, n, alpha=alpha, return_results=True)
    return float(power_result.power)


def _half(a: float, b: float, uncorrected: float, corrected: float, z: float) -> ByCorrection:
    """Cost of half the difference: the factor by which n grows."""
    half = (b - a) / 2
    middle = a + half / 2
    smaller = (z * math.sqrt(2 * middle * (1 - middle)) / abs(half)) ** 2
    return ByCorrection(
        rates=(a, a + half),
        pooled=smaller / uncorrected,
        continuity_corrected=_with_continuity(smaller, abs(half)) / corrected,
    )


def _with_continuity(n: float, difference: float) -> float:
    return n / 4 * (1 + math.sqrt(1 + 4 / (n * difference))) ** 2


def one_rate(
    rate: float,
    against: float = 0.5,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    half_width: float | None = None,
    nested: Nested = ALONE,
) -> RequiredSample:
    """One success rate against a given one, or with a Wilson interval of a given half-width."""
    _check_rates(rate, against, equal=half_width is not None)
    unit = "dialogues, taken as independent"
    if half_width is not None:
        n = _wilson_n(rate, half_width, alpha)
        return RequiredSample(
            question="one rate",
            rate=rate,
            alpha=alpha,
            half_width=half_width,
            precision=n,
            per_group=n,
            unit=unit,
            clustered=_clustered(n, nested, 1),
        )
    null, alternative = math.sqrt(against * (1 - against)), math.sqrt(rate * (1 - rate))
    needed = normal_sample_size_one_tail(
        abs(rate - against), power, alpha / 2, null, std_alternative=alternative
    )
    n = _ceil(float(needed))
    return RequiredSample(
        question="one rate",
        rate=rate,
        alpha=alpha,
        against=against,
        power=power,
        per_group=n,
        exact=_exact_n(rate, against, n, power, alpha),
        unit=unit,
        clustered=_clustered(n, nested, 1),
    )


def _wilson_n(rate: float, half_width: float, alpha: float) -> int:
    if not 0 < half_width < 0.5:
        raise InputError(f"half-width {half_width:g}", hint="it lies between 0 and 0.5, such as 0.05")

    def reaches(n: int) -> bool:
        interval: Any = proportion_confint(rate * n, n, alpha=alpha, method="wilson")
        return interval[1] - interval[0] <= 2 * half_width

    return 1 + bisect_left(range(1, MOST), True, key=reaches)


def _exact_n(rate: float, against: float, start: int, power: float, alpha: float) -> int | None:
    """Least n with the power at it and at the 19 after it: exact power moves in teeth."""
    run = 0
    for n in range(max(2, start // 2), 4 * start + 200):
        run = run + 1 if _exact_power(rate, against, n, alpha) >= power else 0
        if run == 20:
            return n - 19
    return None


def _exact_power(rate: float, against: float, n: int, alpha: float) -> float:
    """Power of the two-tailed exact test with alpha / 2 on either side."""
    top = int(binom.isf(alpha / 2, n, against)) + 1
    bottom = int(binom.ppf(alpha / 2, n, against)) - 1
    return float(binom.sf(top - 1, n, rate) + binom.cdf(bottom, n, rate))


def preference(
    share: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    ties: float = 0.0,
    nested: Nested = ALONE,
) -> RequiredSample:
    """Pairwise preference: share of the decided judgements for one side, against one half.

    Input   `ties`: share of undecided judgements, which the sign test drops
    """
    if not 0 <= ties < 1:
        raise InputError(f"share of ties {ties:g}", hint="it lies from 0 to below 1")
    rate_sample = one_rate(share, 0.5, power=power, alpha=alpha)
    judgements = _ceil(rate_sample.per_group / (1 - ties))
    return replace(
        rate_sample,
        question="preference",
        ties=ties,
        per_group=judgements,
        decided=rate_sample.per_group,
        exact=_ceil(rate_sample.exact / (1 - ties)) if rate_sample.exact else None,
        unit="judgements, taken as independent",
        clustered=_clustered(judgements, nested, 1),
    )


def likert(
    difference: float,
    deviation: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    nested: Nested = ALONE,
    systems: int = 2,
) -> RequiredSample:
    """Two means of a scale: answers per system by the t-test, and by Mann-Whitney's (normal shift).

    Raises  InputError: a deviation that is not above 0, or no difference
    """
    if deviation <= 0 or difference == 0:
        raise InputError(
            f"difference {difference:g}, deviation {deviation:g}",
            hint="a difference other than 0 and a deviation above 0",
        )
    effect = abs(difference) / deviation
    t_test_n: Any = TTestIndPower().solve_power(effect_size=effect, power=power, alpha=alpha)
    per_group = _ceil(float(t_test_n))
    return RequiredSample(
        question="likert means",
        difference=difference,
        deviation=deviation,
        cohen_d=effect,
        alpha=alpha,
        power=power,
        per_group=per_group,
        per_group_ranks=_ceil(float(t_test_n) / EFFICIENCY_OF_RANKS),
        unit="answers per system, taken as independent",
        clustered=_clustered(per_group, nested, systems),
    )


def _clustered(per_group: int, nested: Nested, systems: int) -> ClusteredSize:
    """Sample size with dialogues nested in participants."""
    cases = _ceil(per_group * nested.design_effect)
    total = cases * systems
    between = nested.design == "between"
    people = systems * _ceil(cases / nested.calls) if between else _ceil(total / nested.calls)
    return ClusteredSize(
        calls=nested.calls,
        icc=nested.icc,
        interaction=nested.interaction,
        design=nested.design,
        design_effect=nested.design_effect,
        size=TrialSize(per_group=cases, dialogues=total, participants=people),
    )


def _ceil(value: float) -> int:
    return math.ceil(round(value, 6))


def _check_rates(a: float, b: float, *, equal: bool = False) -> None:
    if not (0 < a < 1 and 0 < b < 1) or (a == b and not equal):
        raise InputError(
            f"rates {a:g} and {b:g}", hint="two different rates between 0 and 1, such as .45 .50"
        )
