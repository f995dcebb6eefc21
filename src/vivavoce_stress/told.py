"""What a system tells with a variant, held against what it tells with the original: the same, or another.

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
    for one in reached:
        if one.answer is None or one.met_at != (one.injected or 0) + 1:
            return None
        mine = one.answer["text"]
        facts = numbers(mine, tongue) or dates(mine, tongue)
        if not facts or compare(mine, answer["text"], language).found:
            return None
    return answer["text"]


class ToldInstead(NamedTuple):
    """What was told with the original, and what instead with the variant; whether that is surely another."""

    original: str
    variant: str
    certain: bool


def told_instead(one: Replayed, variant: Replayed, language: str) -> ToldInstead | None:
    """Where a system that was done told another number, date, name or filling than with the original.

    It must be one that the user said, that the system repeated to them, and that it repeats nowhere with the
    variant. Where it repeats what the variant has in its place, a person must see whether that is the same.

    Empty  none, or nobody knows by which words it told that it was done: None
    """
    if one.met_at is None or variant.met_at is None:
        return None
    return _told_another(one, variant, (one.met_at, variant.met_at), language)


def taken_for_another(one: Replayed, variant: Replayed, language: str) -> ToldInstead | None:
    """The same of the answers alone, where the user went on as after the original's, and was served later.

    What the system tells once they have said the replaced words again says nothing of the variant.
    """
    said = [user_after(each) for each in (one, variant)]
    replaced = _changed_words(variant, one)
    if not all(said) or said[0][0] != said[1][0] or not _repeats(replaced, said[1]):
        return None
    return _told_another(one, variant, ((one.injected or 0) + 1, (variant.injected or 0) + 1), language)


def _told_another(
    one: Replayed, variant: Replayed, until: tuple[int, int], language: str
) -> ToldInstead | None:
    tongue, user = language.split("-")[0], "\n".join(_texts(one, "user", until[0]))
    mine, theirs = (_texts(each, "system", last) for each, last in zip((one, variant), until, strict=True))
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
    for told, said, certain in kinds:
        ours, other = set(told("\n".join(mine))), set(told("\n".join(theirs)))
        lost, new = (ours - set(said("\n".join(theirs)))) & set(said(user)), other - ours
        if lost and new and (certain or not echoed):
            return ToldInstead(
                next(text for text in reversed(mine) if lost & set(told(text))),
                next(text for text in reversed(theirs) if new & set(told(text))),
                certain and not echoed,
            )
    return None


def _changed_words(one: Replayed, variant: Replayed) -> str:
    """What the variant has in place of the original's words: from the first that differs to the last."""
    mine, theirs = (plain(each.turns[each.injected or 0]["text"]).split() for each in (one, variant))
    codes = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    return " ".join(theirs[changed[0][3] : changed[-1][4]]) if changed else ""


def _repeats(words: str, texts: Sequence[str]) -> bool:
    return bool(words) and any(f" {words} " in f" {plain(text)} " for text in texts)


def _texts(one: Replayed, party: str, last: int) -> list[str]:
    """What a party said up to a turn, that one included."""
    return [turn["text"] or "" for turn in one.turns[: last + 1] if turn["party"] == party]


def user_after(one: Replayed) -> list[str]:
    """What the user said after the utterance under test."""
    return [plain(turn["text"]) for turn in one.later if turn["party"] == "user"]


def _renumbered(mine: str, theirs: str, said: set[str], language: str) -> bool:
    """Whether another number stands in the place of one that the user said, `1 x rose, 5 euros` for `5 x`."""
    ours, other = plain(mine).split(), plain(theirs).split()
    for kind, low, high, start, end in SequenceMatcher(None, ours, other, autojunk=False).get_opcodes():
        if kind != "replace" or high - low != end - start:
            continue
        for one, instead in zip(ours[low:high], other[start:end], strict=True):
            was, now = set(numbers(one, language)), set(numbers(instead, language))
            if was & said and now and not was & now:
                return True
    return False
