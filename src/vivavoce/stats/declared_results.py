"""Results of the comparisons that a study declared, and the families over which p is adjusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.core.result import unless_none
from vivavoce.core.statement import NOTHING, LocalizedText
from vivavoce.stats.interval import Interval

ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Comparisons over which p is adjusted together.

    tests     how many gave a p; `untested` did not
    measures  names; empty where the members are no measures
    why       the family in a sentence
    of        what its members are, where several kinds stand in one result
    """

    name: str
    of: str | None = unless_none()
    correction: str
    tests: int
    untested: int
    measures: Sequence[str] = ()
    why: LocalizedText


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedEquivalence:
    """Two one-sided tests within a margin, in the unit of the measure; p adjusted over `tests` of them.

    interval    of 90 %
    equivalent  the adjusted p lies below .05
    """

    difference: float
    se: float
    margin: float
    p_lower: float
    p_upper: float
    p: float
    interval: Interval
    equivalent: bool
    p_adjusted: float | None = None
    tests: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoWorse:
    """One one-sided test that `system` is no worse than another by a margin, in the unit of the measure.

    difference  system minus than; interval: of 90 %
    shown       the adjusted p lies below .05
    """

    system: str | None
    than: str | None
    margin: float
    difference: float
    interval: Interval
    p: float
    p_adjusted: float
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredComparison:
    """Two systems compared as declared: a minus b in the unit of the measure, people as the unit where known.

    question     primary or secondary
    unknown      what the dataset lacks; None where nothing
    significant  None where there was no test
    no_worse     a than b, and b than a; empty without a margin, or where no value of the measure is better
    groups       keys of the groups that hold a's and b's dialogues; None: they are no groups here
    Empty        no test: difference, limits and p are None, method none, and `why` says so
    """

    question: str
    measure: str
    a: str
    b: str
    alpha: float
    unknown: str | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    method: str = "none"
    why: LocalizedText = NOTHING
    clusters: int | None = None
    se: float | None = None
    signature: str | None = None
    p_adjusted: float | None = None
    significant: bool | None = None
    equivalence: AdjustedEquivalence | None = None
    no_worse: Sequence[NoWorse] = ()
    groups: Sequence[str | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredChoice:
    """The versions of a variable compared by one question, as declared; ratio, limits: 0 to 1 of decided."""

    variable: str
    question: str
    experimental: int
    ties: int
    ratio: float | None
    low: float | None
    high: float | None
    alpha: float
    p: float | None
    decided: int
    signature: str
    p_adjusted: float | None = None
    significant: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredFamily:
    """Everything that a study declared to compare: of systems, and of transcripts."""

    family: Family
    results: Sequence[DeclaredComparison]
    choices: Sequence[DeclaredChoice]


HEADLINES: Final = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
# Definitions of success that part by so much are doubted: twice the margin (0.1) within which two rates count
# as the same unless a study says otherwise, so that the definition weighs more than what trials look for.
FAR_APART: Final = 0.2
RATE_PREFIXES: Final = ("subjective_success", "objective_success_")


def is_rate(name: str) -> bool:
    """True if a measure is a success rate: successes over attempts, with an interval."""
    return name.startswith(RATE_PREFIXES)
