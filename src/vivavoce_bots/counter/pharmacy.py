"""A pharmacy: chatty. It repeats what was said, is pleased about it, and gives no medical advice."""

import re
from collections.abc import Collection
from decimal import Decimal
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.talk import Answer

_TWO: Final = 2
_THEN: Final = re.compile(r"\b(?:for|on|by) (?:then|that day)\b|\bper (?:allora|quel giorno)\b", re.I)

_SAME: Final = re.compile(r"\b(?:same day|together with|stesso giorno|insieme a)\b", re.I)


class PharmacyBot(CounterBot):
    """Tells what is in stock and what it costs, puts it aside; opening hours, night duty, prescriptions."""

    name: str = "pharmacy"
    informs = frozenset(("stock", "price", "prescription", "hours", "duty", "advice"))

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        for language, hearing in self._hearing.items():
            for phrase in self.counter.cheaper[language]:
                hearing.learn(phrase, "cheaper")

    def tells(self, session: Visit, errand: str) -> Collection[str]:
        """What is in stock is told with its price."""
        there = "comes" not in self.counter.facts.get(session.form.get("medicine", ""), {})
        return ("price",) if errand == "stock" and there else ()

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; `for then` is the day on which it comes."""
        found = super().values(session, heard)
        medicine = found.get("medicine") or session.form.get("medicine", "")
        comes = self.counter.facts.get(medicine, {}).get("comes")
        if "day" in session.account and "day" not in found and _SAME.search(heard.text):
            found["day"] = session.account["day"]
        return found | {"day": comes} if comes and "day" not in found and _THEN.search(heard.text) else found

    def about(self, session: Visit, heard: Heard) -> bool:
        return super().about(session, heard) or (
            heard.did("cheaper") and bool(self._compared(session, heard))
        )

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        """The cheaper of two that were spoken of is told, and meant from there on."""
        if heard.did("cheaper"):
            two = self._compared(session, heard)
            if not two:
                return Answer(
                    f"{self.words(session)['cheaper']} {self.question(session)[0]}", self.question(session)[1]
                )
            cheap = min(two, key=lambda one: Decimal(self.counter.facts[one]["euros"]))
            session.form["medicine"], session.offered = cheap, tuple(two)
            if self.hearer.errand(session, heard) in (None, *self.informs) and "packs" not in self.values(
                session, heard
            ):
                session.errand = "stock"
                return self._go_on(session)
            heard = heard._replace(spans=[one for one in heard.spans if one.entry.slot != "medicine"])
        answer = super().matter(session, heard)
        named = session.form.get("medicine")
        if named and named not in session.offered[-1:]:
            session.offered = (*session.offered[-1:], named)
        return answer

    def _compared(self, session: Visit, heard: Heard) -> list[str]:
        """Two medicines that were spoken of, here or before."""
        named = [one.value or "" for one in heard.all("value") if one.slot == "medicine"]
        named = list(dict.fromkeys(named)) if named else list(session.offered)
        return named if len(named) == _TWO else []

    def complete(self, session: Visit) -> str:
        """What comes later cannot be fetched before; nothing can on a Sunday."""
        form = session.form
        if session.errand != "reserve":
            return ""
        if form.get("day") == "sunday":
            del form["day"]
            return self.words(session)["closed"]
        comes = self.counter.facts.get(form.get("medicine", ""), {}).get("comes")
        if comes is not None and "day" in form and _before(form["day"], comes):
            del form["day"]
            return self.words(session)["not_yet"].format(
                comes=self.counter.say("day", comes, session.language)
            )
        return ""

    def serve(self, session: Visit) -> str:
        said, kind = self.words(session), session.errand or ""
        facts = self.counter.facts.get(session.form.get("medicine", ""), {})
        if kind == "price" and int(session.form.get("packs", "1")) > 1:
            kind = "price_all"
        if kind == "stock" and "comes" in facts:
            kind = "stock_not"
        if kind == "prescription" and not facts["prescription"]:
            kind = "prescription_not"
        total = Decimal(facts.get("euros", "0")) * int(session.form.get("packs", "1"))
        comes = self.counter.say("day", facts["comes"], session.language) if "comes" in facts else ""
        told = said[kind].format(
            **self.told(session), euros=self._money(session, facts.get("euros", "")),
            total=self._money(session, str(total)), comes=comes,
        )  # fmt: skip
        return f"{told} {said['bring']}" if kind == "reserve" and facts["prescription"] else told

    def _money(self, session: Visit, euros: str) -> str:
        return euros.replace(".", ",") if session.language == "it" else euros


_COMING = ("friday", "saturday", "sunday", "monday", "tuesday", "wednesday", "thursday")


def _before(day: str, other: str) -> bool:
    """Whether a day of the coming week lies before another; in these towns it is always Friday."""
    return _COMING.index(day) < _COMING.index(other)
