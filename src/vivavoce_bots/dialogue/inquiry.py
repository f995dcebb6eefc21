"""Questions about where the conversation stands, whatever the matter: what was noted, whether it is done.

A bot answers them from its state: `is it booked?`, `what have you got so far?`, `do I have to do anything else?`.
Such a question is told apart from what is said besides, which is then heard as if it stood alone.
"""

import re
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.opening import DAYS, TODAY
from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT

Asked = Literal["done", "noted", "next", "today", "until"]

_DONE: Final = {
    "en": r"(?:done|booked|reserved|renewed|ordered|bought|put (?:it )?aside|set aside|kept|lent|borrowed|saved|"
    r"topped up|transferred|sent|confirmed|registered|through|sorted|finished|refunded|cancelled|all set|settled)",
    "it": r"(?:fatt[oaie]|prenotat[oaie]|rinnovat[oaie]|ordinat[oaie]|comprat[oaie]|acquistat[oaie]|"
    r"mess[oaie] da parte|tenut[oaie] da parte|da parte|prestat[oaie]|in prestito|mandat[oaie]|inviat[oaie]|"
    r"trasferit[oaie]|ricaricat[oaie]|confermat[oaie]|registrat[oaie]|a posto|a buon fine|sistemat[oaie]|"
    r"rimborsat[oaie]|annullat[oaie])",
}
_SAID: Final = {
    "en": r"(?:said|say|told|tell|noted|note|written|write|wrote|understood|understand|heard|hear|chosen|choose|"
    r"ordered|order|asked for|ask for|agreed|agree|taken|take|booked|book|got (?:so far|down|noted)|put down)",
    "it": r"(?:detto|scritto|segnato|annotato|capito|messo|preso|scelto|ordinato|chiesto|sentito|inserito)",
}
_FORMS: Final[dict[str, tuple[tuple[Asked, re.Pattern[str]], ...]]] = {
    "en": (
        ("today", re.compile(
            r"^\W*(?:(?:oh|and|but|so|wait|um|hm)\W+)*(?:what day (?:is|was) (?:it|today|tomorrow)|"
            r"is (?:it|today|tomorrow|\w+day) (?:today|tomorrow|(?:on )?an? \w+day|\w+day)\b|"
            r"(?:today|tomorrow) is \w+day)", re.I)),
        ("until", re.compile(
            r"\b(?:(?:un)?til when|for how long|how long (?:can|may|do|have) i|when (?:is|was) (?:it|that|this) due|"
            r"when (?:do|must|should|will) i (?:have to |need to )?(?:bring|give|return|take) (?:it|that|them))\b", re.I)),
        ("next", re.compile(
            r"\b(?:what (?:do|must|should|shall) (?:i|we) (?:have to )?do (?:now|next|then)|"
            r"(?:do|must|should) (?:i|we) (?:have to |need to |still )?(?:do|say|tell you|give you) "
            r"(?:anything|something)(?: else| more)?|(?:is|was) that (?:all|everything|it)\W*$|"
            r"what happens (?:now|next)|(?:what|and) now\W*$)", re.I)),
        ("noted", re.compile(
            rf"\b(?:what|which \w+|how many)(?: \w+)? (?:have|did|had|was|were) (?:you|i|we) (?:just )?{_SAID['en']}"
            r"|\b(?:did|have|had|didn't|haven't) (?:i|we) (?:even |really |just |already |also )?(?:say|said|tell|told|ask|asked|order|ordered|mention|mentioned)\b"
            r"|\b(?:did|have|had|didn't|haven't) you (?:even |really |just |already |also )?(?:note|noted|write|written|understand|understood|hear|heard|get (?:it|that)|got (?:it|that) (?:down|right))\b"
            rf"|\b(?:you|i|we)(?:'ve| have| did|) (?:got|{_SAID['en']})\b[^?]*,\s*(?:right|didn't (?:i|you)|haven't (?:i|you)|yes|no|correct)\W*$"
            r"|\bwhat(?:'s| is| was) (?:on|in) (?:the|my) (?:list|order|booking)", re.I)),
        ("done", re.compile(
            rf"\b(?:is|are|was|has|have|did|'s|'ve)\b(?: (?!{_DONE['en']})[\w']+){{0,6}} (?:{_DONE['en']})\b"
            rf"|^\W*(?:so\W+|and\W+|oh\W+)*(?:all )?{_DONE['en']}(?: now| then| already)?\W*$"
            r"|\b(?:did|has) (?:it|that|this) (?:work|worked|go through|gone through)"
            r"|\b(?:have|did|am) i (?:now |just |already |really )*(?:bought?|buy|booked|book|borrowed|borrow|ordered|order)\b", re.I)),
    ),
    "it": (
        ("today", re.compile(
            r"^\W*(?:(?:ma|e|oh|ah|scusi|aspett[ai])\W+)*(?:che giorno è|(?:oggi|domani|ma|\w+dì|sabato|domenica) è "
            r"(?:oggi|domani|\w+dì|sabato|domenica)\b)", re.I)),
        ("until", re.compile(
            r"\b(?:(?:fino a|entro) quando|quando (?:scade|va (?:riportat|restituit|ridat)\w|(?:lo |la )?devo (?:riport|restitu|rid)\w+)|"
            r"(?:per )?quanto tempo (?:lo|la|posso|ce l))", re.I)),
        ("next", re.compile(
            r"\b(?:(?:che )?cosa (?:devo fare|faccio|succede)(?: adesso| ora| poi)?|"
            r"(?:devo|dobbiamo) (?:fare|dire|dirle|darle) (?:altro|qualcos'altro|qualcosa|ancora)|"
            r"(?:è|era) tutto\W*$|basta così\W*\?|^\W*(?:e )?(?:adesso|ora)(?: che)?\W*\?$)", re.I)),
        ("noted", re.compile(
            rf"\b(?:che )?(?:cosa|che|quant[ieo]|quale|che \w+) (?:ho|ha|hai|avete|abbiamo|avevo|aveva) {_SAID['it']}"
            r"|^\W*(?:ma\W+|e\W+|non\W+|scusi\W+|allora\W+|no\W+)*(?:lo |la |l')?(?:ho|ha|hai|avete|abbiamo|avevo|aveva) "
            r"(?:già |proprio )?(?:detto|scritto|segnato|annotato|capito|chiesto|sentito)\b"
            r"|\bche cosa (?:risulta|c'è scritto)", re.I)),
        ("done", re.compile(
            rf"\b(?:è|e'|sono|ho|ha|hai|avete|abbiamo|risulta|resta)\b(?: (?!{_DONE['it']})[\w']+){{0,5}} (?:{_DONE['it']})\b"
            rf"|\b(?:me )?(?:l'|li |le |lo |la |ce l')(?:ho|ha|hai|avete)(?: \w+){{0,2}} (?:{_DONE['it']}|preso|presa)\b"
            rf"|^\W*(?:(?:quindi|allora|ma|e|è)\W+)*(?:già )?{_DONE['it']}(?: adesso| ora| già)?\W*$", re.I)),
    ),
}  # fmt: skip
_NOT_NOW: Final = re.compile(
    r"\b(?:when|how|where|who|why|by whom|can|could|would|will|if|quando|come|dove|chi|perché|può|posso|potete|se)\b"
    r"(?!.*\bor not\b)",
    re.I,
)
"""Words of questions about how something is done, not whether it was."""
_FEWEST: Final = 2


class Inquired(NamedTuple):
    """What is asked of the conversation, in which sentence, and the text without that sentence."""

    asked: Asked
    sentence: str
    rest: str


def inquired(text: str, language: str, about: Callable[[Asked, str], bool]) -> Inquired | None:
    """The question about where the conversation stands; None where there is none.

    about  whether such a question is about the state: `is Emma lent out?` asks of a book, not of an errand
    """
    sentences = sentences_of(text[:LONGEST_TEXT].replace("’", "'"))
    for at, sentence in enumerate(sentences):
        asked = _asked(sentence, language)
        if asked is not None and about(asked, sentence):
            rest = " ".join(one for by, one in enumerate(sentences) if by != at)
            return Inquired(asked, sentence, rest)
    return None


def _asked(sentence: str, language: str) -> Asked | None:
    if not sentence.endswith("?"):
        return None
    for kind, form in _FORMS[language]:
        found = form.search(sentence)
        if found and not (kind == "done" and _NOT_NOW.search(sentence[: found.end()])):
            return kind
    return None


def says_something(text: str) -> bool:
    """Whether a text has words."""
    return len(re.sub(r"\W", "", text)) >= _FEWEST


def calendar(language: str) -> str:
    """Which day it is in the towns, where time stands still."""
    known = speech(language)
    days = known.slots["day"]["values"]
    tomorrow = DAYS[(DAYS.index(TODAY) + 1) % len(DAYS)]
    return known.forms["calendar"].format(today=days[TODAY][0], tomorrow=days[tomorrow][0])
