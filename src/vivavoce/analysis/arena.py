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
from vivavoce.stats.ranking import connected_parts, one_sided_limit, rank_sets

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
class UnboundedWorth:
    """A system without a finite worth: its one-sided 97.5 % limit against the mean of the largest group.

    low   where it never lost; `high`: where it never won; None: the votes give no limit
    """

    name: str
    low: float | None = None
    high: float | None = None


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
    ranking    best first, group by group of systems that can be ordered together, the largest first, and
               `controlled` with length and style held fixed; None: no such group
    unbounded  systems that won, or lost, all their decided votes against the ranked ones
    separate   groups of systems that never met, if there are several
    left       the leaning to the left, in the largest group
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
    unbounded: Sequence[UnboundedWorth]
    separate: Sequence[Sequence[str]]
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
    styles = _style_differences(dataset, votes)
    groups = _connected(names, votes)
    parts = [_Part(number, group, votes, styles) for number, group in enumerate(groups, 1) if len(group) > 1]
    ranking = [worth for part in parts for worth in part.worths(part.plain, level)]
    controlled = [worth for part in parts for worth in part.worths(part.controlled, level)]
    largest = parts[0] if parts else None
    vote_choices = [vote["choice"] for vote in votes]
    return ArenaResults(
        study=dataset.study,
        data=dataset.hash,
        vivavoce=installed_version(),
        level=level,
        simulated=any(vote["simulated"] for vote in votes),
        votes=len(votes),
        participants=len(set(people_of(votes))),
        bouts=len({vote["bout_id"] for vote in votes}),
        choices={choice: vote_choices.count(choice) for choice in OUTCOMES},
        leaks=sum(bool(vote["leaks"]) for vote in votes),
        median_s=_median_s(votes),
        systems=[_tally(name, votes) for name in names],
        ranking=ranking or None,
        controlled=controlled or None,
        unbounded=_unbounded(names, groups[0], votes) if largest and largest.plain else [],
        separate=_separate(names, votes),
        left=largest.left(level) if largest else SideTerm(),
        covariates=largest.covariates(level) if largest else [],
        pairs=_pairs(names, votes, parts, level),
        signature=signature(
            "arena_worth",
            unit="participant",
            n=len(votes),
            data=dataset.hash,
            model="davidson",
            interval=f"cluster_sandwich_t {level}",
        ),
    )


class _Part:
    """Systems that can be ordered together, with the models of the votes between them."""

    def __init__(
        self, number: int, names: Sequence[str], votes: Sequence[Row], styles: dict[str, Floats]
    ) -> None:
        self.number, self.names = number, names
        inside = np.array([set(_systems(vote)) <= set(names) for vote in votes])
        chosen = [vote for vote, kept in zip(votes, inside, strict=True) if kept]
        outcomes, people = _outcomes(chosen), people_of(chosen)
        systems = _design(names, chosen)
        sided = np.column_stack([systems, np.ones(len(chosen))])
        self.plain = fit(sided, outcomes, people)
        self.has_side = self.plain is not None
        if self.plain is None:  # one of them was always on the same side
            self.plain = fit(systems, outcomes, people)
        base = sided if self.has_side else systems
        styles = {name: values[inside] for name, values in styles.items()}
        self.controlled, self.styles = _controlled(base, styles, outcomes, people)

    def worths(self, fitted: FittedPairs | None, level: float) -> list[NamedWorth]:
        """Worths with their rank sets, best first."""
        if fitted is None:
            return []
        ranks = rank_sets(self.names, fitted, level)
        return [
            replace(worth, ranks=ranks[worth.name], part=self.number)
            for worth in worths(self.names, fitted, level)
        ]

    def left(self, level: float) -> SideTerm:
        if self.plain is None or not self.has_side:
            return SideTerm()
        return SideTerm(**_term(self.plain, len(self.names) - 1, level)._asdict())

    def covariates(self, level: float) -> list[StyleTerm]:
        if self.controlled is None:
            return []
        before = len(self.names) - 1 + self.has_side
        return _covariates(self.controlled, self.styles, before, level)


def _systems(vote: Row) -> tuple[str, str]:
    return vote["left_system"], vote["right_system"]


def _winner(vote: Row) -> str | None:
    return vote[f"{vote['choice']}_system"] if vote["choice"] in ("left", "right") else None


def _outcomes(votes: Sequence[Row]) -> Floats:
    return np.array([OUTCOMES[vote["choice"]] for vote in votes])


def _design(names: Sequence[str], votes: Sequence[Row]) -> Floats:
    return differences(names, *([vote[f"{side}_system"] for vote in votes] for side in ("left", "right")))


def _connected(names: Sequence[str], votes: Sequence[Row]) -> list[list[str]]:
    first, second = ([vote[f"{side}_system"] for vote in votes] for side in ("left", "right"))
    return connected_parts(names, first, second, _outcomes(votes))


def _separate(names: Sequence[str], votes: Sequence[Row]) -> list[list[str]]:
    """Groups of systems without any vote between them; empty where there is only one."""
    first, second = ([vote[f"{side}_system"] for vote in votes] for side in ("left", "right"))
    groups = connected_parts(names, first, second, np.zeros(len(votes)))
    return groups if len(groups) > 1 else []


def _unbounded(names: Sequence[str], ranked: Sequence[str], votes: Sequence[Row]) -> list[UnboundedWorth]:
    """Limits of the systems that met the ranked ones and won, or lost, every decided vote."""
    unbounded: list[UnboundedWorth] = []
    for name in (name for name in names if name not in ranked):
        chosen = [vote for vote in votes if set(_systems(vote)) <= {name, *ranked}]
        met = [vote for vote in chosen if name in _systems(vote)]
        won = {winner == name for vote in met if (winner := _winner(vote))}
        if len(won) != 1:
            continue
        order = [name, *ranked]
        contrast = np.append(1.0, np.full(len(ranked), -1 / len(ranked)))[:-1]
        side = "lower" if won == {True} else "upper"
        limit = one_sided_limit(_design(order, chosen), _outcomes(chosen), contrast, side)
        unbounded.append(UnboundedWorth(name=name, **{"low" if won == {True} else "high": limit}))
    return unbounded


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
) -> tuple[FittedPairs | None, list[str]]:
    """The model with all covariates that can be separated, in the order of STYLES; None without any."""
    included: list[str] = []
    fitted: FittedPairs | None = None
    for name, values in styles.items():
        design = np.column_stack([base, *(styles[style] for style in included), values])
        if (trial := fit(design, outcomes, people)) is not None:
            fitted, included = trial, [*included, name]
    return fitted, included


def _covariates(fitted: FittedPairs, names: Sequence[str], before: int, level: float) -> list[StyleTerm]:
    """Terms of style; their columns come after those of systems and side."""
    return [
        StyleTerm(covariate=name, **_term(fitted, before + at, level)._asdict())
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
    names: Sequence[str], votes: Sequence[Row], parts: Sequence[_Part], level: float
) -> list[ArenaPair]:
    """Every two systems that met or can be ordered: votes, and the difference of their worths."""
    pairs: list[ArenaPair] = []
    for a, b in combinations(names, 2):
        met = [vote for vote in votes if set(_systems(vote)) == {a, b}]
        won = [_winner(vote) for vote in met]
        pair = ArenaPair(a=a, b=b, votes=len(met), a_won=won.count(a), b_won=won.count(b))
        part = next((part for part in parts if {a, b} <= set(part.names)), None)
        if part is not None and part.plain is not None:
            weights = np.zeros(len(part.plain.estimates) + 1)
            weights[part.names.index(a)], weights[part.names.index(b)] = 1, -1
            weights = np.delete(weights, len(part.names) - 1)
            pair = replace(pair, **part.plain.interval(weights, level)._asdict())
        if met or pair.estimate is not None:
            pairs.append(pair)
    return [replace(pair, p_holm=p) for pair, p in zip(pairs, holm([pair.p for pair in pairs]), strict=True)]
