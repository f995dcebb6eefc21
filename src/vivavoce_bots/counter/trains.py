"""A train desk: a form. One field after the other, a summary, and nothing without a yes."""

import re
from itertools import product
from typing import Final

from vivavoce_bots.acts import Act
from vivavoce_bots.counter.matter import last_time
from vivavoce_bots.counter.naming import SUPPOSES, TAGGED
from vivavoce_bots.counter.timetable import as_said, minutes_of
from vivavoce_bots.counter.travelling import BACK, CLASS_WORD, HAS_TICKET, PARTS, TOWN, TravellerBot
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.talk import Answer, joined

_MENU: Final = ("ticket", "timetable", "fare", "refund", "lost")
_FIRST_BOOKING: Final = 40_210
_HOW_MUCH: Final = wording("trains", "how_much")
_HOURS: Final = 25
_STAYS: Final = wording("trains", "stays")
"""Words of who wants no ticket."""
_THERE: Final = {
    "lost": re.compile(
        r"\b(?:open|office|ufficio|what time (?:is|was) (?:it|that)|a che ora era|"
        r"close|shut|they|sunday|apert\w|apre|aprono|chius\w|chiude|domenica)\b",
        re.I,
    ),
    "refund": re.compile(
        r"\b(?:\d{5}|how long|when (?:do|will|does|is)|quando|quanto (?:ci|tempo)|in quanto)\b"
        r"(?!.*\b(?:train|tren\w)\b)",
        re.I,
    ),
}
"""What is asked about the errand that was just done."""
_LASTS: Final = wording("trains", "lasts")
_ARRIVES: Final = wording("trains", "arrives")
_EVERY_DAY: Final = wording("trains", "every_day")
_AGREES: Final = re.compile(r"^[^.!,;]*[.!,;]")
_MONEY: Final = wording("trains", "money")
_DO_I: Final = wording("trains", "do_i")
_WHICH: Final = wording("trains", "which")
_PRESS: Final = wording("trains", "press")
_IS_DESK: Final = wording("trains", "is_desk")
_ONE_WAY: Final = wording("trains", "one_way")
_PRICE: Final = wording("trains", "price")
_WHERE: Final = wording("trains", "where")
_WHERE_NUMBER: Final = wording("trains", "where_number")
_LEADS_IN: Final = wording("trains", "leads_in")
_ENDS: Final = ("from", "to")
_REMARKS: Final = wording("trains", "remarks")
_AS_MUCH: Final = wording("trains", "as_much")
_RETURN_TOO: Final = wording("trains", "return_too")
_WRONG_TICKET: Final = wording("trains", "wrong_ticket")
_ECHO: Final = wording("trains", "echo")
_SELLS: Final = wording("trains", "sells")
_DIFFERS: Final = wording("trains", "differs")
_DAILY: Final = wording("trains", "daily")
_IS_THERE: Final = wording("trains", "is_there")
_THAT_ONE: Final = wording("trains", "that_one")
_WAS_IT: Final = wording("trains", "was_it")
_OF: Final = {"lost": ("in_person", "post", "found"), "refund": ("payout",)}
"""Topics that go with an errand that was done."""


class TrainsBot(TravellerBot):
    """Sells and takes back tickets of one line; timetable, fares, lost property."""

    name: str = "trains"
    informs = frozenset(("timetable", "fare", "lost", "arrival"))
    spared = frozenset(("class",))

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """The answer from what the desk has in mind: errands that were done, what to enter, the journey."""
        for told in (self._of_the_errand, self._of_the_desk, self._of_the_journey):
            if (said := told(session, question, heard)) is not None:
                return said
        return None

    def _of_the_errand(self, session: Visit, question: str, heard: Heard) -> str | None:
        """What is asked of what was lost or shall be paid back."""
        lately, words = session.errand or session.lately, self.words(session)
        if _WHERE_NUMBER.search(question) or (
            "booking" in {session.asking, session.was_asking} and _WHERE.match(question)
        ):
            return words["help_booking"] if session.confirming is False else ""
        if lately == "refund" and _THERE["refund"].search(question):
            fresh = session.last is not None and session.lastly in session.last.text
            return words["refund_when"] if fresh else ""
        found = self.values(session, heard)
        if lately == "refund" and _HOW_MUCH.search(question) and not {"from", "to"} & set(found):
            return self._topics[session.language].says["amount"]
        start = found.get("from", "rome")
        tells = self._errands(heard) & {"fare", "arrival"}
        if lately == "lost" and start != "rome" and "to" not in found and not tells:  # how do I get there?
            session.form |= {"from": start, "to": "rome"}
            return words["timetable"].format(**self._shown(session))
        in_rome = "rome" in found.values() and not {"ticket", "timetable", "fare"} & self._errands(heard)
        if self._topic(session, question):
            return None
        if lately == "lost" and (_THERE["lost"].search(question) or (in_rome and len(found) == 1)):
            return words["lost"]
        who = re.search(r"\b(?:who|chi)\b", question, re.I)
        if _MONEY.search(question) and (SUPPOSES.search(question) or _DO_I.search(question) or who):
            return words["about_refund"]
        return None

    def _of_the_desk(self, session: Visit, question: str, heard: Heard) -> str | None:
        """What to enter, what is sold here, and what the classes are."""
        words = self.words(session)
        remarks = _REMARKS.search(question) and not (heard.all("errand") or self._topic(session, question))
        if remarks and not last_time(question, session.language, asked=False):
            return ""  # Bologna is further, isn't it
        if _LEADS_IN.fullmatch(question) or _ECHO.fullmatch(
            in_digits(question, session.language, ordinals=False)
        ):
            return ""  # three and a half hours?
        if _PRESS.search(question):
            return words["press"]
        if _ONE_WAY.search(question):
            return self._topics[session.language].says["back"]
        if told := self._compared(session, question, heard):
            return told
        trains = _AS_MUCH.search(question) is not None and not CLASS_WORD.search(question)
        cheaper = session.asking == "train" and _DIFFERS.search(question) and _PRICE.search(question)
        if (trains and "day" not in self.values(session, heard)) or cheaper:
            return words["same_fare"]
        if _IS_DESK.search(question):
            return words["whoareyou"]
        town, last = TOWN.search(question), session.last.text if session.last else ""
        lost = self.hearer.errand(session, heard) == "lost"
        if town and not lost and town[0].title() not in last and not self.values(session, heard):
            return words["no_station"].format(name=town[0].title())
        if _SELLS.search(question):
            return words["sells"]
        if (session.asking == "class" or CLASS_WORD.search(question)) and _DIFFERS.search(question):
            return words["classes"]
        if self.hearer.errand(session, heard) == "lost" and heard.all("errand"):
            return words["lost"]
        return None

    def _compared(self, session: Visit, question: str, heard: Heard) -> str:
        """What two journeys cost: is it cheaper from Florence or from Bologna?"""
        named = {
            one: dict.fromkeys(e.value or "" for e in heard.all("value") if e.slot == one) for one in _ENDS
        }
        bare = [e.value or "" for e in heard.all("value") if e.slot == "from|to"]
        open_ = next((one for one in _ENDS if not named[one]), "")
        if len(bare) == 1 and open_:
            named[open_] = dict.fromkeys(bare)
        ends = [[*named[one]] or [session.form.get(one, "")] for one in _ENDS]
        if sorted(map(len, ends)) != [1, 2] or not all(map(all, ends)) or not _PRICE.search(question):
            return ""
        form, told = session.form, list[str]()
        for start, end in product(*ends):
            session.form = {**form, "from": start, "to": end, "class": form.get("class", "second")}
            told += [self.words(session)["fare"].format(**self._shown(session))] if start != end else []
        session.form = form
        return " ".join(told)

    def _of_the_journey(self, session: Visit, question: str, heard: Heard) -> str | None:
        """How long it takes, when a train leaves that is named, what it costs, whether it runs that day."""
        self._take_along(session, question, heard)
        words, form = self.words(session), session.form
        if not {"from", "to"} <= set(form):
            if session.errand == "ticket" and self.hearer.errand(session, heard) == "fare":
                known = {"from", "to"} <= {*form, *self.values(session, heard)}
                return None if known else words["fare_later"]
            time = last_time(question, session.language, asked=False)
            return "" if time and session.errand == "ticket" else None
        found = self.values(session, heard)
        if _RETURN_TOO.search(question) and self.hearer.errand(session, heard) == "fare":
            says = self._topics[session.language].says["back"]
            return f"{self._both_fares(session)} {says}"
        if BACK.search(question) and (_IS_THERE.search(question) or "timetable" in self._errands(heard)):
            return self._backwards(session)
        if set(found) <= {"day"} and _EVERY_DAY.search(question) and (found or _DAILY.search(question)):
            return words["daily"]
        if set(found) == {"passengers"} and session.errand is None and session.lately == "fare":
            session.form = {"class": "second", **form, **found}
            told, session.form = words["fare_all"].format(**self._shown(session)), {**form, **found}
            return told
        if _LASTS.search(question):
            return words["takes"].format(**self._shown(session), minutes=self.timetable.takes(session.form))
        if (
            session.errand == "ticket"
            and session.asking != "class"
            and found.get("class", form.get("class")) != form.get("class")
        ):
            session.form = {**form, "class": found["class"]}
            told, session.form = words["fare"].format(**self._shown(session)), form
            return told  # what is second?
        if session.confirming and self.hearer.errand(session, heard) == "fare":
            again = session.last is not None and self.confirm(session) in session.last.text
            return words["total"].format(**self._shown(session)) if again else ""
        if _ARRIVES.search(question) and not CLASS_WORD.search(question):
            return words["arrival"].format(**self._shown(session))
        if _WHICH.search(question) and (told := self._of_a_train(session, question)):
            return told
        if self.hearer.errand(session, heard) in self.informs or CLASS_WORD.search(question):
            return None
        if session.part and self._part(question) and _IS_THERE.search(question):
            session.listed = True
            fits = bool(self._in_part(session))
            return words["timetable" if fits else "none_then"].format(**self._shown(session))
        return self._of_a_train(session, question)

    def _errands(self, heard: Heard) -> set[str]:
        return {one.value or "" for one in heard.all("errand")}

    def _backwards(self, session: Visit) -> str:
        """The trains of the way back."""
        form = session.form
        session.form = {"from": form["to"], "to": form["from"]}
        told = self.words(session)["timetable"].format(**self._shown(session))
        session.form = form
        return told

    def _take_along(self, session: Visit, question: str, heard: Heard) -> None:
        """What a question tells of the journey that waits for it: what is the first one to Rome tomorrow?"""
        if session.errand not in ("ticket", "timetable", "fare") or SUPPOSES.search(question):
            return
        found, needs = self.values(session, heard), self.counter.errands[session.errand].needs
        new = {one: found[one] for one in ("from", "to", "day") if one in found and one in needs}
        new = {one: value for one, value in new.items() if one not in session.form}
        same = new.get("to", session.form.get("to")) == new.get("from", session.form.get("from"))
        if new and session.asking is not None and not same:
            session.form |= new
            session.asking = next((one for one in needs if one not in session.form), session.asking)

    def _of_a_train(self, session: Visit, question: str) -> str | None:
        """When the train leaves that a question names: was that eleven? is the second one at noon?"""
        form = {**(session.account if session.errand is None else {}), **session.form}
        plain = in_digits(question, session.language, ordinals=False)
        hour = _WAS_IT.search(plain)
        time = last_time(question, session.language, asked=False) or (
            f"{int(hour[1]):02}:00" if hour else None
        )
        nth = _WHICH.search(question)
        named = (
            self.timetable.train_at(form, as_said(time, question))
            if time
            else self.nth(nth[0])
            if nth
            else None
        )
        checks = bool(_THAT_ONE.search(question)) and not self.values(session, self._heard(session, question))
        train = named or (form.get("train") if time or checks else None)
        if train is None:
            return self.words(session)["none_then"] if time and session.asking == "train" else None
        if time and session.confirming and train != form.get("train") and TAGGED.search(question):
            session.form["train"] = train
            return ""
        at = self.timetable.departures(form)[int(train) - 1]
        return self.words(session)["leaves"].format(train=train, at=at)

    def _topic(self, session: Visit, text: str, *, asks: bool = True) -> str:
        """What lies beyond the desk; of what was found only where something was lost."""
        told, says = super()._topic(session, text, asks=asks), self._topics[session.language].says
        apart = {errand: {says[one] for one in topics} for errand, topics in _OF.items()}
        return "" if any(told in one and session.lately != errand for errand, one in apart.items()) else told

    def about(self, session: Visit, heard: Heard) -> bool:
        stays = session.errand is not None and _STAYS.search(heard.text) is not None
        needs = (one for one in ("from", "to") if session.asking == one)
        unserved = any(self.hearer.named(heard, session.language, one) for one in needs)
        return super().about(session, heard) or self._chosen(session, heard) is not None or stays or unserved

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        found = self.values(session, heard) if session.confirming and heard.did("negate") else {}
        if found and found.items() <= session.form.items() and not heard.all("errand"):
            return Answer(*self.question(session))  # no, not first: second, as it stands there
        if (
            session.confirming
            and session.errand == "ticket"
            and heard.did("affirm")
            and BACK.search(heard.text)
        ):
            done = self._serve(session).text.removesuffix(self.question(session)[0]).strip()
            self._turn_back(session, self._heard(session, _AGREES.sub("", heard.text)))
            more = self._go_on(session)
            return more._replace(text=f"{done} {more.text}")
        if session.errand is None and BACK.search(heard.text) and self.journey(session):
            self._turn_back(session, heard)
            return self._go_on(session)
        lone = session.back and session.errand is None and session.lately == "ticket"
        if (
            lone
            and self.journey(session)
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

    def _turn_back(self, session: Visit, heard: Heard) -> None:
        """The way back: the stations the other way round, all else but the day and the train as before."""
        was = self.journey(session)
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
        if (session.part or session.by) and {"from", "to"} <= set(form) and "train" not in form:
            fits = self._in_part(session)
            if len(fits) == 1 and session.errand == "ticket":
                form["train"], session.part, session.late = fits[0], "", False
                session.after = session.by = 0
            if not fits:
                session.part, session.after, session.by = "", 0, 0
                return self.words(session)["none_then"]
        return ""

    def _in_part(self, session: Visit) -> list[str]:
        """The trains that leave and arrive when they shall, without the first where that is too early."""
        leave, arrive = self.timetable.departures(session.form), self.timetable.arrivals(session.form)
        _, begins, ends = PARTS.get(session.part, (None, 0, 30 * 60))
        begins = max(begins, session.after)
        fits = [
            str(at)
            for at, (one, other) in enumerate(zip(leave, arrive, strict=True), 1)
            if begins <= minutes_of(one) < ends
            and (not session.by or minutes_of(one) < minutes_of(other) <= session.by)
        ]
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
        if {"from", "to"} <= set(form) and (train := self.timetable.train_at(form, form.pop("time"))):
            form["train"] = train

    def question(self, session: Visit) -> tuple[str, tuple[Act, ...]]:
        """The question that waits; trains that this turn told of are not listed again."""
        asked, acts = super().question(session)
        if session.listed and session.asking == "train":
            asked = asked.replace(f" {self._listed(session)}.", "")
        return asked, acts

    def answered(self, session: Visit, text: str) -> Answer:
        session.listed, before = False, session.back
        if session.errand is None and HAS_TICKET.search(text) and _WRONG_TICKET.search(text):
            question, acts = self.question(session)
            return Answer(joined([self._topics[session.language].says["changing"], question]), acts)
        answer = super().answered(session, text)
        if session.errand is None and session.lately not in self.informs:  # asked anew
            session.part, session.after, session.by, session.late = "", 0, 0, False
        if session.back and not before and session.errand == "ticket" and session.opens is None:
            return answer._replace(text=joined([self.words(session)["back_later"], answer.text]))
        return answer

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
        several = kind == "fare" and int(session.form.get("passengers", "1")) > 1
        told = self.words(session)["fare_all" if several else kind].format(
            **self._shown(session), number=number
        )
        back = session.back and kind == "ticket"
        return f"{told} {self.words(session)['back'].format(**self.told(session))}" if back else told

    def _both_fares(self, session: Visit) -> str:
        """What both classes cost, amid a ticket that has none yet."""
        dear = self.timetable.euros({**session.form, "class": "first"})
        several = int(session.form.get("passengers", "1")) > 1
        return self.words(session)["fares_all" if several else "fares"].format(
            **self._shown(session), first=dear
        )

    def _shown(self, session: Visit) -> dict[str, str]:
        shown, form = self.told(session), session.form
        if {"from", "to"} <= set(form):
            euros = self.timetable.euros(form)
            shown |= {"euros": str(euros), "total": str(euros * int(form.get("passengers", "1")))}
            shown |= {"at": self.timetable.departures(form)[int(form.get("train", "1")) - 1]}
            shown |= {"trains": self._listed(session), "arrivals": self._arrivals(session)}
        return shown

    def _arrivals(self, session: Visit) -> str:
        """When the trains arrive, or the one that was chosen."""
        form = session.form
        times = self.timetable.arrivals(form)
        fits = map(int, self._in_part(session)) if session.part or session.by else []
        chosen = [int(form["train"])] if form.get("train") else [*fits] or range(1, len(times) + 1)
        return ", ".join(f"{at}) {times[at - 1]}" for at in chosen)

    def _listed(self, session: Visit) -> str:
        """The trains of the part of the day that was named; all where none was, or none goes then."""
        listed = list(enumerate(self.timetable.departures(session.form), 1))
        fits = self._in_part(session) if session.part or session.by else []
        return ", ".join(f"{at}) {time}" for at, time in listed if not fits or str(at) in fits)
