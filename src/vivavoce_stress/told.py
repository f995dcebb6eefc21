"""Values that a system reports with a variant, compared with the original: the same, or another.

Numbers, dates, names and what stands in a pattern decide; only what the user had said, and the system repeats
to them, counts.
"""

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from vivavoce_stress.heuristics import compare, dates, filling, names, numbers, plain
from vivavoce_stress.replay import Replayed

_Read = Callable[[str], Iterable[str]]


def in_other_words(reached: Sequence[Replayed], variant: Replayed, language: str) -> str | None:
    """An answer that tells what the original's goal was told with, though not by the words of the goal.

    It has the same numbers, dates, names and kind of turn, at least one number or date among them.

    Empty  the goal is told by its words, or was not reached by the answer to the original: None
    """
    answer, tongue = variant.answer, language.split("-")[0]
    if answer is None or answer["acts"] is not None:
        return None
    if variant.met_at is not None and variant.met_at == (variant.injected or 0) + 1:
        return None
    for original in reached:
        if original.answer is None or original.met_at != (original.injected or 0) + 1:
            return None
        mine = original.answer["text"]
        facts = numbers(mine, tongue) or dates(mine, tongue)
        if not facts or compare(mine, answer["text"], language).found:
            return None
    return answer["text"]


class ToldInstead(NamedTuple):
    """Values reported with the original and with the variant, and whether they surely differ."""

    original: str
    variant: str
    certain: bool


def told_instead(one: Replayed, variant: Replayed, language: str) -> ToldInstead | None:
    """Number, date, name or filling that a completed variant has in place of the original's.

    It must be one that the user said, that the system repeated to them, and that it repeats nowhere with the
    variant. Where it repeats what the variant has in its place, a person must see whether that is the same.

    Empty  none, or nobody knows by which words it told that it was done: None
    """
    if one.met_at is None or variant.met_at is None:
        return None
    return _told_another(one, variant, (one.met_at, variant.met_at), language)


def taken_for_another(one: Replayed, variant: Replayed, language: str) -> ToldInstead | None:
    """Value that differs in the answers alone, if the user went on as before and was served later.

    What the system tells once they have said the replaced words again says nothing of the variant.
    """
    user_texts = [user_after(replayed) for replayed in (one, variant)]
    replaced = _changed_words(variant, one)
    if not all(user_texts) or user_texts[0][0] != user_texts[1][0] or not _repeats(replaced, user_texts[1]):
        return None
    return _told_another(one, variant, ((one.injected or 0) + 1, (variant.injected or 0) + 1), language)


def _told_another(
    one: Replayed, variant: Replayed, until: tuple[int, int], language: str
) -> ToldInstead | None:
    tongue, user = language.split("-")[0], "\n".join(_texts(one, "user", until[0]))
    mine, theirs = (
        _texts(replayed, "system", last) for replayed, last in zip((one, variant), until, strict=True)
    )
    echoed = _repeats(_changed_words(one, variant), theirs)
    filled = filling(mine[-1], theirs[-1], tongue)
    if filled and not echoed and set(filled[0].split()) & set(plain(user).split()):
        return ToldInstead(mine[-1], theirs[-1], certain=True)
    if not echoed and _renumbered(mine[-1], theirs[-1], set(numbers(user, tongue)), tongue):
        return ToldInstead(mine[-1], theirs[-1], certain=True)

    def folded(text: str) -> frozenset[str]:
        return frozenset(plain(text).split())

    kinds: tuple[tuple[_Read, _Read, bool], ...] = (
        (lambda text: numbers(text, tongue), lambda text: numbers(text, tongue), True),
        (lambda text: dates(text, tongue), lambda text: dates(text, tongue), True),
        (names, folded, False),
    )
    for in_system, in_user, certain in kinds:
        ours, their_values = set(in_system("\n".join(mine))), set(in_system("\n".join(theirs)))
        lost, new = (ours - set(in_user("\n".join(theirs)))) & set(in_user(user)), their_values - ours
        if lost and new and (certain or not echoed):
            return ToldInstead(
                next(text for text in reversed(mine) if lost & set(in_system(text))),
                next(text for text in reversed(theirs) if new & set(in_system(text))),
                certain and not echoed,
            )
    return None


def _changed_words(one: Replayed, variant: Replayed) -> str:
    """Words of the variant that replace the original's: from the first different one to the last."""
    mine, theirs = (
        plain(replayed.turns[replayed.injected or 0]["text"]).split() for replayed in (one, variant)
    )
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    return " ".join(theirs[changed[0][3] : changed[-1][4]]) if changed else ""


def _repeats(words: str, texts: Sequence[str]) -> bool:
    return bool(words) and any(f" {words} " in f" {plain(text)} " for text in texts)


def _texts(one: Replayed, party: str, last: int) -> list[str]:
    """Texts of a party up to a turn, inclusive."""
    return [turn["text"] or "" for turn in one.turns[: last + 1] if turn["party"] == party]


def user_after(one: Replayed) -> list[str]:
    """Text of the user after the utterance under test."""
    return [plain(turn["text"]) for turn in one.later if turn["party"] == "user"]


def _renumbered(mine: str, theirs: str, said: set[str], language: str) -> bool:
    """True if another number replaces one that the user said, `1 x rose, 5 euros` for `5 x`."""
    ours, their_words = plain(mine).split(), plain(theirs).split()
    for kind, low, high, start, end in SequenceMatcher(None, ours, their_words, autojunk=False).get_opcodes():
        if kind != "replace" or high - low != end - start:
            continue
        for number, instead in zip(ours[low:high], their_words[start:end], strict=True):
            was, now = set(numbers(number, language)), set(numbers(instead, language))
            if was & said and now and not was & now:
                return True
    return False
