"""What a recogniser makes of a command: words replaced by near ones, left out, or put in."""

from random import Random
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

# Of a hundred errors: how many replace, leave out, put in.
SHARES: Final = (60, 25, 15)
NEAR: Final = 4


class Recogniser:
    """Hears every word wrongly with a given chance; the nearest words of its vocabulary are confused."""

    def __init__(self, vocabulary: list[str], word_error_rate: float) -> None:
        self.vocabulary, self.rate = sorted(set(vocabulary)), word_error_rate
        self._near: dict[str, list[str]] = {}

    def hear(self, text: str, chance: Random) -> str:
        """The text as recognised; at least one word."""
        heard: list[str] = []
        for word in text.split():
            if chance.random() >= self.rate:
                heard.append(word)
                continue
            error = chance.choices(("replace", "leave", "put"), SHARES)[0]
            if error != "leave":
                heard.append(chance.choice(self.near(word)))
            if error == "put":
                heard.append(word)
        return " ".join(heard) or text

    def near(self, word: str) -> list[str]:
        if word not in self._near:
            found = process.extract(word, self.vocabulary, scorer=Levenshtein.distance, limit=NEAR + 1)
            self._near[word] = [other for other, _, _ in found if other != word][:NEAR] or [word]
        return self._near[word]
