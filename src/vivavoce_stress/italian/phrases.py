"""Noun phrases and complements of an analysed Italian utterance, and edits that keep agreement."""

from dataclasses import dataclass, replace
from typing import Final

from vivavoce_stress.base import Edit
from vivavoce_stress.italian.analysis import Token, analyse
from vivavoce_stress.italian.inflection import adjective, contracted, definite, indefinite, possessive
from vivavoce_stress.italian.lexicon import TIMES
from vivavoce_stress.italian.morphology import RULES, Morphology
from vivavoce_stress.words import edit, in_case_of

_ARTICLES: Final = {"il", "lo", "la", "l'", "i", "gli", "le"}
_INDEFINITE: Final = {"un", "uno", "una", "un'"}
_FULL: Final = {
    "bel": "bello",
    "bell'": "bello",
    "buon": "buono",
    "buon'": "buona",
    "gran": "grande",
    "bei": "belli",
    "tutti": "tutto",
    "tutte": "tutto",
}
_WEEK: Final = (
    "prossimo",
    "prossima",
    "scorso",
    "scorsa",
    "seguente",
    "mattina",
    "sera",
    "pomeriggio",
    "notte",
)
_PARTICIPLE: Final = tuple(vowel + "t" + end for vowel in "aiu" for end in "oaie")
_DAYS: Final = (
    "lunedì",
    "martedì",
    "mercoledì",
    "giovedì",
    "venerdì",
    "sabato",
    "domenica",
    "mattina",
    "sera",
    "notte",
)
_RUNS_ON: Final = frozenset(
    {
        "vicino",
        "davanti",
        "accanto",
        "dietro",
        "oltre",
        "fino",
        "prima",
        "insieme",
        "rispetto",
        "intorno",
        "partire",
        "fronte",
        "causa",
        "base",
        "seguito",
        "grazie",
        "sotto",
        "sopra",
        "dentro",
        "fuori",
        "lungo",
    }
)
_OF_TWO: Final = {"prima": "di", "fino": "a", "insieme": "a", "davanti": "a"}
_SET_PHRASES: Final = (
    {"per", "favore"},
    {"per", "piacere"},
    {"per", "cortesia"},
    {"a", "mercato"},
    {"a", "parte"},
    {"in", "particolare"},
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens first to last of an utterance, last included; head is the noun's place."""

    first: int
    last: int
    head: int
    gender: str = ""
    number: str = ""


def noun_phrase(tokens: list[Token], first: int) -> Phrase | None:
    """The noun phrase that begins at a place, with its adjectives and its complements with `di`."""
    place = first
    while place < len(tokens) and tokens[place].part in ("det", "poss", "num", "adj"):
        place += 1
    if place >= len(tokens) or tokens[place].part not in ("noun", "name", "unknown"):
        return None
    head = place
    if tokens[head].part == "name":
        while head + 1 < len(tokens) and tokens[head + 1].part == "name":
            head += 1
    last = _with_complements(tokens, head)
    noun = tokens[place]
    gender, number = noun.gender, noun.number
    for token in tokens[first:place]:  # a determiner tells more surely than the noun's ending
        article_gender = token.gender if token.part == "det" else ""
        gender, number = article_gender or gender or token.gender, token.number or number
    return Phrase(first, last, place, gender or "m", number or "s")


def _with_complements(tokens: list[Token], last: int) -> int:
    while last + 1 < len(tokens):
        following = tokens[last + 1]
        if (
            following.part in ("adj", "poss")
            or _names_it(tokens[last], following)
            or (
                following.part == "name"
                and tokens[last].part == "noun"
                and following.start == tokens[last].end + 1
            )
            or (following.part == "adv" and following.lower in ("molto", "poco", "più"))
            or following.lower in ("nord", "sud", "est", "ovest")
            or (following.lower == "città" and tokens[last].lower == "centro")
        ):
            last += 1
        elif following.lemma in ("di", "d'") and following.part in ("prep", "prepdet"):
            inner = noun_phrase(tokens, last + 2)
            timed = last + 2 < len(tokens) and tokens[last + 2].lower in TIMES and tokens[last].part == "noun"
            if inner is None and timed:
                last += 2  # la richiesta di ieri
                continue
            if inner is None:
                break
            last = inner.last
            dated = tokens[last].lower in _DAYS and last + 1 < len(tokens)
            last += dated and tokens[last + 1].part == "num"  # la lezione di martedì 6
        else:
            break
    while tokens[last].part == "adv" and tokens[last - 1].lemma not in ("di", "d'"):
        last -= 1
    return last


def _names_it(noun: Token, following: Token) -> bool:
    """True if a word right after a noun specifies it: pizza margherita, valigia blu, carta SIM."""
    close = noun.part in ("noun", "adj", "unknown") and following.start == noun.end + 1
    noun_like = following.part in ("noun", "unknown") and not following.clitic
    return close and noun_like and following.lower not in TIMES and not _starts_clause(following)


def _starts_clause(token: Token) -> bool:
    """True if a word hardly belongs to the noun before it: a greeting, an event."""
    return token.lower in ("grazie", "ciao", "salve", "buongiorno", "prego", "scusa", "scusi", "gentilmente")


def object_phrase(tokens: list[Token], first: int) -> Phrase | None:
    """A noun phrase or several joined by `e` and commas, taken as one object."""
    partitive = first < len(tokens) and tokens[first].part == "prepdet" and tokens[first].lemma == "di"
    first_part = noun_phrase(tokens, first + 1 if partitive else first)
    if first_part is None or tokens[first_part.head].lower in (
        "volta",
        "volte",
    ):  # addebitato due volte la corsa
        return None
    if partitive:
        first_part = replace(first_part, first=first)
    parts, joined = [first_part], False
    while parts[-1].last + 2 < len(tokens) and tokens[parts[-1].last + 1].lower in ("e", "ed", ","):
        place = parts[-1].last + 2
        if tokens[place].lower in ("e", "ed"):
            place += 1
        ends_in_name = tokens[parts[-1].head].part == "name"
        begins = place < len(tokens) and not ends_in_name and tokens[place].part != "name"
        more = noun_phrase(tokens, place) if begins else None
        if more is None:
            break
        joined = joined or tokens[place - 1].lower in ("e", "ed")
        parts.append(more)
    if not joined:  # a comma alone begins another clause
        return first_part
    gender = "f" if all(part.gender == "f" for part in parts) else "m"
    return Phrase(first, parts[-1].last, first_part.head, gender, "p")


def complements(tokens: list[Token]) -> list[Phrase]:
    """Prepositional and time complements, not those with `di`, in order."""
    phrases: list[Phrase] = []
    place = 0
    while place < len(tokens):
        complement = _complement(tokens, place)
        if complement is not None:
            phrases.append(complement)
            place = complement.last
        place += 1
    return phrases


def _complement(tokens: list[Token], place: int) -> Phrase | None:
    token = tokens[place]
    if token.lower in TIMES:
        last = place
        while last + 1 < len(tokens) and tokens[last + 1].lower in _WEEK:
            last += 1
        return Phrase(place, last, place)
    dayed = token.part == "det" and token.lower in ("il", "la", "l'", "le")
    if dayed and place + 1 < len(tokens) and tokens[place + 1].lower in _DAYS:
        inner = _complement(tokens, place + 1)
        return Phrase(place, inner.last, place + 1) if inner else None
    led = tokens[place - 1] if place else None
    bare = place + 1 < len(tokens) and tokens[place + 1].part == "noun" and token.part == "prep"
    bare = bare and tokens[place + 1].lower not in TIMES and tokens[place + 1].lower != "te"
    bare = bare and not (place + 2 < len(tokens) and tokens[place + 2].part == "poss")  # a casa mia
    of_noun = bare and token.lemma in ("a", "da") and led is not None and led.part == "noun"
    if of_noun or (led is not None and led.lower in _RUNS_ON):  # sedia a rotelle; vicino al finestrino
        return None
    longer = _OF_TWO.get(token.lower)
    if longer and place + 1 < len(tokens) and tokens[place + 1].lemma == longer:
        inner = noun_phrase(tokens, place + 2)
        return Phrase(place, inner.last, inner.head) if inner else None
    if token.part not in ("prep", "prepdet") or token.lemma in (
        "di",
        "d'",
        "senza",
        "vicino",
        "prima",
        "lungo",
    ):
        return None
    if place + 1 < len(tokens) and tokens[place + 1].lower in TIMES and token.part == "prep":
        inner = _complement(tokens, place + 1)
        return Phrase(place, inner.last, place + 1) if inner else None
    inner = noun_phrase(tokens, place + 1)
    if inner is None and _tells_hour(tokens, place):  # alle nove
        return Phrase(place, place + 1, place + 1)
    if inner is None or tokens[inner.head].lower == "quanto":
        return None
    words = {tokens[at].lower for at in range(place, inner.last + 1)}
    if any(phrase <= words for phrase in _SET_PHRASES):
        return None
    return Phrase(place, _with_purpose(tokens, inner.last), inner.head)


def _tells_hour(tokens: list[Token], place: int) -> bool:
    hour = tokens[place + 1] if place + 1 < len(tokens) else None
    behind = tokens[place + 2].part if place + 2 < len(tokens) else "sign"
    counts = hour is not None and (hour.part == "num" or (hour.part == "det" and hour.number == "p"))
    alone = behind not in ("noun", "adj", "conj", "num")
    return tokens[place].lower in ("alle", "dalle") and counts and alone


def _with_purpose(tokens: list[Token], last: int) -> int:
    """End of a complement with a noun that a bare one follows: nel bagaglio a mano."""
    behind = tokens[last + 1 : last + 3]
    goes_on = len(behind) == 2 and behind[0].part == "prep" and behind[0].lemma in ("a", "da")
    if goes_on and behind[1].part == "noun" and behind[1].lower not in TIMES and tokens[last].part == "noun":
        return last + 2
    return last


def cut_short(tokens: list[Token], last: int) -> bool:
    """True if what follows belongs to a participle at the end of the object: i biglietti comprati ieri."""
    behind = tokens[last + 1] if last + 1 < len(tokens) else None
    is_participle = tokens[last].part == "adj" and tokens[last].lower.endswith(_PARTICIPLE)
    return is_participle and behind is not None and behind.part not in ("sign", "conj", "fin")


def text_of(text: str, tokens: list[Token], first: int, last: int) -> str:
    """The utterance's characters from one token to another."""
    return text[tokens[first].start : tokens[last].end]


def determiner(token: Token, gender: str, number: str, following: str) -> str | None:
    """A determiner or contracted preposition in another gender or before another sound; None: it stays."""
    if token.part == "prepdet":
        return contracted(token.lemma, definite(gender, number, following))
    if token.lower in _ARTICLES:
        return definite(gender, number, following)
    if token.lower in _INDEFINITE:
        return indefinite(gender, following)
    if token.lower in ("quel", "quello", "quella", "quell'", "quei", "quegli", "quelle"):
        article = definite(gender, number, following)
        return {
            "il": "quel",
            "lo": "quello",
            "l'": "quell'",
            "la": "quella",
            "i": "quei",
            "gli": "quegli",
        }.get(article, "quelle")
    if token.lower in ("questo", "questa", "alcuni", "alcune", "nessun", "nessuna"):
        return adjective(token.lower, gender, number)
    return None


def before(text: str, token: Token, word: str, gender: str, number: str) -> Edit | None:
    """The edit that puts a determiner right before another word, with its space or apostrophe."""
    new = determiner(token, gender, number, word)
    if new is None:
        return None
    end = token.end + (1 if text[token.end : token.end + 1] == " " else 0)
    joined = in_case_of(token.text[:1], new) + ("" if new.endswith("'") else " ")
    return edit(text, token.start, end, joined) if joined != text[token.start : end] else None


def full_form(word: str, noun: Token) -> str:
    """An adjective's full form behind its noun: bel ristorante, ristorante bello."""
    return _FULL.get(word.lower(), word)


def agreement(text: str, start: int, end: int, after: str, words: Morphology = RULES) -> tuple[Edit, ...]:
    """The edits that replace a noun, an adjective or a phrase and mend article and adjectives around it.

    Source  the replacement's gender comes from its first noun; its number is that of what it replaces
    """
    tokens = analyse(text, words)
    inside = [place for place, token in enumerate(tokens) if start <= token.start < end]
    main_edit = edit(text, start, end, after)
    if not inside or tokens[inside[0]].part not in ("noun", "adj"):
        return (main_edit,)
    old = tokens[inside[0]]
    read = [token for token in analyse("un " + after.lower(), words)[1:] if token.part == "noun"]
    is_noun = old.part == "noun" and bool(read)
    gender = (read[0].gender or words.gender(read[0].lemma)) if is_noun else old.gender or "m"
    if not gender:  # nobody knows what articles and adjectives would have to agree with
        return ()
    edits = [main_edit]
    place = inside[0] - 1
    first_word = after
    while place >= 0 and tokens[place].part in ("adj", "poss", "num"):
        first_word = tokens[place].text
        if is_noun and gender != old.gender and tokens[place].part in ("adj", "poss"):
            edits += _agreeing(text, tokens[place], gender, old.number, words)
        place -= 1
    if place >= 0 and tokens[place].part in ("det", "prepdet"):
        mended = before(text, tokens[place], first_word, gender, old.number or "s")
        edits += [mended] if mended else []
        if place and tokens[place - 1].lower in ("tutti", "tutte", "tutto", "tutta") and gender != old.gender:
            edits += _agreeing(text, tokens[place - 1], gender, old.number, words)
    elif is_noun and gender != old.gender and place >= 0 and tokens[place].part in ("adv", "conj"):
        return ()
    place = inside[-1] + 1
    while is_noun and gender != old.gender and place < len(tokens) and tokens[place].part == "adj":
        edits += _agreeing(text, tokens[place], gender, old.number, words)
        place += 1
    if is_noun and gender != old.gender:
        edits += _predicate(text, tokens, place, gender, old.number, words)
    return tuple(sorted(edits, key=lambda one: one.start))


def _predicate(
    text: str, tokens: list[Token], place: int, gender: str, number: str, words: Morphology
) -> list[Edit]:
    """Agreement of the predicate after `essere`: la linea è lenta, il collegamento è lento."""
    verbs = [at for at in range(place, len(tokens)) if tokens[at].part in ("fin", "inf", "ger", "sign")]
    if not verbs or tokens[verbs[0]].lemma != "essere":
        return []
    predicate = verbs[0] + 1
    while predicate < len(tokens) and tokens[predicate].part == "adv":
        predicate += 1
    if predicate == len(tokens) or tokens[predicate].part not in ("adj", "part", "unknown"):
        return []
    form = tokens[predicate].lower
    base = (
        tokens[predicate].lemma
        if tokens[predicate].part == "adj" and tokens[predicate].lemma[-1:] in "oe"
        else form
    )
    new = words.adjective(base, gender, number or "s") if base[-1:] in "oae" else None
    if new is None or new == form:
        return []
    return [
        edit(text, tokens[predicate].start, tokens[predicate].end, in_case_of(tokens[predicate].text, new))
    ]


def _agreeing(text: str, token: Token, gender: str, number: str, words: Morphology) -> list[Edit]:
    if token.part == "poss":
        new = possessive(token.lower, gender, number or "s")
        return [edit(text, token.start, token.end, in_case_of(token.text, new))] if new != token.lower else []
    base = token.lemma if token.lemma[-1:] in "oe" else token.lower
    new = words.adjective(_FULL.get(base, base), gender, number or "s")
    if new is None or new == token.lower:
        return []
    return [edit(text, token.start, token.end, in_case_of(token.text, new))]
