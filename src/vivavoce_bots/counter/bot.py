"""What the counters share: an errand is understood, what it needs is asked for, and it is done or refused.

They answer in words only, as a black box does: no acts, nothing about what was understood.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.counter.matter import Counter, read_counter, time_in
from vivavoce_bots.dialogue.manners import Answer, CourteousBot, Heard, Talk, asked_for_more

_PRONOUN: Final = {
    "en": re.compile(r"\b(it|that|this|one|them)\b", re.I),
    "it": re.compile(r"\b(lo|ne|quest[oa]|quell[oa]|\w+[aei]r(?:lo|la|ne))\b", re.I),
}


@dataclass
class Visit(Talk):
    """The errand that is being settled, what is known for it, what was asked last, and what was done."""

    errand: str | None = None
    form: dict[str, str] = field(default_factory=dict)
    asking: str | None = None
    confirming: bool = False
    served: int = 0
    done: dict[str, str] = field(default_factory=dict)


class CounterBot(CourteousBot[Visit]):
    """A counter; a bot of it says in `serve` what comes of an errand, and completes the form before."""

    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def __init__(self, seed: int = 1) -> None:
        self.counter: Counter = read_counter(self.name)
        super().__init__(seed, self.counter.learn)

    # --- what a counter says -------------------------------------------------------------------------------

    @abstractmethod
    def serve(self, session: Visit) -> str:
        """The sentence that ends an errand; all that it needs is in the form."""

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

    def told(self, session: Visit) -> dict[str, str]:
        """The form in words."""
        return {need: self.counter.say(need, value, session.language) for need, value in session.form.items()}

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
        need = self.counter.needs.get(session.asking or "")
        if need is None or not need.values:
            return self.words(session)["help"]
        choices = ", ".join(words[session.language][0] for words in need.values.values())
        return self.words(session)["choices"].format(choices=choices)

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
        session.form.clear()

    def start_over(self, session: Visit) -> None:
        self.let_go(session)
        session.served = 0
        session.done.clear()

    def about(self, session: Visit, heard: Heard) -> bool:
        return bool(heard.all("errand")) or bool(self._values(session, heard))

    def matter(self, session: Visit, heard: Heard) -> Answer | None:
        found = self._values(session, heard)
        errand = self._errand(heard)
        if errand is None and not found:
            return self._settle(session, heard)
        if session.errand is None and not (found or _PRONOUN[session.language].search(heard.text)):
            session.form.clear()  # what was spoken of before is meant only where a word refers to it
        session.errand = errand or session.errand
        session.form |= found
        if session.errand is None:
            session.errand = next(
                (self.counter.implied[one] for one in found if one in self.counter.implied), None
            )
        if session.errand is None:
            return None
        return self._go_on(session, "" if found else self._unknown(session, heard))

    def _unknown(self, session: Visit, heard: Heard) -> str:
        """The sentence for what was named right behind an errand, and is nothing that this counter knows."""
        needs = self.counter.errands[session.errand or ""].needs
        missing = next((need for need in needs if need not in session.form), "")
        sentence = self.words(session).get(f"unknown_{missing}", "")
        vague = self.counter.needs[missing].vague.get(session.language, ()) if sentence else ()
        for errand in heard.spans if sentence else ():
            behind = [one for one in heard.said[errand.end :] if one in heard.rest and not one.endswith("'")]
            next_word = next(iter(behind), None)
            if errand.entry.kind == "errand" and next_word is not None and next_word not in vague:
                between = heard.said[errand.end : heard.said.index(next_word, errand.end)]
                if len(between) <= _REACH:
                    return sentence
        return ""

    def _errand(self, heard: Heard) -> str | None:
        """The errand that was named; one that a bare value implies only where no other was."""
        named = [one.value for one in heard.all("errand") if one.value is not None]
        telling = [one for one in named if one not in self.counter.implied.values()]
        return next(iter(telling or named), None)

    def _settle(self, session: Visit, heard: Heard) -> Answer | None:
        """The answer to yes and no."""
        if heard.did("affirm") and session.confirming:
            return self._serve(session)
        if heard.did("negate"):
            if not session.confirming and session.asking is None:
                return self.farewell(session)
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
        kept = dict(session.form)
        self.let_go(session)
        session.form.update({need: value for need, value in kept.items() if need in self.counter.kept})
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

    def _values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named, by need; what stands behind a `not` was not."""
        language, found = session.language, dict[str, str]()
        refused = heard.refused("value")
        bare: list[tuple[list[str], str]] = []
        for span in heard.spans:
            if span.entry.kind != "value" or span in refused:
                continue
            names, value = (span.entry.slot or "").split("|"), span.entry.value or ""
            if len(names) == 1:
                found[names[0]] = value
            else:
                bare.append((names, value))
        self._place(session, bare, found)
        for name, need in self.counter.needs.items():
            asked = session.asking == name
            if need.kind == "time" and (time := time_in(heard.text, language, asked=asked)):
                found[name] = time
            if need.kind == "number" and (
                number := self.counter.number(name, heard.text, language, asked=asked)
            ):
                found[name] = number
        return found

    def _place(self, session: Visit, bare: list[tuple[list[str], str]], found: dict[str, str]) -> None:
        """Values that several needs have: for the one that was asked; two at once in their order."""
        for at, (names, value) in enumerate(bare):
            free = [one for one in names if one not in found]
            if session.asking in free:
                found[session.asking] = value
            elif free:
                open_ = [one for one in free if one not in session.form] or free
                found[open_[0] if len(bare) - at > 1 else open_[-1]] = value


def _in_words(reply: Reply) -> Reply:
    return reply._replace(acts=(), understood=())
