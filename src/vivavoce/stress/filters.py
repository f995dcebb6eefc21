"""What no operator may let through, whoever wrote it."""

from functools import lru_cache
from typing import Final

from vivavoce.stress.base import Edit, LanguagePack, Substitution, Utterance, apply
from vivavoce.stress.words import words_of

NO_OP: Final = "changes nothing"
WRONG_EDITS: Final = "its edits do not fit the utterance"
PROTECTED: Final = "touches a protected span"
REAL_WORD: Final = "the misspelling is a real word"
OFFENSIVE: Final = "puts in an offensive word"


def objection(utterance: Utterance, found: Substitution, pack: LanguagePack) -> str | None:
    """Why a substitution is dropped, or None."""
    if not fits(utterance.text, found.edits):
        return WRONG_EDITS
    text = apply(utterance.text, found.edits)
    if " ".join(text.split()) == " ".join(utterance.text.split()):
        return NO_OP
    if any(_meets(one, start, end) for one in found.edits for start, end in utterance.protected):
        return PROTECTED
    new = _new_words(utterance.text, text)
    if found.nonword and pack.has("frequency") and any(map(pack.get("frequency").is_word, new)):
        return REAL_WORD
    for listed in ("offensive", "blocked"):
        if pack.has(listed) and not new.isdisjoint(pack.get(listed)):
            return OFFENSIVE
    return None


def fits(text: str, edits: tuple[Edit, ...]) -> bool:
    """Whether edits are sorted, disjoint, inside the text and say rightly what stood there."""
    done = 0
    for one in edits:
        if one.start < done or one.end < one.start or text[one.start : one.end] != one.before:
            return False
        done = one.end
    return bool(edits)


def _meets(one: Edit, start: int, end: int) -> bool:
    """An edit meets a span that it overlaps, and an insertion one that it falls into."""
    if one.start == one.end:
        return start < one.start < end
    return one.start < end and start < one.end


def _new_words(before: str, after: str) -> frozenset[str]:
    return _lower_words(after) - _lower_words(before)


@lru_cache(maxsize=1024)
def _lower_words(text: str) -> frozenset[str]:
    return frozenset(word.lower for word in words_of(text))
