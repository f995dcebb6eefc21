"""Turns that ask for nothing: greetings, thanks, farewells, a bare yes or no. What is tested are requests."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from vivavoce.core.errors import VivavoceError
from vivavoce.languages.data import SimulatedSpeech, TurnWords
from vivavoce.log.events import LoggedAct
from vivavoce_stress.base import Edit
from vivavoce_stress.heuristics import plain
from vivavoce_stress.packs import pack_of
from vivavoce_stress.words import Word, words_of

_MOVES: Final = ("hello", "thankyou", "bye", "affirm", "negate")
_SAID: Final = ("hello", "affirm", "negate", "bye", "despair", "nothing_more")
_ACTS: Final = frozenset({"hello", "thankyou", "bye", "affirm", "negate", "ack"})


def is_courtesy(text: str, language: str, acts: Sequence[LoggedAct] = ()) -> bool:
    """True if a user's turn has no request and no information.

    By its acts, where they are known; else by its words: those of courtesies, and none beside them but small
    ones that go with them (`courtesies` of the language file).
    Empty  a language without such words: False
    """
    if acts:
        return {act.act for act in acts} <= _ACTS and not any(act.slot for act in acts)
    whole_turns, phrases, small = _words(language)
    plain_text = plain(text)
    names = any(f" {phrase} " in f" {plain_text} " for phrase in phrases)
    return plain_text in whole_turns or (names and set(plain_text.split()) <= small)


def is_farewell(text: str, language: str) -> bool:
    """True if a turn is a farewell, by its words. Empty if the language has no such words: False"""
    spoken, plain_text = language.split("-")[0], plain(text)
    moves, speech = TurnWords.of(spoken), SimulatedSpeech.of(spoken)
    farewells = [plain(phrase) for phrase in (speech.say.get("bye", ()) if speech else ())]
    phrases = [plain(phrase) for phrase in (moves.moves.get("bye", ()) if moves else ())]
    return plain_text in farewells or any(f" {phrase} " in f" {plain_text} " for phrase in phrases)


def only_courteous(edits: Sequence[Edit], text: str, language: str) -> bool:
    """True if edits change only words of courtesy: a misspelt `please` says little about a system."""
    spans = [word for word in words_of(text) if any(_touches(word, edit) for edit in edits)]
    return bool(spans) and {plain(span.text) for span in spans} <= _words(language)[2]


def _touches(word: Word, edit: Edit) -> bool:
    return word.start < max(edit.end, edit.start + 1) and edit.start < word.end


@lru_cache
def _words(language: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Whole turns; phrases of which one must be there; all words that may stand in such a turn."""
    spoken = language.split("-")[0]
    moves, speech = TurnWords.of(spoken), SimulatedSpeech.of(spoken)
    phrases = [phrase for name in _MOVES for phrase in (moves.moves.get(name, ()) if moves else ())]
    said_phrases = [phrase for name in _SAID for phrase in (speech.say.get(name, ()) if speech else ())]
    try:
        pack = pack_of(language)
        small = pack.get("courtesies") if pack.has("courtesies") else []
    except VivavoceError:  # a language without a pack, or a machine without its dictionaries
        small = []
    words = {word for phrase in [*phrases, *small] for word in plain(phrase).split()}
    return frozenset(map(plain, [*phrases, *said_phrases])), frozenset(map(plain, phrases)), frozenset(words)
