"""What is beyond a bot, and what it says of that: topics with their phrases in one file."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import LANGUAGES, is_question, read_data
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Entry, Spotter, tokens

_PIECES: Final = {
    "en": re.compile(r"(?<=[.,;:!?])\s+|\s+(?=(?:and|but|then)\b)", re.I),
    "it": re.compile(r"(?<=[.,;:!?])\s+|\s+(?=(?:e|ma|poi)\b)", re.I),
}
_PRONOUN: Final = {
    "en": re.compile(r"\b(?:it|that|this|them|one|ones)\b", re.I),
    "it": re.compile(r"\b(?:lo|la|li|le|quell\w|quest\w|\w{3,}(?:l[aeio]))\b", re.I),
}

_DENIED: Final = re.compile(
    r"\b(?:(?:don't|do not|didn't|did not|not) (?:want|mean|need|wish|ask)\w*|"
    r"non (?:vogli\w+|vole\w+|intend\w+|ho chiesto|ho nessun|mi serve))"
    r"(?: (?:to|about|for|di|il|la|lo|le|un|una))?$|\b(?:per|number to|phone to)$|"
    r"\b(?:c' era|there (?:was|used to be))(?: (?:il|la|un|una|the|a|an))?$"
)
"""What stands before a topic that is not meant."""
_FEW: Final = 4  # words of a piece that goes on about what stands before it
_MEANWHILE: Final = frozenset(("while", "before", "until", "mentre", "intanto", "finche"))
"""Words behind which somebody tells what they do meanwhile."""


@dataclass(frozen=True)
class Beyond:
    """The topics that one bot has nothing to do with: their phrases and a sentence of each.

    asked  those that count only where somebody asks: `can I bring my dog?`, not `my dog is ill`
    """

    language: str
    spotter: Spotter
    says: Mapping[str, str]
    asked: Collection[str] = ()


@cache
def read_beyond(bot: str) -> Mapping[str, Beyond]:
    """What is beyond a bot, by language; nothing of a bot that the file does not have."""
    topics = read_data("beyond").get(bot, {})
    return {language: _beyond(topics, language) for language in LANGUAGES}


def _beyond(topics: Mapping[str, Mapping[str, Mapping[str, object]]], language: str) -> Beyond:
    spotter, says = Spotter(), dict[str, str]()
    for name, topic in topics.items():
        held = topic[language]
        says[name] = str(held["says"])
        for kind, phrases in (("beyond", held["of"]), ("but", held.get("but"))):
            for phrase in phrases if isinstance(phrases, list) else ():
                spotter.learn(phrase, Entry(kind, name, phrase))
    return Beyond(language, spotter, says, [name for name, one in topics.items() if one.get("asked")])


def told_apart(text: str, beyond: Beyond) -> tuple[str | None, str]:
    """The sentence for what is beyond a bot, and the text without it; None where nothing is.

    A piece behind it that speaks of it with a pronoun goes with it: `the heating, turn it up`.
    """
    text = text[:LONGEST_TEXT]
    if not beyond.says:
        return None, text
    told: str | None = None
    kept: list[str] = []
    asked = [one for one in sentences_of(text) if is_question(one, beyond.language)]
    for piece in _PIECES[beyond.language].split(text):
        said = tokens(piece)
        found = beyond.spotter.find(piece, said)
        asks = is_question(piece, beyond.language) or any(piece in one for one in asked)
        found = [one for one in found if one.entry.kind == "beyond"]
        found = [one for one in found if not _MEANWHILE & set(said[: one.start])]
        found = [one for one in found if asks or one.entry.slot not in beyond.asked]
        found = [one for one in found if not _DENIED.search(" ".join(said[: one.start]))]
        if found:
            span = found[0]
            told = told or beyond.says[span.entry.slot or ""].format(
                words=" ".join(said[span.start : span.end])
            )
        elif (
            told is None
            or len(said) > _FEW
            or not _PRONOUN[beyond.language].search(piece)
            or any(letter.isdigit() for letter in in_digits(piece, beyond.language, ordinals=False))
        ):
            kept.append(piece)
    return told, " ".join(kept)
