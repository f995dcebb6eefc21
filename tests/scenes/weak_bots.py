"""Planted weaknesses of understanding: a bot that is lost before one kind of wording, and no other.

accents     words count only with all their accents
synonyms    a value or kind of venue is known only by the first of its words
word_order  what qualifies a venue counts only in its usual place beside the noun: an Indian restaurant in the
            centre, not a restaurant Indian, nor a restaurant for tonight in the centre
anaphora    `the second` and its like point at nothing

Accents, synonyms and word order are weaknesses of the restaurant bot, anaphora one of the call steering bot.
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any, Final

from vivavoce_bots.bot import BotFunction, as_function
from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Command
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.engine.search import SearchEngine
from vivavoce_bots.engine.search_bot import SearchBot
from vivavoce_bots.engine.text import without_accents
from vivavoce_bots.engine.understanding import Context, Understanding
from vivavoce_bots.engine.understandings import Understands
from vivavoce_bots.engine.values import Mention

_BEFORE_THE_NOUN: Final = {"en": ("food", "pricerange"), "it": ()}
_SMALL: Final = "a an any in the of di del nel nella con zona cucina e and"
_BESIDE: Final = frozenset(_SMALL.split())


class _WithAccents(Understanding):
    """Knows words with their accents only."""

    def commands(self, text: str, context: Context) -> tuple[Command, ...]:
        names = [name for slot in self.bot.slots.values() for names in slot.values.values() for name in names]
        words = {word for name in names for word in name.lower().split()}
        bare = {without_accents(word) for word in words} - words
        return super().commands(
            " ".join("?" if word.lower() in bare else word for word in text.split()), context
        )


class _InOrder(Understanding):
    """Knows values in their usual place only."""

    def __init__(self, bot: BotFile) -> None:
        super().__init__(bot)
        self._find = self.spotter.find
        self.spotter.find = self._find_in_place  # type: ignore[method-assign]

    def _find_in_place(self, tokens: list[str], *more: Any, **options: Any) -> list[Mention]:
        mentions = self._find(tokens, *more, **options)
        noun = next((mention for mention in mentions if mention.slot == "type"), None)
        if noun is None:
            return mentions
        return [one for one in mentions if one == noun or self._is_in_place(tokens, mentions, noun, one)]

    def _is_in_place(
        self, tokens: list[str], mentions: list[Mention], noun: Mention, mention: Mention
    ) -> bool:
        """On its own side of the noun, with nothing but small words and other values between."""
        before = mention.slot in _BEFORE_THE_NOUN[self.bot.language]
        if before != (mention.start < noun.start):
            return False
        covered = {place for one in mentions for place in range(one.start, one.end)}
        low, high = sorted((noun, mention), key=lambda one: one.start)
        return all(at in covered or tokens[at] in _BESIDE for at in range(low.end, high.start))


class _WeakBot(SearchBot):
    """The restaurant bot, less one thing."""

    def __init__(self, weakness: str) -> None:
        self._weakness = weakness
        super().__init__("restaurant", "nbest")

    def read_bot(self, language: str) -> BotFile:
        bot = super().read_bot(language)
        if self._weakness != "synonyms":
            return bot
        slots = {
            name: replace(slot, values={value: _alike(names) for value, names in slot.values.items()})
            for name, slot in bot.slots.items()
        }
        return replace(bot, slots=slots)

    def make_engine(self, bot: BotFile, understanding: Understands) -> SearchEngine:
        weak = {"accents": _WithAccents, "word_order": _InOrder}.get(self._weakness, Understanding)
        return SearchEngine(bot, weak(bot))


def _alike(names: list[str]) -> list[str]:
    """The first name and its other endings: indiana, indiano."""
    stem = names[0][: max(3, len(names[0]) - 2)]
    return [name for name in names if name.startswith(stem)]


def _without_anaphora() -> FileBot:
    bot = FileBot("callsteering")
    for language in ("en", "it"):
        words = bot.engine(language).bot.words
        words["ordinals"] = {place: [] for place in words["ordinals"]}  # type: ignore[assignment]
    return bot


def _restaurant(weakness: str) -> BotFunction:
    return as_function(cache(partial(_WeakBot, weakness)))


restaurant_without_accents = _restaurant("accents")
restaurant_without_synonyms = _restaurant("synonyms")
restaurant_in_order = _restaurant("word_order")
callsteering_without_anaphora = as_function(cache(_without_anaphora))
