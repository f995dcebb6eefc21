"""Books in what is said to a library: titles, authors and subjects it has, and names that it does not have.

Each becomes one word in the text, so that the words around it are read alike whatever the book is called:
`T_emma`, `A_levi`, `S_crime`, `N_0` for the first name that nobody here knows.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.speech import read_data

_CAP: Final = r"[A-ZÀ-Ý][\w'’-]+"
_SMALL: Final = (
    r"(?:of|on|the|a|an|in|and|to|for|with|di|del|della|dei|delle|degli|dell|nel|nella|e|il|la|lo|le|i|gli|"
    r"un|una|in|per|con|da|dal|al|alla|che|è)"
)
_QUOTED: Final = re.compile(r"[\"“«‘]([^\"”»“«]{2,60})[\"”»]|(?<![\w])'([A-ZÀ-Ý][^']{3,60})'(?!\w)")
_RUN: Final = re.compile(rf"(?<![\w'’])(?:{_CAP})(?:\s(?:{_SMALL}\s){{0,3}}{_CAP})*")
_ARTICLE: Final = {
    "en": re.compile(r"(?<=[a-z,:] )The(?: [a-z']+){1,4}(?=\s*(?:[.,;!?]|$))"),
    "it": re.compile(
        r"(?<=[a-zà-ù,:] )(?:Il|La|Lo|I|Gli|Le|L'|Un|Una|Se)(?: ?[a-zà-ù']+){1,4}(?=\s*(?:[.,;!?]|$))"
    ),
}
_ARTICLES: Final = frozenset(
    ["The", "To", "A", "An", "Il", "La", "Lo", "Le", "Gli", "I", "Un", "Una", "Uno", "Se", "L"]
)
_WHOLE: Final = re.compile(
    r"(?<![\w'])(?:Il|La|Lo|I|Gli|Le|Un|Una|Se) (?:[a-zà-ù']+ ){1,4}[A-ZÀ-Ý][a-zà-ù]{2,}"
)
_WORD: Final = re.compile(r"[\w']+")
_LEADS: Final = re.compile(
    r"^(?:in|on|at|with|for|of|about|by|from|the one"
    r"|quell[oa]|con|per|di|da|su|nell[ao]|nel|del|dal|sul|al|alla)\b",
    re.I,
)
_FIRST: Final = re.compile(r"(?:^|[.!?;…:]\s+)\W*$")
_MARK: Final = re.compile(r"\b[TASN]_\w+")
LONGEST: Final = 8  # words of a name


class Marked(NamedTuple):
    """A text with its books as single words, and the names that nobody here knows, in their order.

    sure  the numbers of names that are surely titles; others are capitals somewhere
    """

    text: str
    names: list[str]
    sure: set[int]

    def name(self, mark: str) -> str:
        return self.names[int(mark[2:])]


@cache
def reads(language: str) -> Mapping[str, re.Pattern[str]]:
    """How turns are read, by name."""
    forms: Mapping[str, str] = read_data("library")["reads"][language]
    return {name: re.compile(rf"(?<![\w'])(?:{form})(?![\w])", re.I) for name, form in forms.items()} | {
        "refuses": re.compile(rf"(?<![\w'])(?:{forms['refuses']})", re.I),
        "titled": re.compile(
            rf"(?<![\w])(?:{forms['titled']})\W+(?:(?:the|a|copy of|il|lo|la|un|di|also|anche|me|mi)\s+)*$",
            re.I,
        ),
        "by": re.compile(rf"(?<![\w])(?:{forms['by']})\s+$", re.I),
        "people": re.compile(rf"(?<![\w])(?:{forms['people']})\W+$", re.I),
    }


@cache
def _known(language: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """The values that the catalogue has, longest phrases first: kind, value, form."""
    raw: Mapping[str, Any] = read_data("library")
    found: list[tuple[str, str, re.Pattern[str]]] = []
    for kind, held in (("T", raw["titles"]), ("A", raw["authors"])):
        phrases = [(one, value) for value, by in held.items() for one in by[language]]
        if kind == "T":
            phrases += [
                (one[0], value) for value, by in held.items() for tag, one in by.items() if tag != language
            ]
        for phrase, value in sorted(phrases, key=lambda one: -len(one[0])):
            found.append((kind, value, re.compile(rf"(?<![\w])[\"“«]?{phrase}(?![\w])[\"”»]?", re.I)))
    for value, by in raw["subjects"].items():
        found.append(("S", value, re.compile(rf"(?<![\w])(?:{by['of'][language]})(?![\w])", re.I)))
    return found


def marked(text: str, language: str) -> Marked:
    """The text with all books as single words."""
    for kind, value, form in _known(language):
        text = form.sub(f"{kind}_{value}", text)
    names: list[str] = []
    sure: set[int] = set()

    def put(name: str, *, certain: bool) -> str:
        names.append(name.strip(" .,!?"))
        if certain:
            sure.add(len(names) - 1)
        return f"N_{len(names) - 1}"

    def quoted(found: re.Match[str]) -> str:
        inner = found[1] or found[2]
        known = _MARK.search(inner)
        return known[0] if known else put(inner, certain=True)

    text = _QUOTED.sub(quoted, text)
    if language == "it":  # La coscienza di Zeno
        text = _WHOLE.sub(
            lambda one: (
                one[0]
                if _MARK.search(one[0]) or _clause(one[0], language, first=True)
                else put(one[0], certain=True)
            ),
            text,
        )
    text = _RUN.sub(lambda one: _capitals(one, language, put), text)
    text = _ARTICLE[language].sub(
        lambda one: (
            one[0] if _MARK.search(one[0]) or _clause(one[0], language) else put(one[0], certain=True)
        ),
        text,
    )
    return Marked(text, names, sure)


def _capitals(found: re.Match[str], language: str, put: Any) -> str:
    """A run of words with capitals: a name, unless it only begins a sentence, or is a person."""
    run, before = found[0], found.string[: found.start()]
    if _MARK.search(run):
        return run
    lead, words = "", run.split()
    first = _FIRST.search(before) is not None or not before.strip()
    small = [one for one in words if one.islower()]
    while words and (
        (plain(words[0], language) and (first or not small) and words[0] not in _ARTICLES)
        or (first and not lead and len(words) == 1)
    ):
        lead, words = f"{lead}{words[0]} ", words[1:]
    while words and words[0].islower():
        lead, words = f"{lead}{words[0]} ", words[1:]
    while words and words[-1].islower():
        words = words[:-1]
    whole = " ".join(words)
    if not words or all(plain(one, language) for one in words):
        return run
    article = words[0] in _ARTICLES and len(words) > 1
    inner = any(one.islower() for one in words[1:])
    led = reads(language)["titled"].search(before) is not None
    person = reads(language)["people"].search(before) is not None and not led
    person = person or reads(language)["by"].search(before) is not None
    certain = (inner or article or led) and not person
    return f"{lead}{put(whole, certain=certain)}"


def plain(word: str, language: str) -> bool:
    """Whether a word names no book: a verb, a filler, a day, a number."""
    low = word.casefold().strip("'’.")
    return (
        reads(language)["vague"].fullmatch(low) is not None
        or reads(language)["verbs"].fullmatch(low) is not None
        or names_nothing(low, language)
        or any(letter.isdigit() for letter in low)
    )


def _clause(text: str, language: str, *, first: bool = False) -> bool:
    """Whether words behind an article are a clause of their own, and no title."""
    if first and plain(_WORD.findall(text)[1], language):
        return True  # la tessera di Carla
    return any(reads(language)["verbs"].fullmatch(one.casefold()) for one in _WORD.findall(text)[1:]) or all(
        plain(one, language) for one in _WORD.findall(text)[1:]
    )


def bare_name(clause: str, language: str) -> str:
    """The words of a clause that may be a name written small: `the hobbit`; `` where it is something else."""
    words = _WORD.findall(clause)
    if not words or len(words) > LONGEST or _MARK.search(clause) or _LEADS.match(clause):
        return ""
    if any(
        reads(language)["verbs"].fullmatch(each)
        for one in words
        for each in (one.casefold(), *one.casefold().split("'"))
    ):
        return ""
    kept = [one for one in words if not plain(one, language)]
    return " ".join(words) if kept and max(map(len, kept)) > 2 else ""
