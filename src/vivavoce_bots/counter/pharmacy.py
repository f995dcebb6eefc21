"""A pharmacy: chatty. It repeats what was said, is pleased about it, and gives no medical advice.

One order has several products, each with its amount, and one day; it is put aside as a whole.
"""

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.naming import ALSO
from vivavoce_bots.counter.ordering import before, ordered_in
from vivavoce_bots.counter.turn import Piece
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.inquiry import Asked
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

_TWO: Final = 2
_SHORT: Final = 5  # words of who only names again what was told
_THEN: Final = wording("pharmacy", "then")
_SAME: Final = wording("pharmacy", "same")
_ALL: Final = wording("pharmacy", "all")
_NEEDS: Final = wording("pharmacy", "needs")
_EACH: Final = wording("pharmacy", "each")
_TOTAL: Final = wording("pharmacy", "total")
_PRICES: Final = wording("pharmacy", "prices")
_BRING: Final = wording("pharmacy", "bring")
_WHAT: Final = wording("pharmacy", "what")
_MORE: Final = wording("pharmacy", "more")
_HOUR: Final = wording("pharmacy", "hour")
"""A time of day, which is no amount."""
_DROPS: Final = wording("pharmacy", "drops")
_ONLY_THESE: Final = wording("pharmacy", "only_these")
_WHEN: Final = wording("pharmacy", "when")
_ALL_THAT: Final = wording("pharmacy", "all_that")
_ANOTHER: Final = wording("pharmacy", "another")
_SUM: Final = wording("pharmacy", "sum")
_FORMS: Final = wording("pharmacy", "forms")
"""Forms of products that are named by what they are."""
_ONLY: Final = wording("pharmacy", "only")
_ONE: Final = wording("pharmacy", "one")


class PharmacyBot(CounterBot):
    """Tells what is in stock and what it costs, puts it aside; opening hours, night duty, prescriptions."""

    name: str = "pharmacy"
    informs = frozenset(("stock", "price", "prescription", "hours", "duty", "advice"))

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed)
        for language, hearing in self._hearing.items():
            for phrase in self.counter.cheaper[language]:
                hearing.learn(phrase, "cheaper")

    # --- what is heard --------------------------------------------------------------------------------------

    def plain(self, session: Visit, text: str) -> str:
        """A text with the names that were only begun: ibu... something."""
        known = self.counter.needs["medicine"].values.values()
        named = [[one for one in words[session.language] if "(" not in one] for words in known]

        def whole(found: re.Match[str]) -> str:
            if names_nothing(found[1], session.language):
                return found[0]  # the... no
            fits = [
                words[0]
                for words in named
                if any(one.casefold().startswith(found[1].casefold()) for one in words)
            ]
            return fits[0] if len(fits) == 1 else found[0]

        text = re.sub(r",? if ever\b|,? if at all\b", "", _HOUR.sub(" ", text))
        return re.sub(r"\b(\w{3,})\.{2,}|\b(\w{3,})…", lambda one: whole(one) if one[1] else one[0], text)

    def tells(self, session: Visit, errand: str) -> Collection[str]:
        """What is in stock is told with its price."""
        there = "comes" not in self.counter.facts.get(session.form.get("medicine", ""), {})
        return ("price",) if errand == "stock" and there else ()

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; `for then` is the day on which it comes."""
        found = super().values(session, heard)
        medicine = found.get("medicine") or session.form.get("medicine", "")
        comes = self.counter.facts.get(medicine, {}).get("comes")
        if session.placed and "day" not in found and _SAME.search(heard.text):
            found["day"] = session.placed[-1][1]
        return found | {"day": comes} if comes and "day" not in found and _THEN.search(heard.text) else found

    def about(self, session: Visit, heard: Heard) -> bool:
        cheaper = heard.did("cheaper") and bool(self._compared(session, heard))
        both = self._both(heard) and (session.errand == "reserve" or len(session.offered) == _TWO)
        return super().about(session, heard) or cheaper or both

    def _both(self, heard: Heard) -> bool:
        return _ALL.search(heard.text) is not None

    # --- an order -------------------------------------------------------------------------------------------

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        """The cheaper of two that were spoken of is told, and meant from there on; else an order."""
        if heard.did("cheaper"):
            two = self._compared(session, heard)
            if not two:
                question, asks = self.question(session)
                return Answer(f"{self.words(session)['cheaper']} {question}", asks)
            cheap = min(two, key=lambda one: Decimal(self.counter.facts[one]["euros"]))
            session.form["medicine"], session.offered = cheap, tuple(two)
            orders = "packs" in self.values(session, heard)
            if self.hearer.errand(session, heard) in (None, *self.informs) and not orders:
                session.errand = "stock"
                return self._go_on(session)
            heard = heard._replace(spans=[one for one in heard.spans if one.entry.slot != "medicine"])
        found = self.values(session, heard)
        named = {one.entry.value for one in self.hearer.spans(session, heard)}
        question, asks = self.question(session)
        if (
            self._is_placed(session, heard)
            and ("reserve" in named or "packs" in found)
            and not named & self.informs
        ):
            return Answer(f"{self.standing(session, 'done')} {question}", asks)
        again = session.errand is None and session.lately in ("stock", "price") and not named
        if (
            again
            and set(found) == {"medicine"}
            and found.items() <= session.form.items()
            and len(heard.said) <= _SHORT
        ):
            return Answer(f"{self.words(session)['offer']} {question}", asks)  # yes, the syrup
        if self._orders(session, heard) and (placed := self._ordered(session, heard)) is not None:
            return placed
        placed = self._all_placed(session)
        several = [one for one in self._asked_of(heard) if one not in placed]
        if session.errand is None and len(several) > 1 and named <= {"stock", "price"}:
            told = joined(
                [
                    self.tell(session, "price" if "price" in named else "stock", {"medicine": one}) or ""
                    for one in several
                ]
            )
            question, asks = self.question(session)
            return Answer(f"{told} {question}", asks)
        answer = super().matter(session, heard)
        self._speak_of(session, session.form.get("medicine"))
        return answer

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; what was put aside is not ordered again by who comes for it."""
        errand = super().named(session, heard, found)
        wanted = self._wanted_form(heard)
        if errand == "advice" and wanted:
            return "stock"
        return None if errand == "reserve" and self._is_placed(session, heard) else errand

    def _is_placed(self, session: Visit, heard: Heard) -> bool:
        """Whether an order that is done is spoken of, and none is begun."""
        return bool(session.placed) and session.errand is None and not self._orders(session, heard)

    def _wanted_form(self, heard: Heard) -> str:
        """What is asked for by its form: throat lozenges, a spray for the nose."""
        found = _FORMS.search(heard.text)
        if found is None:
            return ""
        own = [one for one in heard.spans if one.entry.slot == "medicine"]
        known = {word for one in own for word in heard.said[one.start : one.end]}
        return "" if known & set(tokens(found[0])) else found[0].strip()

    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        if "medicine" not in found and (named := self._wanted_form(heard)):
            return named
        return super()._named_strangely(session, heard, errand, found)

    def _told_errand(self, session: Visit, errand: str, found: dict[str, str], heard: Heard) -> str | None:
        """What is told of each product that is asked about."""
        named = self._asked_of(heard)
        if errand not in ("stock", "price", "prescription") or len(named) <= 1:
            return super()._told_errand(session, errand, found, heard)
        return joined([self.tell(session, errand, {"medicine": one}) or "" for one in named])

    def bare(self, session: Visit, piece: Piece) -> bool:
        heard = self._heard(session, piece.text)
        compares = heard.did("cheaper") and not heard.all("value")  # this or that, which is cheaper?
        return compares or super().bare(session, piece)

    def _asked_of(self, heard: Heard) -> list[str]:
        refused = heard.refused("value")
        spans = [one for one in heard.spans if one.entry.slot == "medicine" and one not in refused]
        return list(dict.fromkeys(one.entry.value or "" for one in spans))

    def is_asked(self, session: Visit, text: str) -> bool:
        return bool(session.placed) and session.errand is None and _SUM.search(text) is not None

    def goes_on(self, session: Visit, heard: Heard) -> bool:
        """A price is no number of packs; nor is anything that stands behind an order that is done."""
        if session.placed and session.form.get("medicine") in session.placed[-1][0]:
            return _MORE.search(heard.text) is not None
        if heard.did("insult", "complaint") or any(len(one) > _TWO for one in heard.rest):
            return False  # a robbery
        return not re.search(
            r"\b(?:supermarket|supermercato|cost\w*|euros?|has it|ce l'ha|prezz\w+)\b", heard.text, re.I
        )

    def holds(self, session: Visit, found: dict[str, str]) -> bool:
        return found.get("medicine") in {*session.order, *self._all_placed(session)} or super().holds(
            session, found
        )

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """What was put aside is not looked up again."""
        placed = self._all_placed(session)
        if set(found) == {"packs"} and any(len(one) > _TWO for one in heard.rest):
            return False  # a robbery
        return (
            super().implies(session, heard, found)
            and found.get("medicine", session.form.get("medicine")) not in placed
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
            one_more = "packs" in self.values(session, heard) and _MORE.search(heard.text) is not None
            if not wanted and one_more and not about <= set(last):
                return True  # one pack of those, too
            if about <= set(last) and same and not _ANOTHER.search(heard.text):
                return False
        if session.errand == "reserve":
            return bool(wanted or unwanted or self._both(heard))
        named = {one.entry.value for one in self.hearer.spans(session, heard)}
        counted = any(wanted.values())
        adds = session.lately == "reserve" and bool(wanted) and ALSO.search(heard.text) is not None
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
        return "reserve" in named or (counted and not named & self.informs) or adds or bool(needs) or dated

    def _ordered(self, session: Visit, heard: Heard) -> Answer | None:
        """The order with what was said of it; None where no product is known yet."""
        wanted, unwanted = ordered_in(self._hearing[session.language], heard)
        found, order = self.values(session, heard), session.order
        agrees = session.confirming and heard.did("affirm") and not heard.did("negate")
        fresh = session.errand != "reserve"
        if fresh:
            order.clear()
        kept, was = dict(order), session.form.get("day")
        for clause in re.split(r"[,.;!?]", heard.text):  # never mind the cream
            if dropped := _DROPS.search(clause):
                behind = {*tokens(clause[dropped.end() :])}
                names = {one: {*tokens(self.counter.say("medicine", one, session.language))} for one in order}
                unwanted |= {one for one, own in names.items() if behind & own - {"per", "la", "c"}}
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
        if fresh and session.placed and "day" not in found and ALSO.search(heard.text):
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

    def _fill(self, session: Visit) -> None:
        """The form as the order is: its first product, and an amount once all have one."""
        order = session.order
        session.form["medicine"] = list(order)[-1]
        session.form.pop("packs", None)
        if all(order.values()):
            session.form["packs"] = str(max(one or 1 for one in order.values()))

    def _compared(self, session: Visit, heard: Heard) -> list[str]:
        """Two medicines that were spoken of, here or before."""
        named = [one.value or "" for one in heard.all("value") if one.slot == "medicine"]
        named = list(dict.fromkeys(named)) if named else list(session.offered)
        spoken = session.form.get("medicine")
        if len(named) == 1 and spoken and spoken not in named:
            named.append(spoken)  # or is paracetamol cheaper?
        return named if len(named) == _TWO else []

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
        if form.get("day") == "sunday":
            del form["day"]
            return self.words(session)["closed"]
        for one in order:
            comes = self.counter.facts[one].get("comes")
            if comes is not None and "day" in form and before(form["day"], comes):
                del form["day"]
                key = "not_yet" if len(order) == 1 else "not_yet_of"
                named = self.counter.say("medicine", one, session.language)
                return self.words(session)[key].format(
                    comes=self.counter.say("day", comes, session.language), medicine=named
                )
        return ""

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

    # --- what is told ---------------------------------------------------------------------------------------

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """What all comes to, what is to be brought, what is put aside."""
        words = self.words(session)
        whole: dict[str, int] = {}
        for order in (*(one for one, _ in session.placed), session.order):
            for one, amount in order.items():
                whole[one] = whole.get(one, 0) + (amount or 1)
        named = {one.value or "" for one in heard.all("value") if one.slot == "medicine"}
        if whole and _TOTAL.search(question) and _PRICES.search(question) and named <= set(whole):
            return words["all"].format(
                items=self._listed(session, whole), total=self._money(session, str(self._sum(whole)))
            )
        just = session.last is not None and session.placed and session.lastly not in session.last.text
        if just and self.hearer.errand(session, heard) == "price" and named <= set(whole):
            return ""  # what is to be paid was told with the order
        if session.lately in ("stock", "price") and _ALL_THAT.search(question) and not named:
            return ""  # do you do all that?
        if whole and _BRING.search(question) and not named - set(whole):
            needs = any(self.counter.facts[one]["prescription"] for one in named or whole)
            return words["bring"] if needs else words["bring_not"]
        if whole and _WHAT.search(question):
            return words["aside"].format(items=self._listed(session, whole))
        spoken = next(reversed(session.order), session.form.get("medicine"))
        if spoken and _WHEN.search(question):
            comes = "comes" in self.counter.facts[spoken]
            return self.tell(session, "stock" if comes else "hours", {"medicine": spoken})
        two = self._compared(session, heard) if heard.did("cheaper") else []
        if two:
            cheap = min(two, key=lambda one: Decimal(self.counter.facts[one]["euros"]))
            return self.tell(session, "stock", {"medicine": cheap})
        if heard.did("cheaper"):
            return words["cheaper"]
        return None

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

    def serve(self, session: Visit) -> str:
        said, kind = self.words(session), session.errand or ""
        facts = self.counter.facts.get(session.form.get("medicine", ""), {})
        if kind == "reserve":
            return self._placed(session)
        if kind == "price" and int(session.form.get("packs", "1")) > 1:
            kind = "price_all"
        if kind == "stock" and "comes" in facts:
            kind = "stock_not"
        if kind == "prescription" and not facts["prescription"]:
            kind = "prescription_not"
        self._speak_of(session, session.form.get("medicine"))
        total = Decimal(facts.get("euros", "0")) * int(session.form.get("packs", "1"))
        comes = self.counter.say("day", facts["comes"], session.language) if "comes" in facts else ""
        return said[kind].format(
            **self.told(session), euros=self._money(session, facts.get("euros", "")),
            total=self._money(session, str(total)), comes=comes,
        )  # fmt: skip

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
