"""What one turn says: the meanings of its hypotheses, and the probability of each thing that was said."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from vivavoce_bots.acts import Act, Hypothesis, Meaning
from vivavoce_bots.dialogue.domain import NAME, Venue
from vivavoce_bots.dialogue.understanding import Understanding

_CONTENT: Final = ("inform", "request", "confirm", "reqalts", "suggest")
_ANSWERS: Final = ("affirm", "negate")
STEPS: Final = {"<": -1, ">": 1}
"""How an act tells that another value than the one on offer is wanted, down or up from it."""


class Evidence:
    """What was heard in one turn, with the sum of the scores of the hypotheses that say it.

    stated, denied  values of slots; named: venues; asked: slots, of the venue on offer
    queried         values that the venue on offer is asked to have; options: slots whose values are asked for
    steps           the direction in which the next value of a slot is wanted: cheaper is -1
    unwanted        venues that shall not be offered: not the White Heron
    did             everything else, by act
    first           the act with which the turn begins
    understood, content, answered, informed  how likely anything was said, anything about the matter, yes or
                    no, a value
    """

    def __init__(self, meanings: Sequence[Meaning]) -> None:
        self.stated: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.denied: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.did: dict[str, float] = defaultdict(float)
        self.asked: dict[str, float] = defaultdict(float)
        self.named: dict[str, float] = defaultdict(float)
        self.queried: dict[tuple[str, str], float] = defaultdict(float)
        self.options: dict[str, float] = defaultdict(float)
        self.steps: dict[str, int] = {}
        self.unwanted: set[str] = set()
        for meaning in meanings:
            for act in dict.fromkeys(meaning.acts):
                self._count(act, meaning.score)
        self.first = next((one.act for meaning in meanings[:1] for one in meaning.acts), "")
        self.understood = sum(meaning.score for meaning in meanings if meaning.acts)
        self.content = _share(meanings, _CONTENT)
        self.answered = _share(meanings, _ANSWERS)
        self.informed = _share(meanings, ("inform",))

    def _count(self, act: Act, score: float) -> None:
        if act.slot and act.value and act.act in ("inform", "confirm"):
            if act.act == "confirm":
                self.queried[act.slot, act.value] += score
            elif act.slot == NAME:
                self.named[act.value] += score if act.op == "=" else 0.0
                self.unwanted |= {act.value} if act.op == "!=" else set()
            else:
                (self.stated if act.op == "=" else self.denied)[act.slot][act.value] += score
                if act.op in STEPS:
                    self.steps[act.slot] = STEPS[act.op]
        elif act.slot:
            (self.asked if act.act == "request" else self.options)[act.slot] += score
        else:
            self.did[act.act] += score


def nothing_new() -> Evidence:
    """A turn that was understood, and says nothing of the matter."""
    heard = Evidence(())
    heard.understood = 1.0
    return heard


def _share(meanings: Sequence[Meaning], kinds: Collection[str]) -> float:
    return sum(meaning.score for meaning in meanings if any(act.act in kinds for act in meaning.acts))


def meanings_of(
    hypotheses: Sequence[Hypothesis],
    understanding: Understanding,
    asked: str | None,
    *,
    one: bool,
    confirming: bool = False,
    venue: Venue | None = None,
) -> tuple[Meaning, ...]:
    """What each hypothesis means; hypotheses with the same acts are one meaning with their scores added."""
    if one:
        hypotheses = [Hypothesis(hypotheses[0].text, 1.0)] if hypotheses else []
    scores: dict[tuple[Act, ...], float] = {}
    for hypothesis in hypotheses:
        acts = understanding.acts(hypothesis.text, asked, confirming=confirming, venue=venue)
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
