"""A shallow analysis of Italian: parts of speech, gender and number. No model, no training.

Words of closed classes and the dictionary's lemmas give the possible readings; the words beside decide.
It is made for what people say to systems: short requests and questions.
"""

import re
from dataclasses import dataclass
from typing import Final

from vivavoce_stress.italian import lexicon
from vivavoce_stress.italian.morphology import RULES, Morphology
from vivavoce_stress.wordnet import wordnet

_TOKEN: Final = re.compile(r"[^\W\d_]+['’]?|\d+(?:[.,:]\d+)*|[^\w\s]")
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
_KEPT: Final = 512
_HAVE: Final = ("ho", "hai", "ha", "abbiamo", "avete", "hanno")
_MODAL: Final = ("potere", "dovere", "volere", "bisognare")
_LEADS: Final = (
    "il",
    "lo",
    "la",
    "l'",
    "i",
    "gli",
    "le",
    "un",
    "uno",
    "una",
    "un'",
    "dei",
    "degli",
    "delle",
    "mio",
    "mia",
)
_SIDES: Final = ("nord", "sud", "est", "ovest")
_CLOSED: Final = {
    "prep": lexicon.PREPOSITIONS,
    "conj": lexicon.CONJUNCTIONS,
    "pron": lexicon.PRONOUNS,
    "adv": lexicon.ADVERBS,
}


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

    def read(
        self, part: str, lemma: str = "", gender: str = "", number: str = "", form: str = "", clitic: str = ""
    ) -> "Token":
        """Copy of the word with another reading; the lemma stays if none is given."""
        return Token(self.text, self.start, self.end, part, lemma or self.lemma, gender, number, form, clitic)


def analyse(text: str, words: Morphology = RULES) -> list[Token]:
    """The utterance's words and signs, each with one reading of those that the morphology knows.

    The last few hundred are kept: several tests, and each of their variants, read the same utterance.
    """
    analysed = words.analyses.get(text)
    if analysed is None:
        tokens: list[Token] = []
        for match in _TOKEN.finditer(text):
            tokens.append(_read(match.group(), match.start(), tokens, words))
        analysed = tuple(_revised(tokens, words))
        if len(words.analyses) >= _KEPT:
            words.analyses.clear()
        words.analyses[text] = analysed
    return list(analysed)


def _read(word: str, start: int, before: list[Token], words: Morphology) -> Token:
    low = word.lower().replace("’", "'")
    bare = Token(word, start, start + len(word), "", low)
    if not word[0].isalnum():
        return bare.read("sign")
    if word[0].isdigit():
        return bare.read("num", number="p")
    closed = _closed(bare, low, before, words)
    if closed:
        return closed
    opening = not before or (before[-1].part == "sign" and before[-1].text in ".!?…:")
    if word[0].isupper() and not opening:
        return bare.read("name", lemma=word)
    return _open(bare, low, before[-1] if before else None, opening, words)


def _closed(bare: Token, low: str, before: list[Token], words: Morphology) -> Token | None:
    previous = before[-1] if before else None
    if low == "dove" or (
        low in ("che", "cui") and previous and previous.part in ("noun", "adj", "name", "prep")
    ):
        return bare.read("rel")
    if low == "bisogna":
        return bare.read("fin", lemma="bisognare", form="3s")
    if low == "quando" and previous is not None and previous.part == "prep":  # entro quando
        return bare.read("pron")
    if low in ("qual", "quant'", "cos'", "dov'", "com'"):
        return bare.read("pron")
    if low in ("fosse", "fossero", "era", "erano", "sarà", "saranno"):
        return bare.read("fin", lemma="essere", form="3p" if low.endswith(("ro", "no")) else "3s")
    auxiliary = words.finite(low)
    if auxiliary and auxiliary[0] in lexicon.COMMON_VERBS and low not in ("fa", "da", "sia"):
        return bare.read("fin", lemma=auxiliary[0], form=auxiliary[1])
    if low == "vicino" and previous is not None and previous.part in ("noun", "adj"):
        return bare.read("prep")
    if low in lexicon.CONTRACTED:
        preposition, gender, number = lexicon.CONTRACTED[low]
        return bare.read("prepdet", lemma=preposition, gender=gender, number=number)
    if low in lexicon.DETERMINERS and not (
        low in ("la", "lo", "le") and previous and previous.lower == "non"
    ):
        gender, number = lexicon.DETERMINERS[low]
        return bare.read("det", gender=gender, number=number)
    if low in lexicon.POSSESSIVES:
        gender, number = lexicon.POSSESSIVES[low]
        return bare.read("poss", gender=gender, number=number)
    return next((bare.read(part) for part, words in _CLOSED.items() if low in words), None)


def _open(bare: Token, low: str, previous: Token | None, opening: bool, words: Morphology) -> Token:
    """The reading of a word of an open class that fits best behind the word before it."""
    nouns, adjectives = words.nouns(low), words.adjectives(low)
    finite, passive = words.finite(low), words.participle_of(low)
    if passive and previous is not None and previous.lower in _HAVE:
        return bare.read("part", lemma=passive[0], gender=passive[1], number=passive[2])
    within = previous is not None and previous.part in ("det", "prepdet", "poss", "num")
    after_preposition = previous is not None and previous.part == "prep"
    after_noun = previous is not None and previous.part in ("noun", "name", "adj")
    after_verb = previous is not None and previous.part in ("fin", "inf", "ger", "part")
    if low in lexicon.BEFORE_NOUN and (within or after_preposition or previous is None):
        return _as_adjective(bare, adjectives, previous)
    infinitive = words.infinitive(low)
    if infinitive and not within:
        return bare.read("inf", lemma=infinitive[0], clitic=infinitive[1])
    if after_noun and previous is not None and previous.lower not in lexicon.BEFORE_NOUN:
        if adjectives:
            return _as_adjective(bare, adjectives, previous)
        if low.endswith(_RELATIONAL) and previous.part != "name":
            number = "p" if low[-1] == "i" or low.endswith(("ane", "ine", "che")) else "s"
            return bare.read("adj", number=number, gender={"o": "m", "a": "f"}.get(low[-1], ""))
        if passive and passive[1:] == (previous.gender, previous.number):
            return bare.read("adj", lemma=low, gender=passive[1], number=passive[2])
    if nouns and (within or after_preposition or (previous is not None and previous.part == "adj")):
        return _as_noun(bare, nouns, previous)
    if adjectives and within:
        return _as_adjective(bare, adjectives, previous)
    order = (
        words.imperative(low)
        if opening or previous is None or previous.part in ("adv", "sign", "conj")
        else None
    )
    if order:
        many = low.removesuffix(order[1]).endswith("te")
        return bare.read("fin", lemma=order[0], form="i2p" if many else "i2s", clitic=order[1])
    if low.endswith("assi") and wordnet("it").senses(low[:-4] + "are", "v"):
        return bare.read("fin", lemma=low[:-4] + "are", form="x2s")
    if low.endswith(("ando", "endo")):
        return bare.read("ger", lemma=low[:-4] + ("are" if low.endswith("ando") else "ere"))
    if after_verb and nouns:
        return _as_noun(bare, nouns, previous if previous and previous.part == "part" else None)
    behind_noun = opening and any(noun[0] == low for noun in nouns)  # cucina indiana, at the beginning
    if finite and not within and not behind_noun and not (nouns and _rather_a_noun(finite[1], previous)):
        return bare.read("fin", lemma=finite[0], form=finite[1])
    if passive and previous is not None and previous.lower in ("è", "sono"):
        return bare.read("part", lemma=passive[0], gender=passive[1], number=passive[2])
    if nouns:
        return _as_noun(bare, nouns, previous)
    if adjectives:
        return _as_adjective(bare, adjectives, previous)
    if passive:
        return bare.read("adj", lemma=low, gender=passive[1], number=passive[2])
    if low.endswith("mente"):
        return bare.read("adv")
    modal = previous is not None and previous.part == "fin" and previous.lemma in (*_MODAL, "bisognare")
    modal = modal or (previous is not None and previous.lower == "possibile")
    if low.endswith(("are", "ere", "ire")) and modal:  # a verb that the dictionary lacks: posso restituire
        return bare.read("inf", lemma=low)
    kind = "noun" if within or after_preposition else "unknown"
    return bare.read(kind, gender=words.gender(low))


def _rather_a_noun(form: str, previous: Token | None) -> bool:
    """True if a form that is both verb and noun is the noun: prezzo, cucini, serva."""
    if previous is not None and previous.part in ("pron", "rel"):
        return False
    beside_noun = previous is not None and previous.part in ("noun", "adj", "name")
    return form in ("1s", "2s") or (form in ("c3s", "2p") and not beside_noun)


def _as_noun(bare: Token, readings: tuple[tuple[str, str, str], ...], previous: Token | None) -> Token:
    best = readings[0]
    if previous is not None and previous.number:
        fitting = [
            reading
            for reading in readings
            if reading[2] in ("", previous.number) and reading[1] in ("", previous.gender or reading[1])
        ]
        best = (fitting or list(readings))[0]
    elif len(readings) > 1 and readings[0][2] == "s" and not readings[0][1]:
        best = readings[0]
    gender = best[1] or (previous.gender if previous is not None else "")
    number = best[2] or (previous.number if previous is not None else "") or "s"
    return bare.read("noun", lemma=best[0], gender=gender, number=number)


def _as_adjective(bare: Token, readings: tuple[tuple[str, str, str], ...], previous: Token | None) -> Token:
    if not readings:
        return bare.read("adj")
    lemma, gender, number = readings[0]
    for reading in readings:
        if previous is not None and reading[1] in ("", previous.gender) and reading[2] == previous.number:
            lemma, gender, number = reading
            break
    if not gender and previous is not None and previous.part in ("noun", "adj") and previous.number == number:
        gender = previous.gender
    return bare.read("adj", lemma=lemma, gender=gender, number=number)


def _revised(tokens: list[Token], words: Morphology) -> list[Token]:
    """Articles told apart from pronouns, and genders that a determiner tells and the noun does not."""
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        article = token.part == "det" and token.lower in ("la", "lo", "le", "gli")
        if article and following is not None and following.part == "fin":
            tokens[place] = token.read("pron", token.lemma, token.gender, token.number)
        led = following is not None and following.lower in _LEADS and following.start == token.end + 1
        opens = place == 0 or tokens[place - 1].text in ".!?"
        verb = words.finite(token.lower) if led and opens and token.part == "noun" else None
        if (
            verb and verb[0].endswith("are") and verb[1] == "3s"
        ):  # modifica la data: a noun has no article behind it
            tokens[place] = token.read("fin", lemma=verb[0], form="3s")
            continue
        before_noun = following is not None and following.part == "noun" and following.lower not in _SIDES
        if token.part == "noun" and before_noun and words.adjectives(token.lower):
            tokens[place] = _as_adjective(token, words.adjectives(token.lower), following)
        if tokens[place].part == "noun" and not token.gender:
            tokens[place] = token.read(
                "noun", token.lemma, _told_gender(tokens, place), token.number, token.form
            )
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
