"""Possible readings and inflected forms of Italian words, by the dictionary's lemmas and by rules.

A better dictionary stands in for this one by saying the same: `italian/apertium.py`.
"""

from functools import cache, lru_cache
from typing import Any, Final

from vivavoce_stress.italian import inflection
from vivavoce_stress.italian.inflection import conditional, future, participle, present
from vivavoce_stress.italian.nouns import gender_of, irregular_plurals, plural, plural_gender
from vivavoce_stress.wordnet import wordnet

Reading = tuple[str, str, str]
_CLITICS: Final = ("mi", "ti", "ci", "vi", "si", "lo", "la", "li", "le", "ne", "gli", "melo", "mela")


class Morphology:
    """By lemmas of MultiWordNet and rules of our own; "" where gender or number is not told.

    resources  what has a say in it, for the variants that come of it
    analyses   what `analysis.analyse` made of utterances by its readings
    """

    resources: tuple[str, ...] = ("multiwordnet",)

    def __init__(self) -> None:
        self.analyses: dict[str, tuple[Any, ...]] = {}

    def nouns(self, word: str) -> tuple[Reading, ...]:
        """(lemma, gender, number) for each noun that the form can be."""
        return _noun_readings(word)

    def adjectives(self, word: str) -> tuple[Reading, ...]:
        """(lemma, gender, number) for each adjective that the form can be."""
        return _adjective_readings(word)

    def finite(self, word: str) -> tuple[str, str] | None:
        """(infinitive, tense and person) of a finite form; see `Token.form`."""
        return _finite_forms().get(word)

    def participle_of(self, word: str) -> Reading | None:
        """(infinitive, gender, number) of a past participle."""
        return _participles().get(word)

    def infinitive(self, word: str) -> tuple[str, str] | None:
        """(infinitive, clitic): darmi gives dare, mi."""
        return _infinitive(word)

    def imperative(self, word: str) -> tuple[str, str] | None:
        """(infinitive, clitic) of an imperative with a clitic: trovami, dammi, mandatemi."""
        return _imperative(word)

    def gender(self, noun: str) -> str:
        """The gender of a noun's singular."""
        return gender_of(noun)

    def participle(self, verb: str, gender: str = "m", number: str = "s") -> str | None:
        """The past participle in agreement; None for what is no infinitive."""
        return inflection.participle(verb, gender, number)

    def adjective(self, form: str, gender: str, number: str) -> str | None:
        """Any form of an adjective in another gender and number; None where it cannot be told."""
        return inflection.adjective(form, gender, number)

    def plural(self, noun: str) -> str:
        """The plural of a noun's singular."""
        return plural(noun, gender_of(noun) or "m")

    def verb(self, infinitive: str, form: str) -> str | None:
        """A verb in the tense and person of `form`; None where it cannot be made."""
        if form.startswith("v"):
            return conditional(infinitive).get(form[1:])
        if form.startswith("f"):
            return future(infinitive).get(form[1:])
        return present(infinitive).get(form.removeprefix("i") if form == "i2p" else form)


@cache
def _finite_forms() -> dict[str, tuple[str, str]]:
    """Every present, future and conditional form of every verb in the dictionary, with lemma and person."""
    forms: dict[str, tuple[str, str]] = {}
    common = ["essere", "avere", "potere", "volere", "dovere", "fare", "dire", "dare", "sapere", "stare"]
    verbs = [verb for verb in wordnet("it").verbs if verb.endswith(("are", "ere", "ire"))]
    for verb in common + verbs:
        for person, form in present(verb).items():
            forms.setdefault(form, (verb, person))
        for person, form in conditional(verb).items():
            forms.setdefault(form, (verb, "v" + person))
        for person, form in future(verb).items():
            forms.setdefault(form, (verb, "f" + person))
    return forms


@cache
def _participles() -> dict[str, tuple[str, str, str]]:
    participles: dict[str, tuple[str, str, str]] = {}
    for verb in wordnet("it").verbs:
        for gender in "mf":
            for number in "sp":
                form = participle(verb, gender, number)
                if form:
                    participles.setdefault(form, (verb, gender, number))
    return participles


@cache
def _noun_readings(word: str) -> tuple[Reading, ...]:
    """(lemma, gender, number) for each noun of the dictionary that the form can be."""
    net = wordnet("it")
    readings: list[Reading] = []
    irregular = irregular_plurals().get(word)
    if irregular and irregular != word and net.senses(irregular, "n"):
        readings.append((irregular, plural_gender(irregular), "p"))
    if net.senses(word, "n"):
        gender = gender_of(word)
        readings.append((word, gender, "" if plural(word, gender) == word else "s"))
    stems: list[str] = []
    if word.endswith("i"):
        stems = [word[:-1] + end for end in "oe"] + [word + "o", word + "e", word[:-1] + "a"]
        stems += [word[:-2] + end for end in "oa"] if word.endswith(("chi", "ghi")) else []
        stems += [word[:-1] + "o"] if word.endswith("ii") else []
    if word.endswith("e"):
        stems = [word[:-1] + "a", word[:-1] + "ia"]
        stems += [word[:-2] + "a"] if word.endswith(("che", "ghe")) else []
    for stem in stems:
        gender = gender_of(stem) or ("f" if word.endswith("e") else "")
        if net.senses(stem, "n") and (plural(stem, gender) == word or not gender):
            readings.append((stem, gender, "p"))
    misleading = [reading for reading in readings if reading[0] == word and word.endswith("i")]
    return tuple(dict.fromkeys([reading for reading in readings if reading not in misleading] + misleading))


@cache
def _adjective_readings(word: str) -> tuple[tuple[str, str, str], ...]:
    net = wordnet("it")

    def is_one(lemma: str) -> bool:
        return bool(net.senses(lemma, "a"))

    readings: list[tuple[str, str, str]] = []
    if word.endswith("o") and is_one(word):
        readings.append((word, "m", "s"))
    if word.endswith("e") and is_one(word):
        readings.append((word, "", "s"))
    if word.endswith("a") and is_one(word[:-1] + "o"):
        readings.append((word[:-1] + "o", "f", "s"))
    if word.endswith("i"):
        readings += [(word[:-1] + "e", "", "p")] if is_one(word[:-1] + "e") else []
        masculine = [word[:-1] + "o", word + "o"] + (
            [word[:-2] + "o"] if word.endswith(("chi", "ghi")) else []
        )
        readings += [(lemma, "m", "p") for lemma in masculine if is_one(lemma)]
    if word.endswith("e"):
        feminine = [word[:-1] + "o"] + ([word[:-2] + "o"] if word.endswith(("che", "ghe")) else [])
        readings += [(lemma, "f", "p") for lemma in feminine if is_one(lemma)]
    return tuple(readings)


@lru_cache(maxsize=20_000)
def _infinitive(word: str) -> tuple[str, str] | None:
    """(infinitive, clitic): darmi gives dare, mi."""
    if word.endswith(("are", "ere", "ire", "rre")) and wordnet("it").senses(word, "v"):
        return word, ""
    for clitic in _CLITICS:
        stem = word.removesuffix(clitic)
        if stem != word and stem.endswith("r") and wordnet("it").senses(stem + "e", "v"):
            return stem + "e", clitic
    return None


@lru_cache(maxsize=20_000)
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
        reading = _finite_forms().get(stem) if stem != word else None
        if reading and reading[0].endswith("are") and stem == present(reading[0]).get("i2s"):
            return reading[0], clitic
        if reading and reading[1] == "2p":  # mandatemi
            return reading[0], clitic
    return None


RULES: Final = Morphology()
