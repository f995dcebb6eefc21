"""What a counter serves, read from its file: errands with what each needs, values in words, sentences."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from vivavoce_bots.dialogue.clauses import clauses_of
from vivavoce_bots.dialogue.numbers import in_digits, number_meant
from vivavoce_bots.dialogue.opening import DAY, DAYS, TODAY, Clock
from vivavoce_bots.dialogue.speech import LANGUAGES, read_data, speech
from vivavoce_bots.dialogue.spotting import Entry, Spotter

Kind = Literal["choice", "day", "time", "number"]
_SPELT: Final = 1000
_ZERO: Final = re.compile(r"\b(?:zero|oh)\b", re.I)
_SPELLED: Final = re.compile(r"(?<!\d)\d(?:[ ,.-]{1,2}\d){3,4}(?!\d)")
_DIGITS: Final = re.compile(r"(?<![\d:.,])\d{1,6}(?!\d|[:.,]\d)")


@dataclass(frozen=True)
class Errand:
    """One thing that people come for: what must be known for it, and whether it is confirmed first.

    yields  another errand that was named besides is meant rather
    """

    needs: tuple[str, ...]
    confirmed: bool
    yields: bool
    phrases: Mapping[str, list[str]]


@dataclass(frozen=True)
class Need:
    """One thing to be known: values in words by language, or a day, a time, a number between two limits.

    leads  words before a value that tell which of several needs with the same values is meant
    units  words behind a number that make it this one, whatever was asked
    vague  words behind an errand that name nothing: a product
    """

    kind: Kind
    values: Mapping[str, Mapping[str, list[str]]]
    leads: Mapping[str, list[str]]
    units: Mapping[str, list[str]]
    low: int
    high: int
    vague: Mapping[str, list[str]]


@dataclass(frozen=True)
class Counter:
    """All that one counter knows.

    implied   the errand that is meant where only the value of this need was named
    goes_on   the errand that is meant where only the value of this need was named behind another errand
    kept      needs whose values hold for the next errand, too
    lasting   needs whose values hold for the whole visit: the number of a card
    carried   needs whose values hold behind an errand that only told something
    cheaper   phrases for the one of several that costs less
    facts     what it knows of its values, as its file has it
    """

    errands: Mapping[str, Errand]
    needs: Mapping[str, Need]
    implied: Mapping[str, str]
    goes_on: Mapping[str, str]
    kept: tuple[str, ...]
    lasting: tuple[str, ...]
    carried: tuple[str, ...]
    facts: Mapping[str, Any]
    sentences: Mapping[str, Mapping[str, str]]
    cheaper: Mapping[str, list[str]]

    def learn(self, spotter: Spotter, language: str) -> None:
        """Teach the phrases of this counter in one language."""
        for name, errand in self.errands.items():
            for phrase in errand.phrases[language]:
                spotter.learn(phrase, Entry("errand", None, name))
        holders: dict[str, list[str]] = {}
        for name, need in self.needs.items():
            for value, words in _words(need, language):
                holders.setdefault(words, []).append(name)
                for lead in need.leads.get(language, ()):
                    spotter.learn(f"{lead} {words}", Entry("value", name, value))
                spotter.learn(words, Entry("value", "|".join(holders[words]), value))

    def say(self, need: str, value: str, language: str) -> str:
        """A value in words."""
        known = self.needs[need].values.get(value)
        if known is not None and self.needs[need].kind == "choice":
            return known[language][0]
        return speech(language).slots[DAY]["values"][value][0] if value in DAYS else value

    def number(self, name: str, text: str, language: str, *, asked: bool) -> str | None:
        """The number in a text that answers a need; it counts unasked only before one of its units."""
        need = self.needs[name]
        plain = _AGES.sub(" ", in_digits(text, language))
        plain = plain if name == "train" else _DATES.sub(" ", plain)
        if need.low >= _SPELT:  # three three zero nine
            digits = _ones(language).sub("1", _ZERO.sub("0", plain))
            if _SPELLED.search(digits):
                plain = _SPELLED.sub(lambda found: re.sub(r"\D", "", found[0]), digits)
            runs = [one for one in _DIGITS.findall(plain) if need.low <= int(one) <= need.high]
            if runs and asked:
                return runs[-1]
        plain = _ones(language).sub("1", plain) if need.low <= 1 else plain
        units = need.units.get(language, [])
        counted = re.search(rf"(?<!\d)(\d{{1,6}}) (?:{'|'.join(units)})", plain, re.I) if units else None
        if counted:
            return counted[1]
        meant = number_meant(plain, language) if asked and _DIGITS.search(plain) else None
        return str(meant) if meant is not None else None


_AGES: Final = re.compile(
    r"\b\d+[ -](?:years?|months?)[ -]?(?:old)?\b|\b\d+ (?:anni|mesi)\b"
    r"|\b(?:s?he)(?:'s| is) (?:only |just )?\d+\b"
    r"|\bun'(?:ultima|altra) (?:cosa|domanda)\b|\bone (?:last|more|other) (?:thing|question)\b"
    r"|\b(?:is|isn't|was) there (?:one|any)\b|\b(?:ce n'è|c'è|ce ne sarebbe) un[oa]\b",
    re.I,
)
"""Ages are no packs; nor is `is there one?`."""
_DATES: Final = re.compile(r"\b\d+(?:st|nd|rd|th)\b", re.I)


_NOT_THEN: Final = re.compile(
    r"\b(?:not|non|niente)\s+(?:(?:the|at|one|quello|il|le|alle|delle|train)\s+)*\d{1,2}(?:[:.]\d\d)?\b", re.I
)
"""A time that is not wanted: the 12:20, not the 9:50."""
_PAST: Final = re.compile(r"\b([1-5]?\d)(?: minutes?)? past (1?\d|2[0-4])\b", re.I)
_AND: Final = re.compile(r"\b(1?\d|2[0-4]) e ([0-5]?\d)\b", re.I)
"""Minutes behind an hour: five past eight, le nove e cinquantacinque."""


def last_time(text: str, language: str, *, asked: bool) -> str | None:
    """The time of day that a text names last, such as 20:30."""
    clock = _clock(language)
    text = _NOT_THEN.sub(" ", text)
    text = _PAST.sub(lambda one: f"{one[2]}:{int(one[1]):02}", in_digits(text, language, ordinals=False))
    text = _AND.sub(lambda one: f"{one[1]}:{int(one[2]):02}", text) if language == "it" else text
    times = [clock.find(one, asked=asked) for one in clauses_of(text)]
    return next((one for one in reversed(times) if one), None) or clock.find(text, asked=asked)


@cache
def _clock(language: str) -> Clock:
    return Clock(language)


@cache
def _ones(language: str) -> re.Pattern[str]:
    """Words for one, which count where a number is awaited."""
    return re.compile(rf"\b(?:{'|'.join(speech(language).numbers['one'])})\b", re.I)


def _words(need: Need, language: str) -> list[tuple[str, str]]:
    """Every value with each of its phrases."""
    if need.kind != "day":
        return [(value, one) for value, words in need.values.items() for one in words[language]]
    known = speech(language).slots[DAY]
    today = DAYS.index(TODAY)
    return [
        *((day, one) for day in DAYS for one in known["values"][day]),
        *((TODAY, one) for one in known["today"]),
        *((DAYS[today + 1], one) for one in known["tomorrow"]),
    ]


@cache
def read_counter(name: str) -> Counter:
    """The counter of this name."""
    raw = read_data(name)
    errands = {
        key: Errand(
            tuple(one.get("needs", ())),
            bool(one.get("confirmed")),
            bool(one.get("yields")),
            {by: one[by] for by in LANGUAGES},
        )
        for key, one in raw["errands"].items()
    }
    needs = {
        key: Need(
            one.get("kind", "choice"), one.get("values", {}), one.get("leads", {}), one.get("units", {}),
            one.get("low", 1), one.get("high", 999_999), one.get("vague", {}),
        )
        for key, one in raw["needs"].items()
    }  # fmt: skip
    return Counter(
        errands,
        needs,
        raw["implied"],
        raw.get("goes_on", {}),
        tuple(raw["kept"]),
        tuple(raw.get("lasting", ())),
        tuple(raw.get("carried", ())),
        raw["facts"],
        raw["sentences"],
        raw.get("cheaper", {}),
    )
