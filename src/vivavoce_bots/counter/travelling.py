"""What a train desk hears: stations, a day, a train by its number or its time, passengers, a class."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.matter import last_time
from vivavoce_bots.counter.timetable import Timetable, as_said, later
from vivavoce_bots.counter.turn import Piece
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import asks_openly, clauses_of, sentences_of
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.opening import DAY, DAYS, TODAY
from vivavoce_bots.dialogue.speech import is_question, speech
from vivavoce_bots.dialogue.spotting import tokens

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
    "morning": (wording("trains", "morning"), 0, 12 * 60 + 30),
    "afternoon": (wording("trains", "afternoon"), 12 * 60 + 30, 18 * 60),
    "evening": (wording("trains", "evening"), 18 * 60, 30 * 60),
    "daytime": (wording("trains", "daytime"), 6 * 60, 19 * 60),
}
"""Parts of the day, with when they begin and end in minutes."""
NOT_EARLY: Final = wording("trains", "not_early")
_LATER_BACK: Final = wording("trains", "later_back")
_BACK_AMID: Final = wording("trains", "back_amid")
_AFTER: Final = wording("trains", "after")
"""From when on: not before eleven."""
_WANTS: Final = wording("trains", "wants")
_FIRST: Final = re.compile(r"\bfirst train|primo treno\b", re.I)
_LAST: Final = re.compile(r"\blast train|ultimo treno\b", re.I)
_ONE: Final = re.compile(r"(?<=\bby )one\b|(?<=\bbefore )one\b|\bl'una\b", re.I)
_AT_THE: Final = wording("trains", "at_the")
_TOGETHER: Final = wording("trains", "together")
_AT_FIRST: Final = wording("trains", "at_first")
_HALF: Final = re.compile(r"\bhalf past (\d{1,2})\b|\b(\d{1,2}) e mezz[ao]\b", re.I)
_BEFORE: Final = re.compile(r"\bprima d(?:i|el|elle|ell')\s*$", re.I)
_UNWANTED: Final = wording("trains", "unwanted")
_BY: Final = wording("trains", "by")
_BARE_TIME: Final = wording("trains", "bare_time")
_ASKS_AMID: Final = wording("trains", "asks_amid")
_ASKS: Final = wording("trains", "asks")
_UNFIT: Final = wording("trains", "unfit")
_PLACE: Final = wording("trains", "place")
_PLACES: Final = ("first", "second", "third", "fourth", "prim", "second", "terz", "quart")
_NOON, _HOURS, _LONGEST = 12, 24, 900
_MEALS: Final = {
    ("lunch", "lunchtime", "noon", "midday", "pranzo", "mezzogiorno"): 13,
    ("afternoon", "pomeriggio", "tea"): 17,
    ("evening", "sera", "dinner", "cena"): 20,
}
"""Till when who must be there arrives at the latest."""
TOWN: Final = wording("trains", "town")
"""Towns that no train of this line calls at."""
_AT_HOME: Final = wording("trains", "at_home")
_LOSES: Final = wording("trains", "loses")
_BUYS: Final = wording("trains", "buys")
HAS_TICKET: Final = wording("trains", "has_ticket")
_CHANGED: Final = frozenset(
    tokens("o or no anzi cioè forse maybe wait aspetti actually rather sorry scusi i mean")
)
"""Words between a station and the one that is meant instead."""
_CLOCK: Final = re.compile(r"(?<![\d:.])(\d{1,2})(?:[:.]| (?:and |e )?)([0-5]\d)(?![\d:.])")
_RATHER: Final = wording("trains", "rather")
_IN_TWO_DAYS: Final = wording("trains", "in_two_days")
_DENIED_DAY: Final = wording("trains", "denied_day")
"""A day that is taken back by the word behind it: tomorrow no, Sunday."""


def _two_days_on(language: str) -> str:
    day = DAYS[(DAYS.index(TODAY) + 2) % len(DAYS)]
    return speech(language).slots[DAY]["values"][day][0]


class TravellerHearing(CounterHearing):
    """Hears for the train desk."""

    def errand(self, session: Visit, heard: Heard) -> str | None:
        """The errand that was named; who left something on a seat wants no seat."""
        errand = super().errand(session, heard)
        named = {one.entry.value for one in self.spans(session, heard)}
        lost = errand == "ticket" and "lost" in named and _LOSES.search(heard.text)
        if lost and not _BUYS.search(heard.text):
            return "lost"
        if "refund" in named and errand != "refund" and not heard.text.rstrip().endswith("?"):
            return "refund"  # 48 was the price. Refund
        if errand == "ticket" and HAS_TICKET.search(heard.text):
            rest = HAS_TICKET.sub(" ", heard.text)
            repaid = session.repays and re.search(r"\b\d{5}\b", rest)
            return "refund" if repaid else errand if _BUYS.search(rest) else None
        return errand

    def named(self, heard: Heard, language: str, need: str) -> str | None:
        """A town that is not served, behind what leads to the need; a destination where nothing does."""
        for town in TOWN.finditer(heard.text):
            if need in ("from", "to") and (need == "from") == bool(
                _AT_HOME.search(heard.text[: town.start()])
            ):
                return town[0].title()
        return super().named(heard, language, need)


class TravellerBot(CounterBot):
    """The part of the train desk that hears a traveller."""

    keeps = True  # the stations that were spoken of

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        self.hearer = TravellerHearing(self.counter, self.informs)
        self.timetable = Timetable(self.counter.facts)
        for language, words in _EARLY_LATE.items():
            for kind, phrases in words.items():
                for phrase in phrases:
                    self._hearing[language].learn(phrase, kind)

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; the early one is the first train of the day, the late one the last."""
        found = super().values(session, heard)
        if found.get("class") == "first" and session.asking != "class" and not CLASS.search(heard.text):
            del found["class"]  # prima, which is first and before
        number = re.search(r"(?<!\d)\d{5}(?!\d)", heard.text)
        told = session.last is not None and self.words(session)["about_refund"] in session.last.text
        if number and told and session.errand is None:  # the number that refunds are said to need
            found["booking"] = number[0]
        if "passengers" not in found and _TOGETHER.search(heard.text):
            found["passengers"] = "2"
        counted = session.asking in (None, "passengers") or session.confirming or _RATHER.search(heard.text)
        counted = counted or not heard.rest
        if found.get("passengers") and "passengers" in session.form and not counted:
            del found["passengers"]  # Carla pays for me
        if int(found.get("train", "0")) > _HOURS and len(heard.said) > 1:
            del found["train"]  # 120 euros
        if "time" in found:
            found["time"] = as_said(found["time"], heard.text)
        if counted := _COUNTED.search(in_digits(heard.text, session.language, ordinals=False)):
            found["passengers"] = next(filter(None, counted.groups()))
        if "passengers" in found and _FOR_TWO.search(heard.text):
            found.pop("time", None)
        first = heard.did("early") or _FIRST.search(heard.text)
        last = heard.did("late") or _LAST.search(heard.text)
        first = first and not (NOT_EARLY.search(heard.text) or session.after)
        if (first or last) and not re.search(r"\b[1-4]\W*$|\d:\d", heard.text) and "time" not in found:
            found.pop("train", None)  # the last one
        stations = [one.value or "" for one in heard.all("value") if "to" in (one.slot or "").split("|")]
        others = [one for one in stations if one != found.get("from")]
        if "from" in found and found.get("from") == found.get("to") and others:
            found["to"] = others[0]  # I study in Bologna, fly to Milan, and go from Milan
        if exact := self._departing(session, heard, found):
            found["time"] = exact
        if "time" in found and self._unfit(session, heard, found["time"]):
            del found["time"]
        self._of_the_list(session, heard, found)
        echoed = session.last is not None and found.get("time", "-") in session.last.text
        if echoed and session.confirming and heard.did("affirm"):
            del found["time"]  # five past eight, all right then
        self._put_right(heard, found)
        behind = _RATHER.search(heard.text)
        if behind and "to" in found and not heard.text[: behind.start()].endswith("?"):
            later = self._hearing[session.language].heard(heard.text[behind.end() :])
            stays = any("to" in (one.slot or "").split("|") for one in later.all("value"))
            if self.hearer.named(later, session.language, "to") and not stays:
                del found["to"]  # to Bologna, no, she lives in Modena now
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

    def _departing(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The time that is named last of those at which a train leaves, whatever else is told."""
        form = {**session.form, **found}
        if not {"from", "to"} <= {*form} or form["from"] == form["to"]:
            return None
        times = self.timetable.departures(form)
        for clause in reversed(clauses_of(heard.text)):
            plain = in_digits(clause, session.language, ordinals=False)
            said = [f"{int(hour):02}:{minute}" for hour, minute in _CLOCK.findall(plain)]
            exact = [one for one in reversed(said) if one in times or later(one) in times]
            if exact and not _UNFIT.search(clause):
                return exact[0] if exact[0] in times else later(exact[0])
        return None

    def _put_right(self, heard: Heard, found: dict[str, str]) -> None:
        """A station in place of the one before it: from Bologna, or Florence, Florence."""
        spans = [
            one
            for one in heard.spans
            if "to" in (one.entry.slot or "").split("|") or one.entry.slot == "from"
        ]
        for one, other in pairwise(spans):
            between = heard.said[one.end : other.start]
            slot, value = one.entry.slot or "", other.entry.value or ""
            led = (
                slot in ("from", "to")
                and other.entry.slot == "from|to"
                and found.get(slot) == one.entry.value
            )
            if led and between and set(between) <= _CHANGED:
                if found.get("to" if slot == "from" else "from") == value:
                    del found["to" if slot == "from" else "from"]
                found[slot] = value

    def _unfit(self, session: Visit, heard: Heard, time: str) -> bool:
        """Whether a time is only told not to fit: the 12:40 is too late."""
        told: list[str] = []
        for clause in clauses_of(heard.text):
            found = last_time(clause, session.language, asked=False)
            told += [clause] if found and as_said(found, clause) == time else []
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
                if not CLASS.search(heard.text.replace(place[0], "")):
                    found.pop("class", None)
                return
            if last_time(clause, session.language, asked=False) and not _UNFIT.search(clause):
                return
            if _RATHER.match(clause):  # the first, no, the one after twelve
                return

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; who only says where they go wants what they asked for before."""
        errand = super().named(session, heard, found)
        if errand is None and session.errand is None and session.lately != "lost":
            errand = "lost" if self.hearer.errand(session, heard) == "lost" else None  # I left my umbrella
        if errand is None and session.errand is None and "booking" in found:
            return "refund"
        if errand is None and "passengers" in found and _TICKETS.search(heard.text):
            return "ticket"  # four tickets
        if errand == "ticket" and any(one.value == "refund" for one in heard.all("errand")):
            return "refund"  # I have a ticket and cannot travel
        if errand == "timetable" and "passengers" in found and not is_question(heard.text, session.language):
            return "ticket"
        if errand != "ticket" or _STRONG.search(heard.text):
            return errand
        office = session.lately == "lost" and re.search(r"\b(?:office|ufficio)\b", heard.text, re.I)
        wants = not office and _WANTS.search(heard.text) is not None and bool({"from", "to"} & set(found))
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
        told = session.lately in self.informs and {"from", "to"} <= set(session.form)
        if told and "day" in found and not leaves_behind(heard):
            return _PAST.search(heard.text) is None  # the fare was told: Sunday, then
        if set(found) == {"day"}:
            placed = self.hearer.named(heard, session.language, "to") is not None
            return placed or super().implies(session, heard, found)
        if session.inquires and not _WANTS.search(heard.text):
            return False
        past = _PAST.search(heard.text) is not None
        if session.lately in ("lost", "refund") or past:
            return False
        return super().implies(session, heard, found) and (
            len(heard.rest) <= _STORY or {"from", "to"} <= set(found)
        )

    def _linked(self, session: Visit, pieces: list[Piece]) -> list[Piece]:
        """Pieces, of which a question that stands behind a journey is one of its own."""
        linked: list[Piece] = []
        for piece in super()._linked(session, pieces):
            head, comma, tail = piece.text.rpartition(", ")
            journey = {"from", "to"} & set(self.values(session, self._heard(session, head))) if comma else ()
            splits = (
                piece.asks and journey and len(tail.split()) > 2 and not asks_openly(head, session.language)
            )
            linked += [Piece(f"{head}.", asks=False), Piece(tail, asks=True)] if splits else [piece]
        return linked

    def _is_said(self, session: Visit, piece: Piece) -> bool:
        """What lies beyond the desk is only asked: will I get all my money back?"""
        return not self._topic(session, piece.text) and super()._is_said(session, piece)

    def is_asked(self, session: Visit, text: str) -> bool:
        """What an errand tells is asked, amid another one, too: e quanto costa; and it arrives when."""
        heard = self._heard(session, text)
        if self.hearer.errand(session, heard) not in self.informs:
            return False
        amid = session.errand in ("ticket", "refund") and _ASKS_AMID.search(text) is not None
        return _ASKS.match(text) is not None or (
            amid and self.values(session, heard).items() <= session.form.items()
        )

    def wishes(self, session: Visit, question: str) -> bool:
        """The way back is a ticket of its own; a train that is named by its time alone is chosen."""
        if session.errand == "ticket" and "train" not in session.form and _BARE_TIME.match(question):
            return last_time(question, session.language, asked=False) is not None
        return bool(self.journey(session)) and session.errand is None and BACK.search(question) is not None

    def _without_by(self, session: Visit, text: str) -> str:
        """A text without till when they must be there, which is noted: I must be there by three."""
        for sentence in sentences_of(text):
            plain = _ONE.sub("1", in_digits(sentence, session.language, ordinals=False))
            plain = _HALF.sub(lambda one: f"{one[1] or one[2]}:30", plain)
            by = next(filter(None, (one.search(plain) for one in (_BY, _AT_THE, _AT_FIRST))), None)
            if by is None:
                continue
            if by["hour"]:
                hour = int(by["hour"])
                later = hour < _FIRST_HOUR or (by["pm"] is not None and hour < _NOON)
                session.by = 60 * (hour + 12 * later) + int(by["minute"] or 0)
            else:
                session.by = 60 * next(hour for words, hour in _MEALS.items() if by["at"].lower() in words)
            rest = _BEFORE.sub(" ", plain[: by.start("at")]) + plain[by.end("at") :]
            text = text.replace(sentence, rest)  # prima is no class here
        return text

    def plain(self, session: Visit, text: str) -> str:
        if len(text) > _LONGEST:
            return text
        text = _DENIED_DAY.sub(" ", _IN_TWO_DAYS.sub(_two_days_on(session.language), text))
        session.repays = any(one.value == "refund" for one in self._heard(session, text).all("errand"))
        whole, text = text, self._without_by(session, text)
        if text == whole:  # else it is when they must be there
            session.part = self._part(text) or session.part
        if NOT_EARLY.search(text):
            session.part = session.part or "morning"
        if not session.account and session.lately not in self.informs and _LATER_BACK.search(text):
            amid = session.errand == "ticket"
            session.back, text = True, (_BACK_AMID if amid else _LATER_BACK).sub(self._kept_of(session), text)
        plain = in_digits(text, session.language, ordinals=False)
        if after := _AFTER.search(plain):
            hour = int(after[1]) + (12 if int(after[1]) < _FIRST_HOUR else 0)
            session.part, session.after = session.part or "after", 60 * hour + int(after[2] or 0)
            text = _AFTER.sub(" ", plain)
        session.late = session.late or NOT_EARLY.search(text) is not None
        return text

    def _kept_of(self, session: Visit) -> Callable[[re.Match[str]], str]:
        """What stays of a clause that tells of the way back: from Florence to Bologna, and back at once."""

        def kept(clause: re.Match[str]) -> str:
            there = {"from", "to"} & set(self.values(session, self._heard(session, clause["there"])))
            return clause["there"] if there else " "

        return kept

    def _part(self, text: str) -> str:
        """The part of the day that is named last, and is wanted."""
        named = [
            (found.start(), part)
            for part, (words, _, _) in PARTS.items()
            for found in words.finditer(text)
            if not _UNWANTED.search(text[: found.start()])
        ]
        return max(named, default=(0, ""))[1]

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
