"""What the bot believes the user wants: a probability for each value of each slot, gathered over turns.

nbest    every hypothesis counts with its score, so that what is heard twice in second place wins
onebest  the first hypothesis is taken for what was said

The beliefs about the goal are those of its partitions (partitions.py); the probability of a value is the sum
over the partitions that have it.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from vivavoce_bots.acts import DONTCARE, Meaning
from vivavoce_bots.dialogue.evidence import Evidence
from vivavoce_bots.dialogue.partitions import Partitions, Reading

ACCEPTED, CHANGED, DOUBTFUL = 0.4, 0.75, 0.2


@dataclass
class Belief:
    """Beliefs about the goal, and about what is asked of the venue."""

    partitions: Partitions = field(default_factory=Partitions)
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    denied: dict[str, dict[str, float]] = field(default_factory=dict)
    requests: dict[str, float] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)

    def best(self, slot: str) -> tuple[str | None, float]:
        """The likeliest value of a slot and its probability."""
        known = self.values.get(slot)
        if not known:
            return None, 0.0
        value = max(known, key=lambda name: (known[name], name))
        return value, known[value]

    def accepted(self) -> dict[str, str]:
        """The constraints that are believed; another value takes a settled one's place only when surer."""
        for slot in self.values:
            value, sure = self.best(slot)
            if value is not None and sure >= self._needed(slot, value):
                self.settled[slot] = value
        return {slot: value for slot, value in self.settled.items() if value not in self.refuted(slot)}

    def refuted(self, slot: str) -> set[str]:
        """The values that the user is believed not to want."""
        return {value for value, sure in self.denied.get(slot, {}).items() if sure >= ACCEPTED}

    def doubtful(self, slots: Container[str], tired: Container[tuple[str, str]]) -> tuple[str, str] | None:
        """The likeliest unsettled constraint that wants confirming, leaving out those confirmed in vain."""
        unsure: list[tuple[float, str, str]] = []
        for slot in self.values:
            value, sure = self.best(slot)
            if (
                value is None
                or slot not in slots
                or (slot, value) in tired
                or self.settled.get(slot) == value
            ):
                continue
            if DOUBTFUL <= sure < self._needed(slot, value):
                unsure.append((sure, slot, value))
        return max(unsure)[1:] if unsure else None

    def _needed(self, slot: str, value: str) -> float:
        return ACCEPTED if self.settled.get(slot) in (None, value) else CHANGED

    def update(
        self,
        meanings: Sequence[Meaning],
        confirming: tuple[str, str] | None = None,
        proposed: Mapping[str, str] = MappingProxyType({}),
    ) -> Evidence:
        """Take in one user turn, and tell what it said.

        confirming  the slot and value that the system asked to confirm: yes states it, no denies it
        proposed    what the system offered to search for instead: yes states it, no leaves all as it was
        """
        heard = Evidence(meanings)
        for slot, probability in heard.asked.items():
            self.requests[slot] = _either(self.requests.get(slot, 0.0), probability)
        if confirming is not None:
            slot, value = confirming
            heard.denied[slot][value] += heard.did["negate"]
            proposed = {slot: value}
        elif any(
            values and slot in self.settled and self.settled[slot] not in values
            for slot, values in heard.stated.items()
        ):
            proposed = {}  # all right, in the south then
        for slot, value in proposed.items():
            if not heard.stated[slot]:
                heard.stated[slot][value] += heard.did["affirm"]
        self.partitions.hear([_reading(meaning, proposed) for meaning in meanings])
        for slot, denied in heard.denied.items():
            for value, sure in denied.items():
                self.partitions.deny(slot, value, sure)
        self.values = self.partitions.values()
        for slot in {**heard.stated, **heard.denied}:
            self._deny(slot, heard.stated[slot], heard.denied[slot])
        return heard

    def _deny(self, slot: str, stated: dict[str, float], denied: dict[str, float]) -> None:
        """What is denied stays out until it is stated."""
        known = self.denied.setdefault(slot, {})
        for value in {**known, **denied}:
            sure = _either(known.get(value, 0.0), denied.get(value, 0.0))
            known[value] = sure * (1 - min(1.0, stated.get(value, 0.0) + stated.get(DONTCARE, 0.0)))
            if known[value] >= ACCEPTED and self.settled.get(slot) == value:
                del self.settled[slot]


def _reading(meaning: Meaning, proposed: Mapping[str, str]) -> Reading:
    """What a meaning says of the goal: what it states, or what it affirms where the system asked."""
    stated = {
        act.slot: act.value
        for act in meaning.acts
        if act.act == "inform" and act.op == "=" and act.slot and act.value and act.slot != "name"
    }
    if any(act.act == "affirm" for act in meaning.acts) and not proposed.keys() & stated.keys():
        stated.update(proposed)
    return Reading(stated, meaning.score)


def _either(before: float, heard: float) -> float:
    """The probability that at least one of two independent observations is right."""
    return 1 - (1 - before) * (1 - min(1.0, heard))
