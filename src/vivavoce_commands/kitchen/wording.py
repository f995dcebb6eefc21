"""Nouns in a sentence: articles, prepositions and pronouns of Italian and English."""

import re
from typing import Final

from vivavoce_commands.kitchen.lexicon import Lexicon

_VOWEL = re.compile(r"[aeiouàèìòù]", re.I)
_LO = re.compile(r"(?:s[^aeiou]|z|gn|ps|y)", re.I)
_ARTICLES: Final = {"fs": "la", "fp": "le", "ms": "il", "mp": "i"}
_CLITICS: Final = {"fs": "la", "fp": "le", "ms": "lo", "mp": "li"}
_CONTRACTED: Final = {
    "in": {
        "il": "nel",
        "lo": "nello",
        "la": "nella",
        "l'": "nell'",
        "i": "nei",
        "gli": "negli",
        "le": "nelle",
    },
    "on": {
        "il": "sul",
        "lo": "sullo",
        "la": "sulla",
        "l'": "sull'",
        "i": "sui",
        "gli": "sugli",
        "le": "sulle",
    },
    "from": {
        "il": "dal",
        "lo": "dallo",
        "la": "dalla",
        "l'": "dall'",
        "i": "dai",
        "gli": "dagli",
        "le": "dalle",
    },
}


class Italian:
    """la cipolla, gli spinaci, nell'insalatiera; sbucciala, sbucciarla, sbucciamola."""

    forms: Final = ("imperative", "infinitive", "we", "polite")

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def article(self, noun: str) -> str:
        form = self.lexicon.forms[noun]
        if form.endswith("s") and _VOWEL.match(noun):
            return "l'"
        if form.startswith("m") and (_LO.match(noun) or _VOWEL.match(noun)):
            return "lo" if form == "ms" else "gli"
        return _ARTICLES[form]

    def noun(self, noun: str) -> str:
        return _joined(self.article(noun), noun)

    def several(self, nouns: list[str]) -> str:
        return _listed(nouns, "e")

    def attached(self, relation: str, noun: str) -> str:
        if relation == "with":
            return f"con {self.noun(noun)}"
        return _joined(_CONTRACTED["on" if relation == "over" else relation][self.article(noun)], noun)

    def pronoun(self, nouns: tuple[str, ...]) -> str:
        if len(nouns) == 1:
            return _CLITICS[self.lexicon.forms[nouns[0]]]
        female = all(self.lexicon.forms[noun].startswith("f") for noun in nouns)
        return "le" if female else "li"

    def command(self, way: list[str], form: str, polite: str, rest: str) -> str:
        return f"{self._verb(way, form, polite)} {rest}".strip()

    def command_with_pronoun(self, way: list[str], form: str, polite: str, pronoun: str) -> str | None:
        verb = self._verb(way, form, polite)
        if " " in verb.removeprefix(polite).strip():
            return None  # tira fuori, fai cuocere: the pronoun would stand within
        return (verb[:-1] if form in ("infinitive", "polite") else verb) + pronoun

    def _verb(self, way: list[str], form: str, polite: str) -> str:
        infinitive, imperative, we = way
        return {
            "imperative": imperative,
            "infinitive": infinitive,
            "we": we,
            "polite": f"{polite} {infinitive}",
        }[form]


class English:
    """the onion; in the bowl; peel it, let's peel it, can you turn it over."""

    forms: Final = ("imperative", "we", "polite")
    _RELATIONS: Final = {"in": "in", "on": "on", "over": "over", "with": "with", "from": "from"}

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def noun(self, noun: str) -> str:
        return f"the {noun}"

    def several(self, nouns: list[str]) -> str:
        return _listed(nouns, "and")

    def attached(self, relation: str, noun: str) -> str:
        return f"{self._RELATIONS[relation]} the {noun}"

    def pronoun(self, nouns: tuple[str, ...]) -> str:
        return "it" if len(nouns) == 1 and self.lexicon.forms[nouns[0]] == "s" else "them"

    def command(self, way: list[str], form: str, polite: str, rest: str) -> str:
        return f"{self._lead(form, polite)}{way[0]} {rest}".strip()

    def command_with_pronoun(self, way: list[str], form: str, polite: str, pronoun: str) -> str | None:
        first, _, particle = way[0].partition(" ")
        return f"{self._lead(form, polite)}{first} {pronoun} {particle}".strip()

    def _lead(self, form: str, polite: str) -> str:
        return {"imperative": "", "we": "let's ", "polite": f"{polite} "}[form]


WORDINGS: Final = {"it": Italian, "en": English}


def _joined(before: str, noun: str) -> str:
    return f"{before}{noun}" if before.endswith("'") else f"{before} {noun}"


def _listed(nouns: list[str], conjunction: str) -> str:
    *most, last = nouns
    return f"{' '.join(most)} {conjunction} {last}" if most else last
