"""What a counter tells of its errands: what was noted, what was done last, what would be."""

from typing import ClassVar, Final

from vivavoce_bots.counter.matter import Counter
from vivavoce_bots.counter.naming import EITHER, SUPPOSES, TAGGED, TITLE
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.dialogue.accounting import AccountingBot
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.inquiry import Asked
from vivavoce_bots.dialogue.talk import Answer

_FEWEST: Final = 4  # words of a sentence that is not told twice


class CounterAccounts(AccountingBot[Visit]):
    """The part of a counter that speaks of its errands."""

    counter: Counter
    hearer: CounterHearing
    informs: ClassVar[frozenset[str]] = frozenset()
    """Errands that only tell something, and change nothing."""
    searches: ClassVar[frozenset[str]] = frozenset()
    """Errands that change nothing, and may lead on to others."""
    lends: ClassVar[bool] = False
    """Whether what is done lasts until a day."""

    def told(self, session: Visit) -> dict[str, str]:
        """The form in words."""
        return {need: self.counter.say(need, value, session.language) for need, value in session.form.items()}

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named, by need."""
        return self.hearer.values(session, heard)

    def asks_state(self, session: Visit, asked: Asked, sentence: str) -> bool:
        """Whether a question is about the errand; one that names another thing, or tells a wish, is not."""
        if asked == "today":
            return "day" in self.counter.needs
        values = self.values(session, self._hearing[session.language].heard(sentence))
        kept = {need: one for need, one in values.items() if need in self.counter.kept}
        known = {*session.form.items(), *session.account.items()}
        if asked == "until":
            errands = {one.value for one in self._hearing[session.language].heard(sentence).all("errand")}
            return self.lends and "hours" not in errands and set(kept.items()) <= known
        if asked == "noted":  # you have the 9:55 down, right? puts right what was noted
            checks = TAGGED.search(sentence) and EITHER.search(sentence) is None
            return not checks or set(values.items()) <= known
        return set(kept.items()) <= known

    def standing(self, session: Visit, asked: Asked) -> str:
        words = self.words(session)
        if asked == "until":
            return session.lastly or words["until"]
        if session.errand is None or session.errand in {*self.informs, *self.searches}:
            return session.lastly or words["nothing_done"]
        if session.confirming:
            return words["not_yet_done"] if asked == "done" else ""
        noted = [
            words.get(f"so_far_{need}", "{value}").format(value=value)
            for need, value in self.told(session).items()
            if need in self.counter.errands[session.errand].needs and value
        ]
        so_far = words["so_far"].format(noted=", ".join(noted)) if noted else ""
        return f"{words['not_yet_done']} {so_far}".strip() if asked == "done" else so_far

    def told_in(self, session: Visit, text: str) -> set[str]:
        heard = self._hearing[session.language].heard(text)
        errands = {one.value or "" for one in heard.all("errand")}
        titles = {"name"} if "not_known" in self.words(session) and TITLE.search(text) else set[str]()
        return {
            *self.values(session, heard),
            *titles,
            *(one for one in errands if not self.counter.errands[one].yields),
        }

    def answered(self, session: Visit, text: str) -> Answer:
        """The answer; who asks on gets no sentence a second time that was told just before."""
        if told := self._supposed(session, text):
            question, asks = self.question(session)
            return Answer(f"{told} {question}", asks)
        last = session.last
        answer = super().answered(session, text)
        question = self.question(session)[0]
        told = answer.text.removesuffix(question).strip()
        core = max(sentences_of(told), key=len, default="")
        again = last is not None and core in last.text and len(core.split()) >= _FEWEST
        if not again or "?" not in text or session.repeats or answer.end or session.errand is not None:
            return answer
        lead = told.removesuffix(core).strip()
        return answer._replace(text=f"{lead or self.words(session)['no_more_known']} {question}")

    def _supposed(self, session: Visit, text: str) -> str:
        """What is told of an errand that is only asked about: if she is ill, do we get the money back?"""
        if session.errand is not None or not text.rstrip().endswith("?") or not SUPPOSES.search(text):
            return ""
        errand = self.hearer.errand(session, self._hearing[session.language].heard(text))
        return self.words(session).get(f"about_{errand}", "")
