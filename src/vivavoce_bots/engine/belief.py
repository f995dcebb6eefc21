"""Belief about the values of slots, from N-best hypotheses (one partition per value, as in HIS)."""

from typing import Any

from vivavoce_bots.engine.commands import Command, Meaning

GOAL_CHANGE = 0.1  # probability that the user changes a value between two turns


class Belief:
    """Probability of each value of each slot; values that were never heard share the rest."""

    def __init__(self) -> None:
        self.slots: dict[str, dict[Any, float]] = {}

    def update(self, meanings: list[Meaning], sizes: dict[str, int]) -> None:
        """Bayesian update with the evidence of one turn; `sizes` are the numbers of values."""
        for slot, evidence in _mass(meanings, "inform").items():
            self.slots[slot] = self._posterior(slot, evidence, max(sizes[slot], len(evidence) + 1))
        for slot, evidence in _mass(meanings, "deny").items():
            for value, probability in evidence.items():
                self.scale(slot, value, 1.0 - probability)

    def _posterior(self, slot: str, evidence: dict[Any, float], size: int) -> dict[Any, float]:
        """Prior times likelihood; what the hypotheses leave open is spread over all values."""
        prior = self.slots.get(slot, {})
        unheard = max(0.0, 1.0 - sum(prior.values())) / max(1, size - len(prior))
        left_open = max(0.0, 1.0 - sum(evidence.values())) / size
        heard = dict.fromkeys([*prior, *evidence])
        weights = {
            value: self._expected(prior.get(value, unheard), size) * (evidence.get(value, 0.0) + left_open)
            for value in heard
        }
        others = max(0, size - len(heard)) * self._expected(unheard, size) * left_open
        total = sum(weights.values()) + others
        return {value: weight / total for value, weight in weights.items()}

    @staticmethod
    def _expected(probability: float, size: int) -> float:
        return (1.0 - GOAL_CHANGE) * probability + GOAL_CHANGE / size

    def scale(self, slot: str, value: Any, factor: float) -> None:
        if value in self.slots.get(slot, {}):
            self.slots[slot][value] *= factor

    def confirm(self, slot: str, value: Any) -> None:
        self.slots[slot] = {value: 1.0}

    def best(self, slot: str) -> tuple[Any, float]:
        values = self.slots.get(slot, {})
        if not values:
            return None, 0.0
        return max(values.items(), key=lambda pair: pair[1])


def _mass(meanings: list[Meaning], act: str) -> dict[str, dict[Any, float]]:
    """Probability of each slot value under an act, summed over hypotheses.

    Within a hypothesis the last value counts: Spanish, no, French.
    """
    mass: dict[str, dict[Any, float]] = {}
    for meaning in meanings:
        last = {command.slot: command.value for command in meaning.commands if command.act == act}
        for slot, value in last.items():
            values = mass.setdefault(slot, {})
            values[value] = values.get(value, 0.0) + meaning.score
    return mass


def likely_commands(meanings: list[Meaning], least: float = 0.4) -> list[Command]:
    """Commands of the best hypothesis, and those that enough hypotheses share."""
    mass: dict[Command, float] = {}
    for meaning in meanings:
        for command in meaning.commands:
            mass[command] = mass.get(command, 0.0) + meaning.score
    best = list(meanings[0].commands) if meanings else []
    shared = [
        command for command, probability in mass.items() if probability >= least and command not in best
    ]
    return best + shared
