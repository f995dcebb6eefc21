"""Channel noise: what a speech recogniser might make of an utterance, as an N-best list with scores.

Each word becomes a small set of alternatives with probabilities; the N-best list is the likeliest ways
through them. What is wrong at the top is often right in second place, and scores tell a little about it.
"""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from vivavoce.connectors.base import Heard
from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.core.text import normalise_value, words
from vivavoce.languages.data import SimulatedSpeech
from vivavoce.simulation.confusable_words import Confusions, neighbours
from vivavoce.simulation.domain import SimulatedDomain
from vivavoce.study.ontology import Ontology

_SUBSTITUTED, _DELETED = 0.6, 0.2  # shares of the errors; the rest are insertions
_TRUTH_SECOND: Final = 0.65
MOST_NOISE: Final = 0.9
_MOST_UNSURE: Final = 6
_MOST_WAYS: Final = 12
_RIVAL_SHARE: Final = 0.7
_ANYTHING_SHARE: Final = 0.1


class _Arc(NamedTuple):
    word: str
    probability: float


class ASRChannel:
    """A noisy channel for one language of a domain.

    Input   error_rate: expected word error rate of the first hypothesis, 0 to 0.9; nbest: longest list;
            confusions: other words are taken for words that are spelt alike, or that sound alike
    Raises  InputError: the rate is out of range
    """

    def __init__(
        self,
        domain: Ontology | SimulatedDomain,
        language: str,
        error_rate: float,
        *,
        nbest: int = 5,
        confusions: Confusions = "spelling",
    ) -> None:
        if not 0.0 <= error_rate <= MOST_NOISE:
            raise InputError(
                f"word error rate {error_rate} is out of range", hint="set a number from 0 to 0.9"
            )
        if error_rate:
            require("rapidfuzz", extra="analysis")
        self._rate, self._nbest = error_rate, nbest
        self._rivals = _rivals(_groups(domain, language[:2]))
        speech, english = SimulatedSpeech.or_english(language), SimulatedSpeech.in_english()
        self._values = sorted(self._rivals) or list(english.fillers)
        self._fillers = speech.fillers or english.fillers
        self._common = sorted({*self._fillers, *words(speech.common or english.common)})
        self._sounds = tuple(speech.sounds)
        self._confusions: Confusions = confusions
        self._near: dict[str, list[str]] = {}

    def hear(self, text: str, random: Random, rate: float | None = None) -> tuple[Heard, ...]:
        """The N-best list of one utterance, best first; scores sum to 1. No noise: the text.

        rate  the error rate of this utterance, where it is not the channel's own
        """
        spoken, rate = words(text), self._rate if rate is None else min(MOST_NOISE, rate)
        if not spoken or rate == 0.0:
            return (Heard(text, 1.0),) if spoken else ()
        network = [arcs for word in spoken for arcs in self._slots(word, random, rate)]
        return _best_paths(network, self._nbest)

    def _slots(self, word: str, random: Random, rate: float) -> list[list[_Arc]]:
        """The alternatives for one word, and for what may be inserted after it."""
        draw = random.random()
        substituted, deleted = rate * _SUBSTITUTED, rate * _DELETED
        rival = self._rival(word, random)
        if draw < substituted:
            slots = [self._mistaken(rival, word, random)]
        elif draw < substituted + deleted:
            slots = [self._mistaken("", word, random)]
        else:
            sure = random.uniform(0.6, 0.99)
            slots = [[_Arc(word, sure), _Arc(rival, 1 - sure)]]
        if random.random() < rate * (1 - _SUBSTITUTED - _DELETED):
            sure = random.uniform(0.5, 0.7)
            slots.append([_Arc(random.choice(self._fillers), sure), _Arc("", 1 - sure)])
        return slots

    def _mistaken(self, wrong: str, word: str, random: Random) -> list[_Arc]:
        sure = random.uniform(0.4, 0.75)
        second = word if random.random() < _TRUTH_SECOND else self._rival(word, random)
        remaining = (1 - sure) * random.uniform(0.6, 1.0)
        return [_Arc(wrong, max(sure, remaining)), _Arc(second, min(sure, remaining))]

    def _rival(self, word: str, random: Random) -> str:
        """Confusion of a word: another value of its slot, a word that sounds alike, or any other."""
        normal = normalise_value(word)
        rivals = self._rivals.get(normal)
        if rivals and random.random() < _RIVAL_SHARE:
            return random.choice(rivals)
        if random.random() < _ANYTHING_SHARE:
            return random.choice(self._values)
        if normal not in self._near:
            self._near[normal] = neighbours(normal, self._common, self._sounds, self._confusions)
        return random.choice(self._near[normal] or self._fillers)


def _best_paths(network: Sequence[list[_Arc]], count: int) -> tuple[Heard, ...]:
    """The likeliest ways through the alternatives; only the least sure places are varied."""
    unsure = sorted(range(len(network)), key=lambda index: network[index][0].probability)[:_MOST_UNSURE]
    best = [arcs[0].word for arcs in network]
    ways: list[tuple[float, tuple[str, ...]]] = [(1.0, ())]
    for index in unsure:
        ways = [
            (score * probability, (*words_, word))
            for score, words_ in ways
            for word, probability in network[index]
        ]
        ways.sort(key=_by_score)
        del ways[_MOST_WAYS:]
    scores: dict[str, float] = {}
    for score, chosen in ways:
        path = best.copy()
        for index, word in zip(unsure, chosen, strict=True):
            path[index] = word
        text = " ".join(filter(None, path))
        scores[text] = scores.get(text, 0.0) + score
    top = " ".join(filter(None, best))
    ranked = sorted(scores.items(), key=lambda pair: (pair[0] != top, -pair[1], pair[0]))
    top_ranked = ranked[:count]
    highest = max(score for _, score in top_ranked)
    top_ranked = [(text, highest if text == top else score) for text, score in top_ranked]
    total = sum(score for _, score in top_ranked)
    return tuple(Heard(text, round(score / total, 4)) for text, score in top_ranked)


def _by_score(way: tuple[float, tuple[str, ...]]) -> float:
    return -way[0]


def _groups(domain: Ontology | SimulatedDomain, language: str) -> list[list[str]]:
    """Words that are taken for one another: a slot's values, kinds of venue, things of a list."""
    if isinstance(domain, SimulatedDomain):
        return domain.word_groups(language)
    groups = [
        [domain.rendering(name, value, language).text for value in slot.values]
        for name, slot in domain.slots.items()
        if slot.values
    ]
    return [*groups, [type_[language].text for type_ in domain.types.values() if language in type_]]


def _rivals(groups: list[list[str]]) -> dict[str, list[str]]:
    """For each word that says a value or a kind of venue, the words of the other values of its slot."""
    rivals: dict[str, list[str]] = {}
    for group in groups:
        single = [normalise_value(word) for text in group for word in text.split()]
        for word in single:
            rivals.setdefault(word, []).extend(rival for rival in single if rival != word)
    return rivals
