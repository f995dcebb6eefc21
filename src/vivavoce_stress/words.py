"""Words and places of a text, and edits made of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from vivavoce_stress.base import Edit

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?…:]\s*|[\"“«(]\s*)$")


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters; `l'indirizzo` and `don't` are two."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.lower()


def words_of(text: str) -> list[Word]:
    """Every run of letters, in order."""
    return [Word(match.group(), match.start(), match.end()) for match in _LETTERS.finditer(text)]


def is_name(text: str, word: Word) -> bool:
    """True if a word looks like a name: a capital not due to the start of a sentence, or digits."""
    if is_coded(text, word):
        return True
    if not word.text[0].isupper():
        return False
    return not starts_sentence(text, word.start) and word.text != "I"


def is_coded(text: str, word: Word) -> bool:
    """True if digits or signs of an address adjoin a word: part of a code, not of a language."""
    beside = text[max(0, word.start - 1) : word.start] + text[word.end : word.end + 1]
    return any(sign.isdigit() or sign in "_@/" for sign in beside)


def in_case_of(model: str, word: str) -> str:
    """The word with the model's capitals: Cibo gives Cbio, CIBO gives CBIO."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def starts_sentence(text: str, place: int) -> bool:
    """True if a sentence begins at a place, so that its first letter may be a capital for that alone."""
    return bool(_SENTENCE_START.search(text[:place].rstrip(" ")))


def placed(text: str, start: int, after: str) -> str:
    """Words that come to stand at a place, with a capital where a sentence with one begins there."""
    return in_case_of(text[start : start + 1], after) if starts_sentence(text, start) else after


def edit(text: str, start: int, end: int, after: str) -> Edit:
    """The edit that puts `after` where start to end stood."""
    return Edit(start, end, text[start:end], after)


def word_edit(word: Word, after: str) -> Edit:
    """The word replaced, in its capitals."""
    return Edit(word.start, word.end, word.text, in_case_of(word.text, after))


@lru_cache(maxsize=4096)
def _phrase(phrase: str) -> re.Pattern[str]:
    spaced = r"\s+".join(re.escape(part) for part in phrase.split())
    spaced = spaced.replace("'", "['’]")
    after = "" if phrase[-1] in "'’" else r"(?![\w'’])"
    return re.compile(rf"(?<![\w'’]){spaced}{after}", re.IGNORECASE)


def places_of(phrase: str, text: str) -> Iterator[tuple[int, int]]:
    """Spans of whole words, ignoring capitals and kind of apostrophe; not beside a hyphen."""
    for match in _phrase(phrase).finditer(text):
        if text[match.start() - 1 : match.start()] != "-" and text[match.end() : match.end() + 1] != "-":
            yield match.span()
