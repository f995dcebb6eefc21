"""ST-9 and ST-11 in Italian: nouns and adjectives, and complements, in the less usual order."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Final

from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance
from vivavoce_stress.italian.analysis import Token
from vivavoce_stress.italian.lexicon import TIMES
from vivavoce_stress.italian.morphology import RULES
from vivavoce_stress.italian.phrases import (
    Phrase,
    before,
    complements,
    cut_short,
    full_form,
    noun_phrase,
    object_phrase,
    text_of,
)
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit, placed, starts_sentence

_FIXED: Final = frozenset(
    {
        "altro",
        "altra",
        "altri",
        "altre",
        "stesso",
        "stessa",
        "ogni",
        "primo",
        "prima",
        "certo",
        "certa",
    }
)
_COUNTS: Final = frozenset(
    {
        "quanto",
        "quanta",
        "quanti",
        "quante",
        "molti",
        "molte",
        "pochi",
        "poche",
        "tanti",
        "tante",
        "vari",
        "varie",
        "ultimo",
        "ultima",
        "ultimi",
        "ultime",
        "prossimo",
        "prossima",
        "scorso",
        "scorsa",
        "mezzo",
        "mezza",
        "alcuni",
        "alcune",
        "tutto",
        "tutta",
        "tutti",
        "tutte",
        "solo",
        "sola",
    }
)
_CONTAINERS: Final = frozenset(
    {
        "piatto",
        "bicchiere",
        "bottiglia",
        "tazza",
        "fetta",
        "chilo",
        "litro",
        "etto",
        "porzione",
        "mazzo",
        "paio",
        "scatola",
        "pacco",
        "confezione",
        "sacchetto",
        "vasetto",
        "lattina",
        "barattolo",
        "gruppo",
        "coppia",
        "dozzina",
        "foglio",
        "busta",
        "cassa",
        "vassoio",
        "cucchiaio",
        "caraffa",
        "metro",
        "grammo",
        "giorno",
        "settimana",
        "mese",
        "ora",
        "notte",
        "copia",
        "cesto",
        "secchio",
        "tazzina",
        "boccale",
        "calice",
        "ciotola",
        "scodella",
        "quintale",
        "decilitro",
        "mezzo",
    }
)
_ASKING: Final = ("quant", "qual")
_LIGHT: Final = frozenset({"bisogno", "voglia", "intenzione", "idea"})
_THE: Final = ("il", "lo", "la", "l'", "i", "gli", "le")
_UNSURE: Final = 0.6
_OF_SUBJECT: Final = ("costare", "partire", "arrivare", "venire", "essere", "passare", "restare")
_PLACED: Final = ("situat", "ubicat", "specializzat", "collocat")
_RELATIONAL: Final = (
    "ale",
    "ali",
    "are",
    "ari",
    "ico",
    "ica",
    "ici",
    "iche",
    "ario",
    "aria",
    "arie",
    "ivo",
    "iva",
    "ivi",
    "ive",
    "ano",
    "ana",
    "ani",
    "ane",
    "ese",
    "esi",
)
_EITHER_SIDE: Final = frozenset(
    {  # stand before a noun as readily as behind it, whatever else they are
        "grande",
        "piccolo",
        "vecchio",
        "nuovo",
        "bello",
        "brutto",
        "lungo",
        "breve",
        "comodo",
        "elegante",
        "antico",
        "ampio",
        "giovane",
        "importante",
        "enorme",
        "minuscolo",
        "recente",
        "interessante",
        "unico",
        "economico",
        "simpatico",
        "fantastico",
        "magnifico",
        "classico",
        "tipico",
        "pratico",
        "romantico",
        "speciale",
        "originale",
        "eccezionale",
        "carino",
        "rustico",
        "esclusivo",
    }
)
_DATED: Final = ("scors", "prossim", "passat")
_KINDS: Final = frozenset(
    {
        "destro",
        "sinistro",
        "doppio",
        "singolo",
        "triplo",
        "vicino",
        "lontano",
        "medio",
        "interno",
        "esterno",
        "intero",
        "fino",
        "superiore",
        "inferiore",
        "anteriore",
        "posteriore",
        "matrimoniale",
        "gratuito",
        "pieno",
        "completo",
        "assistito",
        "libero",
        "aperto",
        "chiuso",
        "acceso",
        "spento",
        "esposto",
    }
)
_DOING: Final = ("ante", "anti", "ente", "enti")


class ItalianNounAdjective:
    """Noun and adjective change places, the article follows; `un piatto di pasta`: `pasta un piatto`."""

    test, language, needs = "ST-9", "it", ("analysis", "morphology")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        tokens, resources = pack.get("analysis")(utterance.text), pack.get("morphology").resources
        return (
            replace(substitution, resources=resources) for substitution in self._found(utterance.text, tokens)
        )

    def _found(self, text: str, tokens: list[Token]) -> Iterator[Substitution]:
        for place, token in enumerate(tokens[:-1]):
            following = tokens[place + 1]
            if token.part == "noun" and following.part == "adj" and text[token.end : following.start] == " ":
                yield from self._adjective_first(text, tokens, place)
            timed = following.lower in TIMES or following.text[:1].isupper()
            if token.part == "adj" and following.part == "noun" and not timed and token.lower not in _FIXED:
                yield from self._noun_first(text, tokens, place)
            if token.part == "noun" and following.lower in ("di", "d'") and _measures(tokens, place):
                yield from self._content_first(text, tokens, place)

    def _adjective_first(self, text: str, tokens: list[Token], place: int) -> Iterator[Substitution]:
        noun, quality = tokens[place], tokens[place + 1]
        compounds = (f"{noun.lower} {quality.lower}", f"{noun.lemma} {quality.lemma}")
        compound = any(wordnet("it").senses(words, "n") for words in compounds)
        if quality.text[:1].isupper() or compound or noun.lower in TIMES:
            return
        behind = tokens[place + 2].part if place + 2 < len(tokens) else ""
        unclear = bool(wordnet("it").senses(quality.lower, "n")) or cut_short(tokens, place + 1)
        if quality.lemma in _EITHER_SIDE:
            unclear = cut_short(tokens, place + 1)
        unclear = (
            unclear
            or behind in ("adj", "noun", "name", "unknown")
            or (quality.lemma not in _EITHER_SIDE and _stays(quality))
        )
        compounds = place > 0 and tokens[place - 1].part == "noun" and tokens[place - 1].end + 1 == noun.start
        confidence = (
            _UNSURE if unclear or compounds else 0.85
        )  # foglio rosa: the second noun is part of a name
        moved = placed(text, noun.start, quality.text) + " " + _inside(text, noun)
        edits = [*_led(text, tokens, place, quality.text, noun), edit(text, noun.start, quality.end, moved)]
        yield Substitution(tuple(edits), "adjective before its noun", confidence)

    def _noun_first(self, text: str, tokens: list[Token], place: int) -> Iterator[Substitution]:
        quality, noun = tokens[place], tokens[place + 1]
        if noun.lower == "mercato" or quality.lower.startswith(_ASKING):  # a buon mercato, quanti permessi
            return
        if text[quality.end : noun.start] != " ":
            return
        moved = placed(text, quality.start, noun.text) + " " + full_form(_inside(text, quality), noun)
        edits = [*_led(text, tokens, place, noun.text, noun), edit(text, quality.start, noun.end, moved)]
        counts = quality.lower in _COUNTS
        yield Substitution(tuple(edits), "adjective behind its noun", 0.6 if counts else 0.85)

    def _content_first(self, text: str, tokens: list[Token], place: int) -> Iterator[Substitution]:
        content = noun_phrase(tokens, place + 2)
        if content is None or tokens[content.first].part in ("det", "poss"):  # una copia di questa chiave
            return
        first = place
        while first and tokens[first - 1].part in ("det", "num", "adj"):
            first -= 1
        led = first > 0 and tokens[first - 1].part in ("prep", "prepdet")
        measure = text_of(text, tokens, first, place)
        moved = f"{text_of(text, tokens, place + 2, content.last)} {measure[:1].lower()}{measure[1:]}"
        start = tokens[first].start
        change = edit(text, start, tokens[content.last].end, placed(text, start, moved))
        yield Substitution((change,), "the content before its measure", _UNSURE if led else 0.8)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no noun is next to an adjective or is measured by another noun"


def _stays(quality: Token) -> bool:
    """True if an adjective states a kind or a state, and so stays behind its noun."""
    word = quality.lower
    if word.endswith(_RELATIONAL) or quality.lemma in _KINDS:
        return True
    dated = word.startswith(_DATED)
    return not dated and (word.endswith(_DOING) or RULES.participle_of(word) is not None)


def _measures(tokens: list[Token], place: int) -> bool:
    """True if a noun measures what follows: un sacco di terriccio, due chili di pane; not `in caso di`."""
    lemma = tokens[place].lemma
    counted = place > 0 and tokens[place - 1].part in ("det", "num", "adj")
    return lemma in _CONTAINERS or (counted and wordnet("it").measures(lemma))


def _inside(text: str, token: Token) -> str:
    """A word as it is written inside a sentence."""
    return token.text[:1].lower() + token.text[1:] if starts_sentence(text, token.start) else token.text


def _led(text: str, tokens: list[Token], place: int, word: str, noun: Token) -> list[Edit]:
    """The mended determiner right before a place, where there is one."""
    if place and tokens[place - 1].part in ("det", "prepdet"):
        mended = before(text, tokens[place - 1], word, noun.gender or "m", noun.number or "s")
        return [mended] if mended else []
    return []


class ItalianComplements:
    """Two neighbouring complements change places; else a complement goes before the object."""

    test, language, needs = "ST-11", "it", ("analysis", "morphology")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        tokens, resources = pack.get("analysis")(utterance.text), pack.get("morphology").resources
        return (
            replace(substitution, resources=resources) for substitution in self._found(utterance.text, tokens)
        )

    def _found(self, text: str, tokens: list[Token]) -> Iterator[Substitution]:
        phrases = complements(tokens)
        for first, second in pairwise(phrases):
            if second.first == first.last + 1 and not _joined(tokens, second.last + 1):
                unclear = _holds(tokens, first, second) or _of_noun(tokens, first)
                sure = _UNSURE if unclear else 0.9
                yield self._swapped(text, tokens, first, second, "neighbouring complements swapped", sure)
        for first in phrases:
            yield from self._before_object(text, tokens, first)

    def _swapped(
        self, text: str, tokens: list[Token], one: Phrase, other: Phrase, rule: str, confidence: float
    ) -> Substitution:
        first = text_of(text, tokens, one.first, one.last)
        second = text_of(text, tokens, other.first, other.last)
        start, end = tokens[one.first].start, tokens[other.last].end
        lowered = first[:1].lower() + first[1:] if starts_sentence(text, start) else first
        after = placed(text, start, second) + " " + lowered
        return Substitution((edit(text, start, end, after),), rule, confidence)

    def _before_object(self, text: str, tokens: list[Token], one: Phrase) -> Iterator[Substitution]:
        """un ristorante in centro, behind a verb: in centro un ristorante."""
        for place in range(one.first - 1, -1, -1):
            if tokens[place].part not in ("fin", "inf", "ger", "part"):
                continue
            thing = object_phrase(tokens, place + 1)
            there_is = place > 0 and tokens[place - 1].lower in ("ci", "c'")
            movable = there_is or tokens[place].lemma != "essere"
            if (
                thing is not None
                and thing.last == one.first - 1
                and movable
                and _goes_forward(tokens, thing, one)
            ):
                rule, confidence = "complement before the object", _forward(tokens, place, thing, one)
                yield self._swapped(text, tokens, thing, one, rule, confidence)
            return

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no verb has two adjacent complements, or an object next to a complement"


def _of_noun(tokens: list[Token], one: Phrase) -> bool:
    """True if a complement may state the purpose of the noun before it: sciroppo per la tosse."""
    opening, head = tokens[one.first], tokens[one.head]
    article = one.first + 1 < one.head and tokens[one.first + 1].part == "det"
    behind = one.first > 0 and tokens[one.first - 1].part == "noun"
    return behind and article and opening.lemma == "per" and head.part == "noun" and head.lower not in TIMES


def _holds(tokens: list[Token], one: Phrase, other: Phrase) -> bool:
    """True if the second complement may belong to the first's noun: una macchina ferma in garage."""
    timed = any(
        tokens[at].lower in TIMES or tokens[at].part == "num" for at in range(other.first, other.last + 1)
    )
    for_noun = tokens[one.last].part == "noun" and tokens[one.first].lemma == "per"
    told_kind = tokens[one.last].part == "noun" and tokens[other.first].lemma == "per" and not timed
    told_kind = told_kind and "det" in (tokens[one.first + 1].part, tokens[one.first].part[-3:])
    if told_kind and tokens[other.head].part == "noun":  # al corso per la patente
        return True
    described = tokens[one.last].part == "adj" or for_noun
    bound = tokens[other.first].lemma == "per" and tokens[other.head].part == "name"
    if bound and tokens[one.first].lemma in ("su", "con", "in", "a"):  # sul volo di domani per Parigi
        return True
    return described and not timed and tokens[other.first].lemma in ("in", "a", "da", "con", "su")


def _forward(tokens: list[Token], verb: int, thing: Phrase, one: Phrase) -> float:
    """Confidence in a complement before an object: low for the purpose of a definite object."""
    if tokens[one.head].lower in TIMES:
        return 0.85
    opening = tokens[one.first]
    behind_article = one.first + 1 < len(tokens) and tokens[one.first + 1].lower in _THE
    if opening.lemma == "per" and one.head == one.first + 1 and tokens[one.head].number == "p":
        return _UNSURE  # un seggiolino per bambini
    if opening.lemma == "a" and tokens[verb].lemma == "avere":
        return _UNSURE  # un'allergia alle noci
    indefinite = one.first + 1 < len(tokens) and tokens[one.first + 1].part in ("det", "num")
    if opening.lemma == "a" and indefinite and tokens[verb].lemma in _OF_SUBJECT:
        return _UNSURE  # quanto costa il manico a una tazza
    definite = tokens[thing.first].lower in _THE
    if _of_noun(tokens, one):
        return _UNSURE
    if opening.lemma == "per" and definite and behind_article and tokens[verb].lemma not in _OF_SUBJECT:
        return _UNSURE
    return 0.85 if opening.lemma in ("in", "per") else 0.82


def _joined(tokens: list[Token], place: int) -> bool:
    """True if `e` or `o` joins more to what stands before a place: per due adulti e un bambino."""
    return place < len(tokens) and tokens[place].lower in ("e", "ed", "o", "oppure")


def _goes_forward(tokens: list[Token], thing: Phrase, one: Phrase) -> bool:
    """True if a complement may go before an object: not out of `bisogno di`, nor a noun's own."""
    opening, after = tokens[one.first], tokens[one.last + 1 : one.last + 2]
    only_of_noun = opening.lemma in ("su", "con") or (opening.part == "prep" and opening.lemma == "da")
    parted = bool(after) and (
        after[0].part in ("noun", "name", "num") or after[0].lemma in ("di", "d'", "vicino", "accanto")
    )
    unmovable = tokens[thing.first].lower in _LIGHT or tokens[thing.last].lower.startswith(_PLACED)
    return not (only_of_noun or parted or unmovable or cut_short(tokens, thing.last))
