"""How people put right what they say while they say it: one box, or rather two."""

import re
from collections.abc import Callable
from typing import Final

from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.numbers import in_digits

_COUNT: Final = r"(?:one|two|three|four|five|an?|un[oa]?|due|tre|quattro|cinque|[1-5])(?![\w'])(?![.,:]\d)"
_UNIT: Final = (
    r"(?:\s+(?:packs?|packets?|box(?:es)?|bottles?|scatol[ae]|confezion[ei]|pacchett[oi]|flacon[ei]))?"
)
_RATHER: Final = wording("amends", "rather")
_AMOUNTS: Final = re.compile(
    rf"\b(?P<was>{_COUNT})(?P<unit>{_UNIT})[\s,.;…-]+(?:{_RATHER.pattern})[\s,.…]*(?P<now>{_COUNT})(?P<of>{_UNIT})",
    re.I,
)
_AMOUNTS_BEHIND: Final = re.compile(
    rf"\b(?P<was>{_COUNT})(?P<unit>{_UNIT})(?P<what>(?:\s+[\w']+){{1,4}})[\s,.;…-]+(?:{_RATHER.pattern})[\s,.…]*"
    rf"(?P<now>{_COUNT})(?P<of>{_UNIT})(?=\s*(?:[,.;!?…]|$)|\s+(?:for|per|che|so|please|then|allora)\b)",
    re.I,
)
"""One box of plasters, no, two."""
_TAGS: Final = wording("amends", "tags")
"""Questions that want no answer: you know?"""
_NO_DAY: Final = wording("amends", "no_day")
_PRICE: Final = re.compile(r"\b\d{1,2}[.,]\d\d\b")
_FETCHES: Final = wording("amends", "fetches")
_BUSY: Final = wording("amends", "busy")
"""What people do on a day on which they do not come."""
_PARTS: Final = re.compile(
    r"(?<=[,.;:!?])\s+|…|\.{2,}|\s+(?=(?:and|but|so|then|e|ma|però|quindi|anzi|che|because|since)\s)"
)


def corrected(text: str) -> str:
    """A text with the last of amounts that are put right at once, and without empty questions."""
    text = _NO_DAY.sub("no, ", _TAGS.sub(".", text))
    for _ in range(2):
        text = _AMOUNTS.sub(lambda one: f"{one['now']}{one['of'] or one['unit']}", text)
        text = _AMOUNTS_BEHIND.sub(lambda one: f"{one['now']}{one['of'] or one['unit']}{one['what']}", text)
    return text


def day_meant(text: str, days_in: Callable[[str], str | None]) -> str | None:
    """The day on which somebody comes, of those that a text names; None where they only tell of a day.

    days_in  the day that a part of the text names
    """
    best: tuple[int, str] | None = None
    for sentence in sentences_of(text):
        for part in _PARTS.split(sentence):
            if not part or (day := days_in(part)) is None:
                continue
            weight = 3 if _FETCHES.search(part) else 0 if _BUSY.search(part) else 2
            weight = 1 if sentence.endswith("?") and weight else weight
            if weight and (best is None or weight >= best[0]):
                best = weight, day
    return best[1] if best else None


def without_price(text: str, last: str, language: str) -> str:
    """A text without a price that was told a turn ago and is only said again: seven thirty, my word."""
    prices = {tuple(one.replace(",", ".").split(".")) for one in _PRICE.findall(last)}
    words = text.split() if prices else []
    for length in (4, 3, 2):
        for at in range(len(words) - length + 1):
            part = " ".join(words[at : at + length]).strip(" .,;:!?…")
            digits = tuple(re.findall(r"\d+", in_digits(part, language, ordinals=False)))
            plain = len(re.sub(r"[\d\W]|\b(?:and|e|euros?|point)\b", "", in_digits(part, language))) == 0
            if digits in prices and plain:
                return " ".join([*words[:at], *words[at + length :]])
    return text
