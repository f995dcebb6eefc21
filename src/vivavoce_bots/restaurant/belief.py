"""What the bot believes the user wants: a probability for each value of each slot, gathered over turns.

nbest    every hypothesis counts with its score, so that what is heard twice in second place wins
onebest  the first hypothesis is taken for what was said

The beliefs about the goal are those of its partitions (partitions.py); the probability of a value is the sum
over the partitions that have it.
"""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from vivavoce_bots.acts import Act, Hypothesis, Meaning
from vivavoce_bots.restaurant.partitions import Partitions, Reading
from vivavoce_bots.restaurant.understanding import Understanding

ACCEPTED, CHANGED, DOUBTFUL = 0.4, 0.75, 0.2


@dataclass
class Belief:
    """Beliefs about the goal, and the probabilities of what the last turn did."""

    partitions: Partitions = field(default_factory=Partitions)
    values: dict[str, dict[str, float]] = field(default_factory=dict)
    denied: dict[str, dict[str, float]] = field(default_factory=dict)
    did: dict[str, float] = field(default_factory=dict)
    requests: dict[str, float] = field(default_factory=dict)
    named: dict[str, float] = field(default_factory=dict)
    settled: dict[str, str] = field(default_factory=dict)
    understood: float = 0.0

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

    def update(self, meanings: Sequence[Meaning], confirming: tuple[str, str] | None) -> None:
        """Take in one user turn; `confirming` is the slot and value that the system asked to confirm."""
        heard = _Evidence()
        for meaning in meanings:
            for act in dict.fromkeys(meaning.acts):
                heard.count(act, meaning.score)
        self.understood = sum(meaning.score for meaning in meanings if meaning.acts)
        self.did, self.named = dict(heard.did), dict(heard.named)
        for slot, probability in heard.asked.items():
            self.requests[slot] = _either(self.requests.get(slot, 0.0), probability)
        if confirming is not None:
            slot, value = confirming
            if not heard.stated[slot]:
                heard.stated[slot][value] += heard.did["affirm"]
            heard.denied[slot][value] += heard.did["negate"]
        self.partitions.hear([_reading(meaning, confirming) for meaning in meanings])
        for slot, denied in heard.denied.items():
            for value, sure in denied.items():
                self.partitions.deny(slot, value, sure)
        self.values = self.partitions.values()
        for slot in {**heard.stated, **heard.denied}:
            self._deny(slot, heard.stated[slot], heard.denied[slot])

    def _deny(self, slot: str, stated: dict[str, float], denied: dict[str, float]) -> None:
        """What is denied stays out until it is stated."""
        known = self.denied.setdefault(slot, {})
        for value in {**known, **denied}:
            sure = _either(known.get(value, 0.0), denied.get(value, 0.0))
            known[value] = sure * (1 - min(1.0, stated.get(value, 0.0)))
            if known[value] >= ACCEPTED and self.settled.get(slot) == value:
                del self.settled[slot]


class _Evidence:
    """What was heard in one turn, with the sum of the scores of the hypotheses that say it."""

    def __init__(self) -> None:
        self.stated: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.denied: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.did: dict[str, float] = defaultdict(float)
        self.asked: dict[str, float] = defaultdict(float)
        self.named: dict[str, float] = defaultdict(float)

    def count(self, act: Act, score: float) -> None:
        if act.act == "inform" and act.slot and act.value:
            if act.slot == "name":
                self.named[act.value] += score if act.op == "=" else 0.0
            else:
                (self.stated if act.op == "=" else self.denied)[act.slot][act.value] += score
        elif act.act == "request" and act.slot:
            self.asked[act.slot] += score
        else:
            self.did[act.act] += score


def _reading(meaning: Meaning, confirming: tuple[str, str] | None) -> Reading:
    """What a meaning says of the goal: what it states, or what it affirms where the system asked."""
    stated = {
        act.slot: act.value
        for act in meaning.acts
        if act.act == "inform" and act.op == "=" and act.slot and act.value and act.slot != "name"
    }
    affirmed = any(act.act == "affirm" for act in meaning.acts)
    if confirming is not None and affirmed and confirming[0] not in stated:
        stated[confirming[0]] = confirming[1]
    return Reading(stated, meaning.score)


def _either(before: float, heard: float) -> float:
    """The probability that at least one of two independent observations is right."""
    return 1 - (1 - before) * (1 - min(1.0, heard))


def meanings_of(
    hypotheses: Sequence[Hypothesis],
    understanding: Understanding,
    asked: str | None,
    *,
    one: bool,
    confirming: bool = False,
) -> tuple[Meaning, ...]:
    """What each hypothesis means; hypotheses with the same acts are one meaning with their scores added."""
    if one:
        hypotheses = [Hypothesis(hypotheses[0].text, 1.0)] if hypotheses else []
    scores: dict[tuple[Act, ...], float] = {}
    for hypothesis in hypotheses:
        acts = understanding.acts(hypothesis.text, asked, confirming=confirming)
        scores[acts] = scores.get(acts, 0.0) + hypothesis.score
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    return tuple(Meaning(acts, min(1.0, score)) for acts, score in ranked)


def normalised(texts: Sequence[tuple[str, float | None]]) -> list[Hypothesis]:
    """Hypotheses with probabilities: scores as given when they can be such, else by rank; sum at most 1."""
    given = [score for _, score in texts]
    known = [score for score in given if score is not None and 0.0 <= score <= 1.0]
    usable = len(known) == len(given) and sum(known) > 0
    scores = known if usable else [0.5**rank for rank in range(len(texts))]
    total = sum(scores)
    scale = total if total > 1.0 or not usable else 1.0
    return [Hypothesis(text, score / scale) for (text, _), score in zip(texts, scores, strict=True)]
