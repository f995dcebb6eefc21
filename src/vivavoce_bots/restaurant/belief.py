"""What the bot believes the user wants: a probability for each value of each slot, gathered over turns.

nbest    every hypothesis counts with its score, so that what is heard twice in second place wins
onebest  the first hypothesis is taken for what was said

The rule: a statement heard with probability p moves the belief b in its value to 1-(1-b)(1-p); a contrary
statement heard with probability q multiplies it by 1-q.
"""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from vivavoce_bots.acts import Act, Hypothesis, Meaning
from vivavoce_bots.restaurant.understanding import Understanding

ACCEPTED, DOUBTFUL = 0.55, 0.2


@dataclass
class Belief:
    """Beliefs about the goal, and the probabilities of what the last turn did."""

    values: dict[str, dict[str, float]] = field(default_factory=dict)
    denied: dict[str, dict[str, float]] = field(default_factory=dict)
    did: dict[str, float] = field(default_factory=dict)
    requests: dict[str, float] = field(default_factory=dict)
    named: dict[str, float] = field(default_factory=dict)
    understood: float = 0.0

    def best(self, slot: str) -> tuple[str | None, float]:
        """The likeliest value of a slot and its probability."""
        known = self.values.get(slot)
        if not known:
            return None, 0.0
        value = max(known, key=lambda name: (known[name], name))
        return value, known[value]

    def accepted(self) -> dict[str, str]:
        """The constraints that are believed."""
        pairs = {slot: self.best(slot) for slot in self.values}
        return {
            slot: value for slot, (value, sure) in pairs.items() if value is not None and sure >= ACCEPTED
        }

    def doubtful(self, tired: Container[tuple[str, str]] = ()) -> tuple[str, str] | None:
        """The likeliest constraint that wants confirming, leaving out those confirmed in vain."""
        pairs = [(sure, slot, value) for slot in self.values for value, sure in [self.best(slot)] if value]
        unsure = [pair for pair in pairs if DOUBTFUL <= pair[0] < ACCEPTED and pair[1:] not in tired]
        if not unsure:
            return None
        _, slot, value = max(unsure)
        return slot, value

    def update(self, meanings: Sequence[Meaning], confirming: tuple[str, str] | None) -> None:
        """Take in one user turn; `confirming` is the slot and value that the system asked to confirm."""
        stated: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        denied: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.did, self.requests, self.named = defaultdict(float), defaultdict(float), defaultdict(float)
        self.understood = sum(meaning.score for meaning in meanings if meaning.acts)
        for meaning in meanings:
            for act in dict.fromkeys(meaning.acts):
                self._count(act, meaning.score, stated, denied)
        if confirming is not None:
            slot, value = confirming
            if not stated.get(slot):
                stated[slot][value] += self.did["affirm"]
            denied[slot][value] += self.did["negate"]
        for slot in {**stated, **denied}:
            self._move(slot, stated.get(slot, {}), denied.get(slot, {}))

    def _count(
        self, act: Act, score: float, stated: dict[str, dict[str, float]], denied: dict[str, dict[str, float]]
    ) -> None:
        if act.act == "inform" and act.slot and act.value:
            if act.slot == "name":
                self.named[act.value] += score if act.op == "=" else 0.0
            else:
                (stated if act.op == "=" else denied)[act.slot][act.value] += score
        elif act.act == "request" and act.slot:
            self.requests[act.slot] += score
        else:
            self.did[act.act] += score

    def _move(self, slot: str, stated: dict[str, float], denied: dict[str, float]) -> None:
        known = self.values.setdefault(slot, {})
        total = min(1.0, sum(stated.values()))
        for value in {**known, **stated}:
            heard = min(1.0, stated.get(value, 0.0))
            contrary = min(1.0, total - heard + denied.get(value, 0.0)) if total >= heard else 0.0
            known[value] = (1 - (1 - known.get(value, 0.0)) * (1 - heard)) * (1 - contrary)
        self.values[slot] = {value: sure for value, sure in known.items() if sure >= 0.01}


def meanings_of(
    hypotheses: Sequence[Hypothesis], understanding: Understanding, asked: str | None, *, one: bool
) -> tuple[Meaning, ...]:
    """What each hypothesis means; hypotheses with the same acts are one meaning with their scores added."""
    if one:
        hypotheses = [Hypothesis(hypotheses[0].text, 1.0)] if hypotheses else []
    scores: dict[tuple[Act, ...], float] = {}
    for hypothesis in hypotheses:
        acts = understanding.acts(hypothesis.text, asked)
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
