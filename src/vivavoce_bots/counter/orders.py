"""An order at a counter: several products, each with its amount, and one day; it is put aside as a whole."""

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.naming import ALSO
from vivavoce_bots.counter.ordering import before, ordered_in
from vivavoce_bots.counter.turn import requests
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.inquiry import Asked
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer

_TWO: Final = 2
_FEW: Final = 3  # words of who only names another day
_SHORT: Final = 6
_ALL: Final = wording("pharmacy", "all")
_NEEDS: Final = wording("pharmacy", "needs")
_EACH: Final = wording("pharmacy", "each")
MORE: Final = wording("pharmacy", "more")
_DROPS: Final = wording("pharmacy", "drops")
_ONLY_THESE: Final = wording("pharmacy", "only_these")
_ELSEWHERE: Final = wording("pharmacy", "elsewhere")
_CHANGES: Final = wording("pharmacy", "changes")
_ANOTHER: Final = wording("pharmacy", "another")
_ONLY: Final = wording("pharmacy", "only")
_ONE: Final = wording("pharmacy", "one")


class OrderingCounter(CounterBot):
    """A counter that puts things aside; what was put aside is known from there on."""

    def _both(self, heard: Heard) -> bool:
        return _ALL.search(heard.text) is not None

    def _is_placed(self, session: Visit, heard: Heard) -> bool:
        """Whether an order that is done is spoken of, and none is begun."""
        return bool(session.placed) and session.errand is None and not self._orders(session, heard)

    def holds(self, session: Visit, found: dict[str, str]) -> bool:
        return found.get("medicine") in {*session.order, *self._all_placed(session)} or super().holds(
            session, found
        )

    def _all_placed(self, session: Visit) -> set[str]:
        return {one for order, _ in session.placed for one in order}

    def _speak_of(self, session: Visit, named: str | None) -> None:
        if named and named not in session.offered[-1:]:
            session.offered = (*[one for one in session.offered if one != named][-1:], named)

    def _orders(self, session: Visit, heard: Heard) -> bool:
        """Whether an order is begun, changed or added to."""
        wanted, unwanted = ordered_in(self._hearing[session.language], heard)
        if session.placed and session.errand is None:
            last = session.placed[-1][0]
            same = all(last.get(one) == (amount or last.get(one)) for one, amount in wanted.items())
            about = set(wanted) or {session.form.get("medicine", "")}
            one_more = "packs" in self.values(session, heard) and MORE.search(heard.text) is not None
            if not wanted and one_more and not about <= set(last):
                return True  # one pack of those, too
            if about <= set(last) and same and not _ANOTHER.search(heard.text):
                return False
        if session.errand == "reserve":
            return bool(wanted or unwanted or self._both(heard))
        named = {one.entry.value for one in self.hearer.spans(session, heard)}
        counted = any(wanted.values())
        more = ALSO.search(heard.text) or MORE.search(heard.text)
        adds = session.lately == "reserve" and bool(wanted) and more and not named & self.informs
        asks = is_question(heard.text, session.language)
        if self._both(heard) and not wanted and len(session.offered) == _TWO and not asks and not named:
            return session.lately in ("stock", "price")  # yes, both
        needs = counted and not asks and _NEEDS.search(heard.text) and named <= {"stock"}
        brief = len([one for one in heard.rest if len(one) > _TWO]) <= _TWO
        dated = (
            bool(wanted)
            and not named
            and not asks
            and brief
            and ("day" in self.values(session, heard) or self._both(heard))
        )
        return (
            "reserve" in named or (counted and not named & self.informs) or bool(adds) or bool(needs) or dated
        )

    def _ordered(self, session: Visit, heard: Heard) -> Answer | None:
        """The order with what was said of it; None where no product is known yet."""
        wanted, unwanted = ordered_in(self._hearing[session.language], heard)
        found, order = self.values(session, heard), session.order
        agrees = session.confirming and heard.did("affirm") and not heard.did("negate")
        fresh = session.errand != "reserve"
        if fresh:
            order.clear()
        kept, was = dict(order), session.form.get("day")
        unwanted |= self._dropped(session, heard.text, {*order, *wanted})
        wanted = {one: amount for one, amount in wanted.items() if one not in unwanted}
        if wanted and _ONLY_THESE.search(heard.text) and not fresh:
            unwanted |= set(order) - set(wanted)
        for one in unwanted:
            order.pop(one, None)
        again = heard.did("negate", "wrong") or _ONLY.search(heard.text) is not None
        if wanted and again and not fresh and not set(wanted) <= set(order) and not ALSO.search(heard.text):
            order.clear()  # no, plasters
        order |= {one: amount if amount is not None else order.get(one) for one, amount in wanted.items()}
        if not wanted and self._both(heard):
            order |= {one: order.get(one) for one in session.offered}
        if not wanted and not order and fresh:
            if self._named_strangely(session, heard, "reserve", found) is not None:
                return None
            vague = (
                PRONOUN[session.language].search(heard.text)
                or not heard.rest
                or "packs" in found
                or _ONE.search(heard.text)
            )
            if (last := session.form.get("medicine")) and vague:
                order[last] = None
        if not order:
            if kept or unwanted:
                session.order.clear()
                self.let_go(session)
                question, asks = self.question(session)
                return Answer(f"{self.words(session)['cancelled']} {question}", asks)
            return None
        if each := _EACH.search(in_digits(heard.text, session.language, ordinals=False)):
            order |= {one: int(each[1]) for one, amount in order.items() if amount is None}
        if len(order) > 1 or _ONE.search(heard.text) or len(kept) > 1:
            order |= {one: amount or 1 for one, amount in order.items() if amount is None and (
                len(order) > 1 or "packs" not in found)}  # fmt: skip
        if "packs" in found and len(order) == 1 and not any(wanted.values()):
            order[next(iter(order))] = int(found["packs"])
        for one in wanted:
            self._speak_of(session, one)
        more = ALSO.search(heard.text) or MORE.search(heard.text)
        if fresh and session.placed and "day" not in found and more:
            found["day"] = session.placed[-1][1]
        session.errand = "reserve"
        if fresh:
            session.form.pop("packs", None)
            if session.lately not in (None, *self.informs):
                session.form.pop("day", None)
        if "day" in found:
            session.form["day"] = found["day"]
        self._fill(session)
        asked_again = session.confirming and kept == order and session.form.get("day") == was
        asked_again = (
            asked_again
            and not heard.did("negate", "not", "wrong")
            and not is_question(heard.text, session.language)
        )
        if (
            agrees or (asked_again and "reserve" in {one.value for one in heard.all("errand")})
        ) and "day" in session.form:
            self._limits(session)
            problem = self.complete(session)
            if not problem and "packs" in session.form:
                return self._serve(session)
        return self._go_on(session)

    def _dropped(self, session: Visit, text: str, order: Collection[str]) -> set[str]:
        """What is not wanted of an order any more: never mind the cream."""
        dropped: set[str] = set()
        names = {one: {*tokens(self.counter.say("medicine", one, session.language))} for one in order}
        for clause in re.split(r"[,.;!?]|\s(?:and|but|e|ma)\s", text):
            found = _DROPS.search(clause)
            if found or _ELSEWHERE.search(clause):
                behind = {*tokens(clause[found.end() if found else 0 :])}
                dropped |= {one for one, own in names.items() if behind & own - {"per", "la", "c"}}
        return dropped

    def _amended(self, session: Visit, heard: Heard) -> Answer | None:
        """The order that is done, changed: without the syrup, three instead of two, on Tuesday; else None."""
        asks = is_question(heard.text, session.language) and not requests(heard.text, session.language)
        if session.errand is not None or not session.placed or asks:
            return None
        order, day = session.placed[-1]
        wanted, unwanted = ordered_in(self._hearing[session.language], heard)
        found, changed = self.values(session, heard), dict(order)
        unwanted |= self._dropped(session, heard.text, order)
        within = set(wanted) <= set(order)
        if wanted and within and _ONLY_THESE.search(heard.text):
            unwanted |= set(order) - set(wanted)
        changed = {one: amount for one, amount in order.items() if one not in unwanted}
        short = len(heard.said) <= _FEW and found.keys() == {"day"}  # Wednesday, then
        if within and (short or _CHANGES.search(heard.text)):
            changed |= {one: amount for one, amount in wanted.items() if amount and one in changed}
            again = found.get("packs") or self._amount_again(session, heard)
            if not any(wanted.values()) and again and len(changed) == 1:
                changed = dict.fromkeys(changed, int(again))
            day = found.get("day", day)
        most = self.counter.needs["packs"].high
        if (changed, day) == session.placed[-1] or any(one > most for one in changed.values()):
            return None
        question, asked = self.question(session)
        if not changed:
            session.placed = session.placed[:-1]
            return Answer(f"{self.words(session)['undone_reserve']} {question}", asked)
        if problem := self._too_early(session, changed, day):
            return Answer(f"{problem} {question}", asked)
        session.placed = [*session.placed[:-1], (changed, day)]
        told = self.words(session)["amended"].format(
            items=self._listed(session, changed),
            day=self.counter.say("day", day, session.language),
            total=self._money(session, str(self._sum(changed))),
        )
        return Answer(f"{told} {question}", asked)

    def _amount_again(self, session: Visit, heard: Heard) -> str | None:
        """Another amount of an order that is done: no wait, make it three."""
        amends = session.placed and session.errand is None and _CHANGES.search(heard.text)
        if not amends or len(heard.said) > _SHORT or is_question(heard.text, session.language):
            return None
        return self.counter.number("packs", heard.text, session.language, asked=True)

    def _too_early(self, session: Visit, order: Collection[str], day: str) -> str:
        """What is said where an order cannot be fetched on a day; else nothing."""
        if day == "sunday":
            return self.words(session)["closed"]
        for one in order:
            comes = self.counter.facts[one].get("comes")
            if comes is not None and before(day, comes):
                key = "not_yet" if len(order) == 1 else "not_yet_of"
                named = self.counter.say("medicine", one, session.language)
                said = self.counter.say("day", comes, session.language)
                return self.words(session)[key].format(comes=said, medicine=named)
        return ""

    def _fill(self, session: Visit) -> None:
        """The form as the order is: its first product, and an amount once all have one."""
        order = session.order
        session.form["medicine"] = list(order)[-1]
        session.form.pop("packs", None)
        if all(order.values()):
            session.form["packs"] = str(max(one or 1 for one in order.values()))

    def complete(self, session: Visit) -> str:
        """What comes later cannot be fetched before; nothing can on a Sunday."""
        form = session.form
        if session.errand != "reserve":
            return ""
        order = session.order
        if "medicine" in form and form["medicine"] not in order:
            order.clear()
            order[form["medicine"]] = None
        if "packs" in form and order:
            amounts = [one for one, amount in order.items() if amount is None] or (
                list(order) if len(order) == 1 else [])  # fmt: skip
            order |= dict.fromkeys(amounts, int(form["packs"]))
        problem = self._too_early(session, order, form["day"]) if "day" in form else ""
        if problem:
            del form["day"]
        return problem

    def let_go(self, session: Visit) -> None:
        super().let_go(session)
        session.order.clear()

    def told(self, session: Visit) -> dict[str, str]:
        told = super().told(session)
        if session.errand == "reserve" and session.order:
            told["items"] = self._listed(session, session.order)
            told["medicine"] = told["items"] if all(session.order.values()) else told.get("medicine", "")
        return told

    def _listed(self, session: Visit, order: Mapping[str, int | None]) -> str:
        form = self.words(session)["item"]
        parts = [
            form.format(medicine=self.counter.say("medicine", one, session.language), packs=amount or 1)
            for one, amount in order.items()
        ]
        return f" {self.words(session)['and']} ".join(parts)

    def standing(self, session: Visit, asked: Asked) -> str:
        if session.errand is not None or not session.placed:
            return super().standing(session, asked)
        return " ".join(
            self.words(session)["reserved"].format(
                items=self._listed(session, order),
                day=self.counter.say("day", day, session.language),
                total=self._money(session, str(self._sum(order))),
            )
            for order, day in session.placed
        )

    def _sum(self, order: Mapping[str, int]) -> Decimal:
        return sum((Decimal(self.counter.facts[one]["euros"]) * n for one, n in order.items()), Decimal(0))

    def _placed(self, session: Visit) -> str:
        order = {one: amount or 1 for one, amount in session.order.items()}
        said, day = self.words(session), session.form["day"]
        session.placed = [*session.placed, (order, day)]
        session.order = {}
        told = said["reserve"].format(
            items=self._listed(session, order), total=self._money(session, str(self._sum(order))),
            day=self.counter.say("day", day, session.language),
        )  # fmt: skip
        return (
            f"{told} {said['bring']}"
            if any(self.counter.facts[one]["prescription"] for one in order)
            else told
        )

    def _undone_word(self, session: Visit, heard: Heard) -> Answer | None:
        undone = super()._undone_word(session, heard)
        if undone is not None:
            session.placed = session.placed[:-1]
        return undone

    def _money(self, session: Visit, euros: str) -> str:
        return euros.replace(".", ",") if session.language == "it" else euros
