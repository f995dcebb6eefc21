"""Which errand a turn names, begins or goes on with; a question, a story or a lone number begins none."""

from collections.abc import Collection
from typing import ClassVar, Final

from vivavoce_bots.counter.accounts import CounterAccounts
from vivavoce_bots.counter.naming import ALSO, NO_NAMES
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN, strange_name
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of, tells_number
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind
from vivavoce_bots.dialogue.speech import is_question

_LONGEST_NAME: Final = 2
_BARE: Final = 2  # words of an errand that stands by itself: what was spoken of is meant
_SHORT_TURN: Final = 4
_DIGITS: Final = 1000  # the number of a card: whatever else is said, it counts
WISHES: Final = wording("errands", "wishes")
"""Words of who wants to be told something."""


class CounterErrands(CounterAccounts):
    """The part of a counter that finds the errand of a turn."""

    spared: ClassVar[frozenset[str]] = frozenset()
    """Needs without which they can be told beside another errand."""

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; none that it only tells of: I will look for it myself."""
        errand = self.hearer.errand(session, heard)
        told = errand in {*self.informs, *self.searches} and not WISHES.search(heard.text)
        told = told and not is_question(heard.text, session.language) and not {*found} & {*self.counter.kept}
        parts = (self._heard(session, one) for one in clauses_of(heard.text))
        told = told and not any(one.all("errand") and not one.rest for one in parts)  # yes! Lost property
        told = told and len(heard.said) > _BARE and not self.counter.errands[errand or ""].yields
        if told and (session.errand is not None or (not found and session.served)):
            return None
        return errand

    def _errand(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that was named, or is gone on with: no, I mean the other book."""
        errand, language = self.named(session, heard, found), session.language
        if errand and self.counter.errands[errand].yields and found:  # a fever. What about aspirin?
            parts = [self._hearing[language].heard(one) for one in sentences_of(heard.text)]
            errand = (
                None if any(not one.all("errand") and self.values(session, one) for one in parts) else errand
            )
        yields = [one.value for one in heard.all("errand") if self.counter.errands[one.value or ""].yields]
        if errand in self.informs and yields and not found and session.asking is None:
            told = set(session.form) & set(self.counter.kept) and PRONOUN[language].search(heard.text)
            told = told or self._strange_name(session, heard, errand, found)
            errand = errand if told else yields[0]  # have you got something for a cold?
        asked = self.counter.needs.get(session.asking or "")
        if asked and asked.kind == "number" and session.asking in found and errand != session.errand:
            errand = errand if is_question(heard.text, language) else None  # let me find it: 2083
        if errand is not None or session.errand is not None or session.lately is None:
            return errand
        kept, goes_on = self.counter.kept[0], heard.did("negate", "not", "wrong") or ALSO.search(heard.text)
        if kept in found and goes_on and kept in self.counter.errands[session.lately].needs:
            return session.lately
        both = {"day", *session.form} >= set(found) and session.last is not None
        goes_on = heard.did("affirm") and self._going_on(session, heard)
        if (
            "day" in found
            and both
            and not goes_on
            and self._echoes(session, found["day"])
            and session.lately != "hours"
        ):
            return session.lately if self._asks_only(session.lately, session.form) else None
        if set(found) == {"class"} and session.lately in self.informs:  # and in first?
            return session.lately
        return None

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """Whether values alone begin an errand: not those of a story, nor a day of who comes then."""
        if set(found) == {"day"}:
            return len(heard.said) <= _SHORT_TURN
        return True

    def _last_day(self, need: str) -> tuple[bool, bool]:
        """A day implies an errand only where nothing else does; what is done comes before what is told."""
        return self.counter.needs[need].kind == "day", self.counter.implied[need] in self.informs

    def _going_on(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What goes on with the errand before: a number or a day of what was spoken of last."""
        if session.errand is not None or not set(session.form) & set(self.counter.kept):
            return {}
        if "?" in heard.text or is_question(heard.text, session.language):  # ten euros? on Sunday?
            return {}
        if not self.goes_on(session, heard):
            return {}
        found = {
            name: one for name, one in self.values(session, heard).items() if name in self.counter.goes_on
        }
        brief = [one for one in clauses_of(heard.text) if len(one.split()) <= _SHORT_TURN]
        counted = [one for one in brief if tells_number(one, session.language)]
        if len(heard.said) > 2 * _SHORT_TURN and not found.keys() - {"day"}:
            return {}
        short = " ".join(heard.said if len(heard.said) <= _SHORT_TURN else heard.rest)
        short = counted[-1] if counted and len(heard.said) > _SHORT_TURN else short
        for name in self.counter.goes_on:
            counts = self.counter.needs[name].low >= _DIGITS or len(short.split()) <= _SHORT_TURN
            if self.counter.needs[name].kind == "number" and counts and not heard.all("errand"):
                number = self.counter.number(name, short, session.language, asked=True)
                need = self.counter.needs[name]
                fits = number and need.low <= int(number) <= need.high and session.form.get(name) != number
                found |= {name: number} if number and fits else {}
        return found

    def goes_on(self, session: Visit, heard: Heard) -> bool:
        """Whether a number or a day may go on with what was spoken of."""
        return True

    def _echoes(self, session: Visit, day: str) -> bool:
        """Whether a day was just told."""
        says = self.counter.say("day", day, session.language).casefold()
        return session.last is not None and says in session.last.text.casefold()

    def _day_aside(self, session: Visit, heard: Heard) -> bool:
        """Whether a day alone asks for nothing: see you tomorrow, Saturday was tomorrow, right?"""
        if self.counter.implied.get("day") not in self.informs:
            return False
        told = any(self._echoes(session, one.value or "") for one in heard.all("value"))
        return leaves_behind(heard) or (told and session.lately != self.counter.implied["day"])

    def _asks_only(self, name: str, known: Collection[str]) -> bool:
        """Whether an errand only tells something, and all that it needs is known."""
        needs = set(self.counter.errands[name].needs) - self.spared
        return name in self.informs and needs <= set(known)

    def _strange(self, session: Visit, heard: Heard) -> str | None:
        """A name that is nothing this counter knows, where hardly more is said; None where there is none."""
        if session.asking is not None or session.confirming or "?" in heard.text:
            return None
        first = heard.text.split(",")[0]
        said, spans = self._hearing[session.language].find(first)
        unknown = (
            not set(said) & NO_NAMES
            and 0 < len(said) <= _LONGEST_NAME
            and set(said) <= set(heard.rest)
            and not spans
            and first.upper() != first.lower()
        )
        return first.strip(" .!") if unknown and "not_known" in self.words(session) else None

    def _strange_name(
        self, session: Visit, heard: Heard, errand: str | None, found: dict[str, str]
    ) -> str | None:
        """What is named as what an errand is about, and is nothing that this counter knows."""
        words, hearing = self.words(session), self._hearing[session.language]
        return strange_name(self.counter, hearing, words, session, heard, errand, found)

    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        return self._strange_name(session, heard, errand, found)
