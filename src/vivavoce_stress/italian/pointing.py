"""Italian phrases that point back: the ordinal with article, gender and the preposition before it."""

import re

from vivavoce_stress.italian.analysis import analyse
from vivavoce_stress.italian.inflection import contracted, definite
from vivavoce_stress.italian.morphology import RULES, Morphology
from vivavoce_stress.wordnet import wordnet

_POSSESSIVE = r"(?:(?:mi[oae]|miei|tu[oae]|tuoi|su[oae]|suoi|nostr[oaie]|vostr[oaie]|loro)\s+)?"
_ARTICLE = re.compile(
    r"(?:\b(?:il|lo|la|i|gli|le|un|uno|una|quello|quella|del|della|dello)\s+|\b(?:l|un|dell)['’])"
    + _POSSESSIVE
    + "$",
    re.I,
)
_PREPOSITION = re.compile(r"\b(a|ad|di|da|in|su|con|per)\s+$", re.IGNORECASE)
_LEADING = re.compile(r"^(?:a|ad|da|di|in|per)\s+(?=[A-Z])")
_CONTRACTED = re.compile(
    rf"\b(a|da|de|ne|su)(?:l|llo|lla|i|gli|lle)\s+{_POSSESSIVE}$|\b(a|da|de|ne|su)ll['’]$", re.IGNORECASE
)


def gender_of_phrase(phrase: str, words: Morphology = RULES) -> str:
    """The gender of an alternative: its noun's; a place name is a city, which is feminine; else masculine."""
    phrase = _LEADING.sub("", phrase)
    if phrase[:1].isupper() and " " not in phrase:
        glosses = " ".join(wordnet("en").gloss(sense) for sense in wordnet("it").senses(phrase.lower(), "n"))
        if re.search(r"\b(?:city|capital|town|island)\b", glosses):
            return "f"
        if phrase.endswith("a") and not glosses:  # a woman's name
            return "f"
    tokens = analyse(phrase[:1].lower() + phrase[1:] if len(phrase.split()) > 1 else phrase, words)
    for token in tokens:
        if token.part in ("det", "noun") and token.gender:
            return token.gender
    return next((token.gender for token in tokens if token.part == "adj" and token.gender), "m")


def pointing_phrase(text: str, start: int, end: int, phrase: str) -> tuple[int, int, str] | None:
    """(start, end, words) with the article that the phrase needs, contracted with a preposition before it.

    None where nobody points back so: `a sud` is not `al secondo`.
    """
    if phrase.startswith("l'"):
        bare, gender = phrase[2:], "f" if phrase.endswith("a") else "m"
    else:
        bare, gender = phrase, "f" if phrase.endswith("a") else "m"
    article = definite(gender, "s", bare)
    stems = {"de": "di", "ne": "in"}
    joint = _CONTRACTED.search(text[:start])
    article_match = _ARTICLE.search(text[:start])
    if joint:
        stem = (joint.group(1) or joint.group(2)).lower()
        start, article = joint.start(), contracted(stems.get(stem, stem), article)
    elif article_match:
        start = article_match.start()
    before = _PREPOSITION.search(text[:start]) if not joint else None
    if before:
        preposition = {"ad": "a"}.get(before.group(1).lower(), before.group(1).lower())
        if preposition == "a" and not article_match and text[before.end() : before.end() + 1].islower():
            return None
        start, article = before.start(), contracted(preposition, article)
        bare += " modo" if preposition == "in" and gender == "m" and not article_match else ""
    return start, end, article + ("" if article.endswith("'") else " ") + bare
