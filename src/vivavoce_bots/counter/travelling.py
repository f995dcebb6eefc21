"""What a train desk hears: stations, a day, a train by its number or its time, passengers, a class."""

import re
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.matter import last_time
from vivavoce_bots.counter.timetable import as_said
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question

_MOST_TRAINS: Final = 5
_EARLY_LATE: Final = {
    "en": {"early": ["(early|earliest|earlier) (one|train|)", "the morning one", "(the|) morning train",
                     "the first",
                     "the first one"],
           "late": ["(late|latest|later) (one|train|)", "the evening one", "the last",
                    "the last one"]},
    "it": {"early": ["(quello|il) (presto|più presto|della mattina|di mattina)",
                     "(il treno|treno) (del mattino|della mattina)", "il primo", "presto"],
           "late": ["(quello|il) (tardi|più tardi|della sera|di sera)", "l'ultimo", "tardi"]},
}  # fmt: skip
CLASS: Final = wording("trains", "class")
ORDER: Final = ("first", "second", "third", "fourth", "", "primo", "secondo", "terzo", "quarto")
NTH: Final = wording("trains", "nth")
CLASS_WORD: Final = re.compile(r"\bclass", re.I)
_FOR_TWO: Final = wording("trains", "for_two")
_FIRST_HOUR: Final = 7  # what is earlier is meant in the afternoon
_STORY: Final = 4  # words besides stations of who tells a story
_PAST: Final = wording("trains", "past")
_COUNTED: Final = wording("trains", "counted")
"""A number behind what it counts: passengers two."""
_STRONG: Final = wording("trains", "strong")
"""Words of who wants a ticket; others only say where they go."""
_TICKETS: Final = re.compile(r"\b(?:tickets?|bigliett[oi])\b", re.I)
BACK: Final = wording("trains", "back")
PARTS: Final = {
    "morning": (re.compile(r"(?<=\w )(?<!good )morning\b|\bmattin[ao]\b", re.I), 0, 12 * 60 + 30),
    "afternoon": (re.compile(r"\b(?:afternoon|pomeriggio)\b", re.I), 12 * 60 + 30, 18 * 60),
    "evening": (
        re.compile(r"(?<=\w )(?<!good )evening\b|\b(?:tonight|at night|sera|stasera)\b", re.I),
        18 * 60,
        30 * 60,
    ),
}
NOT_EARLY: Final = wording("trains", "not_early")
_LATER_BACK: Final = wording("trains", "later_back")
_AFTER: Final = wording("trains", "after")
"""From when on: not before eleven."""
_WANTS: Final = wording("trains", "wants")
_FIRST: Final = re.compile(r"\bfirst train|primo treno\b", re.I)
_LAST: Final = re.compile(r"\blast train|ultimo treno\b", re.I)
_BY: Final = wording("trains", "by")
_UNFIT: Final = wording("trains", "unfit")
_PLACE: Final = wording("trains", "place")
_PLACES: Final = ("first", "second", "third", "fourth", "prim", "second", "terz", "quart")
_NOON: Final = 12
_MEALS: Final = {
    ("lunch", "lunchtime", "noon", "midday", "pranzo", "mezzogiorno"): 13,
    ("afternoon", "pomeriggio", "tea"): 17,
    ("evening", "sera", "dinner", "cena"): 20,
}
"""Till when who must be there arrives at the latest."""


class TravellerBot(CounterBot):
    """The part of the train desk that hears a traveller."""

    keeps = True  # the stations that were spoken of

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        for language, words in _EARLY_LATE.items():
            for kind, phrases in words.items():
                for phrase in phrases:
                    self._hearing[language].learn(phrase, kind)

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; the early one is the first train of the day, the late one the last."""
        found = super().values(session, heard)
        if found.get("class") == "first" and session.asking != "class" and not CLASS.search(heard.text):
            del found["class"]  # prima, which is first and before
        if "time" in found:
            found["time"] = as_said(found["time"], heard.text)
        if counted := _COUNTED.search(in_digits(heard.text, session.language, ordinals=False)):
            found["passengers"] = counted[1] or counted[2]
        if "passengers" in found and _FOR_TWO.search(heard.text):
            found.pop("time", None)
        first = heard.did("early") or _FIRST.search(heard.text)
        last = heard.did("late") or _LAST.search(heard.text)
        first = first and not NOT_EARLY.search(heard.text)
        if (first or last) and not re.search(r"\b[1-4]\W*$|\d:\d", heard.text) and "time" not in found:
            found.pop("train", None)  # the last one
        stations = [one.value or "" for one in heard.all("value") if "to" in (one.slot or "").split("|")]
        others = [one for one in stations if one != found.get("from")]
        if "from" in found and found.get("from") == found.get("to") and others:
            found["to"] = others[0]  # I study in Bologna, fly to Milan, and go from Milan
        if "time" in found and self._unfit(session, heard, found["time"]):
            del found["time"]
        self._of_the_list(session, heard, found)
        echoed = session.last is not None and found.get("time", "-") in session.last.text
        if echoed and session.confirming and heard.did("affirm"):
            del found["time"]  # five past eight, all right then
        nth = NTH.search(heard.text)
        picks = session.errand == "ticket" and {"from", "to"} <= {*session.form, *found}
        if nth and picks and session.asking != "class" and not CLASS.search(heard.text.replace(nth[0], "")):
            named = any(one.slot == "passengers" for one in heard.all("value"))
            if not named:  # there are two of us; the first train
                found.pop("passengers", None)
            found.pop("class", None)
            found["train"] = str(ORDER.index((nth[1] or nth[2]).lower()) % _MOST_TRAINS + 1)
        if nth and session.errand is None and session.lately in self.informs:
            found.pop("train", None)
            clear = ORDER.index((nth[1] or nth[2]).lower()) % _MOST_TRAINS > 1  # there are two classes
            if (clear or session.lately != "fare") and not CLASS_WORD.search(
                heard.text
            ):  # of the trains, not the classes
                found.pop("class", None)
                found["train"] = str(ORDER.index((nth[1] or nth[2]).lower()) % _MOST_TRAINS + 1)
        placed = {"from", "to"} <= {*session.form, *found} and session.form.get("train") is None
        placed = placed and "?" not in heard.text
        if (
            (session.asking == "train" or session.confirming or placed)
            and (first or last)
            and not {"train", "time"} & set(found)
        ):
            found["train"] = str(
                self.counter.needs["train"].low if first else self.counter.needs["train"].high
            )
        return found

    def _unfit(self, session: Visit, heard: Heard, time: str) -> bool:
        """Whether a time is only told not to fit: the 12:40 is too late."""
        told = [one for one in clauses_of(heard.text) if last_time(one, session.language, asked=False)]
        told = [
            one for one in told if as_said(last_time(one, session.language, asked=False) or time, one) == time
        ]
        return bool(told) and all(_UNFIT.search(one) for one in told)

    def _of_the_list(self, session: Visit, heard: Heard, found: dict[str, str]) -> None:
        """The train that is named by its place, where one was asked for: the first, la seconda."""
        if session.asking != "train" or CLASS_WORD.search(heard.text):
            return
        for clause in reversed(clauses_of(heard.text)):
            if place := _PLACE.search(clause):
                word = (place[1] or place[2]).lower()
                high = self.counter.needs["train"].high
                at = next((at for at, one in enumerate(_PLACES, 1) if word.startswith(one)), high)
                found["train"] = str((at - 1) % high + 1)
                found.pop("time", None)
                if not any(
                    one.slot == "class" and len((one.value or "").split()) > 1 for one in heard.all("value")
                ):
                    found.pop("class", None)
                return
            if last_time(clause, session.language, asked=False) and not _UNFIT.search(clause):
                return

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; who only says where they go wants what they asked for before."""
        errand = super().named(session, heard, found)
        if errand is None and session.errand is None and session.lately != "lost":
            errand = "lost" if self.hearer.errand(session, heard) == "lost" else None  # I left my umbrella
        if errand is None and "passengers" in found and _TICKETS.search(heard.text):
            return "ticket"  # four tickets
        if errand == "ticket" and any(one.value == "refund" for one in heard.all("errand")):
            return "refund"  # I have a ticket and cannot travel
        if errand == "timetable" and "passengers" in found and not is_question(heard.text, session.language):
            return "ticket"
        if errand != "ticket" or _STRONG.search(heard.text):
            return errand
        wants = _WANTS.search(heard.text) is not None and bool({"from", "to"} & set(found))
        if session.errand in self.informs or (
            session.errand is None and session.lately in ("lost", "refund") and not wants
        ):
            return None
        return errand

    def goes_on(self, session: Visit, heard: Heard) -> bool:
        return session.lately not in ("lost", "refund") and not NOT_EARLY.search(heard.text)

    def holds(self, session: Visit, found: dict[str, str]) -> bool:
        return session.errand == "ticket" and super().holds(session, found)

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """No story begins an errand: I got off at Milan."""
        if "?" in heard.text and set(found) == {"day"}:
            return False
        if set(found) == {"day"}:
            placed = self.hearer.named(heard, session.language, "to") is not None
            return placed or super().implies(session, heard, found)
        past = _PAST.search(heard.text) is not None
        if session.lately in ("lost", "refund") or past:
            return False
        return super().implies(session, heard, found) and (
            len(heard.rest) <= _STORY or {"from", "to"} <= set(found)
        )

    def wishes(self, session: Visit, question: str) -> bool:
        """The way back is a ticket of its own."""
        return bool(self.journey(session)) and session.errand is None and BACK.search(question) is not None

    def _without_by(self, session: Visit, text: str) -> str:
        """A text without till when they must be there, which is noted: I must be there by three."""
        for sentence in sentences_of(text):
            plain = in_digits(sentence, session.language, ordinals=False)
            by = _BY.search(plain)
            if by is None:
                continue
            if by["hour"]:
                hour = int(by["hour"])
                later = hour < _FIRST_HOUR or (by["pm"] is not None and hour < _NOON)
                session.by = 60 * (hour + 12 * later) + int(by["minute"] or 0)
            else:
                session.by = 60 * next(hour for words, hour in _MEALS.items() if by["at"].lower() in words)
            text = text.replace(sentence, plain[: by.start("at")] + plain[by.end("at") :])
        return text

    def plain(self, session: Visit, text: str) -> str:
        text = self._without_by(session, text)
        for part, (words, _, _) in PARTS.items():
            if words.search(text):
                session.part = part
        if NOT_EARLY.search(text):
            session.part = session.part or "morning"
        if not session.account and session.lately not in self.informs and _LATER_BACK.search(text):
            session.back, text = True, _LATER_BACK.sub(" ", text)
        plain = in_digits(text, session.language, ordinals=False)
        if after := _AFTER.search(plain):
            hour = int(after[1]) + (12 if int(after[1]) < _FIRST_HOUR else 0)
            session.part, session.after = session.part or "after", 60 * hour + int(after[2] or 0)
            text = _AFTER.sub(" ", plain)
        session.late = session.late or NOT_EARLY.search(text) is not None
        return text

    def wants_person(self, session: Visit, heard: Heard) -> bool:
        """One person is a passenger."""
        return super().wants_person(session, heard) and "passengers" not in self.values(session, heard)

    def nth(self, words: str) -> str | None:
        """The number of the train that is named by its place: the second one, the last."""
        nth = NTH.search(words)
        if nth is None:
            return "4" if re.search(r"last|ultimo", words, re.I) else None
        return str(ORDER.index((nth[1] or nth[2]).lower()) % _MOST_TRAINS + 1)

    def journey(self, session: Visit) -> dict[str, str]:
        """What is known of the journey that was spoken of; nothing where a station is not."""
        known = (session.account, session.form)
        both = known if session.lately == "ticket" else known[::-1]
        return next((one for one in both if {"from", "to"} <= set(one)), {})
