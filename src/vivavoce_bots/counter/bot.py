"""What the counters share: an errand is understood, what it needs is asked for, and it is done or refused.

They answer in words only, as a black box does: no acts, nothing about what was understood.
"""

import re
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.counter.accounts import CounterAccounts
from vivavoce_bots.counter.matter import read_counter
from vivavoce_bots.counter.naming import ALSO, NO_NAMES, SCOLDS
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.counter.unknown import PRONOUN, strange_name, unknown_answer
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of, tells_number
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind, only_no
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import breaks
from vivavoce_bots.dialogue.talk import Answer, asked_for_more, joined

_LONGEST_NAME: Final = 2
_UNSURE: Final = ("help", "dontknow", "suggest", "dontcare", "service", "why")
_BARE: Final = 2  # words of an errand that stands by itself: what was spoken of is meant
_MOST_BESIDES: Final = 2
_NONE: Final = frozenset(("no", "not", "any", "nessun", "nessuna", "nessuno", "niente"))
_SHORT_TURN: Final = 4
_WISHES: Final = re.compile(
    r"\b(?:tell|know|check|see|look|find|search|want|need|like|give|show|let me|please|dimmi|dica|sapere|vedere|vorrei|vogli\w+|volev\w+|wanted|"
    r"cerc\w+|serv\w+|mostr\w+|trov\w+|prego|per favore|guard\w+|control\w+|bisogno)\b",
    re.I,
)
_LACKS: Final = re.compile(
    r"\b(?:can't find|cannot find|don't (?:have|know)|haven't got|no idea|non (?:lo |la )?(?:so|trovo|ricordo|ce l'ho|ho))\b", re.I
)
"""Words of who does not have what is asked for."""
_DIGITS: Final = 1000  # the number of a card: whatever else is said, it counts


class CounterBot(CounterAccounts):
    """A counter; a bot of it says in `serve` what comes of an errand, and completes the form before."""

    variants: ClassVar[tuple[str, ...]] = ("standard",)
    spared: ClassVar[frozenset[str]] = frozenset()
    """Needs without which they can be told beside another errand."""

    def __init__(self, seed: int = 1) -> None:
        self.counter = read_counter(self.name)
        self.hearer = CounterHearing(self.counter, self.informs)
        super().__init__(seed, self.counter.learn)

    # --- what a counter says -------------------------------------------------------------------------------

    @abstractmethod
    def serve(self, session: Visit) -> str:
        """The sentence that ends an errand."""

    def complete(self, session: Visit) -> str:
        """Fill in what follows from the form, drop what cannot be; a sentence that says so, else nothing.

        It may turn an errand that cannot be done into another.
        """
        return ""

    def ask(self, session: Visit, need: str) -> str:
        """The question for a need."""
        return self.words(session)[f"ask_{need}"]

    def confirm(self, session: Visit) -> str:
        """The question before an errand is done."""
        return self.words(session)[f"confirm_{session.errand}"].format(**self.told(session))

    # --- the conversation ----------------------------------------------------------------------------------

    def greet(self, session: Visit) -> Reply:
        return _in_words(super().greet(session))

    def reply(self, session: Visit, texts: Sequence[tuple[str, float | None]]) -> Reply:
        return _in_words(super().reply(session, texts))

    def begin(self, language: str) -> Visit:
        return Visit(language)

    def opening(self, session: Visit) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"),))

    def words(self, session: Visit) -> Mapping[str, str]:
        own = self.counter.sentences[session.language]
        return {**own, "puzzled": own.get(f"puzzled_{session.asking}", own["puzzled"])}

    def help(self, session: Visit) -> str:
        """What can be said now: the values to choose from, else all errands."""
        need, words = self.counter.needs.get(session.asking or ""), self.words(session)
        if need is None or need.kind != "choice" or not need.values:
            return words.get(f"help_{session.asking}", words["help"])
        choices = ", ".join(words[session.language][0] for words in need.values.values())
        return words["choices"].format(choices=choices)

    def question(self, session: Visit) -> tuple[str, tuple[Act, ...]]:
        if session.confirming:
            return self.confirm(session), (Act("confirm"),)
        if session.asking is not None:
            return self.ask(session, session.asking), (Act("request", session.asking),)
        kind, act = ("more", "reqmore") if session.served else ("begin", "request")
        return self.words(session)[kind], (Act(act),)

    def waits(self, session: Visit) -> bool:
        return session.confirming or session.asking is not None or asked_for_more(session.last)

    def let_go(self, session: Visit) -> None:
        session.errand, session.asking, session.confirming = None, None, False
        self._forget(session)

    def _forget(self, session: Visit) -> None:
        """What was known for an errand, but for what lasts."""
        session.form = {need: one for need, one in session.form.items() if need in self.counter.lasting}

    def start_over(self, session: Visit) -> None:
        self.let_go(session)
        session.form.clear()
        session.served, session.lately, session.lastly = 0, None, ""
        session.done.clear()

    def about(self, session: Visit, heard: Heard) -> bool:
        heard = self._unscolding(session, heard)
        found = self.values(session, heard)
        strange = self._strange(session, heard) is not None and not heard.did("affirm", "negate", *_UNSURE)
        awaits = (
            session.sought is not None
            or bool(heard.refused("value"))
            or f"unknown_{session.asking}" in self.words(session)
        )
        sought = awaits and self._strange_name(session, heard, None, found) is not None
        named = (
            "?" in heard.text and not heard.spans and bool(heard.rest) and len(heard.said) <= _LONGEST_NAME
        )
        named = named and "not_known" in self.words(session)  # omeprazole? Does that exist?
        spoken = bool(found or self._going_on(session, heard) or heard.all("errand"))
        return spoken or strange or sought or named

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        heard = self._unscolding(session, heard)
        found = self.values(session, heard)
        errand = self._errand(session, heard, found)
        if (
            errand is None
            and session.errand is None
            and set(found) == {"day"}
            and self._day_aside(session, heard)
        ):
            found = {}
        if (undone := self._undone_word(session, heard)) is not None:
            return undone
        if errand and not found and _denied(heard):
            self.let_go(session)  # no, no ticket
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        idle = errand is None and session.errand is None and bool(found)
        if idle and set(found) <= {*self.counter.lasting} and not self._going_on(session, heard):
            session.form |= found  # the number of a card, for nothing yet
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['noted']} {question}", asks)
        same = errand in (None, session.errand) and found.items() <= session.form.items()
        if session.confirming and heard.did("affirm") and errand not in (None, session.errand):
            done, question = self._serve(session), self.question(session)[0]
            more = self.matter(session, heard._replace(kinds=tuple(k for k in heard.kinds if k != "affirm")))
            told = done.text.removesuffix(question).strip()
            return done if more is None else more._replace(text=f"{told} {more.text}")
        if session.confirming and same and heard.did("affirm") and not heard.did("negate"):
            return self._serve(session)
        if errand is None and (more := self._going_on(session, heard)):
            found, errand = found | more, self.counter.goes_on[next(iter(more))]
        told = {*self.informs, *self.counter.implied.values()} - {session.errand}
        if errand is None and not found and {one.entry.value for one in heard.refused("errand")} - told:
            if session.errand is not None:  # else what was spoken of stays
                self.let_go(session)
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        if (refused := self._none_of_it(session, heard, found)) is not None:
            return refused
        if (name := self._strange_name(session, heard, errand, found)) is not None:
            return self._named_in_vain(session, name, errand)
        if (aside := self._aside(session, heard, errand, found)) is not None:
            return aside
        if errand is None and not found:
            strange = self._strange(session, heard)
            if unknown := unknown_answer(self.hearer, self.counter, self.words(session), session, heard):
                question, asks = self.question(session)
                return Answer(f"{unknown} {question}", asks)
            return self._settle(session, heard) or (self._not_known(session, strange) if strange else None)
        refers = found or PRONOUN[session.language].search(heard.text) or ALSO.search(heard.text)
        bare = len(heard.said) <= _BARE or is_question(heard.text, session.language)
        refers = refers or self.keeps or (bare and not heard.rest and not heard.did("reqalts"))
        if errand and session.errand is None and self.counter.errands[errand].needs and not refers:
            self._forget(session)  # what was spoken of before is meant only where a word refers to it
        session.errand = errand or session.errand
        needs = self.counter.errands[session.errand].needs if session.errand else ()
        other = next((self.counter.implied[one] for one in found if one in self.counter.implied), None)
        if errand is None and needs and other and not set(found) & {*needs, "time"}:
            session.errand = other
        self.hearer.put_over(session, heard, found)
        session.form |= found
        if session.errand is None and self.implies(session, heard, found):
            led = sorted((one for one in found if one in self.counter.implied), key=self._last_day)
            session.errand = self.counter.implied[led[0]] if led else None
        if session.errand is None:
            return None
        asked, problem = session.asking, self._unknown(session, heard, led=bool(found))
        answer = self._besides(session, heard, errand, self._go_on(session, problem))
        if asked and asked == session.asking and (heard.did("dontknow") or _LACKS.search(heard.text)):
            return answer._replace(text=joined([self.help(session), answer.text]))
        noted = self.words(session).get("noted", "")
        if noted and asked and asked == session.asking and found and answer.text == self.ask(session, asked):
            return answer._replace(text=f"{noted} {answer.text}")
        return answer

    def implies(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """Whether values alone begin an errand: not those of a story, nor a day of who comes then."""
        if set(found) == {"day"}:
            return len(heard.said) <= _SHORT_TURN
        return True

    def _last_day(self, need: str) -> tuple[bool, bool]:
        """A day implies an errand only where nothing else does; what is done comes before what is told."""
        return self.counter.needs[need].kind == "day", self.counter.implied[need] in self.informs

    def wants_person(self, session: Visit, heard: Heard) -> bool:
        return super().wants_person(session, heard) and self.hearer.errand(session, heard) is None

    def _parted(self, session: Visit, answer: Answer) -> Answer:
        """Who leaves is asked nothing more, but for a yes."""
        if session.asking is not None and not answer.end:
            self.let_go(session)
            return self.farewell(session)
        return super()._parted(session, answer)

    def _unscolding(self, session: Visit, heard: Heard) -> Heard:
        """What was heard, without a sentence that only scolds: why should I buy anything?"""
        sentences = sentences_of(heard.text)
        kept = [one for one in sentences if not SCOLDS.search(one)]
        if len(kept) == len(sentences):
            return heard
        return self._hearing[session.language].heard(" ".join(kept))

    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names; none that it only tells of: I know where it is, I will look for it."""
        errand = self.hearer.errand(session, heard)
        told = errand in {*self.informs, *self.searches} and not _WISHES.search(heard.text)
        told = told and not is_question(heard.text, session.language) and not {*found} & {*self.counter.kept}
        told = told and len(heard.said) > _BARE and not self.counter.errands[errand or ""].yields
        if told and (session.errand is not None or (not found and session.served)):
            return None
        return errand

    def _errand(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that was named, or is gone on with: no, I mean the other book."""
        errand, language = self.named(session, heard, found), session.language
        if errand and self.counter.errands[errand].yields and found:  # a fever. What about aspirin?
            parts = [self._hearing[language].heard(one) for one in sentences_of(heard.text)]
            errand = (
                None if any(not one.all("errand") and self.values(session, one) for one in parts) else errand
            )
        yields = [one.value for one in heard.all("errand") if self.counter.errands[one.value or ""].yields]
        if errand in self.informs and yields and not found and session.asking is None:
            told = set(session.form) & set(self.counter.kept) and PRONOUN[language].search(heard.text)
            told = told or self._strange_name(session, heard, errand, found)
            errand = errand if told else yields[0]  # have you got something for a cold?
        asked = self.counter.needs.get(session.asking or "")
        if asked and asked.kind == "number" and session.asking in found and errand != session.errand:
            errand = errand if is_question(heard.text, language) else None  # let me find it: 2083
        if errand is not None or session.errand is not None or session.lately is None:
            return errand
        kept, goes_on = self.counter.kept[0], heard.did("negate", "not", "wrong") or ALSO.search(heard.text)
        if kept in found and goes_on and kept in self.counter.errands[session.lately].needs:
            return session.lately
        both = {"day", *session.form} >= set(found) and session.last is not None
        goes_on = heard.did("affirm") and self._going_on(session, heard)
        if (
            "day" in found
            and both
            and not goes_on
            and self._echoes(session, found["day"])
            and session.lately != "hours"
        ):
            return session.lately if self._asks_only(session.lately, session.form) else None
        if set(found) == {"class"} and session.lately in self.informs:  # and in first?
            return session.lately
        return None

    def _echoes(self, session: Visit, day: str) -> bool:
        """Whether a day was just told."""
        says = self.counter.say("day", day, session.language).casefold()
        return session.last is not None and says in session.last.text.casefold()

    def _day_aside(self, session: Visit, heard: Heard) -> bool:
        """Whether a day alone asks for nothing: see you tomorrow, Saturday was tomorrow, right?"""
        if self.counter.implied.get("day") not in self.informs:
            return False
        told = any(self._echoes(session, one.value or "") for one in heard.all("value"))
        return leaves_behind(heard) or (told and session.lately != self.counter.implied["day"])

    def _undone_word(self, session: Visit, heard: Heard) -> Answer | None:
        """What was done last is taken back, where that can be: wrong book, cancel it."""
        told = self.words(session).get(f"undone_{session.lately}")
        if told is None or session.errand is not None or not heard.did("cancel", "undo"):
            return None
        session.lately = None
        question, asks = self.question(session)
        return Answer(f"{told} {question}", asks)

    def _asks_only(self, name: str, known: Collection[str]) -> bool:
        """Whether an errand only tells something, and all that it needs is known."""
        needs = set(self.counter.errands[name].needs) - self.spared
        return name in self.informs and needs <= set(known)

    def _aside(
        self, session: Visit, heard: Heard, errand: str | None, found: dict[str, str]
    ) -> Answer | None:
        """The answer to a question amid another errand, which goes on behind it."""
        if session.errand is None:
            return None
        hearing, language = self._hearing[session.language], session.language
        asked = [hearing.heard(one) for one in sentences_of(heard.text) if is_question(one, language)]
        told = [
            one for one in asked if self.hearer.errand(session, one) in {*self.informs} - {session.errand}
        ]
        if told and errand not in self.informs and not found.keys() & {session.asking}:
            errand, found = self.hearer.errand(session, told[0]), self.values(session, told[0])
        if errand in (None, session.errand):
            return None
        if not asked and session.asking not in found:  # Monday, if you are open then
            return None
        name, kept = errand or "", session.errand
        if not self._asks_only(name, {**session.form, **found}):
            return None
        before = dict(session.form)
        session.form |= found
        session.errand = name
        said = self.complete(session) or self.serve(session)
        session.errand, session.form = kept, {**session.form, **before}
        answer = self._go_on(session)
        return answer._replace(text=f"{said} {answer.text}")

    def _besides(self, session: Visit, heard: Heard, errand: str | None, answer: Answer) -> Answer:
        """The answer to one errand, and to others that were named beside it and only tell something."""
        named = dict.fromkeys(one.entry.value or "" for one in self.hearer.spans(session, heard))
        refused = {one.entry.value for one in heard.refused("errand")}
        if errand and self.counter.errands[errand].yields:  # something for a cold
            return answer
        named = [one for one in named if not self.counter.errands[one].yields]
        for name in [one for one in named if one not in refused and one != errand][:_MOST_BESIDES]:
            if session.errand is not None or errand is None or not self._asks_only(name, session.form):
                continue
            if not (is_question(heard.text, session.language) or _WISHES.search(heard.text)):
                continue  # ah, you are open; yes, then
            if name in self.tells(session, errand):
                continue
            session.errand = name
            question = self.question(session)[0]
            more = self._go_on(session)
            told = "" if errand in self.tells(session, name) else answer.text.removesuffix(question).strip()
            answer = more._replace(text=f"{told} {more.text}".strip())
        return answer

    def tells(self, session: Visit, errand: str) -> Collection[str]:
        """The errands whose answer is part of the answer to this one."""
        return ()

    def _going_on(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What goes on with the errand before: a number or a day of what was spoken of last."""
        if session.errand is not None or not set(session.form) & set(self.counter.kept):
            return {}
        if "?" in heard.text or is_question(heard.text, session.language):  # ten euros? on Sunday?
            return {}
        if not self.goes_on(session, heard):
            return {}
        found = {
            name: one for name, one in self.values(session, heard).items() if name in self.counter.goes_on
        }
        brief = [one for one in clauses_of(heard.text) if len(one.split()) <= _SHORT_TURN]
        counted = [one for one in brief if tells_number(one, session.language)]
        if len(heard.said) > 2 * _SHORT_TURN and not found.keys() - {"day"}:
            return {}
        short = " ".join(heard.said if len(heard.said) <= _SHORT_TURN else heard.rest)
        short = counted[-1] if counted and len(heard.said) > _SHORT_TURN else short
        for name in self.counter.goes_on:
            counts = self.counter.needs[name].low >= _DIGITS or len(short.split()) <= _SHORT_TURN
            if self.counter.needs[name].kind == "number" and counts and not heard.all("errand"):
                number = self.counter.number(name, short, session.language, asked=True)
                need = self.counter.needs[name]
                fits = number and need.low <= int(number) <= need.high and session.form.get(name) != number
                found |= {name: number} if number and fits else {}
        return found

    def goes_on(self, session: Visit, heard: Heard) -> bool:
        """Whether a number or a day may go on with what was spoken of."""
        return True

    def _strange(self, session: Visit, heard: Heard) -> str | None:
        """A name that is nothing this counter knows, where hardly more is said; None where there is none."""
        if session.asking is not None or session.confirming or "?" in heard.text:
            return None
        first = heard.text.split(",")[0]
        said, spans = self._hearing[session.language].find(first)
        unknown = (
            not set(said) & NO_NAMES
            and 0 < len(said) <= _LONGEST_NAME
            and set(said) <= set(heard.rest)
            and not spans
            and first.upper() != first.lower()
        )
        return first.strip(" .!") if unknown and "not_known" in self.words(session) else None

    def _named_in_vain(self, session: Visit, name: str, errand: str | None) -> Answer:
        """That something is not known; asked for again only once, then told what there is."""
        again, words = session.sought is not None, self.words(session)
        session.unknown = [*session.unknown, name]
        if session.errand is not None and set(session.form) & set(self.counter.kept):  # amid an order
            return self._not_known(session, name)
        waits = session.asking is not None and not again
        session.sought = errand or session.errand or session.sought or session.lately
        need = next(
            one for one in self.counter.errands[session.sought or ""].needs if f"unknown_{one}" in words
        )
        if not waits:
            session.asking, session.errand = None, None
        self._forget(session)
        told = words["not_known" if again else f"unknown_{need}"].format(name=name)
        question, asks = self.question(session)
        return Answer(f"{told} {question}", asks)

    def _none_of_it(self, session: Visit, heard: Heard, found: dict[str, str]) -> Answer | None:
        """`No product`: what is asked for is not wanted; what is said besides is answered."""
        need = self.counter.needs.get(session.asking or "")
        vague = need.vague.get(session.language, ()) if need else ()
        if found or not vague or not heard.did("not", "negate"):
            return None
        denied = [
            at + 1 for at, word in enumerate(heard.said[:-1]) if word in _NONE and heard.said[at + 1] in vague
        ]
        if not denied:
            return None
        self.let_go(session)
        named = self.hearer.errand(session, heard)
        if named is None or not self._asks_only(named, session.form):
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        session.errand = named
        return self._go_on(session)

    def tell(self, session: Visit, errand: str, found: dict[str, str]) -> str | None:
        """What an errand that only tells something says; what it was about is spoken of from there on."""
        if not set(self.counter.errands[errand].needs) - self.spared <= {*session.form, *found, "work"}:
            return None
        open_, before = session.errand, dict(session.form)
        session.form |= found
        session.errand = errand
        said = self.complete(session)
        if session.asking is None and not set(self.counter.errands[errand].needs) - self.spared <= {*session.form}:
            session.errand, session.form = open_, before
            return None
        said = said or self.serve(session)
        if open_ is None:
            session.lately, session.errand, session.sought = errand, None, None
            session.served += 1
            session.form = {
                one: value for one, value in session.form.items()
                if one in {*self.counter.kept, *self.counter.carried, *self.counter.lasting}
            }
        else:
            session.errand, session.form = open_, {**session.form, **before}
        return said

    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        return self._strange_name(session, heard, errand, found)

    def _strange_name(
        self, session: Visit, heard: Heard, errand: str | None, found: dict[str, str]
    ) -> str | None:
        """What is named as what an errand is about, and is nothing that this counter knows."""
        words, hearing = self.words(session), self._hearing[session.language]
        return strange_name(self.counter, hearing, words, session, heard, errand, found)

    def _not_known(self, session: Visit, name: str) -> Answer:
        question, asks = self.question(session)
        return Answer(f"{self.words(session)['not_known'].format(name=name)} {question}", asks)

    def _unknown(self, session: Visit, heard: Heard, *, led: bool) -> str:
        """The sentence for what was named beside an errand, and is nothing that this counter knows.

        led  only what stands behind a word that leads to a need
        """
        needs = self.counter.errands[session.errand or ""].needs
        for missing in (need for need in needs if need not in session.form):
            if led and not self.counter.needs[missing].leads:
                continue
            sentence = self.words(session).get(f"unknown_{missing}", "")
            if sentence and (name := self.hearer.named(heard, session.language, missing)):
                return sentence.format(name=name)
        return ""

    def _settle(self, session: Visit, heard: Heard) -> Answer | None:
        """The answer to yes and no."""
        if heard.did("affirm") and session.confirming:
            return self._serve(session)
        if heard.did("negate"):
            if session.asking is not None and not only_no(heard):  # my son picks me up, no, he takes me
                return None
            if not session.confirming and session.asking is None:
                return self.farewell(session) if only_no(heard) else None
            self.let_go(session)
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['cancelled']} {question}", asks)
        if heard.did("affirm") and session.asking is None:
            return Answer(self.words(session)["begin"], (Act("request"),))
        return None

    def _go_on(self, session: Visit, problem: str = "") -> Answer:
        """Ask for what is missing, then whether all is right; then do it. A problem is told before."""
        problem = self._limits(session) or self.complete(session) or problem
        errand = self.counter.errands[session.errand or ""]
        session.confirming = False
        session.asking = next((need for need in errand.needs if need not in session.form), None)
        session.confirming = session.asking is None and errand.confirmed
        if session.asking is None and not session.confirming:
            return self._serve(session)
        question, asks = self.question(session)
        return Answer(f"{problem} {question}".strip(), asks)

    def _serve(self, session: Visit) -> Answer:
        said = self.serve(session)
        session.served += 1
        session.sought, session.lately = None, session.errand
        lasts = [*self.counter.kept, *(self.counter.carried if session.errand in self.informs else ())]
        kept = dict(session.form)
        if session.errand not in {*self.informs, *self.searches}:
            session.lastly, session.account = said, kept
        self.let_go(session)
        session.form.update({need: value for need, value in kept.items() if need in lasts})
        question, asks = self.question(session)
        return Answer(f"{said} {question}", asks)

    def _limits(self, session: Visit) -> str:
        """Drop a number beyond its limits, and say so."""
        for name, need in self.counter.needs.items():
            value = session.form.get(name, "")
            if need.kind == "number" and value and not need.low <= int(value) <= need.high:
                del session.form[name]
                return self.words(session)[f"limits_{name}"].format(low=need.low, high=need.high)
        return ""


def _denied(heard: Heard) -> bool:
    """Whether every errand that is named is not wanted: no ticket."""
    spans = heard.all_spans("errand")
    begins = breaks(heard.text)  # no, a ticket
    return bool(spans) and all(
        one.start and heard.said[one.start - 1] in _NONE and one.start not in begins for one in spans
    )


def _in_words(reply: Reply) -> Reply:
    return reply._replace(acts=(), understood=())
