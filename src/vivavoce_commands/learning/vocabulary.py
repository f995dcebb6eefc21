"""Words as numbers."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

PAD, UNKNOWN, BEGIN, END, GAP = range(5)
SPECIAL: Final = ("<pad>", "<unknown>", "<begin>", "<end>", "<gap>")
MOST_LETTERS: Final = 16


class Vocabulary:
    """Numbers for words; unknown ones share one. The first five: padding, unknown, begin, end, gap."""

    def __init__(self, words: Iterable[str], *, least: int = 1, always: Iterable[str] = ()) -> None:
        counts = Counter(words)
        frequent = [*always, *sorted(word for word, count in counts.items() if count >= least)]
        self.words = [*SPECIAL, *dict.fromkeys(frequent)]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        return self.numbers.get(word, UNKNOWN)

    def encode(self, words: Iterable[str]) -> list[int]:
        return [self.number(word) for word in words]

    @classmethod
    def of(cls, words: list[str]) -> "Vocabulary":
        """The vocabulary with exactly these entries, special ones included."""
        vocabulary = cls([])
        vocabulary.words = list(words)
        vocabulary.numbers = {word: number for number, word in enumerate(words)}
        return vocabulary


def letters(word: str, alphabet: Vocabulary) -> list[int]:
    """A word's letters as numbers, cut and padded to one length."""
    numbers = alphabet.encode(word[:MOST_LETTERS])
    return numbers + [PAD] * (MOST_LETTERS - len(numbers))
