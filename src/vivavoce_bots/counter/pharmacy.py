"""A pharmacy: chatty. It repeats what was said, is pleased about it, and gives no medical advice.

One order has several products, each with its amount, and one day; it is put aside as a whole.
"""

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

from vivavoce_bots.counter.bot import CounterBot
from vivavoce_bots.counter.naming import ALSO
from vivavoce_bots.counter.understanding import Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.inquiry import Asked
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question, speech
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, joined

_TWO: Final = 2
_SHORT: Final = 5  # words of who only names again what was told
_THEN: Final = re.compile(r"\b(?:for|on|by) (?:then|that day)\b|\bper (?:allora|quel giorno)\b", re.I)
_SAME: Final = re.compile(r"\b(?:same day|together with|stesso giorno|insieme a)\b", re.I)
_ALL: Final = re.compile(
    r"\b(?:both|all of (?:it|them)|(?:all )?together|one of each|each of|the two of them|the lot|"
    r"(?:one|two|three) each|entramb[ie]|tutti e (?:due|tre)|tutte e (?:due|tre)|tutt[io] insieme|uno? (?:per|di) (?:tipo|ciascuno)|ambedue)\b",
    re.I,
)
_NEEDS: Final = re.compile(r"\b(?:need|want|would like|i'd like|mi serv\w+|vorrei|voglio|ho bisogno)\b", re.I)
_ALONE: Final = re.compile(
    r"\W*(?:just |only |solo |magari )?(\d)(?: (?:packs?|boxes|box|pieces?|bottles?|scatol[ae]|confezion[ei]|pezz[oi]|flacon[ei]))?(?: please| per favore| grazie)?\W*", re.I
)
_EACH: Final = re.compile(r"\b([1-5])(?: packs?| boxes)? (?:each|of each)\b|\b([1-5]) ciascuno\b", re.I)
_TOTAL: Final = re.compile(
    r"\b(?:altogether|in total|the total|all (?:in|together)|in all|come to|how much (?:do|will|would|must|should) "
    r"i (?:pay|bring|owe|need)|what (?:do|will) i (?:pay|owe)|for (?:both|everything|the two|all)|the (?:whole|two) (?:lot|thing|of)|"
    r"how much is (?:everything|it all|all that|that all)|quanto (?:viene|fa|è|costa) tutto|in tutto|il totale|totale|tutto (?:insieme|quanto)|insieme|quanto (?:pago|devo|le devo|spendo|porto|fa))\b",
    re.I,
)
_PRICES: Final = re.compile(
    r"\b(?:how much|pay|cost\w*|total|come to|euros?|price|quant[oi]|pago|cost\w+|totale|euro|fa)\b|\d", re.I
)
_BRING: Final = re.compile(
    r"\b(?:(?:have|need) to bring|should i bring|do i bring|must i bring|prescription|(?:devo|bisogna) portare|ricetta)\b",
    re.I,
)
_WHAT: Final = re.compile(
    r"\b(?:what (?:are you|did you|have you|is|was)\b.*\b(?:put|keep|set|reserve|aside|note|order)|"
    r"(?:che )?cosa (?:mett|ten|ha|hai|avete)\w*.*\b(?:da parte|prenotat|messo)|cosa mettete)",
    re.I,
)
_LESS: Final = re.compile(
    r"\b(?:without|leave out|(?:take|cross) (?:off|out)|drop|remove|forget|not|no|don't (?:want|need)|instead of|rather than|"
    r"senza|togl\w+|lev\w+|non (?:voglio|serve|mi serve)|niente|invece (?:del|della|dei|di)|non)\s+"
    r"(?:(?:the|any|my|it|il|lo|la|i|gli|le|l'|più|want|need|both)\s*)*$",
    re.I,
)
_IDLE: Final = re.compile(
    r"\b(?:together with|along with|with|insieme (?:a|al|alla|allo|ai|alle|agli)|con) (?:the|il|la|lo|i|le|gli|my)? ?[^,.;!?]*"
    r"|[^,.;!?]*\b(?:riport\w+|cambi(?:ate|are)|vendut[oaie]|comprat[oaie]|sold me|bought|bring(?:ing)? (?:it|them|this) back|returning|exchange)\b[^,.;!?]*"
    r"|\b(?:if|se|in case) [^,.;!?]*|\b(?:already|l'avev[io]|le avev[io]|ho già|i've already|i already) [^,.;!?]*",
    re.I,
)
"""What is only told besides: together with the vitamins."""
_TAKEN_BACK: Final = re.compile(r"\W*(?:no|anzi|cioè|rather|actually|i mean|wait|aspetti?a?)\b", re.I)
_MORE: Final = re.compile(
    r"\b(?:another|more|also|too|as well|add|new|altr[oaie]|anche|pure|aggiung\w+|ancora|di nuovo|make (?:it|that)|change|cambi\w+)\b", re.I
)
_HOUR: Final = re.compile(
    r"\b(?:verso|alle|dalle|entro|per|prima|dopo)(?: del)? ?le (?:\d{1,2}|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici)"
    r"(?: e (?:mezz[ao]|un quarto|\w+))?\b|\b(?:verso|alle|dalle) (?:\d{1,2}|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici)(?: e mezz[ao])?\b"
    r"|\b(?:at|around|after|before|by|until|till) (?:half past )?(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven)\b(?! (?:packs?|box))(?: ?pm| ?am| o'clock)?",
    re.I,
)
"""A time of day, which is no amount."""
_DROPS: Final = re.compile(
    r"\b(?:never mind|leave(?: out)?|skip|forget|without|drop|lasci\w+ (?:stare|perdere)|senza|niente|togl\w+|lev\w+)\b", re.I
)
_ONLY_THESE: Final = re.compile(r"\b(?:only|just|solo|soltanto) (?:the|i|il|lo|la|le|gli)\b", re.I)
_ALL_THAT: Final = re.compile(r"\bdo you (?:do|have|sell|keep) (?:all )?(?:of )?(?:that|those|these|them)\b|\b(?:li|le) avete tutt[ie]\b", re.I)
_ANOTHER: Final = re.compile(r"\b(?:another|one more|again|extra|un altr[oa]|un'altra|altr[ei]|di nuovo|ancora un[oa]?)\b", re.I)
_SUM: Final = re.compile(r"\b(?:in total|the total|altogether|il totale|in tutto)\b", re.I)
_FORMS: Final = re.compile(
    r"\b(?:throat |nose |nasal |lip |hand |face |baby |cough |sleeping |hay fever )?(?:pastigli\w+|caramell\w+|spray|crem[ae]|pomat[ae]|"
    r"gel|gocce|compress[ae]|pillol[ae]|tablets?|pills?|lozenges?|sweets|drops|ointment|cream|patches|tea|tisan[ae]|suppost[ae]|bend[ae]|garz[ae]|"
    r"bandages?|masks?|mascherin[ae]|tampon[ei]|monitor|shampoo|toothpaste|dentifricio)\b"
    r"(?: (?:per|for|da|against|contro) (?:il |la |i |le |lo |gli |the |my |a |your )?(?!me\b|mio\b|mia\b|us\b)\w+)?",
    re.I,
)
"""Forms of products that are named by what they are."""
_ONLY: Final = re.compile(r"\b(?:only|just|instead|rather|invece|solo|soltanto|piuttosto|anzi)\b", re.I)
_ONE: Final = re.compile(
    r"\b(?:an?|one|it|un[oa]?|mel[oa]|l[oa]|prenderl[oa]|tenerl[oa]|metterl[oa]|mettermel[oa])\b|\w{3,}l[oa]\b", re.I
)
_COUNT: Final = re.compile(r"(?<![\d.,:])(\d)(?![\d.,:])(?: \w+){0,2}\W*$")
_BEHIND: Final = re.compile(
    r"^\W{0,2}(?:x ?|per )?(\d)(?![\d.,:])(?=\W*$| (?:packs?|box|pieces?|please|confezion|scatol|pezz))", re.I
)


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
            fits = [words[0] for words in named if any(one.casefold().startswith(found[1].casefold()) for one in words)]
            return fits[0] if len(fits) == 1 else found[0]

        text = _HOUR.sub(" ", text)
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

    def _items(self, heard: Heard, language: str) -> tuple[dict[str, int | None], set[str]]:
        """The products that are named with their amounts, and those that are not wanted."""
        wanted: dict[str, int | None] = {}
        unwanted: set[str] = set()
        before: int | None = None
        text, taken_back = _IDLE.sub(" ", heard.text), False
        for clause in re.split(r",\s+|\s+(?:and|e|ed|plus|più|but|ma)\s+|[.;!?:]\s*", text):
            taken_back = taken_back or (bool(wanted) and _TAKEN_BACK.match(clause) is not None)
            part = self._hearing[language].heard(clause)
            spans = [one for one in part.spans if one.entry.slot == "medicine"]
            for at, span in enumerate(spans):
                lead = " ".join(part.said[spans[at - 1].end if at else 0 : span.start])
                name = span.entry.value or ""
                if _LESS.search(lead + " "):
                    unwanted.add(name)
                    wanted.pop(name, None)
                    continue
                ones = rf"\b(?:{'|'.join(speech(language).numbers['one'])})\b"
                count = _COUNT.search(re.sub(ones, "1", in_digits(lead, language, ordinals=False), flags=re.I))
                tail = in_digits(" ".join(part.said[span.end :]), language, ordinals=False)
                behind = _BEHIND.search(tail)
                number = int(count[1]) if count else int(behind[1]) if behind else before
                if taken_back:  # eye drops, no, cough syrup
                    wanted.clear()
                    taken_back = False
                wanted[name] = number if number is not None else wanted.get(name)
            alone = _ALONE.fullmatch(in_digits(clause, language, ordinals=False))
            last = next(reversed(wanted), None)
            if alone and last is not None and wanted[last] is None:
                wanted[last], alone = int(alone[1]), None
            before = int(alone[1]) if alone else None
        return wanted, unwanted

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
        if self._is_placed(session, heard) and ("reserve" in named or "packs" in found) and not named & self.informs:
            return Answer(f"{self.standing(session, 'done')} {question}", asks)
        again = session.errand is None and session.lately in ("stock", "price") and not named
        if again and set(found) == {"medicine"} and found.items() <= session.form.items() and len(heard.said) <= _SHORT:
            return Answer(f"{self.words(session)['offer']} {question}", asks)  # yes, the syrup
        if self._orders(session, heard) and (placed := self._ordered(session, heard)) is not None:
            return placed
        several = self._asked_of(heard)
        if session.errand is None and len(several) > 1 and named <= {"stock", "price"}:
            told = joined([self.tell(session, "price" if "price" in named else "stock", {"medicine": one}) or "" for one in several])
            question, asks = self.question(session)
            return Answer(f"{told} {question}", asks)
        answer = super().matter(session, heard)
        self._speak_of(session, session.form.get("medicine"))
        return answer

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; what was just put aside is not ordered once more by who comes for it."""
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
        if any(len(one) > _TWO for one in heard.rest):
            return False  # a robbery
        return not re.search(r"\b(?:supermarket|supermercato|cost\w*|euros?|has it|ce l'ha|prezz\w+)\b", heard.text, re.I)

    def holds(self, session: Visit, found: dict[str, str]) -> bool:
        names = {*session.order, *(one for order, _ in session.placed for one in order)}
        return found.get("medicine") in names or super().holds(session, found)

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """What was put aside is not looked up again."""
        placed = {one for order, _ in session.placed for one in order}
        if set(found) == {"packs"} and any(len(one) > _TWO for one in heard.rest):
            return False  # a robbery
        return super().implies(session, heard, found) and found.get("medicine", session.form.get("medicine")) not in placed

    def _speak_of(self, session: Visit, named: str | None) -> None:
        if named and named not in session.offered[-1:]:
            session.offered = (*[one for one in session.offered if one != named][-1:], named)

    def _orders(self, session: Visit, heard: Heard) -> bool:
        """Whether an order is begun, changed or added to."""
        wanted, unwanted = self._items(heard, session.language)
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
        dated = bool(wanted) and not named and not asks and brief and ("day" in self.values(session, heard) or self._both(heard))
        return "reserve" in named or (counted and not named & self.informs) or adds or bool(needs) or dated

    def _ordered(self, session: Visit, heard: Heard) -> Answer | None:
        """The order with what was said of it; None where no product is known yet."""
        wanted, unwanted = self._items(heard, session.language)
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
            vague = PRONOUN[session.language].search(heard.text) or not heard.rest or "packs" in found or _ONE.search(heard.text)
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
        asked_again = asked_again and not heard.did("negate", "not", "wrong") and not is_question(heard.text, session.language)
        if (agrees or (asked_again and "reserve" in {one.value for one in heard.all("errand")})) and "day" in session.form:
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
            if comes is not None and "day" in form and _before(form["day"], comes):
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
        two = self._compared(session, heard) if heard.did("cheaper") else []
        if two:
            cheap = min(two, key=lambda one: Decimal(self.counter.facts[one]["euros"]))
            return self.tell(session, "stock", {"medicine": cheap})
        if heard.did("cheaper"):
            return words["cheaper"]
        return None

    def standing(self, session: Visit, asked: Asked) -> str:
        if session.errand is None and len(session.placed) == 1 and asked in ("done", "noted") and session.lastly:
            order, day = session.placed[0]
            total = self._money(session, str(self._sum(order)))
            return self.words(session)["reserved_all"].format(
                items=self._listed(session, order), total=total,
                day=self.counter.say("day", day, session.language),
            )  # fmt: skip
        if session.errand is None and session.placed:
            words = self.words(session)
            return " ".join(
                words["reserved"].format(
                    items=self._listed(session, order), day=self.counter.say("day", day, session.language)
                )
                for order, day in session.placed
            )
        return super().standing(session, asked)

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
        return f"{told} {said['bring']}" if any(self.counter.facts[one]["prescription"] for one in order) else told

    def _undone_word(self, session: Visit, heard: Heard) -> Answer | None:
        undone = super()._undone_word(session, heard)
        if undone is not None:
            session.placed = session.placed[:-1]
        return undone

    def _money(self, session: Visit, euros: str) -> str:
        return euros.replace(".", ",") if session.language == "it" else euros


_COMING = ("friday", "saturday", "sunday", "monday", "tuesday", "wednesday", "thursday")


def _before(day: str, other: str) -> bool:
    """Whether a day of the coming week lies before another; in these towns it is always Friday."""
    return _COMING.index(day) < _COMING.index(other)
