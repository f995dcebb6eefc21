"""Museum guide that answers single questions, in English and Italian; it speaks HTTP and text only.

    python examples/bots/museum.py --port 8001 [--language it]

It answers the example question of `museum.yaml` that shares most words with the message, weighted by how rare
they are. A message without any of these words gets a fallback.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from zlib import crc32

from serving import run


class Museum:
    """One conversation; the guide remembers nothing."""

    def __init__(self, texts: dict[str, Any]) -> None:
        self.greeting: str = texts["greeting"]
        self._fallback: str = texts["fallback"]
        self._questions = [
            (set(words(question)), rule["say"]) for rule in texts["answers"] for question in rule["when"]
        ]
        self._frequency = Counter(word for question, _ in self._questions for word in question)

    def answer(self, text: str) -> str:
        asked = set(words(text))
        share, wordings = max(
            ((self._overlap(asked, question), wordings) for question, wordings in self._questions),
            key=lambda scored: scored[0],
        )
        return wordings[crc32(text.encode()) % len(wordings)] if share else self._fallback

    def _overlap(self, asked: set[str], question: set[str]) -> float:
        return self._weight(asked & question) / self._weight(asked | question) if asked else 0.0

    def _weight(self, chosen: Iterable[str]) -> float:
        return sum(1 / self._frequency.get(word, 1) for word in chosen)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


if __name__ == "__main__":
    run(Museum, __file__, __doc__)
