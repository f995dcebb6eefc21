"""Day and time: when a venue is open, and which hour a caller means."""

import re
from typing import Final, NamedTuple

from vivavoce_bots.dialogue.speech import speech

DAY, TIME, HOURS = "day", "time", "hours"
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
TODAY: Final = "friday"  # the calendar of the towns stands still, so that the same call gets the same answers
_SPAN: Final = re.compile(r"(\w+day)(?:-(\w+day))?((?: \d\d:\d\d-\d\d:\d\d)+)")
_LAST_MORNING_HOUR: Final = 11
_NOT_THEN: Final = re.compile(
    r"\b(?:not (?:at night|in the (?:evening|morning|afternoon))|"
    r"(?:at |alle |all')?[\w:]+ (?:o'clock )?(?:is|'s|would be|è|sarebbe) "
    r"(?:a bit |too |far too |un po' |troppo )?(?:late|early|tardi|presto)|"
    r"non (?:di notte|(?:di|la) sera|(?:di|la) mattina))\b"
)
_CLOSED: Final = re.compile(r"\b(?<!not )(?<!isn't )(?<!non è )(?:closed|shut|chius[oaie])\b", re.I)
_UNTIL: Final = re.compile(
    r"\b(?:when|what time|until|till|how late|quando|che or[ae]|orari\w?|fino a)\b", re.I
)
"""Words of questions for the hours of a day."""
_OPEN: Final = re.compile(
    r"\b(?:is|are|will) (?:it|they|that)(?: be)?(?: still)? open\b|"
    r"\b(?:è|sono|sarà)(?: ancora)? apert[oaie]\b",
    re.I,
)
_SO: Final = re.compile(
    r".*\b(?:so|then|make it|let's say|say|quindi|allora|perciò|facciamo|diciamo)\b,? (?P<rest>[^.;?!]+)",
    re.I | re.S,
)
"""What is concluded from what was told."""
_ISH: Final = re.compile(r"(?:\bat |\baround |\babout )?\b(\d{1,2}(?: ?[:.]? ?\d\d)?)[- ]?ish\b")
_NUMBER: Final = r"([01]?[0-9]|2[0-4])"


class Opening(NamedTuple):
    """When a venue is open: minutes from midnight, by day."""

    spans: tuple[tuple[str, int, int], ...]

    def covers(self, day: str | None, time: str | None) -> bool:
        """Whether it is open on this day at this time; null: on any, at any."""
        minute = None if time is None else _minute(time)
        return any(
            day in (None, one) and (minute is None or begin <= minute < end) for one, begin, end in self.spans
        )


def read_opening(text: str) -> Opening | None:
    """Opening hours such as `tuesday-sunday 12:00-15:00 18:00-23:00`; null where they are not written so."""
    spans: list[tuple[str, int, int]] = []
    for first, last, hours in _SPAN.findall(text):
        if first not in DAYS or (last or first) not in DAYS:
            return None
        days = DAYS[DAYS.index(first) : DAYS.index(last or first) + 1]
        for span in hours.split():
            begin, end = map(_minute, span.split("-"))
            spans += [(day, begin, end) for day in days]
    return Opening(tuple(spans)) if spans else None


def _minute(time: str) -> int:
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)


def relative_day(day: str | None, language: str) -> str | None:
    """A day as one says it today: `tomorrow`; null for days that are further off."""
    offset = (DAYS.index(day) - DAYS.index(TODAY)) % len(DAYS) if day in DAYS else len(DAYS)
    known = speech(language).slots[DAY]
    return known[("today", "tomorrow")[offset]][0] if offset <= 1 else None


class Clock:
    """Finds the time of day in a text of one language."""

    def __init__(self, language: str) -> None:
        self._words = words = speech(language).time
        self._today = speech(language).slots[DAY]["today"]
        self._spoken = {word: str(at) for at, word in enumerate(words["numbers"], 1)}
        before, half, quarter = _any(words["before"]), _any(words["half"]), words["quarter"]
        past, to = _any(words["past"]), _any(words["to"])
        marks = _any([*words["oclock"], *words["morning"], *words["later"]])
        number = rf"(?P<hour>{_NUMBER[1:-1]})"
        self._forms = [
            (re.compile(form), minutes)
            for form, minutes in (
                (rf"\b{number} ?[:.h] ?(?P<minute>[0-5][0-9])\b", 0),
                (rf"\b{half} {number}\b|\b(?P<other>{_NUMBER[1:-1]}) {half}\b", 30),
                (rf"\b{quarter} {past} {number}\b|\b(?P<other>{_NUMBER[1:-1]}) {past} {quarter}\b", 15),
                (rf"\b{quarter} {to} {number}\b|\b(?P<other>{_NUMBER[1:-1]}) {to} {quarter}\b", -15),
                (rf"\b{before} {number}(?: (?:{past} )?(?P<minute>[0-5][0-9]))?\b", 0),
                (rf"\b{number} ?{marks}(?!\w)", 0),
            )
        ]
        self._bare = re.compile(rf"\b{number}(?: (?P<minute>[0-5][0-9]))?\b")
        counted = "|".join(words["counted"])
        self._dated = re.compile(
            rf"(?:day|dì|sabato|domenica|night|morrow|sera|domani),? {number}\b(?! ?[\d:])"
        )
        self._counted = re.compile(rf"\b\d+[ -](?:{counted})\b|\b(?:{counted}) \d+\b")

    def find(self, text: str, *, asked: bool, dated: bool = False) -> str | None:
        """The time that a text names, such as 20:30.

        asked  it was asked for: a bare number or part of the day counts; dated: a part of the day does,
               since the text names the day, too
        """
        if concluded := _SO.match(text):
            concluded_at = self.find(concluded["rest"], asked=asked, dated=dated)
            if concluded_at:
                return concluded_at  # it ends at nine, so ten
        plain = text.lower().replace("ish", " ish") if "ish" in text.lower() else text.lower()
        plain = re.sub(r"[^\W\d_]+", lambda word: self._spoken.get(word[0], word[0]), plain)
        plain = _ISH.sub(r" at \1 ", plain)
        plain = _NOT_THEN.sub(" ", plain)
        plain = self._counted.sub(" ", plain)  # twelve people are no twelve o'clock
        forms = [*self._forms, (self._dated, 0), *([(self._bare, 0)] if asked else [])]
        for form, minutes in forms:
            found = form.search(plain)
            if found:
                parts = found.groupdict()
                return self._told(int(parts["hour"] or parts["other"]), parts.get("minute"), minutes, plain)
        parts = self._words["parts"] if asked or dated else {}
        if not asked:  # tonight tells the day alone
            parts = {at: [name for name in names if name not in self._today] for at, names in parts.items()}
        named = {**self._words["exact"], **parts}
        return next((at for at, names in named.items() if _names(names, plain)), None)

    def _told(self, hour: int, minute: str | None, more: int, plain: str) -> str:
        later = _names(self._words["later"], plain)
        morning = not later and _names(self._words["morning"], plain)
        if 0 < hour < _LAST_MORNING_HOUR + later and not morning:
            hour += 12
        at = (60 * hour + int(minute or 0) + more) % (24 * 60)
        return f"{at // 60:02}:{at % 60:02}"


def _any(words: list[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"


def _names(words: list[str], text: str) -> bool:
    return bool(words) and re.search(rf"(?<![^\W\d_]){_any(words)}(?!\w)", text) is not None


def tells_closed(text: str) -> bool:
    """Whether a text tells that something is closed: closed on Mondays, typical."""
    return _CLOSED.search(text) is not None


def asks_open(text: str) -> bool:
    """Whether a text asks whether something is open, be it without a mark."""
    return _OPEN.search(text) is not None


def asks_until(text: str) -> bool:
    """Whether a text asks for the hours of a day, not whether it is open then."""
    return _UNTIL.search(text) is not None


def half_a_day(time: str | None, other: str) -> bool:
    """Whether two times are the same hour of morning and evening: at ten. In the morning."""
    found = [int(one[:2]) for one in (time or "", other) if ":" in one]
    return len(found) == 2 and abs(found[0] - found[1]) == 12 and (time or "")[2:] == other[2:]
