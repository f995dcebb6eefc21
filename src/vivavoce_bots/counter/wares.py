"""What a turn asks a pharmacy for that it does not keep: throat lozenges, nappies, something for a cold."""

import re
from collections.abc import Callable
from functools import cache
from typing import Final, NamedTuple

from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.spotting import tokens

_ASKS: Final = wording("wares", "asks")
"""Words of who asks for a thing."""
_TELLS: Final = wording("wares", "tells")
"""Words before a thing that is only told of, or not wanted: my tablets, no cream."""
_FORMS: Final = wording("wares", "forms")
"""Products that are named by their form: a spray for the nose."""
_PURPOSES: Final = wording("wares", "purposes")
_SMALL: Final = frozenset(
    tokens("""
    ce ne l'avete avete ce l'ha c'è ci he she it i you we do have got please and or for the a an my his her
    il la lo le i gli un una mio mia suo sua per di che in case if magari grazie
    """)
)
_CLAUSES: Final = re.compile(r"(?<=[.,;:!?])\s+|\s+(?=(?:and|but|or|e|ma|o|oppure|because|perché)\s)", re.I)
_LEADS: Final = re.compile(r"^\W*(?:(?:and|or|but|also|maybe|perhaps|e|o|ma|anche|magari)\b\W*)+", re.I)
_FEW: Final = 5  # words of a clause that goes on with what was asked for before it


class Ware(NamedTuple):
    """A thing that is asked for; `helps`: it is told by what it is for."""

    name: str
    helps: bool


@cache
def _goods(language: str) -> re.Pattern[str]:
    names = "|".join(sorted(read_data("counters")["wares"][f"goods_{language}"], key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.I)


def wares_in(text: str, language: str, known: Callable[[str], int], *, asked: bool) -> tuple[list[Ware], str]:
    """The things that are asked for and are not kept, and the text without them.

    known  how many words of a text name what is kept
    asked  whether a thing was asked for before, so that a bare name answers
    """
    wares: list[Ware] = []
    rest: list[str] = []
    for sentence in sentences_of(text):
        wants = asked or _ASKS.search(sentence) is not None or sentence.endswith("?")
        parts: list[tuple[str, bool]] = []
        for clause in _CLAUSES.split(sentence):
            goes_on = bool(wares) and len(clause.split()) <= _FEW
            found = [one for one in _found(clause, language, known) if one[0].helps or wants or goes_on]
            wares += [ware for ware, _ in found]
            left = clause
            for _, name in found:
                left = left.replace(name, " ", 1)
            parts.append((left, bool(found)))
        others = any(known(left) for left, _ in parts)
        kept = [left for left, found in parts if not found or known(left) or others]
        if len(kept) < len(parts) or any(found for _, found in parts):
            mark = "?" if sentence.endswith("?") and kept[-1:] == [parts[-1][0]] else ""
            rest.append(_LEADS.sub("", " ".join(kept)).rstrip(" ,?") + mark)
        else:
            rest.append(sentence)
    return list(dict.fromkeys(wares)), " ".join(one for one in rest if re.search(r"\w", one))


def _found(clause: str, language: str, known: Callable[[str], int]) -> list[tuple[Ware, str]]:
    """The things of a clause that are not kept, each with its words there."""
    wares: list[tuple[Ware, str]] = []
    taken: list[tuple[int, int]] = []
    for pattern in (_PURPOSES, _goods(language), _FORMS):
        for found in pattern.finditer(clause):
            begin, end = found.span()
            purpose = pattern is _PURPOSES
            kept = known(clause) - known(f"{clause[:begin]}, {clause[end:]}")  # eye drops
            kept = kept and (pattern is not _goods(language) or kept >= len(found[0].split()))
            told = not purpose and _TELLS.search(clause[:begin])
            name = _plain(found[1] if purpose else found[0])
            if kept or told or any(a < end and begin < b for a, b in taken) or not name:
                continue
            taken.append((begin, end))
            wares.append((Ware(name, purpose), found[0]))
    return wares


def _plain(name: str) -> str:
    """A name without small words at its end; `` where nothing else is left."""
    words = name.strip(" .,!?").split()
    while words and (words[-1].casefold() in _SMALL or not re.search(r"\w{2}", words[-1])):
        words.pop()
    return " ".join(words)
