"""A train desk: a form. One field after the other, a summary, and nothing without a yes."""

import re
from typing import Final

from vivavoce_bots.acts import Act
from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.matter import last_time
from vivavoce_bots.counter.naming import SUPPOSES, TAGGED
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.talk import Answer

_MENU: Final = ("ticket", "timetable", "fare", "refund", "lost")
_FIRST_CLASS: Final = 1.5
_FIRST_BOOKING: Final = 40_210
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
_CLASS: Final = wording("trains", "class")
_ORDER: Final = ("first", "second", "third", "fourth", "", "primo", "secondo", "terzo", "quarto")
_NTH: Final = wording("trains", "nth")
_CLASS_WORD: Final = re.compile(r"\bclass", re.I)
_FOR_TWO: Final = wording("trains", "for_two")
_FIRST_HOUR: Final = 7  # what is earlier is meant in the afternoon
_STORY: Final = 4  # words besides stations of who tells a story
_PAST: Final = wording("trains", "past")
_HOW_MUCH: Final = wording("trains", "how_much")
_HOURS: Final = 25
_STAYS: Final = wording("trains", "stays")
"""Words of who wants no ticket."""
_THERE: Final = {
    "lost": re.compile(
        r"\b(?:open|close|shut|they|sunday|apert\w|apre|aprono|chius\w|chiude|domenica)\b", re.I
    ),
    "refund": re.compile(
        r"\b(?:\d{5}|how long|when (?:do|will|does|is)|quando|quanto (?:ci|tempo)|in quanto)\b"
        r"(?!.*\b(?:train|tren\w)\b)",
        re.I,
    ),
}
"""What is asked about the errand that was just done."""
_COUNTED: Final = wording("trains", "counted")
"""A number behind what it counts: passengers two."""
_STRONG: Final = wording("trains", "strong")
"""Words of who wants a ticket; others only say where they go."""
_LATE_HOUR: Final = wording("trains", "late_hour")
_TICKETS: Final = re.compile(r"\b(?:tickets?|bigliett[oi])\b", re.I)
_BACK: Final = wording("trains", "back")
_PARTS: Final = {
    "morning": (re.compile(r"(?<=\w )(?<!good )morning\b|\bmattin[ao]\b", re.I), 0, 12 * 60 + 30),
    "afternoon": (re.compile(r"\b(?:afternoon|pomeriggio)\b", re.I), 12 * 60 + 30, 18 * 60),
    "evening": (
        re.compile(r"(?<=\w )(?<!good )evening\b|\b(?:tonight|at night|sera|stasera)\b", re.I),
        18 * 60,
        30 * 60,
    ),
}
_NOT_EARLY: Final = wording("trains", "not_early")
_LASTS: Final = wording("trains", "lasts")
_ARRIVES: Final = wording("trains", "arrives")
_LATER_BACK: Final = wording("trains", "later_back")
_EVERY_DAY: Final = wording("trains", "every_day")
_AGREES: Final = re.compile(r"^[^.!,;]*[.!,;]")
_AFTER: Final = wording("trains", "after")
"""From when on: not before eleven."""
_MONEY: Final = wording("trains", "money")
_DO_I: Final = wording("trains", "do_i")
_WANTS: Final = wording("trains", "wants")
_FIRST: Final = re.compile(r"\bfirst train|primo treno\b", re.I)
_LAST: Final = re.compile(r"\blast train|ultimo treno\b", re.I)
_WHICH: Final = wording("trains", "which")
_NEAR: Final = 60  # minutes: `the one around ten`


class TrainsBot(CounterBot):
    """Sells and takes back tickets of one line; timetable, fares, lost property."""

    name: str = "trains"
    informs = frozenset(("timetable", "fare", "lost", "arrival"))
    spared = frozenset(("class",))
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
        if found.get("class") == "first" and session.asking != "class" and not _CLASS.search(heard.text):
            del found["class"]  # prima, which is first and before
        if "time" in found:
            found["time"] = _as_said(found["time"], heard.text)
        if counted := _COUNTED.search(in_digits(heard.text, session.language, ordinals=False)):
            found["passengers"] = counted[1] or counted[2]
        if "passengers" in found and _FOR_TWO.search(heard.text):
            found.pop("time", None)
        first = heard.did("early") or _FIRST.search(heard.text)
        last = heard.did("late") or _LAST.search(heard.text)
        first = first and not _NOT_EARLY.search(heard.text)
        if (first or last) and not re.search(r"\b[1-4]\W*$|\d:\d", heard.text) and "time" not in found:
            found.pop("train", None)  # the last one
        stations = [one.value or "" for one in heard.all("value") if "to" in (one.slot or "").split("|")]
        others = [one for one in stations if one != found.get("from")]
        if "from" in found and found.get("from") == found.get("to") and others:
            found["to"] = others[0]  # I study in Bologna, fly to Milan, and go from Milan
        echoed = session.last is not None and found.get("time", "-") in session.last.text
        if echoed and session.confirming and heard.did("affirm"):
            del found["time"]  # five past eight, all right then
        nth = _NTH.search(heard.text)
        picks = session.errand == "ticket" and {"from", "to"} <= {*session.form, *found}
        if nth and picks and session.asking != "class" and not _CLASS.search(heard.text.replace(nth[0], "")):
            named = any(one.slot == "passengers" for one in heard.all("value"))
            if not named:  # there are two of us; the first train
                found.pop("passengers", None)
            found.pop("class", None)
            found["train"] = str(_ORDER.index((nth[1] or nth[2]).lower()) % len(_MENU) + 1)
        if nth and session.errand is None and session.lately in self.informs:
            found.pop("train", None)
            clear = _ORDER.index((nth[1] or nth[2]).lower()) % len(_MENU) > 1  # there are two classes
            if (clear or session.lately != "fare") and not _CLASS_WORD.search(
                heard.text
            ):  # of the trains, not the classes
                found.pop("class", None)
                found["train"] = str(_ORDER.index((nth[1] or nth[2]).lower()) % len(_MENU) + 1)
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
        return session.lately not in ("lost", "refund") and not _NOT_EARLY.search(heard.text)

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
        return bool(self._journey(session)) and session.errand is None and _BACK.search(question) is not None

    def plain(self, session: Visit, text: str) -> str:
        for part, (words, _, _) in _PARTS.items():
            if words.search(text):
                session.part = part
        if _NOT_EARLY.search(text):
            session.part = session.part or "morning"
        if not session.account and session.lately not in self.informs and _LATER_BACK.search(text):
            session.back, text = True, _LATER_BACK.sub(" ", text)
        plain = in_digits(text, session.language, ordinals=False)
        if after := _AFTER.search(plain):
            hour = int(after[1]) + (12 if int(after[1]) < _FIRST_HOUR else 0)
            session.part, session.after = session.part or "after", 60 * hour + int(after[2] or 0)
            text = _AFTER.sub(" ", plain)
        session.late = session.late or _NOT_EARLY.search(text) is not None
        return text

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """How long it takes, when a train leaves that is named, what a refund is and when it comes."""
        lately = session.errand or session.lately
        words, form = self.words(session), session.form
        if lately == "refund" and _THERE["refund"].search(question):
            return (
                ""
                if session.last is None or session.lastly not in session.last.text
                else words["refund_when"]
            )
        if (
            lately == "refund"
            and _HOW_MUCH.search(question)
            and not {"from", "to"} & set(self.values(session, heard))
        ):
            return self._topics[session.language].says["amount"]
        if lately == "lost" and _THERE["lost"].search(question):
            return words["lost"]
        if _MONEY.search(question) and (SUPPOSES.search(question) or _DO_I.search(question)):
            return words["about_refund"]
        if not {"from", "to"} <= set(form):
            if session.errand == "ticket" and self.hearer.errand(session, heard) == "fare":
                known = {"from", "to"} <= {*form, *self.values(session, heard)}
                return None if known else words["fare_later"]
            time = last_time(question, session.language, asked=False)
            return "" if time and session.errand == "ticket" else None
        found = self.values(session, heard)
        if session.confirming and self.hearer.errand(session, heard) == "fare":
            again = session.last is not None and self.confirm(session) in session.last.text
            return words["total"].format(**self._shown(session)) if again else ""
        if "day" in found and set(found) == {"day"} and _EVERY_DAY.search(question):
            return words["daily"]
        if _LASTS.search(question):
            return words["takes"].format(**self._shown(session), minutes=self._takes(session))
        found = self.values(session, heard)
        if (
            session.errand == "ticket"
            and session.asking != "class"
            and found.get("class", form.get("class")) != form.get("class")
        ):
            session.form = {**form, "class": found["class"]}
            told, session.form = words["fare"].format(**self._shown(session)), form
            return told  # what is second?
        if _ARRIVES.search(question) and not _CLASS_WORD.search(question):
            return words["arrival"].format(**self._shown(session))
        if self.hearer.errand(session, heard) in self.informs or _CLASS_WORD.search(question):
            return None
        time = last_time(question, session.language, asked=False)
        time = _as_said(time, question) if time else None
        nth = _WHICH.search(question)
        train = self._train_at(form, time) if time else self._nth(nth[0]) if nth else None
        if train is None:
            return None
        if time and session.confirming and train != form.get("train") and TAGGED.search(question):
            form["train"] = train
            return ""
        at = self._departures(form)[int(train) - 1]
        return words["leaves"].format(train=train, at=at)

    def _nth(self, words: str) -> str | None:
        nth = _NTH.search(words)
        if nth is None:
            return "4" if re.search(r"last|ultimo", words, re.I) else None
        return str(_ORDER.index((nth[1] or nth[2]).lower()) % len(_MENU) + 1)

    def about(self, session: Visit, heard: Heard) -> bool:
        stays = session.errand is not None and _STAYS.search(heard.text) is not None
        return super().about(session, heard) or self._chosen(session, heard) is not None or stays

    def wants_person(self, session: Visit, heard: Heard) -> bool:
        """One person is a passenger."""
        return super().wants_person(session, heard) and "passengers" not in self.values(session, heard)

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        if (
            session.confirming
            and session.errand == "ticket"
            and heard.did("affirm")
            and _BACK.search(heard.text)
        ):
            done = self._serve(session).text.removesuffix(self.question(session)[0]).strip()
            self._turn_back(session, self._heard(session, _AGREES.sub("", heard.text)))
            more = self._go_on(session)
            return more._replace(text=f"{done} {more.text}")
        if session.errand is None and _BACK.search(heard.text) and self._journey(session):
            self._turn_back(session, heard)
            return self._go_on(session)
        lone = session.back and session.errand is None and session.lately == "ticket"
        if (
            lone
            and self._journey(session)
            and "day" in self.values(session, heard)
            and not heard.all("errand")
        ):
            session.back = False
            self._turn_back(session, heard)
            return self._go_on(session)
        if session.errand is None and session.besides and session.lately in ("timetable", "arrival"):
            number = re.fullmatch(r"\W*(?:(?:the|train|la|il|treno) )*([1-4])\W*", heard.text, re.I)
            if number:  # 4. How much is it?
                session.form["train"] = number[1]
                return Answer(*self.question(session))
        if _STAYS.search(heard.text) and session.errand is None:
            heard = self._heard(session, _STAYS.sub(" ", heard.text))
            if not self.told_in(session, heard.text) or session.lately in self.informs:
                told = self.words(session)[session.lately] if session.lately == "lost" else ""
                question, asks = self.question(session)
                return Answer(f"{told} {question}".strip(), asks)
        if _STAYS.search(heard.text) and session.errand in ("ticket", "refund"):
            kept = {need: one for need, one in session.form.items() if need in self.counter.kept}
            self.let_go(session)
            session.form |= kept
            rest = self._heard(session, _STAYS.sub(" ", heard.text))
            if self.hearer.errand(session, rest) not in self.informs:
                question, asks = self.question(session)
                return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        if (
            session.lately in ("lost", "refund")
            and session.errand is None
            and "?" in heard.text
            and _THERE[session.lately].search(heard.text)
        ):
            told = self.words(session)["lost" if session.lately == "lost" else "refund_when"]
            question, asks = self.question(session)
            return Answer(f"{told} {question}", asks)
        if session.asking == "booking" and self.hearer.errand(session, heard) == "ticket":
            heard = heard._replace(spans=[one for one in heard.spans if one.entry.value != "ticket"])
        chosen = self._chosen(session, heard)
        if chosen is None:
            return super().matter(session, heard)
        session.errand = chosen
        return self._go_on(session)

    def _journey(self, session: Visit) -> dict[str, str]:
        """What is known of the journey that was spoken of; nothing where a station is not."""
        known = (session.account, session.form)
        both = known if session.lately == "ticket" else known[::-1]
        return next((one for one in both if {"from", "to"} <= set(one)), {})

    def _turn_back(self, session: Visit, heard: Heard) -> None:
        """The way back: the stations the other way round, all else but the day and the train as before."""
        was = self._journey(session)
        found = self.values(session, heard)
        kept = {one: was[one] for one in ("passengers", "class") if one in was}
        both = {"from", "to"} <= set(found)
        session.form = {**kept, "from": was["to"], "to": was["from"]} | {
            one: value for one, value in found.items() if one not in ("from", "to") or both
        }
        session.errand = "ticket" if session.lately not in self.informs else session.lately

    def _chosen(self, session: Visit, heard: Heard) -> str | None:
        """The request whose number on the menu was said, and nothing else."""
        number = heard.text.strip(" .")
        at_the_menu = session.asking is None and not session.confirming
        at_the_menu = at_the_menu and session.lately not in ("timetable", "arrival")
        return _MENU[int(number) - 1] if at_the_menu and number in {"1", "2", "3", "4", "5"} else None

    def complete(self, session: Visit) -> str:
        form = session.form
        if form.get("from") is not None and form.get("from") == form.get("to"):
            del form["to"]
            return self.words(session)["same"]
        if "time" in form:
            self._take_time(form)
        if session.part and {"from", "to"} <= set(form) and "train" not in form:
            fits = self._in_part(session)
            if len(fits) == 1 and session.errand == "ticket":
                form["train"], session.part, session.late, session.after = fits[0], "", False, 0
        return ""

    def _in_part(self, session: Visit) -> list[str]:
        """The trains of the part of the day that was named, without the first where that is too early."""
        times = [_minutes(one) for one in self._departures(session.form)]
        _, begins, ends = _PARTS.get(session.part, (None, 0, 30 * 60))
        begins = max(begins, session.after)
        fits = [str(at) for at, one in enumerate(times, 1) if begins <= one < ends]
        return fits[1:] if session.late and len(fits) > 1 else fits

    def _limits(self, session: Visit) -> str:
        """A number that no train has is a time of day: `the one at ten`."""
        number = int(session.form.get("train", "0"))
        if self.counter.needs["train"].high < number < _HOURS and {"from", "to"} <= set(session.form):
            session.form["time"] = f"{number:02}:00"
            del session.form["train"]
        return super()._limits(session)

    def _take_time(self, form: dict[str, str]) -> None:
        """A time names the train that leaves then, be it in the morning; known when both stations are."""
        if {"from", "to"} <= set(form) and (train := self._train_at(form, form.pop("time"))):
            form["train"] = train

    def _train_at(self, form: dict[str, str], time: str) -> str | None:
        """The train that leaves about then, be it in the morning."""
        hour, minute = time.split(":")
        times = self._departures(form)
        for said in (time, f"{int(hour) % 12:02}:{minute}", f"{int(hour) % 12 + 12:02}:{minute}"):
            apart = [abs(_minutes(one) - _minutes(said)) for one in times]
            if min(apart) <= _NEAR:
                return str(apart.index(min(apart)) + 1)
        return None

    def question(self, session: Visit) -> tuple[str, tuple[Act, ...]]:
        """The question that waits; trains that this turn told of are not listed again."""
        asked, acts = super().question(session)
        if session.listed and session.asking == "train":
            asked = asked.replace(f" {self._listed(session)}.", "")
        return asked, acts

    def answered(self, session: Visit, text: str) -> Answer:
        session.listed = False
        return super().answered(session, text)

    def ask(self, session: Visit, need: str) -> str:
        return super().ask(session, need).format(trains=self._listed(session) if need == "train" else "")

    def confirm(self, session: Visit) -> str:
        return self.words(session)[f"confirm_{session.errand}"].format(**self._shown(session))

    def serve(self, session: Visit) -> str:
        kind = session.errand or ""
        session.listed = session.listed or kind == "timetable"
        number = str(_FIRST_BOOKING + len(session.done))
        if kind == "ticket":
            session.done[number] = kind
        if kind == "fare" and "class" not in session.form:  # both
            return self._both_fares(session)
        told = self.words(session)[kind].format(**self._shown(session), number=number)
        back = session.back and kind == "ticket"
        return f"{told} {self.words(session)['back'].format(**self.told(session))}" if back else told

    def _both_fares(self, session: Visit) -> str:
        """What both classes cost, amid a ticket that has none yet."""
        dear = self._euros({**session.form, "class": "first"})
        return self.words(session)["fares"].format(**self._shown(session), first=dear)

    def _shown(self, session: Visit) -> dict[str, str]:
        shown, form = self.told(session), session.form
        if {"from", "to"} <= set(form):
            euros = self._euros(form)
            shown |= {"euros": str(euros), "total": str(euros * int(form.get("passengers", "1")))}
            shown |= {"at": self._departures(form)[int(form.get("train", "1")) - 1]}
            shown |= {"trains": self._listed(session), "arrivals": self._arrivals(session)}
        return shown

    def _arrivals(self, session: Visit) -> str:
        """When the trains arrive, or the one that was chosen."""
        form = session.form
        takes = self._takes(session)
        times = [_minutes(one) + takes for one in self._departures(form)]
        chosen = [int(form["train"])] if form.get("train") else range(1, len(times) + 1)
        return ", ".join(f"{at}) {times[at - 1] // 60 % 24:02}:{times[at - 1] % 60:02}" for at in chosen)

    def _takes(self, session: Visit) -> int:
        """How many minutes the trains take."""
        facts, form = self.counter.facts, session.form
        start, end = (facts["line"].index(form[name]) for name in ("from", "to"))
        return abs(facts["minutes"][start] - facts["minutes"][end])

    def _listed(self, session: Visit) -> str:
        """The trains of the part of the day that was named; all where none was, or none goes then."""
        listed = list(enumerate(self._departures(session.form), 1))
        fits = self._in_part(session) if session.part else []
        return ", ".join(f"{at}) {time}" for at, time in listed if not fits or str(at) in fits)

    def _departures(self, form: dict[str, str]) -> list[str]:
        """When the four trains leave the station of departure, towards the destination."""
        facts = self.counter.facts
        start, end = (facts["line"].index(form[name]) for name in ("from", "to"))
        minutes = facts["minutes"]
        gone = minutes[start] if start < end else minutes[-1] - minutes[start]
        clock = [60 * hour + minute + gone for hour, minute in facts["hours"]]
        return [f"{at // 60 % 24:02}:{at % 60:02}" for at in clock]

    def _euros(self, form: dict[str, str]) -> int:
        facts = self.counter.facts
        start, end = (facts["line"].index(form[name]) for name in ("from", "to"))
        second = abs(facts["euros"][start] - facts["euros"][end])
        return round(second * _FIRST_CLASS) if form.get("class") == "first" else second


def _as_said(time: str, text: str) -> str:
    """A time of day as the timetable has it: 9:55, be it in the morning."""
    hour, minute = time.split(":")
    return time if _LATE_HOUR.search(text) else f"{int(hour) % 12 or 12:02}:{minute}"


def _minutes(time: str) -> int:
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)
