"""A turn as its sentences and clauses: which of them ask, and what nothing explains."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question, speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, forms_of, tokens

_SENTENCES: Final = re.compile(r"(?<=[.!?;…])\s+")
_CLAUSES: Final = re.compile(r"[.!?;…:,]+(?=\s|$)|\s[-–—]\s")
_MEANWHILE: Final = re.compile(
    r"\b(?:(?:while|before|until) (?:i|we|he|she|they|my)\b(?!'(?:m|re) (?:at it|here))|mentre|intanto che|"
    r"finché|prima che)\b[^,.;:!?]*",
    re.I,
)
_EXCLAIMS: Final = re.compile(
    r"\W*(?:(?:what|such) an?\b|what (?:luck|fun|rubbish|nonsense)|how (?:nice|lovely|sad|kind|awful|funny)\b"
    r"|che (?!cosa\b|or[ae]\b|\w+ (?:è|c'è|ha|sono|ho|avete)\b))",
    re.I,
)
_ECHOES: Final = re.compile(
    r"\W*(?:(?:so|oh|ah|what|hm|and|or|quindi|ah|eh|ma)\W+)*(?:no|not|none|nothing|i|you|he|she|it|"
    r"we|they|was it|\d+ euros?|nessun\w?|niente|nulla)\b(?! è| sono)",
    re.I,
)
"""How questions begin that only say again what was said: `no fish in the whole town?`."""
_UNLESS: Final = re.compile(
    r"\b(?:if|or|unless|otherwise|else|se|o|oppure|altrimenti|sennò)\b[^.!?;]*$", re.I
)
YES_AND: Final = {
    "en": re.compile(
        r"\s*(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|right|correct|fine|i confirm|no|nope)"
        r"(?: please| thanks| thank you)?\b[\s,;.!]*)+(?:and|but)?(?:\s+i mean[t]?)?\s+",
        re.I,
    ),
    "it": re.compile(
        r"\s*(?:(?:s[iì]|certo|ok|va bene|esatto|giusto|perfetto|confermo|no)"
        r"(?: grazie| sì)?\b[\s,;.!]*)+(?:e|ma)?(?:\s+(?:intendevo|intendo|volevo dire))?\s+",
        re.I,
    ),
}
WRONG: Final = re.compile(r"\b(?:wrong|in?correct|not right|sbagliat[oa]|non è (?:giusto|corretto))\b", re.I)
BUT: Final = re.compile(r"\b(?:but|ma|però|wait|first|prima|aspetti?a?)\b", re.I)
_MOST: Final = 12
_LONGEST_QUOTE: Final = 10
_FEWEST_QUOTED: Final = 3
_LOOSE: Final = re.compile(r"^(?:(?:and|but|or|so|oh|ah|well|e|ma|o|quindi|allora|eh)[,]?\s+)+", re.I)
_LONGEST_STRANGE: Final = 6


def sentences_of(text: str) -> list[str]:
    """The sentences of a turn, twelve at most."""
    return [one.strip() for one in _SENTENCES.split(text[:LONGEST_TEXT]) if one.strip()][:_MOST]


_ASKS_ALONE: Final = re.compile(
    r"(?:(?:and|but|so|e|ma) )?(?:what|how|is there|are there|do you|can you|have you|(?:che )?cosa|quanto|"
    r"come|c'è|ci sono|avete|si può)\b",
    re.I,
)
"""How a question begins that is no part of the sentence before it."""


def question_apart(sentence: str, language: str) -> list[str]:
    """A sentence without the question that it ends with, and that question: a smart pub, what is there?"""
    head, comma, tail = sentence.rpartition(", ")
    asks = sentence.endswith("?") and comma and _ASKS_ALONE.match(tail)
    return [f"{head}.", tail] if asks and not is_question(head, language) else [sentence]


def clauses_of(text: str) -> list[str]:
    """The clauses of a turn, between its marks, twelve at most."""
    return [one.strip() for one in _CLAUSES.split(text[:LONGEST_TEXT]) if one.strip()][:_MOST]


def asks_openly(sentence: str, language: str) -> bool:
    """Whether a sentence asks something, and is not scolding: `what is wrong with you?`, `what a shame!`."""
    return (
        is_question(sentence, language)
        and not _scolds(language).search(sentence)
        and not (_EXCLAIMS.match(sentence) and "?" not in sentence)
        and not _ECHOES.match(sentence)
    )


def taunts(text: str, language: str) -> bool:
    """Whether a turn asks, and wants no answer: `how slow is this thing?`."""
    asked = [one for one in sentences_of(text) if is_question(one, language)]
    return bool(asked) and all(_scolds(language).search(one) for one in asked)


def threatens(before: str) -> bool:
    """Whether words before a goodbye make a threat of it: `a name now, or I hang up`."""
    return _UNLESS.search(before) is not None


_RECALLS: Final = {
    "en": re.compile(r"\b(?:did (?:we|i|you) say|was (?:it|that)|have we said|you said)\b", re.I),
    "it": re.compile(r"\b(?:era(?:no)?|(?:abbiamo|avevo|avevamo|ha|hai|ho) detto|diceva)\b", re.I),
}


def recalls(text: str, language: str) -> str:
    """The question of a turn about what was said, such as `did we say one?`; `` where there is none."""
    asked = (one for one in sentences_of(text) if one.endswith("?") and _RECALLS[language].search(one))
    return next(asked, "")


def said_of(question: str, last: str, language: str) -> str:
    """The sentence of the last turn that has a number of a question about it: `52 or 62?`."""
    numbers = set(re.findall(r"\d+", in_digits(question, language, ordinals=False)))
    told = (one for one in sentences_of(last) if numbers & set(re.findall(r"\d+", one)))
    return next((one for one in told if not one.endswith("?")), "")


def quoted(sentence: str) -> str:
    """A question as it is said back: its last clause, if it is long; `` where that is too long."""
    sentence = sentence.strip()
    if len(sentence.split()) > _LONGEST_QUOTE:
        sentence = re.split(r"(?<=[,;.!?:…])\s+", sentence)[-1]
    words = _LOOSE.sub("", sentence.strip(" ,;.!…"))
    return words if _FEWEST_QUOTED <= len(words.split()) <= _LONGEST_QUOTE else ""


def first_strange(text: str, strange: Callable[[str], Sequence[str]]) -> str:
    """The first short clause that has words which nothing explains, without what stands around them."""
    for clause in clauses_of(text):
        unknown = set(strange(clause))
        words = clause.split()
        known = [at for at, word in enumerate(words) if unknown & set(tokens(word))]
        if unknown and known and known[-1] - known[0] < _LONGEST_STRANGE:
            return " ".join(words[known[0] : known[-1] + 1]).strip(" \"'«»“”()")
    return ""


def tells_number(sentence: str, language: str) -> bool:
    """Whether a sentence tells a number; `one` where it is all that is said."""
    alone = sentence.strip(" .!?").casefold() in speech(language).numbers["one"]
    return alone or re.search(r"\d", in_digits(sentence, language, ordinals=False)) is not None


def without_meanwhile(text: str) -> str:
    """A text without what somebody does meanwhile: `cook it while I lay the table`."""
    kept = _MEANWHILE.sub("", text[:LONGEST_TEXT])
    return kept if kept.strip(" ,.;!?") else text


def present(text: str, language: str) -> str:
    """A turn without the clauses that tell of another time, `yesterday`; all of it if none is left."""
    form = _once(language)
    pieces = re.split(r"(?<=[.!?;:,…])\s+", text[:LONGEST_TEXT])
    kept = [piece for piece in pieces if not form.search(piece)]
    return " ".join(kept) if kept else text


@cache
def _once(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(speech(language).once)})\b", re.I)


@cache
def _scolds(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(speech(language).rhetorical)})\b", re.I)


@cache
def gives_up(language: str) -> re.Pattern[str]:
    """Words with which people give up: never mind, lasci perdere."""
    forms = [form for phrase in speech(language).alone["bye"] for form in forms_of(phrase)]
    forms = [re.escape(form) for form in forms if " " in form or form == "nevermind"]
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", re.I)


_WISHED: Final = re.compile(
    r"\b(?:c'è|ce n'è|ce ne sono|ce l'(?:avete|avrebbe|ha)|avete|avreste|facciamo|diciamo|is there|are there|"
    r"have you|do you have|how about|what about|(?:could|can|shall) we (?:do|say|make it)|make it)\b",
    re.I,
)
"""How a question asks for what is wanted."""
_OF_SELF: Final = re.compile(
    r"\b(?:i(?:'m|'ve| am| have| was| had)|we(?:'re|'ve| have)|my|ho|abbiamo|sono|mi[oa])\b", re.I
)
_FAR_FROM: Final = re.compile(
    r"\bnon (?=(?:ce n'è|c'è|ce ne sono|avete|avreste|ha|hai)\b)|(?<=\bis)n't(?= there\b)|"
    r"(?<=\bis there) no(?= \w)|(?<=\bhave)n't(?= you\b)|(?<=\bdo)n't(?= you have\b)",
    re.I,
)
"""The no of a question that wishes: `isn't there one?`."""
_WITHDRAWS: Final = re.compile(r"\W*(?:(?:or|oh|um|hm|but|o|ma) no\b|anzi,? no\b)", re.I)
"""How a sentence begins that takes back the one before."""


def tells_of_self(text: str) -> bool:
    """Whether somebody tells of themselves: I'm 71, and I have three cats."""
    return _OF_SELF.search(text) is not None


def withdraws(sentence: str) -> bool:
    """Whether a sentence takes back the one before: or no, she had that."""
    return _WITHDRAWS.match(sentence) is not None


def without_far_from(text: str) -> str:
    """A question that wishes, without its no: isn't there one in the centre?"""
    return _FAR_FROM.sub("", text)


def wishes(sentence: str) -> bool:
    """Whether a question asks for what is wanted: isn't there one in the centre?"""
    return _WISHED.search(sentence) is not None and not re.search(r"\bdifferen[zc]", sentence, re.I)


_BARE: Final = re.compile(
    r"\b(?:(do|does|did|is|are|was|were|has|have|had|could|would|should)nt|(ca)nt|(wo)nt|(i)m|(i|you|we|they)ve|"
    r"(what|where|that|there|who|how)s)\b",
    re.I,
)


def with_apostrophes(text: str, language: str) -> str:
    """An English text with the apostrophes that people leave out: `dont`, `whats`."""

    def spelt(found: re.Match[str]) -> str:
        word = found[0]
        at = len(word) - (2 if word.lower().endswith(("nt", "ve")) else 1)
        at += word.lower().endswith("nt")
        return f"{word[:at]}'{word[at:]}"

    return _BARE.sub(spelt, text) if language == "en" else text
