"""The ranking of an arena: worths from votes on two answers, with and without their length and style.

Each vote compares a left and a right answer. The model is Davidson's: a worth for every system, a leaning to
the left, a readiness to tie; `both bad` counts as a tie. The controlled model adds how much longer, and how
much more marked up, one answer is than the other, so that a system is not ranked for its lists. People are
the clusters.

Source  Davidson 1970; relative differences of length and mark-up as covariates: the style control of public
        arenas (Chiang et al. 2024)
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import installed_version, signature
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.paired_models import FittedPairs, Floats, LogOdds, fit
from vivavoce.stats.preference_models import differences, people_of, worths
from vivavoce.stats.preferences import NamedWorth

Row = Mapping[str, Any]
OUTCOMES: Final = {"left": 1.0, "right": -1.0, "tie": 0.0, "both_bad": 0.0}
LEFT: Final = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideTerm:
    """Log odds of the left answer with se, limits and p over people; None where there is no model."""

    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleTerm:
    """Lean of one feature of style, from both having as much of it to only one having any."""

    covariate: str
    estimate: float
    se: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemTally:
    """Votes for a system, against it, and for neither."""

    name: str
    votes: int
    won: int
    tied: int
    both_bad: int
    lost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaPair:
    """Two systems where they met: votes, and log odds of a over b; None where there is no model.

    p_holm  over all pairs
    """

    a: str
    b: str
    votes: int
    a_won: int
    b_won: int
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaResults:
    """The ranking of systems, the pairs, what sways votes, and on what all this rests.

    choices    left, right, tie, both_bad -> votes
    leaks      votes in which an answer named a system
    median_s   of a vote; None where no times are known
    ranking    best first, and `controlled` with length and style held fixed; None: a worth is not finite
    left       the leaning to the left
    """

    study: str
    data: str
    vivavoce: str
    level: float
    simulated: bool
    votes: int
    participants: int
    bouts: int
    choices: Mapping[str, int]
    leaks: int
    median_s: float | None
    systems: Sequence[SystemTally]
    ranking: Sequence[NamedWorth] | None
    controlled: Sequence[NamedWorth] | None
    left: SideTerm
    covariates: Sequence[StyleTerm]
    pairs: Sequence[ArenaPair]
    signature: str


def _count(pattern: str) -> Callable[[str], float]:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: float(len(compiled.findall(text)))


STYLES: Final[dict[str, Callable[[str], float]]] = {
    "length": lambda text: float(len(text.split())),
    "lists": _count(r"^\s*(?:[-*+•]|\d+[.)])\s+\S"),
    "headings": _count(r"^\s{0,3}#{1,6}\s+\S"),
    "bold": _count(r"\*\*(?=\S)[^*\n]+(?<=\S)\*\*|__(?=\S)[^_\n]+(?<=\S)__"),
    "code": _count(r"^\s*```|`[^`\n]+`"),
    "links": _count(r"\[[^\]\n]+\]\([^)\n]+\)|https?://\S+"),
}


def has_votes(dataset: Dataset) -> bool:
    """True if anybody voted in an arena."""
    return dataset.read("votes").num_rows > 0


def rank_systems(dataset: Dataset, level: float = 0.95) -> ArenaResults:
    """The ranking, the pairs, the covariates, and on what they rest.

    Raises  InputError: nobody voted
    """
    votes = dataset.read("votes").to_pylist()
    if not votes:
        raise InputError("no votes", place=str(dataset.folder), hint="export a study with a step `arena`")
    names = sorted({vote[f"{side}_system"] for vote in votes for side in ("left", "right")})
    outcomes, people = np.array([OUTCOMES[vote["choice"]] for vote in votes]), people_of(votes)
    base = np.column_stack(
        [
            differences(names, *([vote[f"{side}_system"] for vote in votes] for side in ("left", "right"))),
            np.ones(len(votes)),
        ]
    )
    styles = _style_differences(dataset, votes)
    uncontrolled, controlled = fit(base, outcomes, people), _controlled(base, styles, outcomes, people)
    vote_choices = [vote["choice"] for vote in votes]
    return ArenaResults(
        study=dataset.study,
        data=dataset.hash,
        vivavoce=installed_version(),
        level=level,
        simulated=any(vote["simulated"] for vote in votes),
        votes=len(votes),
        participants=len(set(people)),
        bouts=len({vote["bout_id"] for vote in votes}),
        choices={choice: vote_choices.count(choice) for choice in OUTCOMES},
        leaks=sum(bool(vote["leaks"]) for vote in votes),
        median_s=_median_s(votes),
        systems=[_tally(name, votes) for name in names],
        ranking=worths(names, uncontrolled, level) if uncontrolled else None,
        controlled=worths(names, controlled[0], level) if controlled else None,
        left=SideTerm(**_term(uncontrolled, len(names) - 1, level)._asdict()) if uncontrolled else SideTerm(),
        covariates=_covariates(controlled, len(names), level) if controlled else [],
        pairs=_pairs(names, votes, uncontrolled, level),
        signature=signature(
            "arena_worth",
            unit="participant",
            n=len(votes),
            data=dataset.hash,
            model="davidson",
            interval=f"cluster_sandwich_t {level}",
        ),
    )


def _median_s(votes: Sequence[Row]) -> float | None:
    times = [vote["response_s"] for vote in votes if vote["response_s"] is not None]
    return float(np.median(times)) if times else None


def _style_differences(dataset: Dataset, votes: Sequence[Row]) -> dict[str, Floats]:
    """(left - right) / (left + right) of every feature; 0 where neither has any."""
    texts = {
        (row["dialogue_id"], row["turn_index"]): row["text"] or ""
        for row in dataset.read("turns").select(["dialogue_id", "turn_index", "text"]).to_pylist()
    }
    differences: dict[str, Floats] = {}
    for name, count in STYLES.items():
        left_values, right = (
            np.array(
                [
                    count(texts.get((vote[f"{side}_dialogue_id"], vote[f"{side}_turn_index"]), ""))
                    for vote in votes
                ]
            )
            for side in ("left", "right")
        )
        pair_sums = left_values + right
        differences[name] = np.divide(
            left_values - right, pair_sums, out=np.zeros(len(votes)), where=pair_sums > 0
        )
    return {name: values for name, values in differences.items() if np.ptp(values) > 0}


def _controlled(
    base: Floats, styles: dict[str, Floats], outcomes: Floats, people: np.ndarray
) -> tuple[FittedPairs, list[str]] | None:
    """The model with all covariates that can be separated, in the order of STYLES; None without any."""
    included: list[str] = []
    fitted: FittedPairs | None = None
    for name, values in styles.items():
        design = np.column_stack([base, *(styles[style] for style in included), values])
        if (trial := fit(design, outcomes, people)) is not None:
            fitted, included = trial, [*included, name]
    return (fitted, included) if fitted else None


def _covariates(controlled: tuple[FittedPairs, list[str]], systems: int, level: float) -> list[StyleTerm]:
    fitted, names = controlled
    return [
        StyleTerm(covariate=name, **_term(fitted, systems + at, level)._asdict())
        for at, name in enumerate(names)
    ]


def _term(fitted: FittedPairs, place: int, level: float) -> LogOdds:
    return fitted.interval(np.eye(len(fitted.estimates))[place], level)


def _tally(name: str, votes: Sequence[Row]) -> SystemTally:
    """Count the votes for a system, against it, and for neither."""
    system_votes = [vote for vote in votes if name in (vote["left_system"], vote["right_system"])]
    sides = ["left" if vote["left_system"] == name else "right" for vote in system_votes]
    pairs = list(zip((vote["choice"] for vote in system_votes), sides, strict=True))
    return SystemTally(
        name=name,
        votes=len(system_votes),
        won=sum(choice == side for choice, side in pairs),
        tied=sum(choice == "tie" for choice, _ in pairs),
        both_bad=sum(choice == "both_bad" for choice, _ in pairs),
        lost=sum(choice in ("left", "right") and choice != side for choice, side in pairs),
    )


def _pairs(
    names: Sequence[str], votes: Sequence[Row], fitted: FittedPairs | None, level: float
) -> list[ArenaPair]:
    """Every two systems: what was voted where they met, and the difference of their worths."""
    arena_pairs: list[ArenaPair] = []
    for first, second in combinations(range(len(names)), 2):
        a, b = names[first], names[second]
        met = [vote for vote in votes if {vote["left_system"], vote["right_system"]} == {a, b}]
        won = [vote[f"{vote['choice']}_system"] for vote in met if vote["choice"] in ("left", "right")]
        weights = np.zeros(len(names))
        weights[first], weights[second] = 1, -1
        pair = ArenaPair(a=a, b=b, votes=len(met), a_won=won.count(a), b_won=won.count(b))
        if fitted is not None:
            free = np.append(weights[: len(names) - 1], np.zeros(len(fitted.estimates) - len(names) + 1))
            pair = replace(pair, **fitted.interval(free, level)._asdict())
        arena_pairs.append(pair)
    return [
        replace(pair, p_holm=p)
        for pair, p in zip(arena_pairs, holm([arena_pair.p for arena_pair in arena_pairs]), strict=True)
    ]
