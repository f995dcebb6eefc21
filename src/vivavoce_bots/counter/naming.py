"""Names in what is said to a counter: where a name that nobody knows may stand."""

import re
from collections.abc import Sequence
from typing import Final

from vivavoce_bots.dialogue.spotting import tokens

NO_NAMES: Final = frozenset(
    tokens("""
    when where who how why what which quando dove chi come perche siete sei sono e' are is am i you we
    they tu lei voi io non my your our his her their mio mia suo sua nostro nostra someone somebody
    qualcuno qualcuna it that this there here was were just about never asked ask put or and not yes no
    now then again can could would will get got want wanted need let go back out one quella quello quelle
    quelli questa questo ce ne ci vi lo almeno volevo vorrei voglio passo scritto titolo autore argomento
    author title subject allora anche maybe perhaps forse magari already ecco settimana settimane week
    parlo talking sapere know nome name mie delle più piu oppure invece però pero quindi cioè cioe insomma mah
    other another altro altra altri altre seguito parole
    weeks days giorni ma se poi ora adesso time money left ancora qualcosa niente tutto
    january february march april june july august september october november december
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
    """)
)  # fmt: skip
"""Words that name nothing that a counter could have."""
MONTHS: Final = NO_NAMES & set(
    tokens(
        "january february march april june july august september october november december gennaio febbraio "
        "marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    )
)
_BETWEEN: Final = frozenset(
    ("a", "an", "any", "some", "the", "my", "of", "for", "un", "una", "uno", "il", "la", "lo",
     "l'", "le", "i", "gli", "del", "della", "dell'", "dello", "dei", "delle", "di", "ce", "me",
     "ne", "per", "called", "by")
)  # fmt: skip
INDEFINITE: Final = frozenset(
    ("a", "an", "any", "some", "un", "una", "uno", "del", "della", "dello", "dei", "delle", "degli")
)
_CLITICS: Final = frozenset(("ce", "ne", "le", "li", "lo", "la", "l'", "me"))
_LONGEST_RUN: Final = 3
SHORTEST: Final = 4  # letters of a name that nobody knows
_MOST_BETWEEN: Final = 2
TITLE: Final = re.compile(
    r"(?<=\s)(?:Il|La|Lo|Gli|Le|The|Un|Una)(?: [\w'’]{2,}){1,5}$"
    r"|(?:^|(?<=\s))(?:Il|La|Lo|Gli|Le|The|Un|Una)(?: [a-zà-ù'’]+){0,3} [A-ZÀ-Ý][\w'’]{3,}"
    r"(?: [A-ZÀ-Ý][\w'’]+)*"
    r"|(?:(?<=\s)|(?<=['’]))[A-ZÀ-Ý][\w'’]+(?: (?:\w{1,4} )?[A-ZÀ-Ý][\w'’]+)*"
)
"""A name in the midst of a clause: La coscienza di Zeno."""


SCOLDS: Final = re.compile(r"\bwhy (?:should|would|on earth) i\b|\bperché (?:mai )?dovrei\b", re.I)
"""Questions that want no errand: why should I buy anything?"""
EITHER: Final = re.compile(r"\b(?:or|o|oppure)\b", re.I)
TAGGED: Final = re.compile(
    r",\s*(?:right|yes|no|sì|vero|giusto|didn't you|haven't you|correct)\W*$"
    r"|\b(?:have|did) you\b|\b(?:ha|hai|avete) (?:scritto|segnato|messo|capito|annotato)\b",
    re.I,
)
"""Questions that check what was noted: have you written Monday?"""
SUPPOSES: Final = re.compile(
    r"\b(?:if (?:i|we|he|she|they|it|my|the|something|there)\b|in case|suppose|what if|can one|does one)|"
    r"\b(?:se (?!(?:possibile|può|potete|c'è|ce n'è|avete|l'avete|ce l'avete)\b)|nel caso|qualora|"
    r"si (?:può|possono))",
    re.I,
)
"""Words of who asks what would be."""
ALSO: Final = re.compile(
    r"\b(?:too|also|as well|i mean|i meant|anche|pure|intendevo|dicevo|volevo dire)\b", re.I
)
"""Words that go on with the errand before."""
LOOSE: Final = re.compile(
    r"^(?:(?:and|or|but|then|so|okay|ok|well|e|ed|o|ma|allora|e allora|va bene|what about)\s+)+", re.I
)
"""What stands before a name that is all that is said."""
_WHOLE: Final = re.compile(r"[A-ZÀ-Ý][\w'’]*(?: [\w'’]+){1,7}")


_PLACE: Final = re.compile(r"[A-ZÀ-Ý][\w'’]{2,}(?: [A-ZÀ-Ý][\w'’]+)?")


def is_place(clause: str, strange: Sequence[str]) -> bool:
    """Whether a clause is a name that nobody knows, and nothing else: `London`."""
    return _PLACE.fullmatch(clause) is not None and set(tokens(clause)) <= {*strange} - NO_NAMES


def title_behind(clause: str, said: Sequence[str], end: int) -> str | None:
    """A name of several words that goes on from a place to the end of a clause: Se questo è un uomo."""
    words = re.findall(r"\w+(?:['’](?=\w))?", clause)
    rest = clause[clause.find(words[end]) :].strip(" .!?") if end < len(words) == len(said) else ""
    return rest if _WHOLE.fullmatch(rest) else None


def run_of(
    said: Sequence[str], strange: Sequence[bool], at: int, *, back: bool = False
) -> tuple[int, int] | None:
    """The words of a name behind a place, or before it, but for small words between; three at most."""
    step = -1 if back else 1
    at -= back
    gap, begin = 0, at
    while 0 <= at < len(said) and not strange[at]:
        if gap == _MOST_BETWEEN or (said[at] not in _BETWEEN):
            return None
        at, gap = at + step, gap + 1
    if back and not set(said[at + 1 : begin + 2]) & _CLITICS:
        return None
    end = at
    while 0 <= end < len(said) and strange[end] and abs(end - at) < _LONGEST_RUN:
        end += step
    if end == at or all(len(said[one]) < SHORTEST for one in range(min(at, end + back), max(at + back, end))):
        return None
    if 0 <= end < len(said) and strange[end]:
        return None
    return (at, end) if not back else (end + 1, at + 1)


def written(clause: str, said: Sequence[str], run: tuple[int, int]) -> str:
    """The words of a clause as they were written."""
    words = re.findall(r"\w+(?:['’](?=\w))?", clause)
    return " ".join((words if len(words) == len(said) else said)[run[0] : run[1]])
