"""Power by simulation: trials are drawn, and each is judged by the test that `analyse` would use for it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta as beta_law

from vivavoce.analysis import clustered_summary as analysis
from vivavoce.core.errors import InputError
from vivavoce.core.executor import in_pieces
from vivavoce.measures.compute import Group, Sums
from vivavoce.stats.clusters import FEW
from vivavoce.stats.power import Nested

DRAWS: Final = 2000
SEARCHED: Final = 1000
BATCH: Final = 50
GRID: Final = 4001
MOST_PARTICIPANTS: Final = 50_000
DECIDED: Final = 3.3  # standard errors from the wanted power at which a size needs no further trial
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Simulated(NamedTuple):
    """Share of simulated trials that were significant, its Monte Carlo error, and the tests that judged."""

    share: float
    error: float
    draws: int
    seed: int
    methods: tuple[str, ...] = ()


class Effect(Protocol):
    """Difference between two systems."""

    def same(self) -> "Effect":
        """Copy without a difference, for false alarms."""
        ...

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Sums of outcomes with one system.

        Input   own: standard normal, one row a cell and one column a trial: its participant's place among
                people; sizes: dialogues of each cell
        """
        ...


@dataclass(frozen=True, slots=True)
class Rates:
    """Success rates of two systems; participants' own rates are Beta distributed with the ICC."""

    a: float
    b: float

    def same(self) -> "Rates":
        """Both systems as good as the first."""
        return Rates(self.a, self.a)

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Successes of each cell in each trial."""
        spread = min(nested.icc + nested.interaction, 0.95)
        return rng.binomial(sizes[:, None], _own_rates((self.a, self.b)[side], spread)(tendencies)).astype(
            float
        )


@dataclass(frozen=True, slots=True)
class Means:
    """Means of two systems whose values have a deviation, of which participants' own level is a part."""

    difference: float
    deviation: float

    def same(self) -> "Means":
        """No difference."""
        return Means(0.0, self.deviation)

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Sums of values of each cell in each trial."""
        spread = min(nested.icc + nested.interaction, 0.95)
        level = (self.difference if side == 0 else 0.0) + self.deviation * math.sqrt(spread) * tendencies
        noise = self.deviation * math.sqrt(1 - spread) * rng.standard_normal(tendencies.shape)
        return sizes[:, None] * level + np.sqrt(sizes)[:, None] * noise


def simulate(
    effect: Effect,
    participants: int,
    nested: Nested,
    *,
    alpha: float = 0.05,
    systems: int = 2,
    draws: int = DRAWS,
    seed: int = 1,
    wanted: float | None = None,
) -> Simulated:
    """Share of trials in which the test of `analyse` finds the difference of two systems.

    Input   participants over these two systems; systems: of the whole study, between which those who meet
            all of them divide their dialogues; wanted: stop as soon as the share is clearly above or below
    Note    the same seed draws the same people, whatever their number, so that sizes compare
    """
    significant = done = 0
    share = 0.0
    methods: set[str] = set()
    work = partial(_judged, effect, participants, nested, systems, seed)
    for judged in in_pieces(work, range(math.ceil(draws / BATCH))):
        significant += sum(p is not None and p < alpha for p, _ in judged)
        methods |= {method for _, method in judged}
        done += len(judged)
        share = significant / done
        error = math.sqrt(max(share * (1 - share), 1 / done) / done)
        if wanted is not None and abs(share - wanted) > DECIDED * error:
            break
    return Simulated(
        significant / done, math.sqrt(share * (1 - share) / done), done, seed, tuple(sorted(methods))
    )


def find_participants(
    effect: Effect,
    nested: Nested,
    *,
    power: float,
    alpha: float = 0.05,
    systems: int = 2,
    guess: int = 2,
    seed: int = 1,
) -> tuple[int, Simulated]:
    """The fewest participants, over two systems, at which a simulated trial has the power.

    Input   guess: where to begin, such as a formula's answer
    Output  their number, and 2,000 fresh trials of it
    Raises  InputError: 50,000 are not enough
    """
    step = 2 if nested.design == "between" else 1
    least = smallest_participants(nested, alpha=alpha, systems=systems) // step

    def reaches(size: int) -> bool:
        options = {"alpha": alpha, "systems": systems, "draws": SEARCHED, "seed": seed, "wanted": power}
        return simulate(effect, step * size, nested, **options).share >= power

    size = _search(reaches, least, max(least, guess // step), MOST_PARTICIPANTS // step)
    while size is not None and step * size <= MOST_PARTICIPANTS:
        simulated = simulate(effect, step * size, nested, alpha=alpha, systems=systems, seed=seed + 1)
        if simulated.share >= power - simulated.error:
            return step * size, simulated
        size += max(1, round(size * (power - simulated.share) / 2))
    raise InputError(
        f"more than {MOST_PARTICIPANTS} participants would be needed",
        hint="ask for a larger difference, or more dialogues a participant",
    )


def _search(reaches: Callable[[int], bool], least: int, guess: int, most: int) -> int | None:
    """Least size that reaches, to one in a hundred; None where `most` does not."""
    low, high, step = None, guess, max(1, guess // 8)
    while not reaches(high):
        if high >= most:
            return None
        low, high, step = high, min(most, high + step), step * 2
    if low is None:
        low = high - step
        while low >= least and reaches(low):
            low, high, step = low - 2 * step, low, step * 2
        low = max(low, least - 1)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def smallest_participants(nested: Nested, *, alpha: float = 0.05, systems: int = 2) -> int:
    """The fewest participants, over two systems, of whom any result at all could be significant."""
    step = 2 if nested.design == "between" else 1
    fewer = range(2, FEW, step)  # who are permuted; t, from there on, has no smallest p
    return next((people for people in fewer if smallest_p(people, nested, systems=systems) < alpha), FEW)


def smallest_p(participants: int, nested: Nested, *, systems: int = 2) -> float:
    """The p of so few participants where one system always succeeds and the other never does."""
    p = _design(participants, nested, systems, (1, 0)).best_p()
    return 1.0 if p is None else p


def check_attainable(participants: int, nested: Nested, *, alpha: float = 0.05, systems: int = 2) -> None:
    """Refuse a number of participants of whom no result could be significant.

    Raises  InputError: names the smallest p they could give, and the smallest number that works
    """
    least = smallest_participants(nested, alpha=alpha, systems=systems)
    if participants >= least:
        return
    best = smallest_p(participants, nested, systems=systems) if participants > 1 else 1.0
    if best < alpha:
        return
    half = participants // 2
    sides = f", {half} against {participants - half}," if nested.design == "between" else ""
    reach = f"the smallest p they can give is {best:.2g}" if best < 1 else "no test of them is possible"
    raise InputError(
        f"{participants} participants with two systems{sides} cannot reach p < {alpha:g}: {reach}",
        hint=f"plan at least {least} for each two systems",
    )


class _Design:
    """Number of dialogues of each person with each system; a row is all of a person with one."""

    def __init__(self, people: np.ndarray, sides: np.ndarray, sizes: np.ndarray) -> None:
        self.people, self.sides, self.sizes = people, sides, sizes
        self._ids = [f"{number:06}" for number in range(len(people))]

    def test(self, outcomes: Floats) -> Iterator[tuple[float | None, str]]:
        """p and method of each trial (a column of outcomes), by the test of `analyse`."""
        names = [str(number) for number in range(outcomes.shape[1])]
        sizes = np.broadcast_to(self.sizes.astype(float), outcomes.T.shape)
        judge = analysis.ClusteredSummary(Sums(names, self._ids, outcomes.T, sizes), self._groups())
        for name in names:
            yield judge.p_value(name, 0, 1)

    def best_p(self) -> float | None:
        """p where one system always succeeds and the other never does."""
        best = np.where(self.sides == 0, self.sizes, 0).astype(float)
        return next(self.test(best[:, None]))[0]

    def _groups(self) -> list[Group]:
        return [
            Group(
                key,
                [self._ids[place] for place in np.flatnonzero(self.sides == side)],
                [f"{person:06}" for person in self.people[self.sides == side]],
            )
            for side, key in enumerate("ab")
        ]


def _design(participants: int, nested: Nested, systems: int, seed: tuple[int, int]) -> _Design:
    rng = np.random.default_rng([*seed, 0])
    calls = _calls(rng, participants, nested)
    if nested.design == "between":
        cells = np.zeros((participants, 2), dtype=int)
        cells[np.arange(participants), np.arange(participants) % 2] = calls
    else:
        per_system, remainder = np.divmod(calls, systems)
        # whoever's dialogues do not divide evenly meets some systems, drawn, once more
        ranks = rng.random((participants, systems)).argsort(axis=1).argsort(axis=1)[:, :2]
        cells = per_system[:, None] + (ranks < remainder[:, None])
    people, sides = np.nonzero(cells)
    sizes = cells[people, sides]
    return _Design(people, sides, sizes)


def _calls(rng: np.random.Generator, participants: int, nested: Nested) -> np.ndarray:
    """Dialogues of each participant: from the profile, or the mean, rounded up for as many as it takes."""
    where = rng.random(participants)
    if nested.profile:
        return np.sort(nested.profile)[(where * len(nested.profile)).astype(int)]
    return (math.floor(nested.calls) + (where < nested.calls % 1)).astype(int)


def _judged(
    effect: Effect, participants: int, nested: Nested, systems: int, seed: int, batch: int
) -> list[tuple[float | None, str]]:
    """The trials of one batch, which share who holds how many dialogues; its number is part of its seed."""
    seeds = seed, batch
    design = _design(participants, nested, systems, seeds)
    together = nested.icc / (nested.icc + nested.interaction) if nested.icc else 0.0
    shape = (participants, BATCH)
    common = np.random.default_rng([*seeds, 1]).standard_normal(shape)
    outcomes = np.zeros((len(design.people), BATCH))
    for side in (0, 1):
        rng = np.random.default_rng([*seeds, 2 + side])
        tendencies = math.sqrt(together) * common + math.sqrt(1 - together) * rng.standard_normal(shape)
        rows = np.flatnonzero(design.sides == side)
        rng = np.random.default_rng([*seeds, 4 + side])
        outcomes[rows] = effect.outcomes(
            rng, side, tendencies[design.people[rows]], design.sizes[rows], nested
        )
    return list(design.test(outcomes))


@lru_cache(maxsize=8)
def _own_rates(rate: float, icc: float) -> Callable[[Floats], Floats]:
    """Participants' own rates from standard normal draws: Beta with this mean and ICC."""
    if icc <= 0:
        return lambda tendencies: np.full_like(tendencies, rate)
    size = 1 / icc - 1
    grid = np.linspace(0, 1, GRID)
    quantiles = beta_law.ppf(grid, rate * size, (1 - rate) * size)
    return lambda tendencies: np.interp(ndtr(tendencies), grid, quantiles)
