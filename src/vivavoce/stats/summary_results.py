"""Results of a summary and of a full comparison of groups (`summary` and `comparison`).

Also the analysis that a design requires, and warnings where p cannot reach significance. Differences are a
minus b in the unit of the measure; `low` and `high` are limits at the level of the whole. What is missing is
None, never 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.result import spread, unless_none
from vivavoce.core.statement import NOTHING, FormattedNumber, LocalizedText, PluralCount, statement
from vivavoce.stats.clusters import FEW, ClusteredRate
from vivavoce.stats.declared_results import ALPHA, AdjustedEquivalence, DeclaredFamily, Family, NoWorse
from vivavoce.stats.difference import MANY
from vivavoce.stats.usage_skew import Concentration

ROBUST: Final = N_(
    "Intervals and p values come from cluster-robust t tests by participant, with Satterthwaite degrees of "
    "freedom."
)
WITHIN: Final = N_(
    "Intervals and p values come from a permutation test clustered by participant. It swaps the systems "
    "within participants who used both; other participants switch groups as a whole."
)
BETWEEN: Final = N_(
    "Intervals and p values come from a permutation test clustered by participant: participants switch "
    "groups as a whole."
)
ALONE: Final = N_("There is only one participant, so no intervals or tests are possible.")
TIES: Final = N_("Ties with the observed difference count half (mid-p).")
HELD_ALONE: Final = N_("{people} held {n} (median {m}, maximum {k}).")
HELD_APART: Final = N_("{people} held {n} (median {m}, maximum {k}), each in one group only.")
HELD_BY_BOTH: Final = N_(
    "{people} held {n} (median {m}, maximum {k}). Participants in more than one group (own controls): {both}."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The analysis that a design asks for.

    name  permutation, cluster_robust_t (more than 400 participants), or independent (no participant is known)
    why   in sentences, for a reader
    """

    name: str
    why: LocalizedText


def choose_model(participants: Sequence[Sequence[str | None]]) -> Model:
    """Choose by how dialogues are nested.

    Input   the participant of each dialogue, group by group; None where unknown
    """
    identified = [[person for person in group if person is not None] for group in participants]
    sizes = Counter(person for group in identified for person in group)
    people = len(sizes)
    if not any(participants):
        return Model(name="independent", why=statement("There are no dialogues to analyse."))
    if not people:
        return Model(
            name="independent",
            why=statement("Participants are unknown, so dialogues are treated as independent.")
            + statement("If people took part more than once, the intervals are too narrow."),
        )
    met = Counter(person for group in identified for person in set(group))
    n_both = sum(times > 1 for times in met.values())
    nested = _nested(list(sizes.values()), n_both, sum(bool(group) for group in identified))
    if people == 1:
        return Model(name="permutation", why=nested + statement(ALONE))
    if people > MANY:
        return Model(name="cluster_robust_t", why=nested + statement(ROBUST))
    if sum(bool(group) for group in participants) < 2:  # nothing is compared
        return Model(name="permutation", why=nested + statement(ROBUST))
    few = statement("With fewer than {few} participants, only large differences can be detected.", few=FEW)
    why = nested + statement(WITHIN if n_both else BETWEEN)
    return Model(name="permutation", why=why + (few if people < FEW else statement(TIES)))


def _nested(sizes: list[int], n_both: int, groups: int) -> LocalizedText:
    sentence = HELD_ALONE if groups < 2 else HELD_APART if n_both == 0 else HELD_BY_BOTH
    facts = {
        "people": PluralCount(len(sizes), "participant"),
        "n": PluralCount(sum(sizes), "dialogue"),
        "m": FormattedNumber(median(sizes), "g"),
        "k": max(sizes),
    }
    return statement(sentence, **facts, **({"both": n_both} if sentence is HELD_BY_BOTH else {}))


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


Test = GroupTest | SystemTest


def reach_warnings(tests: Iterable[tuple[Test, Family]]) -> list[LocalizedText]:
    """A sentence a family of comparisons of which some, or all, could not have become significant.

    Input   each test, with its `alpha`, beside the facts of its family: tests, correction, why
    """
    families: dict[LocalizedText, tuple[Family, list[Test]]] = {}
    for test, family in tests:
        families.setdefault(family.why, (family, []))[1].append(test)
    warnings = (
        reach_warning(
            [result.clustered for result in family_results],
            family_results[0].alpha or ALPHA,
            family.tests if family.correction in ("holm", "bonferroni") else 1,
        )
        for family, family_results in families.values()
    )
    return list(dict.fromkeys(warning for warning in warnings if warning))


def reach_warning(
    tests: Sequence[ClusteredDifference], alpha: float, adjusted_by: int = 1
) -> LocalizedText | None:
    """A sentence where no result of a comparison could have been significant.

    Input   tests: their clustered sides (`smallest_p` None: no floor); adjusted_by: how many comparisons
            the smallest p of the family is multiplied by
    Empty   everything is within reach: None
    """
    floors = [test.smallest_p for test in tests]
    unreachable = [test for test, p in zip(tests, floors, strict=True) if p is not None and p >= alpha]
    if unreachable:
        lowest = min(p for p in floors if p is not None and p >= alpha)
        which = statement("{k} of {n} comparisons", k=len(unreachable), n=len(tests))
        if len(unreachable) == len(tests):
            which = statement("this comparison") if len(tests) == 1 else statement("any comparison")
        return statement(
            "Significance at {alpha} is impossible for {which}: with at most {n} participants, p cannot "
            "fall below {p}.",
            alpha=FormattedNumber(alpha, "g"),
            which=which,
            n=max(test.clusters for test in unreachable),
            p=FormattedNumber(lowest, ".2g"),
        ) + _hint(unreachable)
    if adjusted_by > 1 and floors and all(p is not None and p * adjusted_by >= alpha for p in floors):
        lowest = min(p for p in floors if p is not None)
        return statement(
            "Significance at {alpha} is impossible after adjustment for {n} comparisons: with so few "
            "participants, unadjusted p cannot fall below {p}.",
            alpha=FormattedNumber(alpha, "g"),
            n=adjusted_by,
            p=FormattedNumber(lowest, ".2g"),
        ) + _hint(tests)
    return None


def _hint(tests: Sequence[ClusteredDifference]) -> LocalizedText:
    if any(test.method == "permutation_between" for test in tests):
        return statement("Recruit more participants; more dialogues with the same people do not help.")
    return statement("Recruit more participants, or collect more dialogues with both.")
