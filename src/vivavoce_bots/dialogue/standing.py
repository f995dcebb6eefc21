"""Questions about where a conversation stands: what was noted or done, whether it was, what comes now.

They are told apart from the rest of a turn, which is answered first; then it is told how things are.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.manners import CourteousBot, Held
from vivavoce_bots.dialogue.speech import is_question, read_data
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT
from vivavoce_bots.dialogue.talk import Answer, closing_question, joined

KINDS: Final = ("noted", "got", "did", "what_did", "next", "done", "advice")
_IF: Final = re.compile(r"\W*(?:and |but |so |e |ma )?(?:if|when|se|quando)\b", re.I)
_TOLD_ANYHOW: Final = ("got", "did", "what_did", "done")
"""What an answer that tells what was just done has told already."""


class Standing(NamedTuple):
    """What a turn asks of the conversation, and what it says besides."""

    kinds: tuple[str, ...]
    rest: str


@dataclass(frozen=True)
class _Forms:
    asked: Mapping[str, re.Pattern[str]]
    heads: re.Pattern[str]
    nothing: re.Pattern[str]


def told_of_standing(text: str, language: str, kinds: Sequence[str] = KINDS) -> Standing:
    """The questions of a turn about the conversation, of these kinds, and the turn without them."""
    forms, found, kept = _forms(language), list[str](), list[str]()
    plain = text[:LONGEST_TEXT].replace("’", "'")
    for sentence in sentences_of(plain):
        asks = sentence.endswith("?") or is_question(sentence, language) or forms.heads.match(sentence)
        matches = ((kind, forms.asked[kind].search(sentence)) for kind in kinds) if asks else ()
        kind, match = next(((kind, one) for kind, one in matches if one), ("", None))
        if match is None:
            kept.append(sentence)
        else:
            found.append(kind)
            only_if = kind == "next" and _IF.match(sentence)  # if I want it off again, what do I say?
            kept.append("" if only_if else sentence[: match.start()].rstrip(" ,;:"))
    rest = [one for one in kept if one and not forms.nothing.fullmatch(one)]
    return Standing(tuple(dict.fromkeys(found)), " ".join(rest) if found else text)


class StandingBot(CourteousBot[Held]):
    """A bot that tells where the conversation stands."""

    @abstractmethod
    def standing(self, session: Held, kind: str) -> str | None:
        """The sentence that answers a question of one of `KINDS`; None where it is heard as it stands."""

    def plain(self, session: Held, text: str) -> str:
        """A turn as it is meant."""
        return text

    def reply(self, session: Held, texts: Sequence[tuple[str, float | None]]) -> Reply:
        text = texts[0][0] if texts else ""
        known = [kind for kind in KINDS if self.standing(session, kind) is not None]
        session.standing, rest = told_of_standing(text, session.language, known)
        if session.standing and rest:
            heard = self._hearing[session.language].heard(rest)
            if heard.did("help", "dontknow") and not self.about(session, heard):
                rest = ""  # I have lost track: what have I told you?
        return super().reply(session, [(self.plain(session, rest) if rest else "", None)])

    def _turn(self, session: Held, text: str) -> Answer:
        if session.standing and not re.search(r"\w", text):
            session.lost = 0
            return Answer(*self.question(session))
        return super()._turn(session, text)

    def _mended(self, session: Held, text: str, last: Reply | None, answer: Answer) -> Answer:
        kinds, session.standing = session.standing, ()
        if re.search(r"\w", text) or not kinds:
            answer = super()._mended(session, text, last, answer)
        if answer.end or not kinds:
            return answer
        question = self.question(session)[0]
        question = question if answer.text.endswith(question) else closing_question(answer)
        told = answer.text.removesuffix(question).strip()
        did = any(act.act == "inform" for act in answer.acts)
        puzzled = answer.acts[:1] == (Act("repeat"),)
        if puzzled:  # what it did understand is answered
            told, question = "", self.question(session)[0]
        kept = [kind for kind in kinds if not (did and kind in _TOLD_ANYHOW)]
        if re.search(r"\w", text) and not puzzled:  # what waits now says what comes next
            kept = [kind for kind in kept if kind != "next"]
        if Act("canthelp") in answer.acts:
            kept = [kind for kind in kept if kind != "advice"]
        asked = [self.standing(session, kind) for kind in kept]
        fresh = [one for one in asked if one and one.split(": ")[-1].rstrip(".") not in told]
        return answer._replace(text=joined([told, *fresh, question]))


@cache
def _forms(language: str) -> _Forms:
    raw: Mapping[str, Any] = read_data("standing")[language]
    asked = {
        kind: re.compile(
            rf"(?:^|[,;:]\s*|\s(?=(?:and|but|so|e|ma)\s)){raw['before']}(?:{'|'.join(raw[kind])})"
            rf"{raw['after']}[\s.?!…]*$",
            re.I,
        )
        for kind in KINDS
    }
    heads = re.compile(rf"\W*{raw['before']}(?:{raw['heads']})\b", re.I)
    return _Forms(asked, heads, re.compile(rf"(?:(?:{raw['nothing']})\W*)*", re.I))
