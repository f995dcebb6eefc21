"""Italian inflection: articles before sounds, participles, agreement of adjectives, forms of verbs."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from vivavoce_stress.italian.lexicon import (
    COMPOUNDS,
    CONDITIONAL_ENDINGS,
    PARTICIPLE_ENDINGS,
    PARTICIPLES,
    PLAIN_IRE,
    PRESENT,
    PRESENT_LIKE,
    REGULAR,
    STRESSED_IARE,
)
from vivavoce_stress.italian.nouns import gender_of, plural

_VOWELS: Final = "aeiouàèéìòùh"
_ORDERS: Final = {"avere": "abbi", "essere": "sii", "sapere": "sappi"}
_SHORT_ORDERS: Final = {"fare": "fa'", "dire": "di'", "dare": "da'", "stare": "sta'", "andare": "va'"}
_CONDITIONAL: Final = {
    "potere": "potr",
    "volere": "vorr",
    "dovere": "dovr",
    "avere": "avr",
    "essere": "sar",
    "fare": "far",
    "dare": "dar",
    "stare": "star",
    "sapere": "sapr",
    "andare": "andr",
    "venire": "verr",
    "vedere": "vedr",
    "tenere": "terr",
    "udire": "udr",
}
_UNDER_PREFIX: Final = {"fa": "fà", "do": "dò"}  # rifà, ridò
_PLAIN_ENDINGS: Final = ("seguire", "coprire", "vestire", "sentire", "vertire", "dormire")
_LIKE_LO: Final = re.compile(r"(?:s[^aeiouàèéìòù\W]|z|gn|ps|pn|x|y|i[aeou])", re.IGNORECASE)


def starts_with_vowel(word: str) -> bool:
    """True if an article before it is elided; h is silent."""
    return word[:1].lower() in _VOWELS


def definite(gender: str, number: str, following: str) -> str:
    """The definite article before a word: il, lo, l', la, i, gli, le."""
    if gender == "f":
        return "le" if number == "p" else "l'" if starts_with_vowel(following) else "la"
    like_lo = bool(_LIKE_LO.match(following))
    if number == "p":
        return "gli" if like_lo or starts_with_vowel(following) else "i"
    return "lo" if like_lo else "l'" if starts_with_vowel(following) else "il"


def indefinite(gender: str, following: str) -> str:
    """The indefinite article before a word: un, uno, una, un'."""
    if gender == "f":
        return "un'" if starts_with_vowel(following) else "una"
    return "uno" if _LIKE_LO.match(following) else "un"


def contracted(preposition: str, article: str) -> str:
    """A preposition with the definite article: di + lo = dello; per + il = per il."""
    stems = {"a": "a", "da": "da", "di": "de", "in": "ne", "su": "su"}
    if preposition not in stems:
        return f"{preposition} {article}"
    endings = {"il": "l", "lo": "llo", "l'": "ll'", "la": "lla", "i": "i", "gli": "gli", "le": "lle"}
    return stems[preposition] + endings[article]


@lru_cache(maxsize=20_000)
def participle(verb: str, gender: str = "m", number: str = "s") -> str | None:
    """The past participle in agreement: bloccare, f, s gives bloccata. None for what is no infinitive."""
    base = PARTICIPLES.get(verb) or _by_ending(verb, PARTICIPLE_ENDINGS)
    if verb in COMPOUNDS:
        simple = COMPOUNDS[verb]
        base = verb.removesuffix(simple) + (participle(simple) or "")
    if base is None:
        if verb.endswith("are"):
            base = verb[:-3] + "ato"
        elif verb.endswith("ire"):
            base = verb[:-3] + "ito"
        elif verb.endswith("ere"):
            base = verb[:-3] + ("iuto" if verb[-4] in "cg" else "uto")
        else:
            return None
    return base[:-1] + {"ms": "o", "fs": "a", "mp": "i", "fp": "e"}[gender + number]


def adjective(form: str, gender: str, number: str) -> str | None:
    """Any form of an adjective in another gender and number; None where its class cannot be told."""
    if form.endswith(("ista", "isti", "iste")) and form != "triste":
        return form[:-1] + {"ms": "a", "fs": "a", "mp": "i", "fp": "e"}[gender + number]
    if form.endswith("e") and not form.endswith(("che", "ghe")):
        stem = form[:-3] + "ric" if form.endswith("tore") and gender == "f" else form[:-1]
        return stem + ("e" if number == "s" else "i")
    if form.endswith("a") and gender_of(form) == "m":  # belga, entusiasta
        stem = form[:-1] + ("h" if form[-2] in "cg" else "")
        irregular = plural(form, "m") if gender == "m" else stem + "e"
        return irregular if number == "p" else form
    if form.endswith(("o", "a")):
        stem = form[:-1]
        if number == "p":
            return plural(stem + "a", "f") if gender == "f" else plural(stem + "o", "m")
        return stem + ("o" if gender == "m" else "a")
    return None


def future(verb: str) -> dict[str, str]:
    """Future by person, on the stem of the conditional: porterò, porterai, porterà ..."""
    stem = conditional(verb)["1s"].removesuffix("ei")
    endings = {"1s": "ò", "2s": "ai", "3s": "à", "1p": "emo", "2p": "ete", "3p": "anno"}
    return {person: stem + ending for person, ending in endings.items()}


def possessive(form: str, gender: str, number: str) -> str:
    """A possessive in another gender and number: mio, mia, miei, mie; loro stays."""
    stem = next((prefix for prefix in ("mi", "tu", "su", "nostr", "vostr") if form.startswith(prefix)), None)
    if stem is None:
        return form
    if number == "p" and gender == "m":
        return {"mi": "miei", "tu": "tuoi", "su": "suoi"}.get(stem, stem + "i")
    return stem + {"ms": "o", "fs": "a", "fp": "e"}[gender + number]


def _by_ending(verb: str, endings: Mapping[str, str]) -> str | None:
    """The form of an irregular verb by its longest known ending: raggiungere like giungere."""
    matching = [ending for ending in endings if verb.endswith(ending)] if verb not in REGULAR else []
    return verb.removesuffix(longest := max(matching, key=len)) + endings[longest] if matching else None


@lru_cache(maxsize=20_000)
def present(verb: str) -> dict[str, str]:
    """Present: indicative (1s ... 3p), imperative (i2s), subjunctive third persons (c3s, c3p)."""
    if verb in COMPOUNDS:
        simple = COMPOUNDS[verb]
        forms = {
            person: verb.removesuffix(simple) + _UNDER_PREFIX.get(form, form)
            for person, form in present(simple).items()
        }
        return forms | {"i2s": forms["2s"]}
    like = verb if verb in PRESENT else None
    if like is None and verb not in REGULAR:
        like = next((ending for ending in PRESENT_LIKE if verb.endswith(ending)), None)
    if like is not None:
        forms = {person: verb.removesuffix(like) + form for person, form in PRESENT[like].items()}
        forms["c3p"] = forms["c3s"] + "no"
        forms["i2s"] = _SHORT_ORDERS.get(verb) or _ORDERS.get(verb) or forms["2s"]
        return forms
    stem, ending = verb[:-3], verb[-3:]
    hard = stem[-1:] in "cg" and ending == "are"
    hidden = stem.endswith("i") and ending == "are" and verb not in STRESSED_IARE
    soft = stem + "h" if hard else stem[:-1] if hidden else stem
    first = soft[:-1] if verb in STRESSED_IARE else soft
    if ending == "are":
        return {
            "1s": stem + "o",
            "2s": soft + "i",
            "3s": stem + "a",
            "1p": first + "iamo",
            "2p": stem + "ate",
            "3p": stem + "ano",
            "i2s": stem + "a",
            "c3s": soft + "i",
            "c3p": soft + "ino",
        }
    if ending not in ("ere", "ire"):
        return {}
    is_plain = verb in PLAIN_IRE or verb.endswith(_PLAIN_ENDINGS)
    mid = stem + "isc" if ending == "ire" and not is_plain else stem
    return {
        "1s": mid + "o",
        "2s": mid + "i",
        "3s": mid + "e",
        "1p": stem + "iamo",
        "2p": stem + ending[0] + "te",
        "3p": mid + "ono",
        "i2s": mid + "i",
        "c3s": mid + "a",
        "c3p": mid + "ano",
    }


@lru_cache(maxsize=20_000)
def conditional(verb: str) -> dict[str, str]:
    """Conditional by person: potrei, potresti, potrebbe ..."""
    if verb in COMPOUNDS and not verb.endswith("dire"):
        simple = COMPOUNDS[verb]
        return {person: verb.removesuffix(simple) + form for person, form in conditional(simple).items()}
    stem = _CONDITIONAL.get(verb) or _by_ending(verb, CONDITIONAL_ENDINGS)
    if stem is None:
        stem = verb[:-3] + "er" if verb.endswith("are") else verb[:-1]
        if verb.endswith(("care", "gare")):
            stem = verb[:-3] + "her"
        elif verb.endswith(("ciare", "giare")):
            stem = verb[:-4] + "er"
    endings = {"1s": "ei", "2s": "esti", "3s": "ebbe", "1p": "emmo", "2p": "este", "3p": "ebbero"}
    return {person: stem + ending for person, ending in endings.items()}
