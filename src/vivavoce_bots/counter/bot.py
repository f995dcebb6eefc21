"""What the counters share: an errand is understood, what it needs is asked for, and it is done or refused.

They answer in words only, as a black box does: no acts, nothing about what was understood.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.counter.errands import WISHES, CounterErrands
from vivavoce_bots.counter.matter import read_counter
from vivavoce_bots.counter.naming import ALSO, SCOLDS
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.counter.unknown import PRONOUN, unknown_answer
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.hearing import Heard, only_no
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import breaks
from vivavoce_bots.dialogue.talk import Answer, asked_for_more, joined

_LONGEST_NAME: Final = 2
_UNSURE: Final = ("help", "dontknow", "suggest", "dontcare", "service", "why")
_BARE: Final = 2  # words of an errand that stands by itself: what was spoken of is meant
_MOST_BESIDES: Final = 2
_NONE: Final = frozenset(("no", "not", "any", "nessun", "nessuna", "nessuno", "niente"))
_LACKS: Final = wording("bot", "lacks")
"""Words of who does not have what is asked for."""


class CounterBot(CounterErrands):
    """A counter; a bot of it says in `serve` what comes of an errand, and completes the form before."""

    variants: ClassVar[tuple[str, ...]] = ("standard",)

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
            done = self._serve(session)
            if not heard.did("done"):
                return done
            said, bye = done.text.removesuffix(self.question(session)[0]).strip(), self.farewell(session)
            return bye._replace(text=joined([said, bye.text]))  # yes, and that's all
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
        if errand is None and not found:
            strange = self._strange(session, heard)
            if unknown := unknown_answer(self.hearer, self.counter, self.words(session), session, heard):
                question, asks = self.question(session)
                return Answer(f"{unknown} {question}", asks)
            return self._settle(session, heard) or (self._not_known(session, strange) if strange else None)
        refers = found or PRONOUN[session.language].search(heard.text) or ALSO.search(heard.text)
        bare = len(heard.said) <= _BARE or is_question(heard.text, session.language)
        refers = (
            refers
            or self.kept(session, heard, errand)
            or (bare and not heard.rest and not heard.did("reqalts"))
        )
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

    def kept(self, session: Visit, heard: Heard, errand: str | None) -> bool:
        """Whether what was spoken of is meant where an errand names nothing else."""
        return self.keeps

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

    def _undone_word(self, session: Visit, heard: Heard) -> Answer | None:
        """What was done last is taken back, where that can be: wrong book, cancel it."""
        told = self.words(session).get(f"undone_{session.lately}")
        if told is None or session.errand is not None or not heard.did("cancel", "undo"):
            return None
        session.lately, session.lastly = None, ""
        question, asks = self.question(session)
        return Answer(f"{told} {question}", asks)

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
            if not (is_question(heard.text, session.language) or WISHES.search(heard.text)):
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
        if session.asking is None and not set(self.counter.errands[errand].needs) - self.spared <= {
            *session.form
        }:
            session.errand, session.form = open_, before
            return None
        said = said or self.serve(session)
        if open_ is None:
            session.lately, session.errand, session.sought = errand, None, None
            session.served += 1
            session.form = {
                one: value
                for one, value in session.form.items()
                if one in {*self.counter.kept, *self.counter.carried, *self.counter.lasting}
            }
        else:
            session.errand, session.form = open_, {**session.form, **before}
        return said

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
        if heard.did("affirm") and session.confirming and not heard.did("negate"):
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
