"""Reads an ontology file and reports everything in it that does not fit together."""

import re
from pathlib import Path

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.text import normalise_value
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml
from vivavoce.study.ontology import Ontology, Slot
from vivavoce.study.task import DONTCARE

_MOST_REPORTED = 50


def check_ontology(path: Path, languages: tuple[str, ...] = ()) -> tuple[Ontology | None, list[Problem]]:
    """The ontology, or None with everything that is wrong. `languages` are those its words must cover."""
    source = read_yaml(path)
    ontology = read_model(source, Ontology)
    if ontology is None:
        return None, source.problems[:_MOST_REPORTED]
    _check_venues(ontology, source)
    _check_slots(ontology, source)
    _check_languages(ontology, source, languages)
    return (None if source.problems else ontology), source.problems[:_MOST_REPORTED]


def load_ontology(path: Path, languages: tuple[str, ...] = ()) -> Ontology:
    """The ontology of a file.

    Raises  InputError: the first thing that is wrong, and how many more there are
    """
    ontology, problems = check_ontology(path, languages)
    if ontology is None:
        first, more = problems[0], len(problems) - 1
        raise InputError(
            first.problem + (f" (and {more} more)" if more else ""), place=first.place, hint=first.hint
        )
    return ontology


def _check_slots(ontology: Ontology, source: Source) -> None:
    for name, slot in ontology.slots.items():
        path = ("slots", name)
        for venue_type in slot.types or ():
            if venue_type not in ontology.types:
                hint = nearest(venue_type, list(ontology.types))
                source.report((*path, "types"), f"unknown type {venue_type!r}", hint)
        if slot.constraint and not slot.values:
            source.report(path, f"constraint {name!r} lists no values", "add `values:`")
        for value in slot.unasked:
            if value not in slot.values:
                hint = nearest(value, list(slot.values))
                source.report((*path, "unasked"), f"unknown value {value!r}", hint)
        if DONTCARE in slot.values:
            source.report((*path, "values", DONTCARE), f"{DONTCARE!r} cannot be a value", "remove it")
        _check_templates(slot, source, path)


def _check_templates(slot: Slot, source: Source, path: KeyPath) -> None:
    for key, templates, pieces in (
        ("before", slot.before, ("value",)),
        ("phrase", slot.phrase, ("value",)),
        ("wish", slot.wish, ("value", "phrase")),
    ):
        for language, template in templates.items():
            _check_template(template, pieces, source, (*path, key, language))


def _check_template(template: str, pieces: tuple[str, ...], source: Source, at: KeyPath) -> None:
    """A slot's template names one of the pieces, and nothing else in braces."""
    named = re.findall(r"\{(.*?)\}", template)
    known = " or ".join(f"{{{piece}}}" for piece in pieces)
    if not named:
        source.report(at, "the phrase has no place for the value", f"write {known} in it")
    for piece in named:
        if piece not in pieces:
            source.report(at, "unknown placeholder {{piece}}", f"write {known}")


def _check_venues(ontology: Ontology, source: Source) -> None:
    seen: dict[str, int] = {}
    for index, venue in enumerate(ontology.venues):
        path = ("venues", index)
        if venue.venue_id in seen:
            source.report((*path, "id"), f"venue {venue.venue_id!r} is listed twice", "give each its own id")
        seen[venue.venue_id] = index
        if venue.type not in ontology.types:
            source.report(
                (*path, "type"), f"unknown type {venue.type!r}", nearest(venue.type, list(ontology.types))
            )
        for name, value in venue.slots.items():
            slot = ontology.slots.get(name)
            if slot is None:
                source.report(
                    (*path, "slots", name), f"unknown slot {name!r}", nearest(name, list(ontology.slots))
                )
            elif slot.values and normalise_value(value) not in {
                normalise_value(known) for known in slot.values
            }:
                hint = nearest(value, list(slot.values))
                source.report((*path, "slots", name), f"unknown value {value!r} of slot {name!r}", hint)
        for name, slot in ontology.slots.items():
            if name not in venue.slots and slot.of_type(venue.type):
                source.report((*path, "slots"), f"venue {venue.venue_id!r} has no {name!r}", "add it")


def _check_languages(ontology: Ontology, source: Source, languages: tuple[str, ...]) -> None:
    for language in languages:
        for name, names in ontology.types.items():
            if language not in names:
                source.report(
                    ("types", name), f"type {name!r} has no words in {language!r}", f"add `{language}:`"
                )
        for name, slot in ontology.slots.items():
            path = ("slots", name)
            if slot.requestable and language not in slot.asked_as:
                source.report(
                    path,
                    f"slot {name!r} has no question in {language!r}",
                    f"add asked_as: {{{language}: ...}}",
                )
            if not slot.constraint:
                continue
            if language not in slot.anything:
                source.report(
                    path,
                    f"slot {name!r} has no phrase for any value in {language!r}",
                    f"add anything: {{{language}: ...}}",
                )
            for value, words in slot.values.items():
                rendering = words.get(language)
                sayable = rendering is not None and (rendering.phrase or language in slot.phrase)
                if not sayable or (rendering and not rendering.wish and language not in slot.wish):
                    source.report(
                        (*path, "values", value),
                        f"value {value!r} has no words in {language!r}",
                        f"add `{language}:` with text, phrase and wish",
                    )
