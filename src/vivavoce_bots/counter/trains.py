"""A train desk: a form. One field after the other, a summary, and nothing without a yes."""

import re
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.talk import Answer

_MENU: Final = ("ticket", "timetable", "fare", "refund", "lost")
_FIRST_CLASS: Final = 1.5
_FIRST_BOOKING: Final = 40_210
_EARLY_LATE: Final = {
    "en": {"early": ["(early|earliest|earlier) (one|train|)", "the morning one", "(the|) morning train",
                     "first train", "the first",
                     "the first one"],
           "late": ["(late|latest|later) (one|train|)", "the evening one", "last train", "the last",
                    "the last one"]},
    "it": {"early": ["(quello|il) (presto|più presto|della mattina|di mattina)", "primo treno",
                     "(il treno|treno) (del mattino|della mattina)",
                     "il primo",
                     "presto"],
           "late": ["(quello|il) (tardi|più tardi|della sera|di sera)", "ultimo treno", "l'ultimo", "tardi"]},
}  # fmt: skip
_CLASS: Final = re.compile(
    r"\bclass|\bin (?:prima|seconda)\b|\b(?:la|una|di) (?:prima|seconda)\b|\bsecond\b|1st|2nd", re.I
)
_ORDER: Final = ("first", "second", "third", "fourth", "", "primo", "secondo", "terzo", "quarto")
_NTH: Final = re.compile(
    r"\b(first|second|third|fourth) (?:one|train)\b|\b(?:il|quello) (primo|secondo|terzo|quarto)\b", re.I
)
_CLASS_WORD: Final = re.compile(r"\bclass", re.I)
_FOR_TWO: Final = re.compile(r"\b(?:for|per) (?:two|three|due|tre|[23])\b(?! ?(?:o'clock|pm|am|:))", re.I)
_HOURS: Final = 25
_STAYS: Final = re.compile(
    r"\b(?:not (?:departing|travel+ing|leaving|going anywhere|buying)|no departure|"
    r"(?:don't want|not going) to (?:travel|buy)|don't want a ticket|"
    r"non (?:parto|viaggio|(?:lo |la |ne )?compro|vado da nessuna|devo partire|"
    r"voglio (?:partire|viaggiare|comprare|nessun)))\b",
    re.I,
)
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
_NEAR: Final = 60  # minutes: `the one around ten`


class TrainsBot(CounterBot):
    """Sells and takes back tickets of one line; timetable, fares, lost property."""

    name: str = "trains"
    informs = frozenset(("timetable", "fare", "lost", "arrival"))
    spared = frozenset(("class",))

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
        if "passengers" in found and _FOR_TWO.search(heard.text):
            found.pop("time", None)
        first, last = heard.did("early"), heard.did("late")
        if (first or last) and not any(letter.isdigit() for letter in heard.text) and "time" not in found:
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
            if session.asking != "passengers" or "passengers" in found:
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

    def about(self, session: Visit, heard: Heard) -> bool:
        stays = session.errand is not None and _STAYS.search(heard.text) is not None
        return super().about(session, heard) or self._chosen(session, heard) is not None or stays

    def wants_person(self, session: Visit, heard: Heard) -> bool:
        """One person is a passenger."""
        return super().wants_person(session, heard) and "passengers" not in self.values(session, heard)

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        if (
            session.errand == "ticket"
            and _STAYS.search(heard.text)
            and not self.hearer.values(session, heard)
        ):
            kept = {need: one for need, one in session.form.items() if need in self.counter.kept}
            self.let_go(session)
            session.form |= kept
            if self.hearer.errand(session, heard) not in self.informs:
                question, asks = self.question(session)
                return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        if (
            session.lately in ("lost", "refund")
            and session.errand is None
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

    def _chosen(self, session: Visit, heard: Heard) -> str | None:
        """The request whose number on the menu was said, and nothing else."""
        number = heard.text.strip(" .")
        at_the_menu = session.asking is None and not session.confirming
        return _MENU[int(number) - 1] if at_the_menu and number in {"1", "2", "3", "4", "5"} else None

    def complete(self, session: Visit) -> str:
        form = session.form
        if form.get("from") is not None and form.get("from") == form.get("to"):
            del form["to"]
            return self.words(session)["same"]
        if "time" in form:
            self._take_time(form)
        return ""

    def _limits(self, session: Visit) -> str:
        """A number that no train has is a time of day: `the one at ten`."""
        number = int(session.form.get("train", "0"))
        if self.counter.needs["train"].high < number < _HOURS and {"from", "to"} <= set(session.form):
            session.form["time"] = f"{number:02}:00"
            del session.form["train"]
        return super()._limits(session)

    def _take_time(self, form: dict[str, str]) -> None:
        """A time names the train that leaves then, be it in the morning; known when both stations are."""
        if {"from", "to"} <= set(form):
            hour, minute = form.pop("time").split(":")
            said = (f"{hour}:{minute}", f"{int(hour) % 12:02}:{minute}")
            times = self._departures(form)
            near = min(times, key=lambda time: min(abs(_minutes(time) - _minutes(one)) for one in said))
            if min(abs(_minutes(near) - _minutes(one)) for one in said) <= _NEAR:
                form["train"] = str(times.index(near) + 1)

    def ask(self, session: Visit, need: str) -> str:
        return super().ask(session, need).format(trains=self._listed(session) if need == "train" else "")

    def confirm(self, session: Visit) -> str:
        return self.words(session)[f"confirm_{session.errand}"].format(**self._shown(session))

    def serve(self, session: Visit) -> str:
        kind = session.errand or ""
        number = str(_FIRST_BOOKING + len(session.done))
        if kind == "ticket":
            session.done[number] = kind
        if kind == "fare" and "class" not in session.form:  # both
            return self._both_fares(session)
        return self.words(session)[kind].format(**self._shown(session), number=number)

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
        form, facts = session.form, self.counter.facts
        start, end = (facts["line"].index(form[name]) for name in ("from", "to"))
        takes = abs(facts["minutes"][start] - facts["minutes"][end])
        times = [_minutes(one) + takes for one in self._departures(form)]
        chosen = [int(form["train"])] if form.get("train") else range(1, len(times) + 1)
        return ", ".join(f"{at}) {times[at - 1] // 60 % 24:02}:{times[at - 1] % 60:02}" for at in chosen)

    def _listed(self, session: Visit) -> str:
        return ", ".join(f"{at}) {time}" for at, time in enumerate(self._departures(session.form), 1))

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


def _minutes(time: str) -> int:
    hour, minute = time.split(":")
    return 60 * int(hour) + int(minute)
