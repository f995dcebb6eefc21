"""Pairwise preference: shares with ties, Bradley-Terry and Davidson worths, intervals over clusters."""

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json
from vivavoce.stats.bootstrap import ends
from vivavoce.stats.clusters import clustered_rate, sum_by_participant
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.proportions import Interval, one_proportion_p

Facts = dict[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]
OUTCOMES: Final = ("win", "tie", "loss")
DRAWS: Final = 500
MOST_ROUNDS: Final = 10_000


class Worths(NamedTuple):
    """Worth of each system: `log_worths` have mean 0, `shares` sum to 1; `nu` is the readiness to tie."""

    log_worths: Floats
    shares: Floats
    nu: float

    def better(self, i: int, j: int) -> float:
        """Chance that i is preferred to j."""
        return float(self.shares[i] / self._total(i, j))

    def tied(self, i: int, j: int) -> float:
        """Chance of a tie between i and j."""
        return float(self.nu * np.sqrt(self.shares[i] * self.shares[j]) / self._total(i, j))

    def _total(self, i: int, j: int) -> float:
        a, b = self.shares[i], self.shares[j]
        return float(a + b + self.nu * np.sqrt(a * b))


def bradley_terry(wins: Sequence[Sequence[float]] | Floats) -> Worths:
    """Worths from decided comparisons: P(i before j) = pi_i / (pi_i + pi_j).

    Input   wins[i][j]: how often i was preferred to j
    Raises  InputError: a system that never wins or never loses against the others has no finite worth
    Source  Bradley and Terry 1952, by Hunter's minorisation 2004; tests/golden/statistics-preference.json
    """
    table = np.asarray(wins, dtype=float)
    met = table + table.T
    _check_connected(table)
    shares = after = np.full(len(table), 1 / len(table))
    for _ in range(MOST_ROUNDS):
        met_over = np.divide(met, shares[:, None] + shares[None, :])
        after = table.sum(axis=1) / met_over.sum(axis=1)
        after /= after.sum()
        if np.abs(np.log(after / shares)).max() < 1e-12:
            break
        shares = after
    logs = np.log(after)
    return Worths(logs - logs.mean(), after, 0.0)


def davidson(pairs: Sequence[tuple[int, int, float, float, float]], systems: int | None = None) -> Worths:
    """Worths from comparisons with ties: a tie has weight nu sqrt(pi_i pi_j).

    Input   (i, j, wins of i, wins of j, ties)
    Raises  InputError: as for `bradley_terry`, ties counting as half a win each
    Source  Davidson 1970, maximum likelihood; tests/golden/statistics-preference.json
    """
    size = systems or 1 + max(max(i, j) for i, j, *_ in pairs)
    table = np.zeros((size, size))
    for i, j, wins_i, wins_j, ties in pairs:
        table[i, j] += wins_i + ties / 2
        table[j, i] += wins_j + ties / 2
    _check_connected(table)
    first, second = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    counts = np.array([pair[2:] for pair in pairs], dtype=float)
    if not counts[:, 2].sum():
        return bradley_terry(table)
    return _fit_davidson(first, second, counts, size)


def _fit_davidson(first: np.ndarray, second: np.ndarray, counts: Floats, size: int) -> Worths:
    places = np.arange(len(first))

    def loss(values: Any) -> tuple[float, Floats]:
        logs = np.append(values[:-1], -values[:-1].sum())
        a, b = logs[first], logs[second]
        terms = np.column_stack([a, b, values[-1] + (a + b) / 2])
        total = np.asarray(logsumexp(terms, axis=1))
        chances = np.exp(terms - total[:, None])
        excess = counts.sum(axis=1)[:, None] * chances - counts
        slope = np.zeros((len(first), size))
        slope[places, first] += excess[:, 0] + excess[:, 2] / 2
        slope[places, second] += excess[:, 1] + excess[:, 2] / 2
        by_system = slope.sum(axis=0)
        gradient = np.append(by_system[:-1] - by_system[-1], excess[:, 2].sum())
        return float((counts * (total[:, None] - terms)).sum()), gradient

    found = minimize(loss, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-8})
    logs = np.append(found.x[:-1], -found.x[:-1].sum())
    shares = np.exp(logs - logsumexp(logs))
    return Worths(logs, shares, float(np.exp(found.x[-1])))


def _check_connected(table: Floats) -> None:
    """Every system must be reached from every other along wins, else a worth runs away."""
    reached = (table > 0) | np.eye(len(table), dtype=bool)
    for _ in range(len(table)):
        reached = reached @ reached
    if not reached.all():
        system = int(np.argmin(reached.sum(axis=1)))
        raise InputError(
            f"system {system} has no finite worth: it only wins or only loses against some others",
            hint="leave it out, or collect more judgements",
        )


def pairwise_shares(outcomes: Sequence[str], clusters: Sequence[Hashable], level: float = 0.95) -> Facts:
    """Wins, ties and losses of one system against another, with clustered intervals and tests.

    Input   win, tie or loss, one a judgement; what the judgement is nested in (judge, item or dialogue)
    Output  shares, net preference (wins minus losses, from -1 to 1) over clusters, sign test of the
            decided ones
    Raises  InputError: an outcome that is none of the three
    """
    unknown = sorted(set(outcomes) - set(OUTCOMES))
    if unknown:
        raise InputError(f"unknown outcome {unknown[0]!r}", hint="win, tie or loss")
    _, codes = np.unique(np.array([str(one) for one in clusters]), return_inverse=True)
    given, ones = np.array(outcomes), np.ones(len(outcomes))
    shares: Facts = {}
    for outcome in OUTCOMES:
        hits = (given == outcome).astype(float)
        rate = clustered_rate(sum_by_participant(codes, hits, ones), level)
        shares[outcome] = {"count": int(hits.sum()), "share": float(hits.mean()), **as_json(rate)}
    wins, losses = shares["win"]["count"], shares["loss"]["count"]
    return {
        "judgements": len(given),
        "shares": shares,
        "net": _net(codes, given, ones, level),
        "sign_test": {"decided": wins + losses, "p": one_proportion_p(wins, wins + losses)},
    }


def _net(codes: np.ndarray, given: np.ndarray, ones: Floats, level: float) -> Facts:
    """Wins minus losses: the two shares are contrasted within the same clusters."""
    wins, losses = (given == "win").astype(float), (given == "loss").astype(float)
    found = compare_clusters(codes, codes, (wins, ones), (losses, ones), level=level)
    return {
        "difference": float(wins.mean() - losses.mean()), "se": found.se if found else None,
        **interval_facts(found),
    }  # fmt: skip


def davidson_intervals(
    judgements: Sequence[tuple[int, int, str]],
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 1,
) -> list[Interval | None]:
    """Percentile intervals of the log worths, whole clusters drawn; percentiles moved out for few of them.

    Input   (i, j, outcome for i); what each judgement is nested in
    Empty   fewer than 2 clusters, or no draw in which every worth has a finite value: None for each
    Note    draws in which a worth has no finite value are left out
    """
    pairs = sorted({(i, j) for i, j, _ in judgements})
    place = {pair: index for index, pair in enumerate(pairs)}
    names, codes = np.unique(np.array([str(one) for one in clusters]), return_inverse=True)
    counts = np.zeros((len(names), len(pairs), 3))
    order = {"win": 0, "loss": 1, "tie": 2}
    for (i, j, outcome), cluster in zip(judgements, codes, strict=True):
        counts[cluster, place[i, j], order[outcome]] += 1
    rng = np.random.default_rng(seed)
    size = 1 + max(max(pair) for pair in pairs)
    drawn: list[Floats] = []
    for weights in rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=draws):
        sums = np.tensordot(weights, counts, axes=1)
        rows = [
            (i, j, float(wins), float(losses), float(ties))
            for (i, j), (wins, losses, ties) in zip(pairs, sums, strict=True)
        ]
        try:
            drawn.append(davidson(rows, size).log_worths)
        except InputError:
            continue
    if not drawn or len(names) < 2:
        return [None] * size
    limits = np.quantile(np.array(drawn), ends(level, len(names)), axis=0)
    return [Interval(float(low), float(high)) for low, high in limits.T]
