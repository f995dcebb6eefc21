"""Bots that keep account of an errand: they can say what was noted, what is done, and what is not yet.

They also pass over what is told besides an errand, and take a remark behind an answer for a remark.
"""

import re
from abc import abstractmethod
from functools import partial
from typing import Final, TypeVar

from vivavoce_bots.acts import Act
from vivavoce_bots.dialogue.clauses import asks_openly, gives_up, sentences_of
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.gist import pertinent
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.inquiry import Asked, Inquired, calendar, inquired, says_something
from vivavoce_bots.dialogue.manners import CourteousBot
from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.talk import Answer, Talk, asked_for_more, closing_question, joined

Held = TypeVar("Held", bound=Talk)
_FEWEST: Final = 3  # words of a remark
_ECHO: Final = 3  # words of a question that only says again what was told: only fourteen?
_NOTED: Final = 5  # words of who says no more than that something was noted
_WISHES: Final = {
    "en": re.compile(
        r"\b(?:want|need|can|could|would|will you|please|give|tell|show|find|get me|put|make|take|have you|"
        r"do you|is there|look|search|book|buy|cancel|change|add|order|send)\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:vogli\w+|vorr\w+|serv\w+|può|puoi|potete|potrebbe|per favore|mi d[aàie]\w*|"
        r"d[aà]mm\w+|dica|mi dice|"
        r"mostr\w+|trov\w+|mett\w+|prend\w+|avete|c'è|ci sono|cerc\w+|prenot\w+|compr\w+|annull\w+|cambi\w+|"
        r"aggiung\w+|mand\w+)\b",
        re.I,
    ),
}
"""Words of who may want something."""


_TELLS: Final = {
    "en": re.compile(
        r"\b(?:i|i'm|i've|my|we|he|she|they|it's|that's|you|you're|is|was|are|were|what an?)\b|!", re.I
    ),
    "it": re.compile(
        r"\b(?:ho|è|era|sono|siete|sei|mi[oae]|mi|ma|non|che|quel\w*|hai|ha|abbiamo|avevo|sempre|neanche)\b|!",
        re.I,
    ),
}
"""Words of who tells something; names of things alone may be asked for."""
_KNOWN: Final = re.compile(
    r"\b(?:lo so (?:che|già)|so già che|i know (?:that|it|you|the|i)\b)[^,.;:!?]*", re.I
)
"""What somebody says that they know, and do not ask."""


class AccountingBot(CourteousBot[Held]):
    """A bot that answers from its state where things stand."""

    @abstractmethod
    def asks_state(self, session: Held, asked: Asked, sentence: str) -> bool:
        """Whether a question is about where things stand: `is Emma lent out?` asks of a book."""

    @abstractmethod
    def standing(self, session: Held, asked: Asked) -> str:
        """What was done, or what was noted so far; `` where the question that waits tells it."""

    @abstractmethod
    def told_in(self, session: Held, text: str) -> set[str]:
        """What a text says of the matter, by name."""

    def answered(self, session: Held, text: str) -> Answer:
        plain = unframed(text, session.language).text  # tell me whether it is booked
        heard = (one for one in (text, plain) if "?" in one)
        about = (inquired(one, session.language, partial(self.asks_state, session)) for one in heard)
        asked = next(filter(None, about), None)
        if self._leaves(session, text):
            bye, waits = self.farewell(session), self.waits(session) and not asked_for_more(session.last)
            left = self.words(session).get("cancelled", "") if waits else ""
            return bye._replace(text=joined([left, bye.text]))
        if asked is None:
            return super().answered(session, self._without_asides(session, text))
        return self._accounted(session, asked)

    def _leaves(self, session: Held, text: str) -> bool:
        """Whether somebody gives up or ends, and says nothing of the matter: shameful. Enough."""
        if "?" in text:
            return False
        said = set(self._hearing[session.language].heard(text).kinds)
        if said == {"thankyou", "hello"} and session.last and session.last.acts[:1] != (Act("hello"),):
            return True  # grazie, buongiorno
        begins = gives_up(session.language).match(text.strip())
        if begins:
            return not self.told_in(session, text.strip()[begins.end() :])
        hearing, sentences = self._hearing[session.language], sentences_of(text)
        last = hearing.heard(sentences[-1]) if len(sentences) > 1 else None
        rest = " ".join(sentences[:-1])
        ends = last is not None and last.did("whole") and last.did("bye", "done")
        return ends and not (self.told_in(session, rest) or hearing.heard(rest).did("affirm", "negate"))

    def _without_asides(self, session: Held, text: str) -> str:
        if self.told_in(session, left := _KNOWN.sub(" ", text)):
            text = left
        return pertinent(text, session.language, lambda one: self.told_in(session, one))

    def _accounted(self, session: Held, asked: Inquired) -> Answer:
        """Where things stand, and the answer to what is said besides."""
        answer = None
        if says_something(asked.rest):
            answer = super().answered(session, self._without_asides(session, asked.rest))
            if {Act("repeat"), Act("help")} & set(answer.acts):
                session.lost, answer = 0, None
        told = calendar(session.language) if asked.asked == "today" else self.standing(session, asked.asked)
        session.repeats, session.vain = True, 0
        if answer is None:
            question, acts = self.question(session)
            return Answer(joined([told, question]), (Act("inform"), *acts))
        question = self.question(session)[0]
        question = question if answer.text.endswith(question) else closing_question(answer)
        beside = answer.text.removesuffix(question).strip()
        if told and answer.acts[:1] and len(beside.split()) <= _NOTED and not any(map(str.isdigit, beside)):
            beside = ""  # noted
        if answer.end:
            return answer._replace(text=joined([told, answer.text]))
        return answer._replace(text=joined([beside, "" if beside and beside in told else told, question]))

    def puzzled(self, session: Held, heard: Heard) -> Answer:
        """A remark behind an answer, which wants nothing, is taken note of."""
        sentences = sentences_of(heard.text)
        remarks = asked_for_more(session.last) and session.lost == 0 and len(heard.said) >= _FEWEST
        asked = [one for one in sentences if asks_openly(one, session.language)]
        asks = any(len(one.split()) > _ECHO or not one.endswith("?") for one in asked)
        remarks = remarks and _TELLS[session.language].search(heard.text) is not None
        if not remarks or asks or _WISHES[session.language].search(heard.text):
            return super().puzzled(session, heard)
        session.lost += 1
        question, acts = self.question(session)
        seen = speech(session.language).answers["chat"][0]
        return Answer(joined([seen, question]), (Act("ack", None, "chat"), *acts))
