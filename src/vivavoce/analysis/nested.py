"""The clustered side of a summary: every rate and every comparison again, with participants as the unit."""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from vivavoce.analysis.clusters import (
    ALIKE,
    FEW,
    ClusteredRate,
    Contrast,
    clustered_rate,
    contrast,
    nesting,
    ratio_interval,
    sum_by_participant,
)
from vivavoce.analysis.design import choose_model
from vivavoce.analysis.groups import Group
from vivavoce.analysis.laws import t_quantile, t_tail
from vivavoce.analysis.permutation import permutation_p, relabellings
from vivavoce.analysis.proportions import newcombe, two_proportion_z
from vivavoce.measures.compute import Sums as Parts

Facts = dict[str, Any]
Cases = tuple[np.ndarray, np.ndarray]
TIED: Final = 1e-9
BEST: Final = "\0everything in one group, nothing in the other"
WITHOUT_PARTICIPANTS: Final = "none: no participant is known"


class Nested:
    """Components of every measure, by dialogue and participant.

    A dialogue of an unknown participant is a participant of its own. Draws go by the names of dialogues, so
    that the order of a dataset's rows changes no number.
    """

    def __init__(self, parts: Parts, found: Sequence[Group]) -> None:
        people = {
            one: person
            for group in found
            for one, person in zip(group.dialogue_ids, group.participants, strict=True)
        }
        names = {person: code for code, person in enumerate(sorted({p for p in people.values() if p}))}
        order = parts.dialogue_ids
        ranks = {one: rank for rank, one in enumerate(sorted(order))}
        cases = zip(parts.numerators, parts.denominators, strict=True)
        self._values: dict[str, Cases] = dict(zip(parts.measures, cases, strict=True))
        self._codes = np.array([names.get(people[one] or "", -1 - ranks[one]) for one in order], dtype=int)
        places = {one: position for position, one in enumerate(order)}
        self._members = [
            np.array([places[one] for one in sorted(group.dialogue_ids)], dtype=int) for group in found
        ]
        self._everybody = np.arange(len(order))
        self._labels: dict[tuple[int, int], tuple[np.ndarray, bool]] = {}
        self._tests: dict[tuple[str, int, int, float], Facts] = {}
        self._smallest: dict[tuple[int, int, bytes], float | None] = {}
        self.known = bool(names)
        self.keys = [group.key for group in found]
        self.model = choose_model([group.participants for group in found])

    def rate(self, name: str, group: int | None, *, level: float) -> Facts:
        """One measure in one group (None: everywhere) with its clustered interval."""
        if not self.known:
            return _missing(WITHOUT_PARTICIPANTS)
        tops, bottoms, people = self._cases(name, group)
        sums = sum_by_participant(people, tops, bottoms)
        if not len(sums.denominators):
            return _missing("none: no case")
        if _counts(tops, bottoms):
            return clustered_rate(sums, level).as_dict()
        if np.isin(bottoms, (0.0, 1.0)).all():
            squares = sum_by_participant(people, np.where(bottoms > 0, tops**2, 0.0), bottoms).numerators
            facts = clustered_rate(sums, level, squares).as_dict()
        else:
            facts = ratio_interval(sums, level).as_dict()
        if facts["low"] is not None and (tops >= 0).all():
            facts["low"] = max(0.0, facts["low"])
        return facts

    def test(self, name: str, a: int, b: int, *, level: float) -> Facts:
        """Two groups compared on one measure; `p_adjusted` is filled in by who knows the family.

        Output  `smallest_p`: what p could have been at best, where participants are few enough
        """
        key = name, a, b, level
        if key not in self._tests:
            self._tests[key] = self._test(name, a, b, level)
        return dict(self._tests[key])

    def cases(self, name: str, group: int) -> int:
        """How many cases a measure counted in a group."""
        return round(float(self._cases(name, group)[1].sum()))

    def naive(self, name: str, a: int, b: int, *, level: float) -> Facts:
        """Two groups compared as if every case were independent: pooled z and Newcombe's interval.

        Empty   a group without cases, or a measure that counts no successes: method none
        """
        facts: Facts = dict.fromkeys(("difference", "low", "high", "z", "p", "p_adjusted"))
        both = [self._cases(name, place)[:2] for place in (a, b)]
        if not all(_counts(*cases) and cases[1].any() for cases in both):
            return {**facts, "method": "none", "interval": "none"}
        counts = [round(float(values.sum())) for cases in both for values in cases]
        test = two_proportion_z(counts[0], counts[1], counts[2], counts[3])
        span = newcombe(counts[0], counts[1], counts[2], counts[3], level=level)
        if test:
            facts |= {"z": test.z, "p": test.p}
        if span:
            facts |= {"low": span.low, "high": span.high}
        difference = counts[0] / counts[1] - counts[2] / counts[3]
        return {**facts, "difference": difference, "method": "z_pooled", "interval": "newcombe"}

    def weighted(self, name: str, a: int, b: int, *, by: str, level: float) -> Facts:
        """The same difference by another estimand, with interval and p of one t.

        Input   `by`: dialogue, each dialogue's own value weighs the same; participant, each participant's own
                ratio in a group does; case, ratios of sums with dialogues as independent
        """
        sides = [self._cases(name, place) for place in (a, b)]
        if by == "case":
            ranks = np.split(np.arange(sum(len(one[2]) for one in sides)), [len(sides[0][2])])
            sides = [(tops, bottoms, rank) for (tops, bottoms, _), rank in zip(sides, ranks, strict=True)]
        else:
            sides = [_evened(*one, by=by) for one in sides]
        (tops_a, bottoms_a, people_a), (tops_b, bottoms_b, people_b) = sides
        found = contrast(people_a, people_b, (tops_a, bottoms_a), (tops_b, bottoms_b))
        facts = _interval_facts(found, level)
        why = "A group has no case." if found is None else _untestable(found)
        if facts["t"] is None:
            return {**facts, "method": "none", "why": why}
        why = f"t with {facts['df']:.1f} degrees of freedom."
        return {**facts, "method": "cluster_jackknife", "why": why}

    def decisive(self, name: str, a: int, b: int, *, level: float) -> Facts:
        """The comparison that counts: over participants wherever anybody knows who they were, else naive."""
        side = self.test if self.known else self.naive
        return {"why": "No participant is known.", **side(name, a, b, level=level)}

    def p_value(self, name: str, a: int, b: int) -> tuple[float | None, str]:
        """p and method of `test` alone, for who asks thousands of times: intervals take most of the time."""
        found = self._test(name, a, b, 0.95, with_ends=False)
        return found["p"], found["method"]

    def _test(self, name: str, a: int, b: int, level: float, *, with_ends: bool = True) -> Facts:
        tops_a, bottoms_a, people_a = self._cases(name, a)
        tops_b, bottoms_b, people_b = self._cases(name, b)
        icc = self._icc(name, a, b)
        both = (tops_a, bottoms_a), (tops_b, bottoms_b)
        found = contrast(people_a, people_b, *both, icc=icc) if self.known else None
        facts = _interval_facts(found, level)
        if found is None:
            why = "No participant is known." if not self.known else "A group has no case."
            return {**facts, "method": "none", "why": why}
        alike = found.se is not None and facts["t"] is None and abs(found.difference) > ALIKE
        if found.clusters < FEW or alike:
            facts |= self._permuted(name, a, b, found, facts, level if with_ends else None)
            facts["smallest_p"] = self._smallest_p(name, a, b) if found.clusters < FEW else None
            return _bounded(facts, _counts(tops_a, bottoms_a) and _counts(tops_b, bottoms_b))
        if facts["t"] is None:
            return {**facts, "method": "none", "why": _untestable(found)}
        facts = _bounded(facts, _counts(tops_a, bottoms_a) and _counts(tops_b, bottoms_b))
        return {
            **facts,
            "method": "cluster_jackknife",
            "why": f"{found.clusters} participants; leave-one-participant-out error, "
            f"t with {facts['df']:.0f} degrees of freedom.",
        }

    def _smallest_p(self, name: str, a: int, b: int) -> float | None:
        """The p that the same dialogues of the same people give where a has everything and b nothing."""
        if name == BEST:
            return None
        bottoms = self._values[name][1]
        key = a, b, bottoms.tobytes()
        if key not in self._smallest:
            best = np.zeros_like(bottoms)
            best[self._members[a]] = bottoms[self._members[a]]
            self._values[BEST] = best, bottoms
            self._smallest[key] = self.p_value(BEST, a, b)[0]
        return self._smallest[key]

    def _icc(self, name: str, a: int, b: int) -> float:
        """How alike one participant's cases are over both groups; 0 where cases are not counted."""
        members = np.concatenate([self._members[a], self._members[b]])
        tops, bottoms = (values[members] for values in self._values[name])
        if not _counts(tops, bottoms) or not bottoms.any():
            return 0.0
        return nesting(sum_by_participant(self._codes[members], tops, bottoms)).icc or 0.0

    def _permuted(
        self, name: str, a: int, b: int, found: Contrast, by_t: Facts, level: float | None
    ) -> Facts:
        """Permutation's p, and the interval of the same test; within participants t must agree.

        Labels that move within participants say whether anything differed for these people. Where each has
        likings of his own that is no news of others: t, which people's differences widen, must agree, so
        that p is the larger and the interval reaches as far as the farther of both.
        """
        members = np.concatenate([self._members[a], self._members[b]])
        is_a = np.arange(len(members)) < len(self._members[a])
        if (a, b) not in self._labels:
            labels, within = relabellings(self._codes[members], is_a)
            self._labels[a, b] = labels.astype(float), within
        labels, within = self._labels[a, b]
        tops, bottoms = (values[members] for values in self._values[name])
        varied = bool(np.ptp(tops[bottoms > 0] / bottoms[bottoms > 0]) > 0)
        p = permutation_p(labels, is_a, tops, bottoms) if varied else None
        how = "labels permuted within participants" if within else "whole participants permuted"
        few = f"Only {found.clusters} participants, fewer than {FEW}"
        reason = few if found.clusters < FEW else "Nothing varied between participants"
        why = f"{reason}: {how}, {len(labels)} draws"
        varied_between = found.se is None or found.se > ALIKE
        shown = varied and varied_between
        ends = _accepted(labels, is_a, tops, bottoms, level) if shown and level is not None else None
        if within and p is not None and by_t["p"] is not None:
            ends = (min(ends[0], by_t["low"]), max(ends[1], by_t["high"])) if ends else None
            why += f" (p {p:.3f}); t with {by_t['df']:.1f} degrees of freedom (p {by_t['p']:.3f}): the larger"
            p = max(p, by_t["p"])
        return {
            "p": p,
            "low": ends[0] if ends else None,
            "high": ends[1] if ends else None,
            "method": "permutation_within" if within else "permutation_between",
            "why": f"{why}.",
        }

    def _cases(self, name: str, group: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        members = self._everybody if group is None else self._members[group]
        tops, bottoms = self._values[name]
        return tops[members], bottoms[members], self._codes[members]


def _evened(tops: np.ndarray, bottoms: np.ndarray, people: np.ndarray, *, by: str) -> tuple[np.ndarray, ...]:
    """Components in which every dialogue, or every participant, has one case in all."""
    if by == "dialogue":
        whole = bottoms
    else:
        _, codes = np.unique(people, return_inverse=True)
        whole = np.bincount(codes, bottoms)[codes] if len(codes) else bottoms
    used = bottoms > 0
    return tops[used] / whole[used], bottoms[used] / whole[used], people[used]


def _counts(tops: np.ndarray, bottoms: np.ndarray) -> bool:
    """Whether these are successes among whole numbers of cases."""
    whole = (tops == np.floor(tops)).all() and (bottoms == np.floor(bottoms)).all()
    return bool(whole and (tops >= 0).all() and (tops <= bottoms).all())


def _interval_facts(found: Contrast | None, level: float) -> Facts:
    facts: Facts = dict.fromkeys(
        ("difference", "low", "high", "se", "t", "df", "p", "p_adjusted", "smallest_p")
    )
    if found is None:
        return {**facts, "clusters": 0}
    facts |= {"difference": found.difference, "clusters": found.clusters}
    if found.se is not None and found.se > ALIKE:
        df = found.df or 1.0
        reach = t_quantile((1 + level) / 2, df) * found.se
        facts |= {"se": found.se, "t": found.difference / found.se, "df": df}
        facts |= {"low": found.difference - reach, "high": found.difference + reach}
        facts["p"] = 2 * t_tail(abs(facts["t"]), df)
    return facts


def _accepted(
    labels: np.ndarray, is_a: np.ndarray, tops: np.ndarray, bottoms: np.ndarray, level: float
) -> tuple[float, float]:
    """All differences that the permutation test does not reject; infinite where it can reject none.

    A supposed difference d is taken from every case of the first group, so that a labelling's difference is
    a straight line in d: it is as far out as the observed one from one crossing of the lines to the other.
    """

    def differences(values: np.ndarray) -> np.ndarray:
        chosen = np.vstack([is_a, labels]).astype(float)
        inside, cases = chosen @ values, chosen @ bottoms
        with np.errstate(divide="ignore", invalid="ignore"):
            return inside / cases - (values.sum() - inside) / (bottoms.sum() - cases)

    drawn, slopes = differences(tops), differences(np.where(is_a, bottoms, 0.0))
    seen, drawn, slopes = drawn[0], drawn[1:], slopes[1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.array([(seen - drawn) / (1 - slopes), (seen + drawn) / (1 + slopes)])
    always = ~np.isfinite(ends).all(axis=0)
    low = np.where(always, -np.inf, ends.min(axis=0) - TIED)
    high = np.where(always, np.inf, ends.max(axis=0) + TIED)
    rejected = math.ceil((1 - level) * (len(labels) + 1) - TIED) - 1
    if rejected < 1:
        return -np.inf, np.inf
    return float(np.sort(low)[rejected - 1]), float(np.sort(high)[-rejected])


def _bounded(facts: Facts, counted: bool) -> Facts:
    """Differences of rates lie between -1 and 1; others without an end have no interval."""
    if facts["low"] is None:
        return facts
    if counted:
        return {**facts, "low": max(-1.0, facts["low"]), "high": min(1.0, facts["high"])}
    if not np.isfinite((facts["low"], facts["high"])).all():
        return {**facts, "low": None, "high": None}
    return facts


def _untestable(found: Contrast) -> str:
    if found.se is None:
        return "One group has a single participant, so persons and systems cannot be told apart."
    return "Nothing varied between participants."


def _missing(method: str) -> Facts:
    return ClusteredRate(
        low=None, high=None, se=None, design_effect=None, icc=None, clusters=0, n_effective=None,
        method=method,
    ).as_dict()  # fmt: skip
