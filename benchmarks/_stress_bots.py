"""Twelve text-only bots of twelve domains, each in Italian and English, for the corpus of judged verdicts.

Five engines read what `benchmarks/stress_verdicts/bots/*.yaml` says of each bot; their replies were written
before the words by which verdicts are reached were looked at, and none of them tells more than words.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from math import sqrt
from pathlib import Path
from typing import Any, Final, Protocol
from zlib import crc32

from ruamel.yaml import YAML

Facts = dict[str, Any]
BOTS: Final = Path(__file__).parent / "stress_verdicts" / "bots"
LANGUAGES: Final = ("it", "en")


class Bot(Protocol):
    """One conversation with a bot."""

    greeting: str

    def answer(self, said: str) -> str: ...


def read_bots() -> dict[str, Facts]:
    """What the files say of each bot, by its domain."""
    return {
        path.stem: YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
        for path in sorted(BOTS.glob("*.yaml"))
    }


def make_bot(facts: Facts, language: str) -> Bot:
    """A bot that has not been spoken to yet."""
    shared = {name: value for name, value in facts.items() if name not in LANGUAGES}
    return _MAKES[facts["make"]](shared | facts[language])


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def one_of(wordings: Sequence[str], said: str) -> str:
    """One of several wordings, by what was said: another utterance may get another one."""
    return wordings[crc32(said.encode()) % len(wordings)]


class _Missing:
    """Counts what it could not answer, and says so in the words of the file."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.greeting, self.missed = facts, str(facts["greeting"]), 0

    def _miss(self, said: str) -> str:
        self.missed += 1
        wordings = self.facts["later" if self.missed > 1 and "later" in self.facts else "miss"]
        return one_of(wordings, said).replace("{said}", said)


class _Answering(_Missing, ABC):
    """Answers each utterance by itself; after a hand-over only says that a person will."""

    def answer(self, said: str) -> str:
        found = None if self.missed and self.facts.get("hands_over") else self.find(said)
        if found is None:
            return self._miss(said)
        return self.facts.get("found", "") + one_of(found["say"], said)

    @abstractmethod
    def find(self, said: str) -> Facts | None:
        """What the file says of an utterance; None where it says nothing."""


class Keywords(_Answering):
    """The first rule of which a word, or the beginning of one, was said."""

    def find(self, said: str) -> Facts | None:
        words = words_of(said)
        if self.facts.get("match") == "stem":
            words = [word[:length] for word in words for length in range(len(word) + 1)]
        return next((rule for rule in self.facts["answers"] if set(rule["when"]) & set(words)), None)


class Overlap(_Answering):
    """The example question that shares most words, weighed by how rare they are among the examples."""

    def find(self, said: str) -> Facts | None:
        known = Counter(word for one in self._examples() for word in set(words_of(one[0])))
        scored = [
            (self._share(set(words_of(said)), set(words_of(text)), known), rule)
            for text, rule in self._examples()
        ]
        best = max(scored, key=lambda one: one[0])
        return best[1] if best[0] > self.facts["threshold"] else None

    def _examples(self) -> list[tuple[str, Facts]]:
        return [(text, rule) for rule in self.facts["answers"] for text in rule["when"]]

    @staticmethod
    def _share(said: set[str], example: set[str], known: Counter[str]) -> float:
        def weight(words: Iterable[str]) -> float:
            return sum(1 / known.get(word, 1) for word in words)

        return weight(said & example) / weight(said | example) if said else 0.0


class Nearness(_Missing):
    """The example nearest by its groups of three letters; asks whether it was meant where it is half sure."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.offered: Facts | None = None

    def answer(self, said: str) -> str:
        offered, self.offered = self.offered, None
        if offered and set(words_of(said)) & {"sì", "si", "yes"}:
            return offered["say"][0]
        best, rule = max(
            ((self._cosine(said, text), rule) for rule in self.facts["answers"] for text in rule["when"]),
            key=lambda one: one[0],
        )
        if best >= self.facts["sure"]:
            return rule["say"][0]
        if best < self.facts["half"]:
            return self._miss(said)
        self.offered = rule
        return self.facts["confirm"].replace("{topic}", rule["topic"])

    @staticmethod
    def _cosine(one: str, other: str) -> float:
        first, second = (
            Counter(text[i : i + 3] for i in range(len(text) - 2))
            for text in (f" {' '.join(words_of(given))} " for given in (one, other))
        )
        shared = sum(first[key] * second[key] for key in first)
        lengths = sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
        return shared / lengths if lengths else 0.0


class Form:
    """Asks for what it needs; takes whatever it can read from any utterance."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.greeting = facts, str(facts["greeting"])
        self.known: dict[str, str] = {}

    def answer(self, said: str) -> str:
        words, before = set(words_of(said)), len(self.known)
        for slot in self.facts["slots"]:
            for value, keys in slot["values"].items():
                if slot["name"] not in self.known and words & set(keys):
                    self.known[slot["name"]] = value
        missing = [slot for slot in self.facts["slots"] if slot["name"] not in self.known]
        if len(self.known) == before and missing:
            if not self.facts.get("assumes"):
                return self.facts.get("miss", missing[0]["ask"])
            first = missing.pop(0)
            self.known[first["name"]] = first["usual"]
        return missing[0]["ask"] if missing else self.facts["done"].format(**self.known)


class Choices:
    """Menus: a choice is taken by its number, or by words that are spelled much like it."""

    def __init__(self, facts: Facts) -> None:
        self.facts, self.place = facts, next(iter(facts["menus"]))
        self.greeting = self._show()

    def answer(self, said: str) -> str:
        choices = self.facts["menus"][self.place]["choices"]
        numbers = {str(number): label for number, label in enumerate(choices, 1)}
        near = {label: SequenceMatcher(None, said.lower(), label.lower()).ratio() for label in choices}
        best = numbers.get(said.strip()) or max(near, key=lambda label: near[label])
        if said.strip() not in numbers and near[best] < 0.7:
            return f"{one_of(self.facts['miss'], said)}\n{self._buttons()}"
        self.place = choices[best]
        return self._show()

    def _show(self) -> str:
        return f"{self.facts['menus'][self.place]['say']}\n{self._buttons()}"

    def _buttons(self) -> str:
        choices = self.facts["menus"][self.place]["choices"]
        return " ".join(f"[{number}. {label}]" for number, label in enumerate(choices, 1))


_MAKES: Final = {
    "keywords": Keywords,
    "overlap": Overlap,
    "nearness": Nearness,
    "form": Form,
    "choices": Choices,
}
