"""One number with its unit of analysis, n, interval and signature."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredValue:
    """One measure of one group of dialogues.

    key            the group; `all` where `whole`: of all dialogues together
    value          sum of numerators over sum of denominators; None: nothing was counted
    macro          mean of the dialogues' own values
    denominator    n: how many of `analysis_unit` were counted
    dialogues      in which there was anything to count
    open           places that annotators dispute; `lowest`, `highest`: what decisions could make of the value
    low, high      95 % interval with participants as the unit, by the method `interval`
    """

    measure: str
    symbol: str | None
    family: str
    origin: str
    unit: str
    analysis_unit: str
    key: str | None
    value: float | None
    macro: float | None
    numerator: float
    denominator: float
    dialogues: int
    open: int
    lowest: float | None
    highest: float | None
    whole: bool
    low: float | None
    high: float | None
    interval: str
    participants: int | None
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDifference:
    """One measure of a less that of b, by the side that counts: participants wherever anybody knows them.

    low, high    95 % interval
    p            by `method`; `p_adjusted` over the family, which `family` names in a sentence
    significant  p_adjusted is below alpha; None: there is no p
    equivalent   the difference is smaller than the `margin`; None: none was given, and none declared
    no_worse     which of the two is shown to be no worse than the other by it: a, b, both or neither; None:
                 no margin, or no value of the measure is better
    n            how many of the unit of analysis; `cases` of what the measure counts
    """

    measure: str
    a: str | None
    b: str | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    alpha: float
    significant: bool | None
    family: str
    estimand: str
    method: str
    analysis_unit: str
    n: int
    cases: int
    margin: float | None
    equivalent: bool | None
    no_worse: str | None
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """Number of participants or dialogues needed, by one way of counting.

    by             independent: by formula, every case for itself; design_effect: by formula, where dialogues
                   of one person are alike; simulation: of trials that are judged as `compare` judges them
    n              cases of each group
    participants   of all groups together; None: people are not counted
    power          chance to find the difference; `power_error`: its standard error, where it was simulated
    """

    by: str
    n: int
    analysis_unit: str
    participants: int | None = None
    dialogues: int | None = None
    power: float | None
    power_error: float | None = None
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredVersion:
    """Choices between the versions of transcripts that differ in one variable, on one question.

    share      of decided choices, that prefer the experimental version
    low, high  95 % interval of it, by the method `interval`
    p          of no preference; `p_adjusted` over the family, which `family` names in a sentence
    n          how many of the unit of analysis
    """

    variable: str
    question: str
    quality: str | None
    experimental: int
    control: int
    ties: int
    share: float | None
    low: float | None
    high: float | None
    interval: str
    p: float | None
    p_adjusted: float | None
    alpha: float
    preferred: str | None
    family: str
    analysis_unit: str
    n: int
    signature: str
