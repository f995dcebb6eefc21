"""Belief about the values of slots, from all hypotheses of what was said, over the turns."""

from typing import Any

from vivavoce_bots.engine.commands import DONTCARE, Command, Meaning

CHANGE = 0.2  # probability that the user now wants another value than before
DENIED = 0.4  # probability from which a value is taken for denied


class Belief:
    """Probability of each value of each slot, and of not being wanted; the rest is of values never heard."""

    def __init__(self) -> None:
        self.slots: dict[str, dict[Any, float]] = {}
        self.denied: dict[str, dict[Any, float]] = {}

    def update(self, meanings: list[Meaning], sizes: dict[str, int]) -> None:
        """Take in one turn; `sizes` are the numbers of values.

        The hypotheses that tell a value move as much belief as they are probable; the rest stays as it was.
        """
        stated, denied = _mass(meanings, "inform"), _mass(meanings, "deny")
        for slot, evidence in stated.items():
            self.slots[slot] = self._posterior(slot, evidence, max(sizes[slot], 2))
        for slot in dict.fromkeys([*stated, *denied]):
            self._deny(slot, stated.get(slot, {}), denied.get(slot, {}))

    def _posterior(self, slot: str, evidence: dict[Any, float], size: int) -> dict[Any, float]:
        prior = self.slots.get(slot, {})
        unheard = max(0.0, 1.0 - sum(prior.values()))
        heard = min(1.0, sum(evidence.values()))
        weights = {
            value: score
            * (unheard / size + sum(_agreement(value, other, size) * p for other, p in prior.items()))
            for value, score in evidence.items()
        }
        total = sum(weights.values())
        kept = {value: probability * (1.0 - heard) for value, probability in prior.items()}
        if total <= 0.0:
            return kept
        return kept | {
            value: kept.get(value, 0.0) + heard * weight / total for value, weight in weights.items()
        }

    def _deny(self, slot: str, stated: dict[Any, float], denied: dict[Any, float]) -> None:
        """A denied value loses its probability and stays out until it is stated."""
        doubts = self.denied.setdefault(slot, {})
        for value, probability in denied.items():
            self.scale(slot, value, 1.0 - min(1.0, probability))
        for value in {**doubts, **denied}:
            doubt = 1.0 - (1.0 - doubts.get(value, 0.0)) * (1.0 - min(1.0, denied.get(value, 0.0)))
            doubts[value] = doubt * (1.0 - min(1.0, stated.get(value, 0.0) + stated.get(DONTCARE, 0.0)))

    def refuted(self, slot: str) -> set[Any]:
        """Values that the user is believed not to want."""
        return {value for value, probability in self.denied.get(slot, {}).items() if probability >= DENIED}

    def scale(self, slot: str, value: Any, factor: float) -> None:
        if value in self.slots.get(slot, {}):
            self.slots[slot][value] *= factor

    def forget(self, slot: str) -> None:
        self.slots.pop(slot, None)
        self.denied.pop(slot, None)

    def best(self, slot: str) -> tuple[Any, float]:
        values = self.slots.get(slot, {})
        if not values:
            return None, 0.0
        return max(values.items(), key=lambda pair: pair[1])


def _agreement(value: Any, other: Any, size: int) -> float:
    return 1.0 - CHANGE + CHANGE / size if value == other else CHANGE / size


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


def shared_commands(meanings: list[Meaning], least: float) -> list[Command]:
    """Commands whose hypotheses are probable enough together."""
    mass: dict[Command, float] = {}
    for meaning in meanings:
        for command in meaning.commands:
            mass[command] = mass.get(command, 0.0) + meaning.score
    return [command for command, probability in mass.items() if probability >= least]
