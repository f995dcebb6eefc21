"""Planted weaknesses of understanding: a bot that is lost before one kind of wording, and no other.

accents     words count only with all their accents and apostrophes
synonyms    a value or kind of venue is known only by the first of its words
word_order  what qualifies a venue counts only in its usual place beside the noun: an Indian restaurant in the
            centre, not a restaurant Indian, nor a restaurant for tonight in the centre
anaphora    `the second` and its like point at nothing

Accents, synonyms and word order are weaknesses of the restaurant bot, anaphora one of the call steering bot.
"""

import re
import unicodedata
from functools import cache, partial
from typing import Final

from vivavoce_bots.bot import BotFunction, as_function
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain, read_domain
from vivavoce_bots.dialogue.spotting import Span, tokens
from vivavoce_bots.dialogue.understanding import Understanding
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.restaurant.bot import RestaurantBot

_TOKEN: Final = re.compile(r"\w+(?:'\w+)?'?")
_BEFORE_THE_NOUN: Final = {"en": ("food", "pricerange", "price range"), "it": ()}
_BESIDE: Final = {
    "a",
    "an",
    "any",
    "in",
    "the",
    "of",
    "di",
    "del",
    "nel",
    "nella",
    "con",
    "zona",
    "cucina",
    "e",
    "and",
}


def _accented_tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFC", text[:2_000]).casefold())


class WeakUnderstanding(Understanding):
    """The restaurant bot's understanding, less one thing."""

    def __init__(self, domain: Domain, language: str, weakness: str) -> None:
        self._weakness, self._language = weakness, language
        super().__init__(domain, language, _accented_tokens if weakness == "accents" else tokens)

    def _known_as(self, phrases: list[str]) -> list[str]:
        if self._weakness != "synonyms":
            return phrases
        stem = phrases[0][: max(3, len(phrases[0]) - 2)]
        return [phrase for phrase in phrases if phrase.startswith(stem)]  # indiano, indiana: no synonyms

    def _taken(self, spans: list[Span], said: list[str]) -> list[Span]:
        if self._weakness != "word_order":
            return spans
        noun = next((place for place, span in enumerate(spans) if span.entry.slot == TYPE), None)
        if noun is None:
            return spans
        return [
            span
            for place, span in enumerate(spans)
            if span.entry.kind != "value"
            or span.entry.slot in (TYPE, NAME)
            or self._in_place(spans, noun, place, said)
        ]

    def _in_place(self, spans: list[Span], noun: int, place: int, said: list[str]) -> bool:
        """On its own side of the noun, with nothing but small words and other values between."""
        before = spans[place].entry.slot in _BEFORE_THE_NOUN[self._language]
        if before != (place < noun):
            return False
        low, high = sorted((noun, place))
        covered = {at for span in spans[low : high + 1] for at in range(span.start, span.end)}
        between = range(spans[low].start, spans[high].end)
        return all(at in covered or said[at] in _BESIDE for at in between)


def _without_anaphora() -> FileBot:
    bot = FileBot("callsteering")
    for language in ("en", "it"):
        words = bot.engine(language).bot.words
        words["ordinals"] = dict.fromkeys(words["ordinals"], [])  # type: ignore[assignment]
    return bot


def _restaurant(weakness: str) -> BotFunction:
    understanding = partial(WeakUnderstanding, weakness=weakness)
    return as_function(cache(lambda: RestaurantBot(read_domain(), understanding=understanding)))


restaurant_without_accents = _restaurant("accents")
restaurant_without_synonyms = _restaurant("synonyms")
restaurant_in_order = _restaurant("word_order")
callsteering_without_anaphora = as_function(cache(_without_anaphora))
