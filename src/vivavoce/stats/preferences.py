"""Results of a comparison of transcripts, of `transcripts` and `preference_results`.

Shares lie between 0 and 1, differences of shares between -1 and 1; `low` and `high` are limits at the
level of the whole. What is missing is None.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vivavoce.core.result import unless_none
from vivavoce.stats.declared_results import ALPHA, DeclaredChoice, Family

FEWEST_EXPECTED: Final = 5  # in either half of an even split, for chi-square (Cochran 1954)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPreference:
    """One variable and question: choices, and the share (0 to 1) of the decided that prefer the experimental.

    method        of `low`, `high` and `p`: wilson and chi-square of choices, or over people
    chi_square    with one degree of freedom, and `p_exact`: None where somebody decided more than once
    participants  who decided
    alpha         level of significance of `p_adjusted`; the declared one where the cell was declared
    Empty         nothing decided: no share, no limits, no test
    """

    variable: str
    question: str
    quality: str | None
    experimental: int
    control: int
    ties: int
    ratio: float | None
    low: float | None
    high: float | None
    chi_square: float | None
    p: float | None
    p_exact: float | None
    preferred: str | None
    method: str
    participants: int
    p_adjusted: float | None = None
    alpha: float = ALPHA

    @property
    def decided(self) -> int:
        return self.experimental + self.control

    @property
    def is_exact(self) -> bool:
        """True if the binomial test decides: too few choices for chi-square (an expected count below 5)."""
        return self.decided < 2 * FEWEST_EXPECTED and self.p_exact is not None

    @property
    def decisive(self) -> float | None:
        """The p that is adjusted: of chi-square, or the exact one where choices are few."""
        return self.p_exact if self.is_exact else self.p


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledPreference:
    """A share (0 to 1) of decided choices over several questions, participants as the unit.

    Empty  nothing decided: no share, limits, p or method, and no participants
    """

    choices: int
    decided: int
    ties: int
    participants: int
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = unless_none()
    p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariablePreference:
    """One variable over all its questions: `marginal` is the mean of their shares, `ratio` of all choices.

    service, experience  the same of the questions of this quality; None where none was asked
    Empty                as `PooledPreference`
    """

    variable: str
    marginal: float | None
    choices: int
    decided: int
    ties: int
    participants: int
    ratio: float | None
    low: float | None
    high: float | None
    method: str | None = unless_none()
    p: float | None
    preferred: str | None
    service: PooledPreference | None = unless_none()
    experience: PooledPreference | None = unless_none()
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceDifference:
    """The share of a minus that of b, from -1 to 1, within people. Empty: None where it cannot be tested."""

    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableDifference(PreferenceDifference):
    """Difference of two variables; `p_holm` over all of them."""

    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference(PreferenceDifference):
    """Difference of two groups of people; `p_judgements` takes judgements as people, for comparison only."""

    p_judgements: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePreference:
    """Cochran's Q of one question over people who decided on all variables; None where it has no value."""

    question: str
    participants: int
    q: float | None
    df: int | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLeaning:
    """Share of choices of the left one (0 to 1), and the leaning in log odds with variables held fixed.

    effects  log odds of each variable's experimental version
    Empty    nothing decided, no side recorded or always the same, or no finite effect: None
    """

    left: float | None = None
    low: float | None = None
    high: float | None = None
    log_odds: float | None = None
    se: float | None = None
    p: float | None = None
    effects: Mapping[str, float] | None = unless_none()


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceByPlace:
    """The share (0 to 1) that prefers the experimental version at one place of the response, from 1."""

    comparison_number: int | None
    decided: int
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseCounts:
    """Respondents and their effort: `median_s` of a whole response, `seconds_per_judgement`.

    people_known  False: choices carry no participant, and `participants` counts judged pairs
    flags         flag -> responses
    Empty         no times: None
    """

    participants: int
    people_known: bool
    finished: int
    not_accepted: int
    flags: Mapping[str, int]
    judgements: int
    checks: int
    median_s: float | None
    seconds_per_judgement: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPreference:
    """One variable by group of people, and every two groups compared with the person as the unit."""

    variable: str
    groups: Mapping[str, PooledPreference]
    differences: Sequence[GroupDifference]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptComparison:
    """Everything that the method reports; `by_group` only where groups of people were asked for."""

    study: str
    simulated: bool
    data: str
    responses: ResponseCounts
    cells: Sequence[QuestionPreference]
    variables: Sequence[VariablePreference]
    differences: Sequence[VariableDifference]
    same_preference: Sequence[SamePreference]
    position: SideLeaning
    places: Sequence[PreferenceByPlace]
    by_group: Sequence[GroupPreference] | None = unless_none()


@dataclass(frozen=True, slots=True, kw_only=True)
class TieModel:
    """One variable and question (None: all together) with ties by one model.

    model           decided (choices only), davidson, rao_kupper
    estimate        log odds of the experimental version; `se`, limits and p over people
    share           of it among decided choices, as the model has it
    tied            chance of a tie; None where ties are left out
    readiness       nu or theta
    log_likelihood  of all choices; None where ties are left out
    Empty           no finite estimate: all None, and no participants
    """

    variable: str
    question: str | None
    model: str
    choices: int
    ties: int
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    share: float | None = None
    tied: float | None = None
    readiness: float | None = None
    log_likelihood: float | None = None
    participants: int = 0


class RankSet(NamedTuple):
    """First and last rank that a name may have, 1 being the best."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedWorth:
    """Log worth of one name (their mean is 0) with limits, p against the mean, and its share of the whole.

    ranks  first and last rank that it may have, jointly with all others; None: not asked for
    part   number of the group of names that can be ordered together; worths of two groups do not compare
    """

    name: str
    estimate: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None
    share: float
    ranks: RankSet | None = unless_none()
    part: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedLevels:
    """The levels of a variable, best first; None where one has no finite worth."""

    variable: str
    levels: Sequence[NamedWorth] | None
    choices: int
    participants: int
    best: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyEffect:
    """Effect of a part of a combined strategy, as log odds over people; a term with `x` is an interaction."""

    term: str
    estimate: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedStrategies:
    """Effects within a variable that combines several; `interactions`: whether the pairs tell them apart."""

    variable: str
    choices: int
    participants: int
    interactions: bool
    terms: Sequence[StrategyEffect]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceStrength:
    """Mean signed strength, from -3 to 3, of a variable and question (None: all together).

    p              against 0, by the interval's model; `p_holm` apart for questions and for variables
    p_signed_rank  Wilcoxon and Pratt over participants' means; None where all are 0
    counts         code -> choices
    """

    variable: str
    question: str | None
    mean: float
    low: float | None
    high: float | None
    p: float | None
    participants: int
    method: str
    p_signed_rank: float | None
    choices: int
    counts: Mapping[int, int]
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAgreement:
    """Agreement beyond chance of all who judged the same pair, by question.

    pairs   judged by two or more; judges: of a pair, None where that differs
    method  fleiss, or krippendorff where numbers of judges differ
    experimental, tie, control   shares of all judgements
    """

    variable: str
    question: str
    pairs: int
    judges: int | None
    method: str
    value: float | None
    low: float | None
    high: float | None
    judgements: int
    experimental: float
    tie: float
    control: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRating:
    """Mean of what participants thought of the study, from 1 to `of`."""

    mean: float
    of: int
    participants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCost:
    """Cost of the study, in its declared currency; None where nothing is there to divide by."""

    total: float
    per_judgement: float | None
    per_variable: float
    per_participant: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredPreferences:
    """The cells that a study declared, and their family."""

    family: Family
    choices: Sequence[DeclaredChoice]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferenceResults(TranscriptComparison):
    """The comparison with everything beside it; see `preference_results`.

    families    over which the p of cells, variables, strengths and differences (`of`) is adjusted
    signatures  variable, and variable and question -> signature
    """

    declared: DeclaredPreferences | None
    families: Sequence[Family]
    level: float
    vivavoce: str
    by_what: str | None
    agreement: Sequence[ChoiceAgreement]
    ties: Sequence[TieModel]
    strengths: Sequence[PreferenceStrength]
    levels: Sequence[RankedLevels]
    combined: Sequence[CombinedStrategies]
    study_rating: StudyRating | None
    cost: StudyCost | None
    signatures: Mapping[str, str]
