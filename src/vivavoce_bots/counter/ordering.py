"""What is ordered in a turn: products with their amounts, and those that are not wanted."""

import re
from collections.abc import Sequence
from typing import Final

from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import speech

_LESS: Final = wording("ordering", "less")
_IDLE: Final = wording("ordering", "idle")
"""What is only told besides: together with the vitamins."""
_TAKEN_BACK: Final = wording("ordering", "taken_back")
_OUT: Final = wording("ordering", "out")
_RATHER: Final = wording("ordering", "rather")
"""The cough syrup, no the paracetamol."""
_COUNT: Final = re.compile(r"(?<![\d.,:])(\d)(?![\d.,:])(?: \w+){0,2}\W*$")
_BEHIND: Final = wording("ordering", "behind")
_ALONE: Final = wording("ordering", "alone")


def ordered_in(hearing: Hearing, heard: Heard) -> tuple[dict[str, int | None], set[str]]:
    """The products that are named with their amounts, and those that are not wanted."""
    wanted: dict[str, int | None] = {}
    unwanted: set[str] = set()
    before: int | None = None
    text, taken_back = _IDLE.sub(" ", heard.text), False
    for clause in re.split(r",\s+|\s+(?:and|e|ed|plus|più|but|ma)\s+|[.;!?:]\s*", text):
        taken_back = taken_back or (bool(wanted) and _TAKEN_BACK.match(clause) is not None)
        part = hearing.heard(clause)
        spans = [one for one in part.spans if one.entry.slot == "medicine"]
        for at, span in enumerate(spans):
            lead = " ".join(part.said[spans[at - 1].end if at else 0 : span.start])
            name = span.entry.value or ""
            if _OUT.search(clause) or (
                _LESS.search(lead + " ") and (name in wanted or not _RATHER.match(clause))
            ):
                unwanted.add(name)
                wanted.pop(name, None)
                continue
            ones = rf"\b(?:{'|'.join(speech(hearing.language).numbers['one'])})\b"
            count = _COUNT.search(
                re.sub(ones, "1", in_digits(lead, hearing.language, ordinals=False), flags=re.I)
            )
            tail = in_digits(" ".join(part.said[span.end :]), hearing.language, ordinals=False)
            behind = _BEHIND.search(tail)
            number = int(count[1]) if count else int(behind[1]) if behind else before
            if taken_back:  # eye drops, no, cough syrup
                wanted.clear()
                taken_back = False
            wanted[name] = number if number is not None else wanted.get(name)
        alone = _ALONE.fullmatch(in_digits(clause, hearing.language, ordinals=False))
        last = next(reversed(wanted), None)
        if alone and last is not None and wanted[last] is None:
            wanted[last], alone = int(alone[1]), None
        before = int(alone[1]) if alone else None
    return wanted, unwanted


_EVERY: Final = re.compile(r"\b(?:ogni|every) (?:due|tre|quattro|two|three|four|five|\d) \w+", re.I)
_WHAT_SUM: Final = re.compile(r"\b\d+(?:[.,]\d\d)? (?:what|cosa|che)\s*\?", re.I)
_AFTER_SUN: Final = re.compile(r"\bafter[- ]?sun\b(?: cream| lotion| gel| milk)?", re.I)
_PARTS: Final = re.compile(r"(?<=[.,;!?…])\s+")
_RETHINKS: Final = re.compile(
    r"\b(?:no|anzi|actually|rather|facciamo|i said|ho detto|meglio|make it)\b", re.I
)
_RECALLS: Final = re.compile(r"\b(?:did i say|or did|avevo detto|o ho detto)\b", re.I)


def as_meant(hearing: Hearing, text: str) -> str:
    """A turn without measures of stories and without days that were thought better of."""
    price = {"en": "How much is it?", "it": "Quanto costa?"}[hearing.language]
    text = _AFTER_SUN.sub("aftersun", _WHAT_SUM.sub(price, _EVERY.sub(" ", text)))
    parts = [one for one in _PARTS.split(text) if not _RECALLS.search(one)] or [text]
    text = " ".join(parts)
    named = [
        {one.value for one in hearing.heard(part).all("value") if one.slot == "day"} - {None}
        for part in parts
    ]
    days = [at for at, one in enumerate(named) if one and not parts[at].endswith("?")]
    if len(set().union(*named) if named else ()) < 2 or not days or not _RETHINKS.search(text):
        return text
    return " ".join(part for at, part in enumerate(parts) if not named[at] or at == days[-1])


def with_whole_names(text: str, named: Sequence[Sequence[str]], language: str) -> str:
    """A text with the names that were only begun: ibu... something."""

    def whole(found: re.Match[str]) -> str:
        if found[1] is None or names_nothing(found[1], language):
            return found[0]  # the... no
        begun = found[1].casefold()
        fits = [words[0] for words in named if any(one.casefold().startswith(begun) for one in words)]
        return fits[0] if len(fits) == 1 else found[0]

    return re.sub(r"\b(\w{3,})\.{2,}|\b(\w{3,})…", whole, text)


_COMING: Final = ("friday", "saturday", "sunday", "monday", "tuesday", "wednesday", "thursday")


def before(day: str, other: str) -> bool:
    """Whether a day of the coming week lies before another; in these towns it is always Friday."""
    return _COMING.index(day) < _COMING.index(other)
