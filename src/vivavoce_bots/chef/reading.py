"""From plain words to commands: the verb of each part of an utterance, the things in it, words left over."""

import re
from typing import Final, NamedTuple

from vivavoce_bots.chef.words import INTO, LACKS, NAMING, PARTS, QUANTITY, VERBS
from vivavoce_bots.dialogue.clauses import without_meanwhile
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.spotting import tokens

_MOST_PARTS: Final = 20
_MANNER: Final = ("mente", "ly", "ed", "aten")
_ASIDE: Final = {
    "en": re.compile(
        r"\s*(?:as|like|because|since|which|who|my|our|his|her|your|they|she|he|we|grandma|"
        r"granny)\b(?! (?:well|potatoes|eggs|onions|you))", re.I),
    "it": re.compile(
        r"\s*(?:come|perché|così|mia|mio|i miei|le mie|lui|lei|loro|che|diceva|faceva|nonna|"
        r"oggi (?:vengono|viene|arrivano|arriva))\b", re.I),
}  # fmt: skip
"""What is told beside a command: my mother always used salt."""
_BESIDES: Final = re.compile(
    r"\b(?:come (?:faceva|fa|diceva|dice|mi ha|facevano|una volta)|(?:like|as|the way) (?:my|"
    r"her|his|our|they|she|he|we|i|always|in the))\b.*",
    re.I,
)
_CLITIC: Final = re.compile(r"\w{3,}[aeir]l[aeio]")
_EVERY: Final = {
    "en": re.compile(r"\b(?:everything|it all|all of it|them all|all of them|the lot)\b", re.I),
    "it": re.compile(r"\b(?:tutto|tutti|tutte|ogni cosa)\b", re.I),
}
_THERE: Final = re.compile(r"\b(?:there|lì|là)\b", re.I)
_FEW: Final = 3
_SHORT: Final = 7  # words of a turn in which a word that nobody knows may be a thing


class Part(NamedTuple):
    """What one part of an utterance says.

    action    by its name in the notation; null where there is no verb
    things    those that are meant, by their names in the notation
    denied    those that stand behind a `not`
    it        whether a pronoun stands for a thing
    strange   words that are no thing of this kitchen and nothing else that is known
    stopped   the verb stands behind a `not`
    into      something is said to come into or onto something
    every     all that there is, is meant; there: where it was spoken of
    """

    action: str | None
    quantity: tuple[str, ...]
    things: tuple[str, ...]
    denied: tuple[str, ...]
    it: bool
    strange: tuple[str, ...]
    stopped: bool
    into: bool
    kinds: tuple[str, ...]
    every: bool = False
    there: bool = False


def read_parts(text: str, hearing: Hearing, language: str) -> list[Part]:
    """The parts of an utterance in their order, twenty at most, without those in which nothing is said."""
    found: list[Part] = []
    pieces = [one for one in PARTS[language].split(without_meanwhile(text))[:_MOST_PARTS] if one.strip()]
    telling = [one for one in pieces if not _ASIDE[language].match(one)]
    for piece in (_BESIDES.sub("", one) for one in telling or pieces):
        part = _part(piece, hearing, language, short=len(tokens(text)) <= _SHORT)
        if part.action or part.things or part.denied or part.strange or part.kinds == ("negate",):
            found.append(part)
    return found


def _part(piece: str, hearing: Hearing, language: str, *, short: bool) -> Part:
    said, spans = hearing.find(piece)
    verb = _verb(piece, language)
    quantity = QUANTITY.search(piece)
    start = len(tokens(piece[: verb.start()])) if verb else 0
    end = start + len(tokens(verb[0])) if verb else 0
    over = [one for one in spans if one.start < end and start < one.end]
    if verb and any(one.end - one.start > end - start for one in over):
        verb, over, end = None, [], start  # `take that back` takes nothing
    spans = [one for one in spans if one not in over]
    heard = Heard(piece, said, spans, tuple(one.entry.kind for one in spans), [])
    wrong = heard.refused("thing")
    things = [one.entry.value or "" for one in spans if one.entry.kind == "thing" and one not in wrong]
    if quantity and re.search(r"\b(?:spoon|cucchiaio)$", quantity[0], re.I):
        things = [one for one in things if one != "cucchiaio"]  # how much, not what with
    explained = {at for one in spans for at in range(one.start, one.end)} | set(range(start, end))
    measured = {*hearing.small, *(tokens(quantity[0]) if quantity else ())}
    return Part(
        _action(verb[0], language) if verb else None,
        (" ".join(quantity[1].split()),) if quantity else (),
        tuple(dict.fromkeys(things)),
        tuple(one.entry.value or "" for one in wrong),
        heard.did("it") or bool(verb and _CLITIC.fullmatch(verb[0])),
        tuple(
            word for at, word in enumerate(said)
            if at not in explained and at >= end and word not in measured
            and not in_digits(word, language).isdigit()
            and (
                (at == end and (verb is not None or len(said) <= _FEW))
                or said[at - 1] in NAMING[language]
                or said[at - 1].endswith("'")
                or at - 1 not in explained
            )
            and len(word) > 1 and not word.endswith(_MANNER)
            and not heard.did("not", "negate")
            and (word in LACKS[language] or (short and not names_nothing(word, language)))
        ),
        any(one.entry.kind == "not" and one.end <= start for one in spans) and verb is not None,
        INTO[language].search(piece) is not None,
        heard.kinds,
        _EVERY[language].search(piece) is not None,
        _THERE.search(piece) is not None,
    )  # fmt: skip


def _verb(piece: str, language: str) -> re.Match[str] | None:
    """The first verb, in its longest words: `take off` is not `take`."""
    found = [match for form in VERBS[language].values() if (match := form.search(piece))]
    return min(found, key=lambda match: (match.start(), -len(match[0]))) if found else None


def _action(verb: str, language: str) -> str | None:
    return next((name for name, form in VERBS[language].items() if form.fullmatch(verb)), None)
