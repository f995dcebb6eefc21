"""A turn as its pieces: what is said, what is asked, what is asked for, and what is stopped."""

import re
from typing import Final, NamedTuple

from vivavoce_bots.dialogue.clauses import clauses_of, sentences_of
from vivavoce_bots.dialogue.speech import is_question

_LEADS: Final = (
    r"(?:(?:and|but|so|or|oh|ah|well|then|ok(?:ay)?|sorry|please|also|right|wait|hm+|um|er|by the way|"
    r"e|ed|ma|o|però|allora|quindi|poi|scusi|senta|eh|beh|cioè|anche|mi scusi|aspetti|già che ci siamo)"
    r"\b[\s,.…]*)*"
)
_WHO: Final = {
    "en": r"how|why|what(?:'s)?|(?:when|where|which|who)(?:'s)?(?: (?:is|are|was|do|does|did|can|could|will|would|should|one|day|train|book|time)\b|$)",
    "it": r"quant[oaie]|quando|dove|dov'è|che (?:cosa|or[ae]|giorn[oi]|tipo|libr[oi]|tren[oi]|prodott[oi]|numero|prezzo)|cosa|cos'è|come|com'è|qual[ei]?|chi|perché|"
    r"(?:a|da|di|per|in|fino a) (?:che|quando|quale|quanto|chi|cosa|dove)",
}
_VERBS: Final = {
    "en": r"(?:is|are|was|were|am|do|does|did|can|could|will|would|shall|should|must|may|might|has|have|had)"
    r"(?:n't)?\s+(?:i|you|we|they|he|she|it|that|this|these|those|there|the|my|your|any\w*|one|some\w*)|"
    r"have you|any chance",
    "it": r"(?:ce |ne |ve |mi |ci |si |le |lo |la |li |l'|me |te )*(?:avete|siete|c'è|ci sono|è|sono|posso|può|"
    r"puoi|potete|potrei|potrebbe|possiamo|devo|dobbiamo|serve|servono|bisogna|sa|sai|fate|vendete|tenete|"
    r"accettate|esiste|aprite|chiudete|arriva|parte|costa|costano|viene|vale|scade|ha|hai|avreste|avrebbe|"
    r"va bene|vanno bene)",
}
_PLAIN: Final = {
    "en": r"how (?:much|many|long|late|do|does|can)|(?:what|which) (?:time|day|is|are|does|do|about)|"
    r"when (?:do|does|is|are|will|can)|where (?:do|does|is|are|can)|who (?:do|does|is|can)|"
    r"(?:is|are) there|(?:are|do|have|can|will|could|would) you|(?:do|can|must|may|should) i",
    "it": r"quanto (?:cost\w+|vien\w+|fa|pago|devo|spendo|dura)|a che ora|fino a (?:che ora|quando)|"
    r"quando (?:aprite|chiudete|siete|arriv\w+|parte|torna|scade)|dove (?:siete|devo|sta|è|si)|"
    r"(?:ce l'|ne )?avete|siete|come (?:si|faccio|devo)|c'è (?:un|una|il|la|lo)\b",
}
"""How a question begins amid a sentence that has no mark: `and the fine, who do I ask`."""
_BREAKS: Final = re.compile(r",\s+|\s+[-–—]+\s+|:\s+|\s+(?=(?:and|but|e|ma|però)\b)", re.I)
_TAG: Final = re.compile(
    r"(?:[,.]?\s*\b(?:please|per favore|per piacere|grazie|if (?:that's|it's|that is|you can|i may)(?: ok(?:ay)?| all ?right| possible| fine)?"
    r"|se (?:possibile|va bene|si può|posso|potete|può))"
    r"|[,.]\s*(?:ok(?:ay)?|alright|all right|va bene|d'accordo|eh|will you|can you))\s*\?+$",
    re.I,
)
CHECKS: Final = re.compile(
    r"[,.]\s*(?:right|yes|no|correct|isn't it|didn't you|haven't you|you said|didn't i|giusto|vero|sì|no|esatto|"
    r"(?:ha|hai|avete|aveva) detto)\s*\?+$|^\W*(?:so|quindi|allora|dunque)\b",
    re.I,
)
"""Tags of who makes sure of what was told: the office is open till four, right?"""
STOPS: Final = re.compile(
    r"^(?:(?:just|please|oh|no|ok|then|so|right|well|and|but|i said|i say|ma|e|allora|ho detto|dai|senta|uff)\W+)*"
    r"(?:stop(?: it| this| that| there| now)?|cancel(?: it| that| this| everything| the whole thing| all)?|"
    r"annull(?:a|i|are|ate|iamo)(?: tutto)?|annull(?:a|i)l[oa]|fermati|si fermi|stop|basta|"
    r"forget (?:it|that|about it)|never ?mind|leave it(?: then)?|"
    r"lasci(?:a|amo|ate|ala|alo)? (?:perdere|stare)|non importa|niente da fare|(?:ma )?lasciamo stare)"
    r"(?:\W+(?:now|please|then|grazie|per favore|thanks|no|allora|ormai))*$",
    re.I,
)
"""Clauses that end the errand in hand."""
_REQUEST: Final = {
    "en": re.compile(
        rf"\W*{_LEADS}(?:(?:can|could|would|will|may|might)(?:n't)? (?:you|i|we|ya)|would it be possible|"
        r"is it possible|any chance|do you mind|would you mind|shall we|how about|what about|do you have a ticket)\b",
        re.I,
    ),
    "it": re.compile(
        rf"\W*{_LEADS}(?:(?:me |mi |ce |ci |ne |lo |la |li |le |l'|ve )*"
        r"(?:puoi|può|potete|potrebbe|potresti|potreste|posso|potrei|possiamo|potremmo|vuole|vorrebbe|"
        r"tien\w+|teng\w+|tenet\w+|mett\w+|prenot\w+|rinnov\w+|prest\w+|d[aà](?:i|te|nno)?|riserv\w+|aggiung\w+|"
        r"prend\w+|facciamo|è possibile|si può (?:avere|prenotare|mettere|fare un)))\b",
        re.I,
    ),
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
        one._replace(text=one.text.rstrip(" ,") + ("" if one.text.endswith("?") else mark)) if one.asks else one
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
