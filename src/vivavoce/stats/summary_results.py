"""Results of a summary and of a full comparison of groups (`summary` and `comparison`).

Differences are a minus b in the unit of the measure; `low` and `high` are limits at the level of the whole.
What is missing is None, never 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.core.result import spread, unless_none
from vivavoce.core.statement import NOTHING, LocalizedText, statement
from vivavoce.stats.clusters import ClusteredRate
from vivavoce.stats.declared_results import AdjustedEquivalence, DeclaredFamily, Family, NoWorse
from vivavoce.stats.design import Model
from vivavoce.stats.usage_skew import Concentration

UNKNOWN_PEOPLE = statement("Participants are unknown.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedInterval(ClusteredRate):
    """An interval over participants; the signature of a number with it, None where there is no interval."""

    signature: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredTotal:
    """One measure over the dialogues of a group.

    value, macro     of all cases; the mean over dialogues
    numerator        None where nothing was counted; denominator: cases
    open             places where annotators differ and nobody decided: lowest, highest are what decisions
                     could make of the value
    unit             of the value
    clustered        its interval
    abandoned        of the dialogues, those that their participants left; None: not known
    """

    value: float | None
    macro: float | None
    numerator: float | None
    denominator: float
    dialogues: int
    open: int | None
    lowest: float | None
    highest: float | None
    unit: str
    signature: str
    clustered: SignedInterval
    abandoned: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRate:
    """One rate of a group, from 0 to 1, with Wilson's interval of independent cases beside `clustered`.

    unit   what a case is
    abandoned  dialogues with cases that their participants left; None: not known
    Empty  no case: n 0, ratio and limits None; answers that are not 0 or 1: a mean without limits
    """

    unit: str
    successes: float
    n: float
    ratio: float | None
    low: float | None
    high: float | None
    method: str
    signature: str
    clustered: SignedInterval
    abandoned: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """One group of dialogues, or all of them.

    abandoned  dialogues of these that their participants left; None: not known
    rates     by name, in JSON among the other fields; measures: by name
    turns, user_turns, system_turns, user_words, system_words   None where nothing is known of them
    """

    key: str | None
    dialogues: int
    abandoned: int | None = None
    participants: int
    dialogues_per_participant: Concentration
    rates: Mapping[str, SuccessRate] = spread()
    dialogue_duration_s: float | None
    word_error_rate: float | None
    turns: int | None
    user_turns: int | None
    system_turns: int | None
    user_words: int | None
    system_words: int | None
    measures: Mapping[str, MeasuredTotal]

    def counted(self, name: str) -> bool:
        """True if a measure has cases here."""
        return name in self.measures and bool(self.measures[name].denominator)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveDifference:
    """Two groups compared as if every case were independent: pooled z, Newcombe's interval.

    Empty  a group without cases, or no successes to count: method none, and all None
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    z: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    method: str = "none"
    interval: str = "none"

    clusters = None
    se = None
    why = UNKNOWN_PEOPLE


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredDifference:
    """Two groups compared with participants as the unit.

    p_adjusted  over the family; filled in by who knows it
    smallest_p  what p could have been at best, where participants are few enough
    clusters    participants with cases
    why         the method in words, or why there is none
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    p: float | None = None
    smallest_p: float | None = None
    p_adjusted: float | None = None
    clusters: int = 0
    method: str = "none"
    why: LocalizedText = NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainDifference:
    """A difference by a test of means of independent dialogues, or none."""

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    method: str = "none"

    clusters = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTest:
    """Two groups on one rate: naive, and `clustered` beside it.

    unit         participant, or case where no participant is known: the side that counts
    family       of which it is a member, by name; None where p is not adjusted
    significant  the adjusted p lies below alpha; None where it was not tested
    """

    measure: str
    a: str | None
    b: str | None
    unit: str
    difference: float | None
    low: float | None
    high: float | None
    z: float | None
    p: float | None
    p_adjusted: float | None
    method: str
    interval: str
    clustered: ClusteredDifference
    signature: str = ""
    family: str | None = None
    alpha: float | None = None
    significant: bool | None = None

    clusters = None

    @property
    def decisive(self) -> "GroupTest | ClusteredDifference":
        """The side that counts: participants as the unit wherever anybody knows who they were."""
        return self.clustered if self.unit == "participant" else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything that is known about each group of dialogues; see `summarise`.

    data                 hash of the dataset
    excluded             how much is left out, by rule
    shared_participants  who met more than one group
    out_of_reach         those of the warnings that say what could not have become significant
    """

    study: str
    simulated: bool
    by_what: str
    data: str
    excluded: Mapping[str, Any]
    vivavoce: str
    level: float
    model: Model
    by: Sequence[GroupSummary]
    all: GroupSummary
    tests: Sequence[GroupTest]
    declared: DeclaredFamily | None
    families: Sequence[Family]
    shared_participants: int
    out_of_reach: Sequence[LocalizedText]
    warnings: Sequence[LocalizedText]


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveInterval:
    """Limits of independent cases; method none where there are none."""

    low: float | None
    high: float | None
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupValue:
    """One measure of one group with both intervals."""

    measure: str
    key: str | None
    value: float | None
    n: float
    naive: NaiveInterval
    clustered: SignedInterval


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize:
    """Cohen's h or d; None where it has no value."""

    name: str | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedDifference:
    """Difference with equal weights of dialogues, or of participants."""

    estimand: str
    found: ClusteredDifference = spread()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDifference:
    """Difference by another model.

    odds_ratio, deviations  of logistic models alone; deviations: name of the random effect -> on the logit
    estimand                what the difference is of: a model weighs cases in its own way
    Empty                   not fitted: limits and p None, and `why` says so
    """

    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    odds_ratio: float | None = unless_none()
    deviations: Mapping[str, float] | None = unless_none()
    method: str
    why: str
    estimand: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSum:
    """Mann-Whitney's U and p of answers taken as independent; None where nothing varied."""

    u: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Superiority:
    """Chance (0 to 1) that an answer of a is higher than one of b; t and p against one half over people.

    Empty  a group with answers of fewer than 2 participants: share only
    """

    share: float | None = None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p: float | None = None
    clusters: int
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalOdds:
    """Odds of a higher answer in a against b; None where there is no model, and `why` says so."""

    odds_ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemComparison:
    """Answers to one item of two groups; n_a, n_b answers; Cliff's delta from -1 to 1."""

    instrument: str
    item_id: str
    a: str | None
    b: str | None
    n_a: int
    n_b: int
    mann_whitney: RankSum
    cliff_delta: float | None
    superiority: Superiority
    ordinal: OrdinalOdds


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTest:
    """One difference by its own estimand, such as per word, by others, and by other models.

    unit         participant, or case where no participant is known: the side that counts
    n            dialogues with cases
    models       bootstrap, gee, mixed
    why          the family of its p, in a sentence
    p_adjusted   of a case; a participant's stands in `clustered`
    equivalence  None where neither a margin was given nor one declared
    no_worse     a than b, and b than a; empty without an equivalence, or where no value is better
    """

    measure: str
    a: str | None
    b: str | None
    unit: str
    estimand: str
    n: int
    naive: NaiveDifference | ClusteredDifference | PlainDifference
    clustered: ClusteredDifference
    effect: EffectSize
    weighted: Sequence[WeightedDifference]
    models: Mapping[str, ModelDifference]
    signature: str
    alpha: float = 0.0
    significant: bool | None = None
    why: LocalizedText = NOTHING
    p_adjusted: float | None = unless_none()
    equivalence: AdjustedEquivalence | None = None
    no_worse: Sequence[NoWorse] = ()

    @property
    def side(self) -> NaiveDifference | ClusteredDifference | PlainDifference:
        """The side that counts."""
        return self.clustered if self.unit == "participant" else self.naive

    @property
    def adjusted(self) -> float | None:
        """The adjusted p of the side that counts."""
        return self.clustered.p_adjusted if self.unit == "participant" else self.p_adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemsCompared:
    """The full comparison of a dataset's groups; see `compare_systems`."""

    study: str
    simulated: bool
    by_what: str
    data: str
    vivavoce: str
    level: float
    model: Model
    rates: Sequence[GroupValue]
    tests: Sequence[SystemTest]
    items: Sequence[ItemComparison]
    families: Sequence[Family]
    warnings: Sequence[LocalizedText]
