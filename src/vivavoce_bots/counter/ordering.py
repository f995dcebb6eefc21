"""What is ordered in a turn: products with their amounts, and those that are not wanted."""

import re
from typing import Final

from vivavoce_bots.counter.wording import wording
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
    ones = rf"\b(?:{'|'.join(speech(hearing.language).numbers['one'])})\b"
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
        counted = re.sub(ones, "1", in_digits(clause, hearing.language, ordinals=False), flags=re.I)
        alone = _ALONE.fullmatch(counted)
        last = next(reversed(wanted), None)
        if alone and last is not None and wanted[last] is None:
            wanted[last], alone = int(alone[1]), None
        before = int(alone[1]) if alone else None
    return wanted, unwanted


_COMING: Final = ("friday", "saturday", "sunday", "monday", "tuesday", "wednesday", "thursday")


def before(day: str, other: str) -> bool:
    """Whether a day of the coming week lies before another; in these towns it is always Friday."""
    return _COMING.index(day) < _COMING.index(other)
