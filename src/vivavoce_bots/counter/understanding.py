"""What a counter hears in a turn: which errand, and what was named for what it needs."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.counter.matter import Counter, last_time
from vivavoce_bots.counter.naming import NO_NAMES
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits, number_meant
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import Span, breaks
from vivavoce_bots.dialogue.talk import Talk

_SHORT: Final = 2  # letters that are no name
_NEAR: Final = 3  # small words that may stand between an errand and what it is about
_DIGITS: Final = 1000  # the number of a card or a booking: two hours late are none
_INFINITIVE: Final = re.compile(r"(?:[aei]r(?:e|l[aeio]|mi|ti|ci|si|ne))$")
_CHOICE: Final = 5  # words of who picks one of several by its number: two girls are none
_NOW: Final = ("now", "adesso", "ora")  # hardly a day
_RATHER: Final = re.compile(r"\b(?:make (?:it|that)|actually|rather|anzi|facciamo|meglio|piuttosto)\b", re.I)
_NAMING: Final = frozenset(
    ("about", "by", "on", "called", "a", "an", "the",
     "il", "la", "lo", "l'", "su", "sul", "sulla", "sulle", "sui", "sugli", "di")
)  # fmt: skip


@dataclass
class Visit(Talk):
    """The errand that is being settled, what is known for it, what was asked last, and what was done.

    offered  the values that were listed last, in their order: `the second` is one of these
    sought   the errand for which something was named last that nobody knows
    lately   the errand that was done last
    also     values that were named beside the one in the form, for the same errand
    lastly   what was said of the last errand that changed something; account: its form
    wonders  what was asked for amid an errand, and is told as soon as that is known
    order    things of one order with their amounts, None where none was told; placed: orders that are done
    shown    what was offered, and need not be offered again; unknown: names that nobody knew
    besides  whether this turn asks something, too; inquires: something that an errand tells of what is named
    was_asking  what was asked before this turn
    opens    the errand that this turn begins; other: whether it asks for another one
    part     the part of the day that was named; after: from when on, by: till when to be there, in minutes
    repays   whether this turn asks for money back
    late     whether the first train is too early; listed: whether this turn listed the trains
    own      whether they have the book at home; home: titles that they have there
    spoken   the title that this turn names last; turn: its text; met: how many unknown names came before it
    picked   the turn in which a choice was made for them
    back     whether they come back by train
    """

    errand: str | None = None
    form: dict[str, str] = field(default_factory=dict)
    asking: str | None = None
    confirming: bool = False
    served: int = 0
    offered: tuple[str, ...] = ()
    done: dict[str, str] = field(default_factory=dict)
    sought: str | None = None
    lately: str | None = None
    also: tuple[str, ...] = ()
    lastly: str = ""
    account: dict[str, str] = field(default_factory=dict)
    wonders: str | None = None
    order: dict[str, int | None] = field(default_factory=dict)
    placed: list[tuple[dict[str, int], str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    besides: bool = False
    inquires: bool = False
    own: bool = False
    home: list[str] = field(default_factory=list)
    spoken: str = ""
    turn: str = ""
    met: int = 0
    picked: str = ""
    back: bool = False
    opens: str | None = None
    part: str = ""
    after: int = 0
    by: int = 0
    repays: bool = False
    listed: bool = False
    was_asking: str | None = None
    late: bool = False
    other: bool = False


def _may_be_place(word: str, text: str) -> bool:
    """Whether a word behind `to` may name a place: none is written small where others have capitals."""
    if re.search(rf"\b{re.escape(word.title())}\b", text) or text.isupper():
        return True
    capitals = [one for one in re.findall(r"(?<=[\w,] )[A-ZÀ-Ý]\w+", text) if one != "I"]
    return not capitals and not _INFINITIVE.search(word)


class CounterHearing:
    """Hears for one counter; `informs`: errands that only tell something."""

    def __init__(self, counter: Counter, informs: Collection[str]) -> None:
        self._counter, self._informs = counter, informs

    def named(self, heard: Heard, language: str, need: str) -> str | None:
        """A word that nothing explains, beside an errand or behind a word that leads to the need."""
        known = self._counter.needs[need]
        vague, leads = known.vague.get(language, ()), known.leads.get(language, ())
        strange = [
            at
            for at, word in enumerate(heard.said)
            if word in heard.rest
            and len(word) > _SHORT
            and not word.endswith("'")
            and word not in NO_NAMES
            and in_digits(word, language) == word
        ]
        if leads:
            behind = [heard.said[at] for at in strange if at and heard.said[at - 1] in leads]
            behind = [one for one in behind if _may_be_place(one, heard.text)]
            return behind[0].title() if behind else None
        for errand in (span for span in heard.spans if span.entry.kind == "errand"):
            behind = next((at for at in strange if at >= errand.end), None)
            near = behind is not None and behind - errand.end <= _NEAR
            named = behind if near else 0 if strange[:1] == [0] and errand.start == 1 else None
            if named is not None and heard.said[named] not in vague and self._is_name(heard, named):
                return heard.said[named]
        return None

    def _is_name(self, heard: Heard, at: int) -> bool:
        """Whether a word nobody knows names something: it is written as a name, or hardly more is said."""
        word = heard.said[at]
        written = re.search(rf"\b{re.escape(word)}\b", heard.text, re.I)
        capital = written is not None and written[0][:1].isupper() and written.start() > 0
        behind = at > 0 and heard.said[at - 1] in _NAMING
        return capital or behind or (len(heard.rest) == 1 and len(word) > 2)

    def spans(self, session: Visit, heard: Heard) -> list[Span]:
        """The places of errands that are wanted; none of `four hours`."""
        refused = heard.refused("errand")
        spans = [one for one in heard.spans if one.entry.kind == "errand" and one not in refused]
        begins = breaks(heard.text)  # it is 51220. Refund
        return [
            one
            for one in spans
            if one.end - one.start > 1
            or not one.start
            or one.start in begins
            or not in_digits(heard.said[one.start - 1], session.language).isdigit()
        ]

    def errand(self, session: Visit, heard: Heard) -> str | None:
        """The errand that was named; one that a bare value implies only where no other was."""
        spans = self.spans(session, heard)
        named = [one.entry.value for one in spans if one.entry.value is not None]
        named = [one for one in named if not self._counter.errands[one].yields] or named
        telling = [one for one in named if one not in self._counter.implied.values()]
        if not is_question(heard.text, session.language):  # at that price, put one aside
            acting = [one for one in named if self._counter.errands[one].confirmed]
            telling = acting or telling
        asked = [one for one in named if one in self._informs and not self._counter.errands[one].needs]
        if asked and len(named) > 1 and is_question(heard.text.split(",")[-1], session.language):
            return asked[0]
        return next(iter(telling or named), None)

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named, by need; what stands behind a `not` was not."""
        language, found = session.language, dict[str, str]()
        refused = heard.refused("value")
        bare: list[tuple[list[str], str]] = []
        for span in heard.spans:
            if span.entry.kind != "value" or span in refused:
                continue
            names, value = (span.entry.slot or "").split("|"), span.entry.value or ""
            if names == ["day"] and session.asking != "day" and heard.said[span.start] in _NOW:
                continue
            if len(names) == 1:
                found[names[0]] = value
            else:
                bare.append((names, value))
        self._place(session, bare, found)
        found = found or self._told_early(session, heard)
        named = self.errand(session, heard) if session.errand is None else None
        numbers = (
            [one for one in self._counter.errands[named].needs if self._counter.needs[one].kind == "number"]
            if named
            else []
        )
        text, counter = heard.text, self._counter
        for name, need in counter.needs.items():
            asked = session.asking == name
            if need.kind == "time" and (time := last_time(text, language, asked=asked)):
                found[name] = time
            if need.kind == "number" and (number := counter.number(name, text, language, asked=False)):
                found[name] = number
        counted = any(counter.needs[name].kind == "number" for name in found)
        asked_need = counter.needs.get(session.asking or "")
        if counted and asked_need is not None and asked_need.kind == "number" and session.asking not in found:
            for units in (need.units.get(language, []) for need in counter.needs.values()):
                if units:  # the second one, for two people
                    text = re.sub(rf"\w+ (?:{'|'.join(units)})\b", "", text, flags=re.I)
            counted = False
        rather = heard.did("negate", "wrong") or (session.confirming and _RATHER.search(text) is not None)
        awaited = asked_need is not None and asked_need.kind == "number"  # no, he stays; one
        if session.errand is not None and rather and not awaited:  # no, make that three
            numbers = [one for one in session.form if counter.needs[one].kind == "number"]
        numbers = numbers if len(numbers) == 1 else []
        named_by = {at for one in heard.spans if one.entry.kind == "value" and one.end - one.start > 1
                    for at in range(one.start, one.end)}  # fmt: skip
        if named_by:  # second class is no number
            text = " ".join(word for at, word in enumerate(heard.said) if at not in named_by)
        for name in [*numbers, session.asking or ""] if not counted and "time" not in found else ():
            need = counter.needs.get(name)
            if (
                need
                and need.kind == "number"
                and (number := counter.number(name, text, language, asked=True))
                and (name == session.asking or need.low < _DIGITS or int(number) >= need.low)
            ):
                found[name] = number
                found = self._counted(session, heard, name, found)
        chosen = not found and (len(heard.said) <= _CHOICE or in_digits(text, language) != in_digits(
            text, language, ordinals=False))  # fmt: skip
        number = number_meant(in_digits(heard.text, language), language) if chosen else None
        if number and number <= len(session.offered) and session.asking in (None, *self._counter.kept):
            found[self._counter.kept[0]] = session.offered[number - 1]
        return found

    def _told_early(self, session: Visit, heard: Heard) -> dict[str, str]:
        """A number alone that is no answer to what was asked, and one to what the errand needs besides."""
        asked = self._counter.needs.get(session.asking or "")
        number = number_meant(in_digits(heard.text, session.language), session.language)
        if session.errand is None or asked is None or asked.kind == "number" or number is None:
            return {}
        if session.offered and number <= len(session.offered):
            return {}
        needs = self._counter.errands[session.errand].needs
        fits = [
            one
            for one in needs
            if self._counter.needs[one].kind == "number"
            and one not in session.form
            and self._counter.needs[one].low <= number <= self._counter.needs[one].high
        ]
        return {fits[0]: str(number)} if len(fits) == 1 else {}

    def put_over(self, session: Visit, heard: Heard, found: dict[str, str]) -> None:
        """A value that another one puts out goes to the need that was asked: Naples; from Rome."""
        asked = session.asking
        if asked is None or asked in found or heard.did("not", "negate", "wrong"):
            return
        values = self._counter.needs[asked].values
        moved = [
            session.form[one]
            for one in found
            if session.form.get(one, found[one]) != found[one] and self._counter.needs[one].values == values
        ]
        found |= {asked: moved[0]} if values and moved else {}

    def _counted(self, session: Visit, heard: Heard, number: str, found: dict[str, str]) -> dict[str, str]:
        """What was named, without what the word for a number means besides: `the first` is no class."""
        if session.asking != number:
            return found
        ordinals = {
            span.entry.slot for span in heard.spans
            if span.entry.kind == "value" and span.end - span.start == 1
            and in_digits(heard.said[span.start], session.language) != heard.said[span.start]
        }  # fmt: skip
        return {name: value for name, value in found.items() if name == number or name not in ordinals}

    def _place(self, session: Visit, bare: list[tuple[list[str], str]], found: dict[str, str]) -> None:
        """Values that several needs have: for the one that was asked; two at once in their order."""
        bare = [one for one in bare if one[1] not in [found.get(name) for name in one[0]]]
        bare = [one for at, one in enumerate(bare) if one not in bare[:at]]  # Bologna. Yes, Bologna
        if session.asking is None and not session.confirming and len(bare) == 1:  # Milan, as before
            bare = [one for one in bare if one[1] not in [session.form.get(name) for name in one[0]]]
        for at, (names, value) in enumerate(bare):
            free = [one for one in names if one not in found]
            if session.asking in free:
                found[session.asking] = value
            elif free:
                open_ = [one for one in free if one not in session.form] or free
                found[open_[0] if len(bare) - at > 1 else open_[-1]] = value
