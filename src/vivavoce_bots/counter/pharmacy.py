"""A pharmacy: chatty. It repeats what was said, is pleased about it, and gives no medical advice."""

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Final

from vivavoce_bots.counter.accounts import LONGEST
from vivavoce_bots.counter.amends import corrected, day_meant, without_price
from vivavoce_bots.counter.naming import SUPPOSES
from vivavoce_bots.counter.orders import MORE, OrderingCounter
from vivavoce_bots.counter.turn import Piece, pieces_of
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.wares import Ware, wares_in
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

_TWO: Final = 2
_FEW: Final = 3  # words of a question that only says an amount
_SHORT: Final = 5  # words of who only names again what was told
_THEN: Final = wording("pharmacy", "then")
_SAME: Final = wording("pharmacy", "same")
_TOTAL: Final = wording("pharmacy", "total")
_PRICES: Final = wording("pharmacy", "prices")
_BRING: Final = wording("pharmacy", "bring")
_WHAT: Final = wording("pharmacy", "what")
_HOUR: Final = wording("pharmacy", "hour")
"""A time of day, which is no amount."""
_WHEN: Final = wording("pharmacy", "when")
_ALL_THAT: Final = wording("pharmacy", "all_that")
_SUM: Final = wording("pharmacy", "sum")
_BECAUSE: Final = wording("pharmacy", "because")
_NOT_THAT: Final = wording("pharmacy", "not_that")
_DID_I: Final = wording("pharmacy", "did_i")
_AMOUNTS: Final = wording("pharmacy", "amounts")
_NAMED: Final = wording("pharmacy", "named")
_RANGE: Final = wording("pharmacy", "range")
_BACK: Final = wording("pharmacy", "back")
_ARTICLE: Final = wording("pharmacy", "article")
_IF: Final = wording("pharmacy", "if")
_THOSE: Final = wording("pharmacy", "those")
_THEM: Final = {"en": "them", "it": "lo"}
_NEVER_MIND: Final = wording("pharmacy", "never_mind")
_NO_BEHIND: Final = re.compile(r"\W*no\b", re.I)
_ADVISES: Final = wording("pharmacy", "advises")
_FORMS: Final = wording("pharmacy", "forms")
"""Forms of products that are named by what they are."""


class PharmacyBot(OrderingCounter):
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
            if _NO_BEHIND.match(found.string, found.end()):
                return ""  # thermo... no
            fits = [
                words[0]
                for words in named
                if any(one.casefold().startswith(found[1].casefold()) for one in words)
            ]
            return fits[0] if len(fits) == 1 else found[0]

        text = corrected(_NAMED.sub(" ", text))
        text = without_price(text, session.last.text if session.last else "", session.language)
        text = _THOSE.sub(_THEM[session.language], text)
        text = re.sub(r",? if ever\b|,? if at all\b", "", _HOUR.sub(" ", text))
        text = _NEVER_MIND.sub(
            lambda one: one[0] if session.order or self._known(session, one[0]) else " ", text
        )
        text = _NOT_THAT.sub(r"niente \1", _BECAUSE.sub(" ", text))
        text = re.sub(r"\b(\w{3,})(?:\.{2,}|…)", whole, text)
        return re.sub(r"(?:\.{2,}|…)(?=\s+[a-zà-ù])", ",", text)  # aspirin or... paracetamol

    def _linked(self, session: Visit, pieces: list[Piece]) -> list[Piece]:
        """Pieces of which a question takes along what was named before it: paracetamol... have you got it?"""
        linked: list[Piece] = []
        named: list[str] = []
        whole: list[Piece] = []
        for piece in pieces:  # if I can't come, do you keep it?
            if whole and piece.asks and not whole[-1].asks and _IF.match(whole[-1].text):
                whole[-1] = Piece(f"{whole[-1].text} {piece.text}", asks=True)
            else:
                whole.append(piece)
        for piece in super()._linked(session, whole):
            own = self._asked_of(self._heard(session, piece.text))
            if named and _RANGE.match(piece.text):
                continue  # plasters and sun cream. What have you got?
            if named and piece.asks and not own and self.bare(session, piece):
                words = [self.counter.say("medicine", one, session.language) for one in named]
                linked.append(Piece(f"{piece.text.rstrip('? ')} {', '.join(words)}?", asks=True))
                continue
            named = own or named
            linked.append(piece)
        return linked

    def tells(self, session: Visit, errand: str) -> Collection[str]:
        """What is in stock is told with its price."""
        there = "comes" not in self.counter.facts.get(session.form.get("medicine", ""), {})
        return ("price",) if errand == "stock" and there else ()

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named; `for then` is the day on which it comes."""
        found = super().values(session, heard)
        if "day" in found and not _THEN.search(heard.text):
            found |= {"day": day} if (day := self._day_meant(session, heard.text)) else {}
            found = found if day else {need: one for need, one in found.items() if need != "day"}
        medicine = found.get("medicine") or session.form.get("medicine", "")
        comes = self.counter.facts.get(medicine, {}).get("comes")
        if session.placed and "day" not in found and _SAME.search(heard.text):
            found["day"] = session.placed[-1][1]
        return found | {"day": comes} if comes and "day" not in found and _THEN.search(heard.text) else found

    def _day_meant(self, session: Visit, text: str) -> str | None:
        def days_in(part: str) -> str | None:
            heard = self._heard(session, part)
            refused = heard.refused("value")
            days = [
                one.entry.value
                for one in heard.all_spans("value")
                if one not in refused and one.entry.slot == "day"
            ]
            return days[-1] if days else None

        return day_meant(text, days_in)

    def about(self, session: Visit, heard: Heard) -> bool:
        cheaper = heard.did("cheaper") and bool(self._compared(session, heard))
        both = self._both(heard) and (session.errand == "reserve" or len(session.offered) == _TWO)
        drops = bool(session.placed) and any(one.entry.slot == "medicine" for one in heard.refused("value"))
        drops = drops or self._amount_again(session, heard) is not None
        return super().about(session, heard) or cheaper or both or drops

    def answered(self, session: Visit, text: str) -> Answer:
        """What is asked for and not kept is told of first; what is said besides is answered as ever."""
        text = text.replace("’", "'")
        if len(text) > LONGEST:
            return super().answered(session, text)
        if self._goes(session, text):
            return self.farewell(session)
        awaited = session.asking == "medicine" or session.sought is not None
        wares, rest = wares_in(text, session.language, lambda one: self._known(session, one), asked=awaited)
        if not wares:
            return super().answered(session, text)
        rest, wants = self._without_health(session, rest), self._wants(session, rest)
        told = self._not_kept(session, wares, alone=not wants)
        if not wants:
            if session.asking == "medicine":
                self.let_go(session)
            question, asks = self.question(session)
            return Answer(f"{told} {question}", asks)
        answer = super().answered(session, rest)
        return answer._replace(text=joined([told, answer.text]))

    def _goes(self, session: Visit, text: str) -> bool:
        """Whether somebody leaves who only says again what was put aside: three creams, then. Bye."""
        heard = self._heard(session, text)
        if not (session.placed and session.errand is None and heard.did("bye", "ciao")) or "?" in text:
            return False
        order, day = session.placed[-1]
        found = self.values(session, heard)
        same = found.get("day", day) == day and found.get("medicine", next(iter(order))) in order
        return same and self.hearer.errand(session, heard) is None

    def _is_said(self, session: Visit, piece: Piece) -> bool:
        """May I come in with the dog? is no wish."""
        about = self.values(session, self._heard(session, piece.text)).keys() & {"medicine", "packs", "day"}
        return super()._is_said(session, piece) and (about != set() or not self._topic(session, piece.text))

    def _known(self, session: Visit, text: str) -> int:
        """How many words of a text name what is kept; `the cream` is the one that was spoken of."""
        said, found = self._hearing[session.language].find(text)
        spans = [one for one in found if one.entry.slot == "medicine"]
        covered = {at for one in spans for at in range(one.start, one.end)}
        spoken = {*session.offered, *session.order, *self._all_placed(session)}
        names = [tokens(self.counter.say("medicine", one, session.language)) for one in spoken]
        own = {word for words in names for word in words if len(word) > _FEW}
        short = [at for at, word in enumerate(said) if at not in covered and word in own]
        return len(covered) + len(short)

    def _without_health(self, session: Visit, text: str) -> str:
        """A text without sentences that only tell how somebody is."""
        kept: list[str] = []
        for one in sentences_of(text):
            heard = self._heard(session, one)
            yields = {span.value for span in heard.all("errand")} == {"advice"}
            if not yields or heard.all("value") or is_question(one, session.language):
                kept.append(one)
        return " ".join(kept)

    def _wants(self, session: Visit, text: str) -> bool:
        """Whether a text says more than a story: an errand, an answer, a question."""
        heard = self._heard(session, text)
        answers = heard.did("bye", "done") or (session.confirming and heard.did("affirm", "negate"))
        pieces = [one for one in pieces_of(self.plain(session, text), session.language) if one.asks]
        bare = [self.bare(session, one) for one in pieces]
        wanted = self.told_in(session, text) - {"name"}
        if all(bare) and wanted <= {*self.informs}:
            return answers  # it rained all night; throat sweets, have you got them?
        return bool(wanted) or answers or not all(bare)

    def _not_kept(self, session: Visit, wares: Sequence[Ware], *, alone: bool) -> str:
        """The sentence for things that are not kept, and the one for what helps against something."""
        words = self.words(session)
        link = f" {words['or']} "
        told: list[str] = []
        for helps, key in ((False, "not_kept"), (True, "helps_against")):
            if names := [one.name for one in wares if one.helps == helps]:
                first = alone and not session.unknown
                only = "advice" if len(wares) == len(names) else key
                key = key if not first else only if helps else "unknown_medicine"
                said = words[key].format(name=link.join(names))
                told.append(said[0].upper() + said[1:])
        session.unknown = [*session.unknown, *(one.name for one in wares if not one.helps)]
        return joined(told)

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
        if (amended := self._amended(session, heard)) is not None:
            return amended
        found = self.values(session, heard)
        named = {one.entry.value for one in self.hearer.spans(session, heard)}
        question, asks = self.question(session)
        if (
            self._is_placed(session, heard)
            and ("reserve" in named or "packs" in found)
            and not named & self.informs
        ):
            return Answer(f"{self.standing(session, 'done')} {question}", asks)
        if self._orders(session, heard) and (placed := self._ordered(session, heard)) is not None:
            return placed
        again = session.errand is None and session.lately in ("stock", "price") and not named
        if (
            again
            and set(found) == {"medicine"}
            and found.items() <= session.form.items()
            and len(heard.said) <= _SHORT
        ):
            return Answer(f"{self.words(session)['offer']} {question}", asks)  # yes, the syrup
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
        told = errand == "advice" and not is_question(heard.text, session.language)
        if told and (found or session.besides or session.errand) and not _ADVISES.search(heard.text):
            return None  # what is only told of one's health
        return None if errand == "reserve" and self._is_placed(session, heard) else errand

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

    def kept(self, session: Visit, heard: Heard, errand: str | None) -> bool:
        """A question that names no other thing is about what was spoken of: and is it dear?"""
        strange = [one for one in heard.rest if len(one) > _FEW and not names_nothing(one, session.language)]
        return errand in self.informs and not strange

    def refers(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        errand = self.hearer.errand(session, heard)
        return super().refers(session, heard, found) or self.kept(session, heard, errand)

    def bare(self, session: Visit, piece: Piece) -> bool:
        heard = self._heard(session, piece.text)
        compares = heard.did("cheaper") and not heard.all("value")  # this or that, which is cheaper?
        return compares or super().bare(session, piece)

    def _asked_of(self, heard: Heard) -> list[str]:
        refused = heard.refused("value")
        spans = [one for one in heard.spans if one.entry.slot == "medicine" and one not in refused]
        return list(dict.fromkeys(one.entry.value or "" for one in spans))

    def _not_told(self, session: Visit, text: str, heard: Heard) -> str | None:
        """Nothing is said to what only looks like a question: on Monday, when my sister passes."""
        return super()._not_told(session, text, heard) if "?" in text or not session.served else ""

    def _without_denied(self, session: Visit, text: str) -> str:
        """If they don't fit, can I bring them back? denies nothing."""
        return text if _BACK.search(text) else super()._without_denied(session, text)

    def _wants_answer(self, session: Visit, text: str) -> bool:
        return super()._wants_answer(session, text) or _BACK.search(text) is not None

    def _composed(self, session: Visit, answer: Answer | None, told: list[str]) -> Answer:
        """What was told is told once: what is here with its price, what was put aside with its sum."""
        whole = super()._composed(session, answer, told)
        said = self.words(session)
        for one in self.counter.facts:
            name = self.counter.say("medicine", one, session.language)
            euros = self._money(session, self.counter.facts[one]["euros"])
            stock = said["stock"].format(medicine=name, euros=euros)
            price = said["price"].format(medicine=name, euros=euros)
            if stock in whole.text and price in whole.text:
                whole = whole._replace(text=whole.text.replace(price, "").replace("  ", " "))
        return whole

    def is_asked(self, session: Visit, text: str) -> bool:
        if session.errand == "reserve" and session.order:  # what was the price, sorry
            heard = self._heard(session, text)
            told = self.hearer.errand(session, heard) in {"price", "prescription", "hours", "duty"}
            return told and not self.values(session, heard)
        return bool(session.placed) and session.errand is None and _SUM.search(text) is not None

    def goes_on(self, session: Visit, heard: Heard) -> bool:
        """A price is no number of packs; nor is anything that stands behind an order that is done."""
        if session.placed and session.form.get("medicine") in session.placed[-1][0]:
            return MORE.search(heard.text) is not None
        if _ARTICLE.search(heard.text):
            return False  # that's a robbery
        if heard.did("insult", "complaint") or any(len(one) > _TWO for one in heard.rest):
            return False  # a robbery
        return not re.search(
            r"\b(?:supermarket|supermercato|cost\w*|euros?|has it|ce l'ha|prezz\w+)\b", heard.text, re.I
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

    def _compared(self, session: Visit, heard: Heard) -> list[str]:
        """Two medicines that were spoken of, here or before."""
        named = [one.value or "" for one in heard.all("value") if one.slot == "medicine"]
        named = list(dict.fromkeys(named)) if named else list(session.offered)
        spoken = session.form.get("medicine")
        if len(named) == 1 and spoken and spoken not in named:
            named.append(spoken)  # or is paracetamol cheaper?
        return named if len(named) == _TWO else []

    # --- what is told ---------------------------------------------------------------------------------------

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """What all comes to, what is to be brought, what is put aside."""
        words = self.words(session)
        if _BACK.search(question):
            return self._topics[session.language].says["taking_back"]
        topic = self._topic(session, question)
        errand = self.hearer.errand(session, heard)
        if topic and (SUPPOSES.search(question) or errand in (None, "reserve")):
            return topic
        if (
            session.errand == "reserve"
            and len(heard.said) <= _FEW
            and self.values(session, heard).keys() == {"packs"}
        ):
            return ""  # two boxes? No, one
        if _AMOUNTS.fullmatch(question):
            return ""  # one, or two?
        if _DID_I.search(question):
            return self.standing(session, "noted") if session.errand == "reserve" else ""
        whole: dict[str, int] = {}
        for order in (*(one for one, _ in session.placed), session.order):
            for one, amount in order.items():
                whole[one] = whole.get(one, 0) + (amount or 1)
        named = {one.value or "" for one in heard.all("value") if one.slot == "medicine"}
        if not whole and _TOTAL.search(question) and len(named) > 1:
            whole = dict.fromkeys(sorted(named), 1)  # what do the two come to?
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
