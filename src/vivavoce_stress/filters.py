"""Filters that apply to the proposals of every operator."""

import re
from functools import lru_cache
from typing import Final

from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance, apply
from vivavoce_stress.words import words_of

NO_OP: Final = "changes nothing"
WRONG_EDITS: Final = "its edits do not fit the utterance"
PROTECTED: Final = "touches a protected span"
REAL_WORD: Final = "the misspelling is a real word"
_SPACE: Final = re.compile(r"\s")
OFFENSIVE: Final = "puts in an offensive word"
ADDRESS: Final = "touches an address"
AGREEMENT: Final = "its words do not agree"
_ADDRESSES: Final = re.compile(r"(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\w+|(?<!\w)[@#]\w+")


def objection(utterance: Utterance, found: Substitution, pack: LanguagePack) -> str | None:
    """Reason for dropping a substitution, or None."""
    if not fits(utterance.text, found.edits):
        return WRONG_EDITS
    if all(edit.before == edit.after for edit in found.edits) or _same_words(utterance.text, found.edits):
        return NO_OP
    if any(_meets(edit, start, end) for edit in found.edits for start, end in utterance.protected):
        return PROTECTED
    if any(_meets(edit, *place) for edit in found.edits for place in addresses(utterance.text)):
        return ADDRESS
    new = _new_words(utterance.text, found.edits)
    if found.nonword and pack.has("frequency") and any(map(pack.get("frequency").is_word, new)):
        return REAL_WORD
    for listed in ("offensive", "blocked"):
        if pack.has(listed) and not new.isdisjoint(pack.get(listed)):
            return OFFENSIVE
    if pack.has("coarse") and any(map(pack.get("coarse"), new)):
        return OFFENSIVE
    return None


def disagrees(utterance: Utterance, found: Substitution, pack: LanguagePack) -> bool:
    """True if the edits break the agreement of adjacent words: del il, a hour."""
    if not pack.has("faults"):
        return False
    faults = pack.get("faults")
    return bool(faults(apply(utterance.text, found.edits)) - faults(utterance.text))


@lru_cache(maxsize=1024)
def addresses(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of web and mail addresses, names with @ and tags with #, which must not change."""
    return tuple(match.span() for match in _ADDRESSES.finditer(text))


def fits(text: str, edits: tuple[Edit, ...]) -> bool:
    """True if edits are sorted, disjoint, inside the text and quote it correctly."""
    done = 0
    for edit in edits:
        if edit.start < done or edit.end < edit.start or text[edit.start : edit.end] != edit.before:
            return False
        done = edit.end
    return bool(edits)


def _meets(one: Edit, start: int, end: int) -> bool:
    """An edit meets a span that it overlaps, and an insertion one that it falls into."""
    if one.start == one.end:
        return start < one.start < end
    return one.start < end and start < one.end


def _same_words(text: str, edits: tuple[Edit, ...]) -> bool:
    """True if only spaces differ."""
    if not any(_SPACE.search(edit.before + edit.after) for edit in edits):
        return False
    return apply(text, edits).split() == text.split()


def _new_words(text: str, edits: tuple[Edit, ...]) -> set[str]:
    """The words that the edits put in or make of what stands beside them, in small letters."""
    new: set[str] = set()
    for edit in edits:
        start, end = edit.start, edit.end
        while start and text[start - 1].isalpha():
            start -= 1
        while end < len(text) and text[end].isalpha():
            end += 1
        new.update(
            word.lower for word in words_of(text[start : edit.start] + edit.after + text[edit.end : end])
        )
    return new - _lower_words(text)


@lru_cache(maxsize=1024)
def _lower_words(text: str) -> frozenset[str]:
    return frozenset(word.lower for word in words_of(text))
