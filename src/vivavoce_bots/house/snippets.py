"""A turn as the snippets between its marks and its `and`s: each asks, tells or commands one thing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT
from vivavoce_bots.house.home import read_manner

_CUTS: Final = {
    "en": re.compile(
        r"\s*(?:[.!?;:…]+|,)\s+(?:(?:and then|and|but|then|so|or)\s+)?|\s+[-–—]+\s+"
        r"|\s+(?:and then|and|but|then|or)\s+",
        re.I,
    ),
    "it": re.compile(
        r"\s*(?:[.!?;:…]+|,)\s+(?:(?:e poi|e|ed|ma|poi|però|o|oppure)\s+)?|\s+[-–—]+\s+"
        r"|\s+(?:e poi|e|ed|ma|poi|però|o|oppure)\s+",
        re.I,
    ),
}
_ENDS: Final = re.compile(r"[.!?;:…]")
_MOST: Final = 40


@dataclass(frozen=True)
class Snippet:
    """What stands between two cuts, and the cut behind it; `asks`: it is a question or the end of one;
    `begins`: a sentence begins with it.
    """

    text: str
    cut: str
    asks: bool
    begins: bool


def snippets_of(text: str, language: str) -> list[Snippet]:
    """The snippets of a turn in their order; what is behind the fortieth stays in it."""
    plain = text[:LONGEST_TEXT].replace("’", "'").strip()
    tail = re.search(r"[\s.!?;:,…]*$", plain)
    body, end = plain[: tail.start() if tail else None], tail[0] if tail else ""
    snippets: list[Snippet] = []
    at, begins = 0, True
    for cut in [*_CUTS[language].finditer(body)][: _MOST - 1]:
        snippets.append(_snippet(body[at : cut.start()], cut[0], language, begins))
        at, begins = cut.end(), _ENDS.search(cut[0]) is not None
    return _asking([*snippets, _snippet(body[at:], end, language, begins)], language)


def _asking(snippets: list[Snippet], language: str) -> list[Snippet]:
    """The snippets, where one that begins like a question in a sentence that ends like one asks, too."""
    found, asks, tagged = list[Snippet](), False, False
    for said in reversed(snippets):
        said = replace(said, asks=said.asks or (tagged and not _ENDS.search(said.cut)))
        tagged = "?" in said.cut and forms(language)["tag"].fullmatch(said.text) is not None
        asks = "?" in said.cut or (asks and not _ENDS.search(said.cut))
        found.append(replace(said, asks=said.asks or (asks and is_question(said.text, language))))
    return found[::-1]


def _snippet(text: str, cut: str, language: str, begins: bool) -> Snippet:
    asks = "?" in cut or (begins and is_question(text, language))
    return Snippet(text, cut, asks, begins)


def joined_again(snippets: list[Snippet]) -> str:
    """The text of those snippets that are left of a turn."""
    return re.sub(r"^\W+|[\s,;:]+$", "", "".join(f"{snippet.text}{snippet.cut}" for snippet in snippets))


@cache
def forms(language: str) -> Mapping[str, re.Pattern[str]]:
    """How people speak of what is told and kept, by what it does; regular expressions of whole words."""
    raw: Mapping[str, list[str]] = read_manner(language)["told"]
    return {name: re.compile(rf"\b(?:{'|'.join(one)})", re.I) for name, one in raw.items()}
