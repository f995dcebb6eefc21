"""A shallow analysis of Italian: parts of speech, gender and number. No model, no training.

Words of closed classes and the dictionary's lemmas give the possible readings; the words beside decide.
It is made for what people say to systems: short requests and questions.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from vivavoce.stress.italian import lexicon
from vivavoce.stress.italian.inflection import conditional, participle, present
from vivavoce.stress.wordnet import wordnet

_TOKEN: Final = re.compile(r"[^\W\d_]+['’]?|\d+(?:[.,:]\d+)*|[^\w\s]")
_FEMININE_ENDS: Final = ("zione", "sione", "gione", "tà", "tù", "ice", "udine", "ione", "enza", "anza", "ità")
_RELATIONAL: Final = (
    "ese",
    "esi",
    "ano",
    "ana",
    "ani",
    "ane",
    "ale",
    "ali",
    "ico",
    "ica",
    "ici",
    "iche",
    "ino",
    "ina",
)
_SIDES: Final = ("nord", "sud", "est", "ovest")
_CLOSED: Final = {
    "prep": lexicon.PREPOSITIONS,
    "conj": lexicon.CONJUNCTIONS,
    "pron": lexicon.PRONOUNS,
    "adv": lexicon.ADVERBS,
}
_CLITICS: Final = ("mi", "ti", "ci", "vi", "si", "lo", "la", "li", "le", "ne", "gli", "melo", "mela")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign with the reading that its neighbours leave.

    part    det, poss, prep, prepdet, noun, name, adj, inf, fin, part (participle), ger, pron, rel, adv,
            conj, num, sign, unknown
    gender  m, f or "" (not told); number s, p or ""
    form    of a verb: tense and person, such as 3s, c3s, v1s (conditional), i2s
    clitic  what hangs on an infinitive or imperative: darmi has mi
    """

    text: str
    start: int
    end: int
    part: str
    lemma: str
    gender: str = ""
    number: str = ""
    form: str = ""
    clitic: str = ""

    @property
    def lower(self) -> str:
        return self.text.lower().replace("’", "'")


@cache
def _finite_forms() -> dict[str, tuple[str, str]]:
    """Every present and conditional form of every verb in the dictionary, with lemma and person."""
    forms: dict[str, tuple[str, str]] = {}
    common = ["essere", "avere", "potere", "volere", "dovere", "fare", "dire", "dare", "sapere", "stare"]
    verbs = [verb for verb in wordnet("it").verbs if verb.endswith(("are", "ere", "ire"))]
    for verb in common + verbs:
        for person, form in present(verb).items():
            forms.setdefault(form, (verb, person))
        for person, form in conditional(verb).items():
            forms.setdefault(form, (verb, "v" + person))
    return forms


@cache
def _participles() -> dict[str, tuple[str, str, str]]:
    found: dict[str, tuple[str, str, str]] = {}
    for verb in wordnet("it").verbs:
        for gender in "mf":
            for number in "sp":
                form = participle(verb, gender, number)
                if form:
                    found.setdefault(form, (verb, gender, number))
    return found


def gender_of(noun: str) -> str:
    """The gender of a noun's singular by list and ending; "" where the ending does not tell."""
    if noun in lexicon.FEMININE:
        return "f"
    if noun in lexicon.MASCULINE:
        return "m"
    if noun.endswith(_FEMININE_ENDS):
        return "f"
    if noun.endswith(("a", "essa", "trice")):
        return "f"
    if noun.endswith(("o", "ore", "ale", "iere", "ame", "one", "ante", "ente")):
        return "m"
    return "m" if noun[-1:] not in "aeiouàèéìòù" else ""


@cache
def _noun_readings(word: str) -> tuple[tuple[str, str, str], ...]:
    """(lemma, gender, number) for each noun of the dictionary that the form can be."""
    known = wordnet("it")
    found: list[tuple[str, str, str]] = []
    if known.senses(word, "n"):
        invariable = word[-1:] not in "aeio" or word.endswith("si")
        found.append((word, gender_of(word), "" if invariable else "s"))
    if word.endswith("i"):
        stems = [word[:-1] + end for end in "oe"] + [word + "o", word[:-1] + "a"]
        stems += [word[:-2] + "o"] if word.endswith(("chi", "ghi")) else []
        found += [(one, gender_of(one) or "", "p") for one in stems if known.senses(one, "n")]
    if word.endswith("e"):
        stems = [word[:-1] + "a", word[:-1] + "ia"] + (
            [word[:-2] + "a"] if word.endswith(("che", "ghe")) else []
        )
        found += [(one, "f", "p") for one in stems if known.senses(one, "n")]
    misleading = [one for one in found if one[0] == word and word.endswith("i")]
    return tuple(dict.fromkeys([one for one in found if one not in misleading] + misleading))


@cache
def _adjective_readings(word: str) -> tuple[tuple[str, str, str], ...]:
    known = wordnet("it")

    def is_one(lemma: str) -> bool:
        return bool(known.senses(lemma, "a"))

    found: list[tuple[str, str, str]] = []
    if word.endswith("o") and is_one(word):
        found.append((word, "m", "s"))
    if word.endswith("e") and is_one(word):
        found.append((word, "", "s"))
    if word.endswith("a") and is_one(word[:-1] + "o"):
        found.append((word[:-1] + "o", "f", "s"))
    if word.endswith("i"):
        found += [(word[:-1] + "e", "", "p")] if is_one(word[:-1] + "e") else []
        masculine = [word[:-1] + "o", word + "o"] + (
            [word[:-2] + "o"] if word.endswith(("chi", "ghi")) else []
        )
        found += [(one, "m", "p") for one in masculine if is_one(one)]
    if word.endswith("e"):
        feminine = [word[:-1] + "o"] + ([word[:-2] + "o"] if word.endswith(("che", "ghe")) else [])
        found += [(one, "f", "p") for one in feminine if is_one(one)]
    return tuple(found)


def _infinitive(word: str) -> tuple[str, str] | None:
    """(infinitive, clitic): darmi gives dare, mi."""
    if word.endswith(("are", "ere", "ire", "rre")) and wordnet("it").senses(word, "v"):
        return word, ""
    for clitic in _CLITICS:
        stem = word.removesuffix(clitic)
        if stem != word and stem.endswith("r") and wordnet("it").senses(stem + "e", "v"):
            return stem + "e", clitic
    return None


def _imperative(word: str) -> tuple[str, str] | None:
    """(infinitive, clitic) of a singular imperative with a clitic: trovami, dammi, dimmi."""
    short = {
        "dammi": ("dare", "mi"),
        "dimmi": ("dire", "mi"),
        "fammi": ("fare", "mi"),
        "dammelo": ("dare", "melo"),
    }
    if word in short:
        return short[word]
    for clitic in ("mi", "ci"):
        stem = word.removesuffix(clitic)
        found = _finite_forms().get(stem) if stem != word else None
        if found and found[0].endswith("are") and stem == present(found[0]).get("i2s"):
            return found[0], clitic
    return None


def analyse(text: str) -> list[Token]:
    """The utterance's words and signs, each with one reading."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(text):
        tokens.append(_read(found.group(), found.start(), tokens))
    return _revised(tokens)


def _read(word: str, start: int, before: list[Token]) -> Token:
    low = word.lower().replace("’", "'")
    bare = Token(word, start, start + len(word), "", low)
    if not word[0].isalnum():
        return replace(bare, part="sign")
    if word[0].isdigit():
        return replace(bare, part="num", number="p")
    closed = _closed(bare, low, before)
    if closed:
        return closed
    opening = not before or (before[-1].part == "sign" and before[-1].text in ".!?…:")
    if word[0].isupper() and not opening:
        return replace(bare, part="name", lemma=word)
    return _open(bare, low, before[-1] if before else None, opening)


def _closed(bare: Token, low: str, before: list[Token]) -> Token | None:
    previous = before[-1] if before else None
    if low == "dove" or (
        low in ("che", "cui") and previous and previous.part in ("noun", "adj", "name", "prep")
    ):
        return replace(bare, part="rel")
    if low in ("qual", "quant'", "cos'", "dov'", "com'"):
        return replace(bare, part="pron")
    if low in ("fosse", "fossero", "era", "erano", "sarà", "saranno"):
        return replace(bare, part="fin", lemma="essere", form="3p" if low.endswith(("ro", "no")) else "3s")
    auxiliary = _finite_forms().get(low)
    if auxiliary and auxiliary[0] in lexicon.PRESENT and low not in ("fa", "da", "sia"):
        return replace(bare, part="fin", lemma=auxiliary[0], form=auxiliary[1])
    if low == "vicino" and previous is not None and previous.part in ("noun", "adj"):
        return replace(bare, part="prep")
    if low in lexicon.CONTRACTED:
        preposition, gender, number = lexicon.CONTRACTED[low]
        return replace(bare, part="prepdet", lemma=preposition, gender=gender, number=number)
    if low in lexicon.DETERMINERS and not (
        low in ("la", "lo", "le") and previous and previous.lower == "non"
    ):
        gender, number = lexicon.DETERMINERS[low]
        return replace(bare, part="det", gender=gender, number=number)
    if low in lexicon.POSSESSIVES:
        gender, number = lexicon.POSSESSIVES[low]
        return replace(bare, part="poss", gender=gender, number=number)
    return next((replace(bare, part=part) for part, words in _CLOSED.items() if low in words), None)


def _open(bare: Token, low: str, previous: Token | None, opening: bool) -> Token:
    """The reading of a word of an open class that fits best behind the word before it."""
    nouns, adjectives = _noun_readings(low), _adjective_readings(low)
    finite, passive = _finite_forms().get(low), _participles().get(low)
    within = previous is not None and previous.part in ("det", "prepdet", "poss", "num")
    after_preposition = previous is not None and previous.part == "prep"
    after_noun = previous is not None and previous.part in ("noun", "name", "adj")
    after_verb = previous is not None and previous.part in ("fin", "inf", "ger", "part")
    if low in lexicon.BEFORE_NOUN and (within or after_preposition or previous is None):
        return _as_adjective(bare, adjectives, previous)
    infinitive = _infinitive(low)
    if infinitive and not within:
        return replace(bare, part="inf", lemma=infinitive[0], clitic=infinitive[1])
    if after_noun and previous is not None and previous.lower not in lexicon.BEFORE_NOUN:
        if adjectives:
            return _as_adjective(bare, adjectives, previous)
        if low.endswith(_RELATIONAL) and previous.part != "name":
            number = "p" if low[-1] == "i" or low.endswith(("ane", "ine", "che")) else "s"
            return replace(bare, part="adj", number=number, gender={"o": "m", "a": "f"}.get(low[-1], ""))
        if passive and passive[1:] == (previous.gender, previous.number):
            return replace(bare, part="adj", lemma=low, gender=passive[1], number=passive[2])
    if nouns and (within or after_preposition or (previous is not None and previous.part == "adj")):
        return _as_noun(bare, nouns, previous)
    if adjectives and within:
        return _as_adjective(bare, adjectives, previous)
    order = (
        _imperative(low) if opening or previous is None or previous.part in ("adv", "sign", "conj") else None
    )
    if order:
        return replace(bare, part="fin", lemma=order[0], form="i2s", clitic=order[1])
    if low.endswith("assi") and wordnet("it").senses(low[:-4] + "are", "v"):
        return replace(bare, part="fin", lemma=low[:-4] + "are", form="x2s")
    if low.endswith(("ando", "endo")):
        return replace(bare, part="ger", lemma=low[:-4] + ("are" if low.endswith("ando") else "ere"))
    if after_verb and nouns:
        return _as_noun(bare, nouns, previous if previous and previous.part == "part" else None)
    named = opening and any(one[0] == low for one in nouns)  # cucina indiana, at the beginning
    if finite and not within and not named and not (nouns and _rather_a_noun(finite[1], previous)):
        return replace(bare, part="fin", lemma=finite[0], form=finite[1])
    if (
        passive
        and previous is not None
        and previous.lower in ("ha", "ho", "hai", "hanno", "abbiamo", "è", "sono")
    ):
        return replace(bare, part="part", lemma=passive[0], gender=passive[1], number=passive[2])
    if nouns:
        return _as_noun(bare, nouns, previous)
    if adjectives:
        return _as_adjective(bare, adjectives, previous)
    if passive:
        return replace(bare, part="adj", lemma=low, gender=passive[1], number=passive[2])
    if low.endswith("mente"):
        return replace(bare, part="adv")
    return replace(
        bare, part="noun" if within or after_preposition else "unknown", gender=gender_of(low), number=""
    )


def _rather_a_noun(form: str, previous: Token | None) -> bool:
    """Whether what could be a verb in this form, but also a noun, is the noun: prezzo, cucini, serva."""
    if previous is not None and previous.part in ("pron", "rel"):
        return False
    beside_noun = previous is not None and previous.part in ("noun", "adj", "name")
    return form in ("1s", "2s") or (form in ("c3s", "2p") and not beside_noun)


def _as_noun(bare: Token, readings: tuple[tuple[str, str, str], ...], previous: Token | None) -> Token:
    best = readings[0]
    if previous is not None and previous.number:
        fitting = [
            one
            for one in readings
            if one[2] in ("", previous.number) and one[1] in ("", previous.gender or one[1])
        ]
        best = (fitting or list(readings))[0]
    elif len(readings) > 1 and readings[0][2] == "s" and not readings[0][1]:
        best = readings[0]
    gender = best[1] or (previous.gender if previous is not None else "")
    number = best[2] or (previous.number if previous is not None else "") or "s"
    return replace(bare, part="noun", lemma=best[0], gender=gender, number=number)


def _as_adjective(bare: Token, readings: tuple[tuple[str, str, str], ...], previous: Token | None) -> Token:
    if not readings:
        return replace(bare, part="adj")
    lemma, gender, number = readings[0]
    for one in readings:
        if previous is not None and one[1] in ("", previous.gender) and one[2] == previous.number:
            lemma, gender, number = one
            break
    if not gender and previous is not None and previous.part in ("noun", "adj") and previous.number == number:
        gender = previous.gender
    return replace(bare, part="adj", lemma=lemma, gender=gender, number=number)


def _revised(tokens: list[Token]) -> list[Token]:
    """Articles told apart from pronouns, and genders that a determiner tells and the noun does not."""
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        article = token.part == "det" and token.lower in ("la", "lo", "le", "gli")
        if article and following is not None and following.part == "fin":
            tokens[place] = replace(token, part="pron")
        plain = following is not None and following.part == "noun" and following.lower not in _SIDES
        if token.part == "noun" and plain and _adjective_readings(token.lower):
            tokens[place] = _as_adjective(token, _adjective_readings(token.lower), following)
        if tokens[place].part == "noun" and not token.gender:
            tokens[place] = replace(token, gender=_told_gender(tokens, place))
    return tokens


def _told_gender(tokens: list[Token], place: int) -> str:
    for near in range(place - 1, max(-1, place - 4), -1):
        if tokens[near].part in ("det", "prepdet", "adj", "poss") and tokens[near].gender:
            return tokens[near].gender
        if tokens[near].part not in ("det", "prepdet", "adj", "poss", "num"):
            break
    if place + 1 < len(tokens) and tokens[place + 1].part == "adj" and tokens[place + 1].gender:
        return tokens[place + 1].gender
    return "m"
