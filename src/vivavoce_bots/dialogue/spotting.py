"""Phrases in a text: the longest known one at each place, and utterances that count only as a whole."""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

_TOKEN = re.compile(r"\w+(?:'(?=\w))?")
_MARK = re.compile(r"[,.;:!?…]")
LONGEST_TEXT = 2_000
_SHORT = 2
_LONGEST_STEM = 20
_CHOICE = re.compile(r"\(([^()|]*\|[^()]*)\)")
_STEM = re.compile(r"(\w{3,})\*")


class Entry(NamedTuple):
    """What a phrase means."""

    kind: str
    slot: str | None = None
    value: str | None = None


class Span(NamedTuple):
    """A phrase that was found, from the word `start` to before the word `end`."""

    start: int
    end: int
    entry: Entry


def tokens(text: str) -> list[str]:
    """Words in lower case without accents; an apostrophe parts an Italian article from its noun."""
    if text.isascii():
        return _TOKEN.findall(text[:LONGEST_TEXT].lower())
    return _TOKEN.findall(_plain(text))


def breaks(text: str) -> set[int]:
    """The words before which a clause begins, by their place: behind a comma or a full stop."""
    plain = text[:LONGEST_TEXT].lower() if text.isascii() else _plain(text)
    words = list(_TOKEN.finditer(plain))
    return {
        at
        for at, (before, word) in enumerate(pairwise(words), 1)
        if _MARK.search(plain, before.end(), word.start())
    }


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text[:LONGEST_TEXT].replace("’", "'").casefold())
    return "".join(ch for ch in letters if not unicodedata.combining(ch))


def _with_accents(text: str) -> list[str]:
    """The words of a text with their accents."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text[:LONGEST_TEXT].replace("’", "'").casefold()))


def forms_of(phrase: str) -> list[str]:
    """What a phrase stands for: each of the words between bars, `(a|the|) pub`, be it none."""
    choice = _CHOICE.search(phrase)
    if choice is None:
        return [phrase]
    before, after = phrase[: choice.start()], phrase[choice.end() :]
    return [form for one in choice[1].split("|") for form in forms_of(f"{before}{one}{after}")]


@cache
def _read(phrase: str, tokens: Callable[[str], list[str]]) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """The forms of a phrase with their words, and whether each is a stem; bots know thousands of the same."""
    read: list[tuple[str, tuple[str, ...], bool]] = []
    for form in forms_of(phrase):
        stem = _STEM.fullmatch(form)
        words = tuple(tokens(stem[1] if stem else form))
        read.append((form, words, stem is not None))
        if words and form.endswith("'"):  # dell'acqua
            read.append((form, (*words[:-1], f"{words[-1]}'"), False))
    return tuple(read)


class Spotter:
    """Knows phrases by their words; `prenot*` is every word that begins so, and is no phrase of its own."""

    def __init__(self, tokens: Callable[[str], list[str]] = tokens) -> None:
        self._tokens = tokens
        self._phrases: dict[tuple[str, ...], Entry] = {}
        self._accented: dict[str, Entry] = {}  # short words that are others without their accent
        self._longest: dict[str, int] = {}  # by its first word, the longest phrase
        self._stems: dict[str, Entry] = {}

    def learn(self, phrase: str, entry: Entry, *, taken_by: Collection[str] = ()) -> None:
        """A phrase and what it means; what it meant before is forgotten, unless `taken_by` has its kind."""
        for form, words, is_stem in _read(phrase, self._tokens):
            if is_stem:
                self._stems["".join(words)] = entry
            elif len(words) == 1 and len(form) <= _SHORT and form.casefold() != words[0]:
                self._accented[form.casefold()] = entry
            elif words and ((held := self._phrases.get(words)) is None or held.kind not in taken_by):
                self._phrases[words] = entry
                self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def find(self, text: str, said: list[str], *, without: str | None = None) -> list[Span]:
        """The phrases in a text; short words that are others without their accent count only with it.

        without  a kind whose phrases of several words count for nothing: their words are looked at instead
        """
        written = said if text.isascii() else _with_accents(text)
        written = written if len(written) == len(said) else said
        spans: list[Span] = []
        at, end, longest = 0, len(said), self._longest
        while at < end:
            length = min(longest.get(said[at], 0), end - at)
            entry: Entry | None = None
            while length > 1:
                entry = self._phrases.get(tuple(said[at : at + length]))
                if entry is not None and entry.kind != without:
                    break
                entry, length = None, length - 1
            if entry is None:
                length = 1
                entry = self._accented.get(written[at]) or (
                    self._phrases.get((said[at],)) if said[at] in longest else None
                )
                entry = entry or self._stemmed(said[at])
            if entry is not None:
                spans.append(Span(at, at + length, entry))
            at += length
        return spans

    def _stemmed(self, word: str) -> Entry | None:
        """What a word means by its beginning, the longest that is known."""
        ends = range(min(len(word), _LONGEST_STEM), 2, -1) if self._stems else ()
        return next((self._stems[word[:end]] for end in ends if word[:end] in self._stems), None)


class Wholes:
    """Utterances that do something only where they are all that is said, fillers at both ends aside."""

    def __init__(
        self,
        alone: Mapping[str, Sequence[str]],
        fillers: Sequence[str],
        tokens: Callable[[str], list[str]] = tokens,
    ) -> None:
        self._fillers = {word for phrase in fillers for word in tokens(phrase)}
        self._alone = {
            words: kind
            for kind, phrases in alone.items()
            for phrase in phrases
            for _, words, _ in _read(phrase, tokens)
        }

    def kind(self, said: list[str]) -> str | None:
        """What a whole utterance does; None where it is no such utterance."""
        begin, end = 0, len(said)
        while begin < end and tuple(said[begin:end]) not in self._alone:
            if said[begin] in self._fillers:
                begin += 1
            elif said[end - 1] in self._fillers:
                end -= 1
            else:
                return None
        return self._alone.get(tuple(said[begin:end]))
