"""Hypotheses about the user's goal, grouped: a partition is all goals that agree in what was spoken of.

In the idea of the Hidden Information State (Young et al. 2010): goals that nothing heard tells apart need no
telling apart. At first there is one partition, of all goals; a value that may have been said splits those
that leave its slot open. Each has a probability, and a turn moves it by Bayes' rule: the more a reading of
the turn agrees with a partition, the more of the reading's score it takes. What is heard together is believed
together, so a slot that was understood tells between two readings of another. The least likely partitions are
taken back into the widest.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

Goal = tuple[tuple[str, str], ...]

CHANGE: Final = 0.2  # chance that the user now wants another value than before
VALUES: Final = 8  # values that a slot may have, roughly
_MOST: Final = 16
_NEVER: Final = 0.004
_UNHEARD: Final = 1e-12  # a reading that no recogniser tells from none; its products would vanish


class Reading(NamedTuple):
    """What one meaning of a turn says of the goal: values stated, with its probability."""

    stated: Mapping[str, str]
    score: float


class Partitions:
    """Beliefs about the goal; a partition is written as its settled slots, in order."""

    __slots__ = ("goals",)

    def __init__(self) -> None:
        self.goals: dict[Goal, float] = {(): 1.0}

    def hear(self, readings: Sequence[Reading]) -> None:
        """Take in one turn. What the readings leave open stays as it was believed."""
        stating = [reading for reading in readings if reading.stated and reading.score > _UNHEARD]
        mentioned = min(1.0, sum(one.score for one in stating))
        if not stating:
            return
        moved: dict[Goal, float] = {}
        total = 0.0
        for stated, score in stating:
            for goal, belief in self.goals.items():
                after, support = _split(goal, stated)
                weight = belief * score * support
                moved[after] = moved.get(after, 0.0) + weight
                total += weight
        kept = (
            {goal: belief * (1 - mentioned) for goal, belief in self.goals.items()} if mentioned < 1 else {}
        )
        for goal, weight in moved.items():
            kept[goal] = kept.get(goal, 0.0) + mentioned * weight / total
        self.goals = _pruned(kept)

    def deny(self, slot: str, value: str, probability: float) -> None:
        """A value is not wanted: its partitions are taken back into those that leave the slot open."""
        held = (slot, value)
        found = [goal for goal in self.goals if held in goal]
        for goal in found:
            away = self.goals[goal] * min(1.0, probability)
            self.goals[goal] -= away
            wider = tuple(pair for pair in goal if pair != held)
            self.goals[wider] = self.goals.get(wider, 0.0) + away
            if self.goals[goal] < _NEVER:
                self.goals[wider] += self.goals.pop(goal)

    def values(self) -> dict[str, dict[str, float]]:
        """The probability of each value of each slot, over all partitions."""
        found: dict[str, dict[str, float]] = {}
        for goal, belief in self.goals.items():
            for slot, value in goal:
                known = found.setdefault(slot, {})
                known[value] = known.get(value, 0.0) + belief
        return found


def _split(goal: Goal, stated: Mapping[str, str]) -> tuple[Goal, float]:
    """The partition within a goal that has what is stated, and how well the two agree."""
    support, settled = 1.0, dict(goal)
    for slot, value in stated.items():
        before = settled.get(slot)
        if before is None:
            support /= VALUES
        elif before == value:
            support *= 1 - CHANGE + CHANGE / VALUES
        else:
            support *= CHANGE / VALUES
        settled[slot] = value
    return tuple(sorted(settled.items())), support


def _pruned(goals: dict[Goal, float]) -> dict[Goal, float]:
    """The likeliest partitions; the others are taken back into the widest of all."""
    ranked = sorted(goals.items(), key=_by_belief)
    kept = {goal: belief for goal, belief in ranked[:_MOST] if belief >= _NEVER or not goal}
    rest = sum(goals.values()) - sum(kept.values())
    kept[()] = kept.get((), 0.0) + max(0.0, rest)
    return kept


def _by_belief(one: tuple[Goal, float]) -> float:
    return -one[1]
