"""A pharmacy: chatty. It repeats what was said, is pleased about it, and gives no medical advice."""

from decimal import Decimal

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.understanding import Visit


class PharmacyBot(CounterBot):
    """Tells what is in stock and what it costs, puts it aside; opening hours, night duty, prescriptions."""

    name: str = "pharmacy"
    informs = frozenset(("stock", "price", "prescription", "hours", "duty", "advice"))

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
