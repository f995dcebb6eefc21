"""A goal put into words, by sentences of the language that vary with the style number."""

import re
from collections.abc import Mapping, Sequence
from random import Random

from vivavoce.core.errors import UnknownName
from vivavoce.languages.data import TaskSentences
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE


def sentences_in(language: str) -> TaskSentences:
    """The sentences of tasks in a language. Raises UnknownName: it brings none."""
    found = TaskSentences.of(language)
    if found is None:
        raise UnknownName("language of generated tasks", language, TaskSentences.languages())
    return found


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
    random, templates = Random(style), sentences_in(language)
    kind = ontology.types[venue_type][language]
    venue = {"noun": kind.text, "one": kind.article, "the": capitalised(definite(kind.article, templates))}
    wanted = [(slot, value) for slot, value in constraints.items() if value != DONTCARE]
    random.shuffle(wanted)
    place = _place(ontology, venue_type, wanted[:1], language, templates)
    sentences = [random.choice(templates.openings).format(place=place)]
    if len(wanted) > 1:
        wishes = [wish(ontology, slot, value, language) for slot, value in wanted[1:]]
        sentence = random.choice(templates.wishes)
        wished = listed(_without_echo(wishes), templates)
        sentences.append(sentence.format(wish=wished, **venue))
    indifferent = [
        ontology.slots[slot].anything[language] for slot, value in constraints.items() if value == DONTCARE
    ]
    if indifferent:
        sentences.append(capitalised(listed(indifferent, templates)) + ".")
    if alternative is not None:
        changed = [(slot, value) for slot, value in alternative.items() if constraints.get(slot) != value]
        phrases = " ".join(phrase(ontology, slot, value, language) for slot, value in changed)
        sentences.append(random.choice(templates.alternatives).format(wish=phrases, **venue))
    if requests:
        asked = [ontology.slots[slot].asked_as[language] for slot in requests]
        sentences.append(random.choice(templates.requests).format(requests=listed(asked, templates)))
    return " ".join(sentences)


def definite(words: str, sentences: TaskSentences) -> str:
    """Words with their definite article in the place of the indefinite one: `il libro` of `un libro`."""
    for pattern, article in sentences.definite:
        if found := re.match(pattern, words):
            return article + words[found.end() :]
    return words


def indefinite(words: str, sentences: TaskSentences) -> str:
    """Words with an indefinite article, by how they begin: `a pub`, `an Indian place`."""
    for pattern, article in sentences.indefinite:
        if re.match(pattern, words, re.IGNORECASE):
            return article + words
    return words


def _place(
    ontology: Ontology, venue_type: str, wanted: Sequence[tuple[str, str]], language: str,
    sentences: TaskSentences,
) -> str:  # fmt: skip
    """`an Italian restaurant`, `a pub in the city centre`, `un ristorante che serve cucina italiana`."""
    noun = ontology.types[venue_type][language]
    before = [words for slot, value in wanted if (words := premodifier(ontology, slot, value, language))]
    if before:
        return indefinite(f"{' '.join(before)} {noun.text}", sentences)
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


def listed(parts: Sequence[str], sentences: TaskSentences) -> str:
    """`a`, `a and b`, `a, b and c`; Italian `e` is `ed` before an e."""
    if len(parts) == 1:
        return parts[0]
    link = sentences.conjunction_before.get(parts[-1][:1].lower(), sentences.conjunction)
    return f"{', '.join(parts[:-1])} {link} {parts[-1]}"


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
