"""A turn as its pieces: what is said, what is asked, what is asked for, and what is stopped."""

import re
from typing import Final, NamedTuple

from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of
from vivavoce_bots.dialogue.speech import is_question

_LEADS: Final = (
    r"(?:(?:and|but|so|or|oh|ah|well|then|ok(?:ay)?|sorry|please|also|right|wait|hm+|um|er|by the way|"
    r"e|ed|ma|o|però|allora|quindi|poi|scusi|senta|eh|beh|cioè|anche|mi scusi|aspetti|già che ci siamo)"
    r"\b[\s,.…]*)*"
)
_WHO: Final = {one: wording("turn", f"who_{one}").pattern for one in ("en", "it")}
_VERBS: Final = {one: wording("turn", f"verbs_{one}").pattern for one in ("en", "it")}
_PLAIN: Final = {
    "en": r"how (?:much|many|long|late|do|does|can)|(?:what|which) (?:time|day|is|are|does|do|about)|"
    r"when (?:do|does|is|are|will|can)|where (?:do|does|is|are|can)|who (?:do|does|is|can)|"
    r"(?:what|which) \w+ (?:did|do|does|is|was|have) (?:i|you|we|it|that)|"
    r"(?:what|which) \w+ (?:goes|go|leaves|runs|gets|stops)|"
    r"(?:will|do|does|can|could|would) (?:they|it|he|she|we)|"
    r"(?:is|are) there|(?:are|do|have|can|will|could|would) you|(?:do|can|must|may|should) i",
    "it": r"quanto (?:cost\w+|vien\w+|fa|pago|devo|spendo|dura)|a che ora|fino a (?:che ora|quando)|"
    r"quando (?:aprite|chiudete|siete|arriv\w+|parte|torna|scade)|dove (?:siete|devo|sta|è|si)|"
    r"(?:che|quale) \w+ (?:ho|hai|ha|era|avevo|prendo)|"
    r"(?:ce l'|ne )?avete|siete|come (?:si|faccio|devo)|si può|si possono|c'è (?:un|una|il|la|lo)\b",
}
"""How a question begins amid a sentence that has no mark: `and the fine, who do I ask`."""
_BREAKS: Final = wording("turn", "breaks")
_TAG: Final = wording("turn", "tag")
CHECKS: Final = wording("turn", "checks")
"""Tags of who makes sure of what was told: the office is open till four, right?"""
STOPS: Final = wording("turn", "stops")
"""Clauses that end the errand in hand."""
_REQUEST: Final = {
    one: re.compile(rf"\W*{_LEADS}{wording('turn', f'request_{one}').pattern}", re.I) for one in ("en", "it")
}
"""How a wish is put as a question."""
_BRIEF: Final = 3


class Piece(NamedTuple):
    """A piece of a turn, and whether it asks."""

    text: str
    asks: bool


def requests(text: str, language: str) -> bool:
    """Whether a question is the form of a wish: can you keep one for me?"""
    return _REQUEST[language].match(text) is not None


def pieces_of(text: str, language: str) -> list[Piece]:
    """What is said and what is asked, in its order; a question begins where its first word stands."""
    pieces: list[Piece] = []
    for sentence in sentences_of(text):
        pieces += _pieces(sentence, language)
    return pieces


def _pieces(sentence: str, language: str) -> list[Piece]:
    marked = sentence.endswith("?")
    if marked and (tag := _TAG.search(sentence)) and tag.start() > 0:
        plain = sentence[: tag.start()]
        return [one._replace(text=f"{one.text}.") for one in _pieces(plain, language)]
    begins = _starts(language, marked=marked)
    first = begins.match(sentence) is not None or (not marked and is_question(sentence, language))
    first = first and (marked or len(sentence.split()) > _BRIEF)  # but how many...
    cuts = [one.end() for one in _BREAKS.finditer(sentence) if begins.match(sentence[one.end() :])]
    if marked and not first and not cuts:
        return [Piece(sentence, asks=True)]
    parts = [sentence[a:b].strip() for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
    mark = "?" if marked else ""
    found = [Piece(parts[0], asks=first)] + [Piece(one, asks=True) for one in parts[1:]]
    return [
        one._replace(text=one.text.rstrip(" ,") + ("" if one.text.endswith("?") else mark))
        if one.asks
        else one
        for one in found
        if re.search(r"\w", one.text)
    ]


def _starts(language: str, *, marked: bool) -> re.Pattern[str]:
    form = rf"(?:{_WHO[language]}|{_VERBS[language]})" if marked else rf"(?:{_PLAIN[language]})"
    return re.compile(rf"\W*{_LEADS}{form}(?!\w)", re.I)


def says_nothing(text: str) -> bool:
    """Whether a piece has only small words with which people begin: scusi, well then."""
    return re.fullmatch(rf"\W*{_LEADS}\W*", text, re.I) is not None


def without_stop(text: str) -> tuple[bool, str]:
    """Whether a clause stops what is in hand, and the text without it."""
    clauses = clauses_of(text)
    stops = [one for one in clauses if STOPS.match(one.strip(" .!?…"))]
    for one in stops:
        text = text.replace(one, " ", 1)
    return bool(stops), re.sub(r"^[\s,.;:!…]+", "", text)
