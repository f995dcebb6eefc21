"""Which name of the database a name is that is told otherwise: with an article, with `&`, in short."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Final

from vivavoce.core.text import normalise_value
from vivavoce.languages.data import FactWords

_WORD: Final = re.compile(r"\w+")
_APOSTROPHE: Final = re.compile(r"\s*'\s*")


class Names:
    """The names of a database, and what else is one of them.

    A name that is told is the one in the database with the same letters and digits, but for articles before
    it and words for `&`. Else it is a shorter or longer form of one name: all words of one stand in the other
    in their order, what the other has besides are words that several names of the database have (hotel,
    restaurant), and one that they share is of this name alone. Where two names fit, or none, it stays what
    it is.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._words = {name: _words(name) for name in dict.fromkeys(map(normalise_value, names))}
        counted = Counter(word for words in self._words.values() for word in set(words))
        self._shared = {word for word, names_with in counted.items() if names_with > 1}
        self._spelt: dict[str, list[str]] = defaultdict(list)
        for name, words in self._words.items():
            self._spelt["".join(words)].append(name)
        self._found: dict[str, str] = {}

    def known(self, told: str) -> str:
        """The name of the database that this is; where it is none, or several, itself, normalised."""
        name = normalise_value(told)
        if name in self._words:
            return name
        if name not in self._found:
            fitting = self._fitting(_words(name))
            self._found[name] = fitting[0] if len(fitting) == 1 else name
        return self._found[name]

    def _fitting(self, words: tuple[str, ...]) -> list[str]:
        if words and (spelt := self._spelt.get("".join(words))):
            return spelt
        return [name for name, own in self._words.items() if self._is_form(words, own)]

    def _is_form(self, told: tuple[str, ...], own: tuple[str, ...]) -> bool:
        both = set(told) & set(own)
        if both <= self._shared or not set(told) ^ set(own) <= self._shared:
            return False
        short, long = sorted((told, own), key=len)
        rest = iter(long)
        return all(word in rest for word in short)


def _words(name: str) -> tuple[str, ...]:
    before, ampersand = _articles_and_ampersand()
    plain = _APOSTROPHE.sub("", before.sub("", normalise_value(name).replace("’", "'")))
    return tuple(word for word in _WORD.findall(plain) if word not in ampersand)


@cache
def _articles_and_ampersand() -> tuple[re.Pattern[str], frozenset[str]]:
    """Of all languages: what a name is called says nothing of the language it stands in."""
    every = [FactWords.or_english(name) for name in FactWords.languages()]
    articles = {word for words in every for word in words.articles}
    before = "|".join(
        rf"{re.escape(one)}\s*" if one[-1:] == "'" else rf"{re.escape(one)}\s+" for one in articles
    )
    return re.compile(rf"^(?:{before or '(?!)'})+"), frozenset(
        word for words in every for word in words.ampersand
    )
