"""A goal put into words, in English and Italian, by templates that vary with the style number."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE


class Templates(NamedTuple):
    """Sentences of one language: {place} a noun phrase, {wish} infinitives, {requests} things to learn; of
    the kind of venue {noun}, {one} with its indefinite article and {the} with the definite one.
    """

    openings: tuple[str, ...]
    wishes: tuple[str, ...]
    requests: tuple[str, ...]
    alternatives: tuple[str, ...]
    conjunction: str


TEMPLATES: Final[dict[str, Templates]] = {
    "en": Templates(
        openings=(
            "You are looking for {place}.",
            "You would like to find {place}.",
            "You need {place}.",
            "A friend has asked you to suggest {place}.",
        ),
        wishes=("It should {wish}.", "It has to {wish}.", "It must {wish}."),
        requests=(
            "Find out {requests}.",
            "You want to know {requests}.",
            "Once you have found one, find out {requests}.",
            "Before you finish, make sure that you know {requests}.",
        ),
        alternatives=("If there is no such {noun}, how about {one} {wish}?",),
        conjunction="and",
    ),
    "it": Templates(
        openings=(
            "Stai cercando {place}.",
            "Vorresti trovare {place}.",
            "Ti serve {place}.",
            "Un'amica ti ha chiesto di suggerirle {place}.",
        ),
        wishes=("Deve {wish}.", "{the} deve {wish}.", "Dovrebbe {wish}."),
        requests=(
            "Scopri {requests}.",
            "Vuoi sapere {requests}.",
            "Quando hai trovato quello che cerchi, fatti dire {requests}.",
            "Prima di finire, assicurati di sapere {requests}.",
        ),
        alternatives=("Se {one} così non c'è, che ne dici di {one} {wish}?",),
        conjunction="e",
    ),
}


def task_text(
    ontology: Ontology,
    venue_type: str,
    constraints: Mapping[str, str],
    requests: Sequence[str],
    alternative: Mapping[str, str] | None,
    language: str,
    style: int,
) -> str:
    """The task as a participant reads it; every constraint and every request is mentioned.

    The first constraint stands with the noun, the others in a sentence of their own, indifference in another.
    """
    random, templates = Random(style), TEMPLATES[language]
    kind = ontology.types[venue_type][language]
    venue = {"noun": kind.text, "one": kind.article, "the": capitalised(_definite(kind.article))}
    wanted = [(slot, value) for slot, value in constraints.items() if value != DONTCARE]
    random.shuffle(wanted)
    place = _place(ontology, venue_type, wanted[:1], language)
    sentences = [random.choice(templates.openings).format(place=place)]
    if len(wanted) > 1:
        wishes = [wish(ontology, slot, value, language) for slot, value in wanted[1:]]
        sentence = random.choice(templates.wishes)
        wished = listed(_without_echo(wishes), templates.conjunction)
        sentences.append(sentence.format(wish=wished, **venue))
    indifferent = [
        ontology.slots[slot].anything[language] for slot, value in constraints.items() if value == DONTCARE
    ]
    if indifferent:
        sentences.append(capitalised(listed(indifferent, templates.conjunction)) + ".")
    if alternative is not None:
        changed = [(slot, value) for slot, value in alternative.items() if constraints.get(slot) != value]
        phrases = " ".join(phrase(ontology, slot, value, language) for slot, value in changed)
        sentences.append(random.choice(templates.alternatives).format(wish=phrases, **venue))
    if requests:
        asked = [ontology.slots[slot].asked_as[language] for slot in requests]
        sentences.append(
            random.choice(templates.requests).format(requests=listed(asked, templates.conjunction))
        )
    return " ".join(sentences)


def _definite(words: str) -> str:
    """Words with their definite article in the place of the indefinite one: `il libro` of `un libro`."""
    article, _, noun = words.replace("'", "' ").partition(" ")
    if article == "un" and noun[:1].lower() in "aeiouhàèéìòù":
        return f"l'{noun}"
    known = {"un": "il ", "uno": "lo ", "una": "la ", "un'": "l'"}
    return known.get(article, "the ") + noun.strip()


def _place(ontology: Ontology, venue_type: str, wanted: Sequence[tuple[str, str]], language: str) -> str:
    """`an Italian restaurant`, `a pub in the city centre`, `un ristorante che serve cucina italiana`."""
    noun = ontology.types[venue_type][language]
    before = [words for slot, value in wanted if (words := premodifier(ontology, slot, value, language))]
    if before:
        return with_article(f"{' '.join(before)} {noun.text}")
    return " ".join([noun.article, *(phrase(ontology, slot, value, language) for slot, value in wanted)])


def premodifier(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as an adjective before the noun, where language and slot have one; else ""."""
    rendering = ontology.rendering(slot, value, language)
    template = rendering.before or ontology.slots[slot].before.get(language, "")
    return filled(template, value=rendering.text)


def phrase(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as it stands after the noun: `in the north of the city`."""
    rendering = ontology.rendering(slot, value, language)
    return filled(rendering.phrase or ontology.slots[slot].phrase[language], value=rendering.text)


def wish(ontology: Ontology, slot: str, value: str, language: str) -> str:
    """The value as an infinitive after `it should`: `be in the north of the city`."""
    rendering = ontology.rendering(slot, value, language)
    template = rendering.wish or ontology.slots[slot].wish[language]
    return filled(template, value=rendering.text, phrase=phrase(ontology, slot, value, language))


def filled(template: str, **pieces: str) -> str:
    """An ontology's template with its pieces put in; braces in a piece stay as they are."""
    return re.sub(r"\{(\w+)\}", lambda found: pieces.get(found[1], found[0]), template)


def _without_echo(wishes: list[str]) -> list[str]:
    """`be cheap, be by the river` as `be cheap, by the river`: the verb once where all wishes share it."""
    verb = wishes[0].split()[0] + " "
    if all(wish.startswith(verb) for wish in wishes):
        return [wishes[0], *(wish.removeprefix(verb) for wish in wishes[1:])]
    return wishes


def listed(parts: Sequence[str], conjunction: str) -> str:
    """`a`, `a and b`, `a, b and c`; Italian `e` is `ed` before an e."""
    if len(parts) == 1:
        return parts[0]
    link = "ed" if conjunction == "e" and parts[-1][:1].lower() == "e" else conjunction
    return f"{', '.join(parts[:-1])} {link} {parts[-1]}"


def with_article(words: str) -> str:
    """English words with a or an, by the sound that their spelling suggests."""
    lower = words.lower()
    consonant_sound = lower.startswith(("eu", "uni", "us", "one", "once", "ub", "uk"))
    vowel_sound = lower.startswith(("hour", "honest", "heir"))
    return f"{'an' if vowel_sound or (lower[0] in 'aeiou' and not consonant_sound) else 'a'} {words}"


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
