"""Signs of failure in a system's words: not understood, unable, asks again, refers the user elsewhere.

Read by the `replies.yaml` of the answer's language; that it says nothing, or puts a question again, is read
in any language. Only what it says of no original is evidence: what it says to the utterance and to the
variant alike is its answer.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.languages.data import ReplyWords
from vivavoce_stress.heuristics import negated, plain

ByWords = Literal["not_understood", "ask_again", "hand_over", "trouble", "unknown", "refuse", "menu"]
Kind = ByWords | Literal["question_again", "silent"]
SAID: Final[dict[Kind, str]] = {
    "not_understood": N_("the system says that it did not understand: “{words}”"),
    "ask_again": N_("the system asks to be told again: “{words}”"),
    "hand_over": N_("the system sends the user to a person or elsewhere: “{words}”"),
    "trouble": N_("the system says that something does not work: “{words}”"),
    "unknown": N_("the system says that it does not know what was named: “{words}”"),
    "refuse": N_("the system says that it cannot do or find this: “{words}”"),
    "menu": N_("instead of an answer the system tells what it can do: “{words}”"),
    "question_again": N_("the system puts a question again: “{words}”"),
    "silent": N_("the system says nothing"),
}
LOST: Final[frozenset[Kind]] = frozenset({"not_understood", "ask_again"})
_LACKS: Final[frozenset[Kind]] = frozenset({"unknown", "refuse"})
SAYS_AGAIN: Final = LOST | {"unknown", "menu", "question_again"}  # of these a user may still be served


class Evidence(NamedTuple):
    """One thing that an answer says against the system, and the sentence in which it does."""

    kind: Kind
    words: str

    @property
    def reason(self) -> LocalizedText:
        return statement(SAID[self.kind], words=self.words) if self.words else LocalizedText(SAID[self.kind])


def evidence(answer: str, language: str, before: Iterable[str] = ()) -> list[Evidence]:
    """All that an answer says against the system, the plainest first.

    before  what the system had said before the utterance, in order
    Empty   nothing is said against it, or the language has no such words: []
    """
    if not answer.strip():
        return [Evidence("silent", "")]
    sentences = sentences_of(answer)
    signs = [
        Evidence(kind, sentence)
        for kind, forms in _forms(language).items()
        for sentence in (sentences[:1] if kind == "menu" else sentences)
        if any(form.search(sentence.replace("’", "'")) for form in forms)
    ]
    questions = {
        plain(sentence) for text in before for sentence in sentences_of(text) if sentence.endswith("?")
    }
    return signs + [
        Evidence("question_again", sentence)
        for sentence in sentences
        if sentence.endswith("?") and plain(sentence) in questions
    ]


def against(
    answer: Sequence[Evidence], originals: Sequence[tuple[str, Sequence[Evidence]]], language: str
) -> Evidence | None:
    """First sign of failure in an answer that no answer to the original has; None if there is none.

    Input  originals: each answer to the original, with what it says against the system
    Note   a refusal, or what it does not know, is none where an original was answered with no, too, in
           whatever words
    """
    known_kinds = {sign.kind for _, signs in originals for sign in signs}
    if any(negated(re.sub(r"\([^)]*\)", " ", text), language) for text, _ in originals):  # (yes/no)
        known_kinds |= _LACKS
    for alike in (LOST, _LACKS):
        known_kinds |= alike if known_kinds & alike else set()
    return next((sign for sign in answer if sign.kind not in known_kinds), None)


def asks_again(text: str, language: str) -> bool:
    """True if a system turn says that it did not understand, or asks the user to repeat."""
    return any(sign.kind in LOST for sign in evidence(text, language))


def sentences_of(text: str) -> list[str]:
    """The sentences and lines of a text that have words."""
    return [sentence.strip() for sentence in re.split(r"(?<=[.!?…])\s+|\n+", text) if plain(sentence)]


@lru_cache
def _forms(language: str) -> dict[ByWords, list[re.Pattern[str]]]:
    words = ReplyWords.of(language)
    if words is None:
        return {}
    return {
        kind: [re.compile(pattern, re.IGNORECASE) for pattern in getattr(words, kind)]
        for kind in get_args(ByWords)
    }
