"""Rates, intervals and comparisons with participants as the unit, and what signatures cite of them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from vivavoce.core.executor import in_pieces
from vivavoce.core.result import signature
from vivavoce.core.statement import statement
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, groups, sums
from vivavoce.measures.compute import Sums as Parts
from vivavoce.stats.clusters import (
    ClusteredRate,
    chosen_ratio,
    clustered_rate,
    counted,
    ratio_interval,
    sum_by_participant,
)
from vivavoce.stats.difference import Comparison, compare_clusters
from vivavoce.stats.permutation import DRAWS, Relabelling, relabellings
from vivavoce.stats.proportions import newcombe, two_proportion_z
from vivavoce.stats.summary_results import UNKNOWN_PEOPLE, ClusteredDifference, NaiveDifference, choose_model

if TYPE_CHECKING:
    import pandas as pd


KEPT: Final = 8
QUICK: Final = 999
WITHOUT_PARTICIPANTS: Final = "none: no participant is known"
Weighing = Literal["dialogue", "participant", "case"]


class GroupQuestion(NamedTuple):
    """Two groups, by their places, on one measure; `by`: what weighs the same, None: what it counts."""

    measure: str
    a: int
    b: int
    by: Weighing | None = None


class _Cases(NamedTuple):
    """Components of one measure in two groups, with whose they are; one entry a dialogue.

    weighed  whether they weigh by the inverse of their chances
    most     the largest difference that there can be, None: no limit is known
    once     whether nobody asks what was found for more, such as an interval at another level
    """

    people_a: np.ndarray
    people_b: np.ndarray
    a: tuple[np.ndarray, np.ndarray]
    b: tuple[np.ndarray, np.ndarray]
    weighed: bool
    most: float | None
    once: bool


class _Relabel:
    """Relabellings of the same participants, drawn once and kept for the next measures."""

    def __init__(self, draws: int) -> None:
        self._draws, self._kept = draws, dict[tuple[bytes, bytes], Relabelling]()

    def __call__(self, met_a: np.ndarray, met_b: np.ndarray) -> Relabelling:
        key = met_a.tobytes(), met_b.tobytes()
        if (cached := self._kept.get(key)) is not None:
            return cached
        if len(self._kept) >= KEPT:
            self._kept.clear()
        return self._kept.setdefault(key, relabellings(met_a, met_b, draws=self._draws))

    def __reduce__(self) -> tuple[Any, ...]:
        return _Relabel, (self._draws,)


class ClusteredSummary:
    """Components of every measure, by dialogue and participant.

    A dialogue of an unknown participant is a participant of its own. Draws go by the names of dialogues, so
    that the order of a dataset's rows changes no number.
    """

    def __init__(self, parts: Parts, members: Sequence[Group]) -> None:
        people = {
            dialogue_id: person
            for group in members
            for dialogue_id, person in zip(group.dialogue_ids, group.participants, strict=True)
        }
        names = {person: code for code, person in enumerate(sorted({p for p in people.values() if p}))}
        order = parts.dialogue_ids
        ranks = {dialogue_id: rank for rank, dialogue_id in enumerate(sorted(order))}
        self._parts = parts
        self._rows = {name: row for row, name in enumerate(parts.measures)}
        self._codes = np.array(
            [names.get(people[dialogue_id] or "", -1 - ranks[dialogue_id]) for dialogue_id in order],
            dtype=int,
        )
        places = {dialogue_id: position for position, dialogue_id in enumerate(order)}
        self._members = [
            np.array([places[dialogue_id] for dialogue_id in sorted(group.dialogue_ids)], dtype=int)
            for group in members
        ]
        self._relabel, self._quick = _Relabel(DRAWS), _Relabel(QUICK)
        self._compared: dict[tuple[GroupQuestion, float], Comparison | None] = {}
        self.known = bool(names)
        self.keys = [group.key for group in members]
        self.model = choose_model([group.participants for group in members])

    def rate(self, name: str, group: int | None, *, level: float) -> ClusteredRate:
        """One measure in one group (None: everywhere) with its clustered interval."""
        if not self.known:
            return _missing(WITHOUT_PARTICIPANTS)
        if self.weighs(name):
            tops, bottoms, people = self._plain(name, group)
            return chosen_ratio(people, tops, bottoms, self._weights(name, group), level)
        tops, bottoms, people = self._cases(name, group)
        sums = sum_by_participant(people, tops, bottoms)
        if not len(sums.denominators):
            return _missing("none: no case")
        if counted(tops, bottoms):
            return clustered_rate(sums, level)
        if np.isin(bottoms, (0.0, 1.0)).all() and not tops[bottoms == 0].any():
            squares = sum_by_participant(people, np.where(bottoms > 0, tops**2, 0.0), bottoms).numerators
            rate = clustered_rate(sums, level, squares)
        else:
            rate = ratio_interval(people, tops, bottoms, level)
        if rate.low is not None and (tops >= 0).all():
            return replace(rate, low=max(0.0, rate.low))
        return rate

    def test(self, name: str, a: int, b: int, *, level: float) -> ClusteredDifference:
        """Two groups compared on one measure; `p_adjusted` is filled in by who knows the family."""
        if not self.known:
            return ClusteredDifference(why=UNKNOWN_PEOPLE)
        comparison = self.compare(name, a, b, level=level)
        return self._nothing_counted(name, a, b) if comparison is None else _difference(comparison)

    def _nothing_counted(self, name: str, a: int, b: int) -> ClusteredDifference:
        """Reason why two groups cannot be compared: where the measure counted nothing, and its rule."""
        empty = [str(self.keys[place]) for place in (a, b) if not self._cases(name, place)[1].sum() > 0]
        rule = statement("Rule of the measure: {rule}.", rule=statement(MEASURES.get(name).empty))
        return ClusteredDifference(why=statement("No cases in {groups}.", groups=", ".join(empty)) + rule)

    def compare(self, name: str, a: int, b: int, *, level: float) -> Comparison | None:
        """The comparison itself, for intervals at other levels and equivalence; None: a group has no case."""
        return self._found(GroupQuestion(name, a, b), level)

    def ask(self, questions: Iterable[GroupQuestion], *, level: float) -> None:
        """Compare at once what `test`, `compare` and `weighted` will be asked for; each is a piece of work.

        Note  where no participant is known nothing is found over them
        """
        if self.known:
            ask_all(((self, question) for question in questions), level=level)

    def _found(self, question: GroupQuestion, level: float) -> Comparison | None:
        ask_all([(self, question)], level=level)
        return self._compared[question, level]

    def _asked(self, question: GroupQuestion) -> _Cases:
        name, a, b, by = question
        weighed, sides = self.weighs(name), [self._cases(name, place) for place in (a, b)]
        shares = by is None and weighed and all(counted(*self._plain(name, at)[:2]) for at in (a, b))
        if by == "case":
            ranks = np.split(np.arange(sum(len(side[2]) for side in sides)), [len(sides[0][2])])
            sides = [(tops, bottoms, rank) for (tops, bottoms, _), rank in zip(sides, ranks, strict=True)]
        elif by is not None:
            sides = [_evened(*self._plain(name, at), self._weights(name, at), by=by) for at in (a, b)]
        (tops_a, bottoms_a, people_a), (tops_b, bottoms_b, people_b) = sides
        return _Cases(
            people_a,
            people_b,
            (tops_a, bottoms_a),
            (tops_b, bottoms_b),
            weighed,
            most=1.0 if shares else None,
            once=by is not None,
        )

    def cases(self, name: str, group: int) -> int:
        """Number of cases that a measure counted in a group."""
        return round(float(self._plain(name, group)[1].sum()))

    def naive(self, name: str, a: int, b: int, *, level: float) -> NaiveDifference:
        """Two groups compared as if every case were independent: pooled z and Newcombe's interval.

        Empty   a group without cases, no successes to count, or labels that weigh by chances: method none
        """
        if self.weighs(name):
            return NaiveDifference()
        group_cases = [self._cases(name, place)[:2] for place in (a, b)]
        if not all(counted(*cases) and cases[1].any() for cases in group_cases):
            return NaiveDifference()
        counts = [round(float(values.sum())) for cases in group_cases for values in cases]
        test = two_proportion_z(counts[0], counts[1], counts[2], counts[3])
        span = newcombe(counts[0], counts[1], counts[2], counts[3], level=level)
        return NaiveDifference(
            difference=counts[0] / counts[1] - counts[2] / counts[3],
            low=span and span.low,
            high=span and span.high,
            z=test and test.z,
            p=test and test.p,
            method="z_pooled",
            interval="newcombe",
        )

    def weighted(self, name: str, a: int, b: int, *, by: Weighing, level: float) -> ClusteredDifference:
        """Difference by another estimand, with interval and p of one procedure.

        Input   `by`: dialogue, each dialogue's own value weighs the same; participant, each participant's own
                ratio in a group does; case, ratios of sums with dialogues as independent
        """
        return _difference(self._found(GroupQuestion(name, a, b, by), level))

    def decisive(self, name: str, a: int, b: int, *, level: float) -> ClusteredDifference | NaiveDifference:
        """The comparison that counts: over participants wherever anybody knows who they were, else naive."""
        side = self.test if self.known else self.naive
        return side(name, a, b, level=level)

    def p_value(self, name: str, a: int, b: int) -> tuple[float | None, str]:
        """p and method of `test` alone, for who asks thousands of times: fewer draws, and no interval."""
        if not self.known:
            return None, "none"
        arguments = self._asked(GroupQuestion(name, a, b))
        comparison = compare_clusters(
            *arguments[:4], spans=False, relabel=self._quick, weighed=arguments.weighed
        )
        return (comparison.p, comparison.method) if comparison else (None, "none")

    def weighs(self, name: str) -> bool:
        """True if a measure is of labels that weigh by the inverse of their chances."""
        return name in self._parts.weights

    def _cases(self, name: str, group: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        tops, bottoms, people = self._plain(name, group)
        if not self.weighs(name):
            return tops, bottoms, people
        weights = self._weights(name, group)
        return tops * weights, bottoms * weights, people

    def _weights(self, name: str, group: int | None) -> np.ndarray:
        members = slice(None) if group is None else self._members[group]
        weights = self._parts.weights.get(name)
        return np.ones(len(self._codes))[members] if weights is None else weights[members]

    def _plain(self, name: str, group: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        members = slice(None) if group is None else self._members[group]
        row = self._rows[name]
        tops, bottoms = self._parts.numerators[row], self._parts.denominators[row]
        return tops[members], bottoms[members], self._codes[members]


def ask_all(questions: Iterable[tuple[ClusteredSummary, GroupQuestion]], *, level: float) -> None:
    """`ClusteredSummary.ask` of several summaries at once."""
    new = list(
        dict.fromkeys(
            (summary, question)
            for summary, question in questions
            if (question, level) not in summary._compared
        )
    )
    if new:
        compare = partial(_compare, new[0][0]._relabel, level)
        pieces = [summary._asked(question) for summary, question in new]
        for (nested, group_question), comparison in zip(new, in_pieces(compare, pieces), strict=True):
            nested._compared[group_question, level] = comparison


def _compare(relabel: _Relabel, level: float, cases: _Cases) -> Comparison | None:
    comparison = compare_clusters(
        *cases[:4], level=level, relabel=relabel, most=cases.most, weighed=cases.weighed
    )
    return replace(comparison, procedure=None) if comparison is not None and cases.once else comparison


def _evened(
    tops: np.ndarray, bottoms: np.ndarray, people: np.ndarray, weights: np.ndarray, *, by: str
) -> tuple[np.ndarray, ...]:
    """Components in which every dialogue, or every participant, has one case in all, times its weight."""
    if by == "dialogue":
        totals = bottoms
    else:
        _, codes = np.unique(people, return_inverse=True)
        totals = np.bincount(codes, bottoms * weights)[codes] if len(codes) else bottoms
    used = bottoms > 0
    tops, bottoms = tops * weights, bottoms * weights
    return tops[used] / totals[used], bottoms[used] / totals[used], people[used]


def _difference(comparison: Comparison | None) -> ClusteredDifference:
    if comparison is None:
        return ClusteredDifference(why=statement("A group has no cases."))
    return ClusteredDifference(
        difference=comparison.estimate,
        low=comparison.low,
        high=comparison.high,
        se=comparison.se,
        p=comparison.p,
        smallest_p=comparison.smallest_p or None,
        clusters=comparison.clusters,
        method=comparison.method,
        why=comparison.why,
    )


def _missing(method: str) -> ClusteredRate:
    return ClusteredRate(
        low=None,
        high=None,
        se=None,
        design_effect=None,
        icc=None,
        clusters=0,
        n_effective=None,
        method=method,
    )


LEVEL: Final = 0.95


def with_intervals(
    dataset: Dataset, values: "pd.DataFrame", by: str, *, keywords: Collection[str] | None = None
) -> "pd.DataFrame":
    """The result of `measures.values.values`, with 95% intervals; participants are the unit.

    Input   the frame as it was computed with this grouping and these keywords
    Output  the same with low, high, interval (the method), participants; the signature cites the interval
    Empty   fewer than 2 participants, or nothing varied between them: low and high missing, and the method
            says so
    """
    names = list(dict.fromkeys(values["measure"]))
    parts = sums(dataset, names, keywords=keywords)
    members = groups(dataset, by)
    nested = ClusteredSummary(parts, members)
    places: dict[Any, int] = {group.key: place for place, group in enumerate(members)}
    rows = zip(values["measure"], values["key"], values["whole"], strict=True)
    intervals = [
        nested.rate(name, None if is_overall else places[key], level=LEVEL) for name, key, is_overall in rows
    ]
    signed = [
        line if interval.low is None else f"{line}|{cited(interval)}"
        for line, interval in zip(values["signature"], intervals, strict=True)
    ]
    return values.assign(
        low=[interval.low for interval in intervals],
        high=[interval.high for interval in intervals],
        interval=[interval.method for interval in intervals],
        participants=[interval.clusters for interval in intervals],
        signature=signed,
    ).astype({"low": "float64", "high": "float64"})


def cited(interval: ClusteredRate) -> str:
    """The part of a signature that cites an interval over participants."""
    return f"interval:{interval.method} {LEVEL}|participants:{interval.clusters}"


def signed_difference(
    measure: str,
    a: str | None,
    b: str | None,
    *,
    method: str,
    clusters: int | None,
    by: str,
    n: int,
    data: str,
) -> str:
    """The signature of a difference: of participants where they could be told apart, else of cases.

    Input   method, clusters (None or 0: cases) of the side that counts; `n` cases
    """
    people = clusters if method != "none" else 0
    counted = MEASURES.get(measure).counted if measure in MEASURES else "participant"
    return signature(
        f"{measure}_difference",
        unit="participant" if people else counted,
        n=people or n,
        data=data,
        by=by,
        a=a,
        b=b,
        test=method,
    )
