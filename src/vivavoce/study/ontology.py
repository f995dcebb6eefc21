"""The domain: kinds of venue, slots and their values in words, and the venues; read from an ontology file."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.errors import nearest
from vivavoce.core.text import is_same_value, normalise_value
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import KeyPath, Problem, Source, first_error, read_yaml
from vivavoce.study.task import DONTCARE

MOST_REPORTED: Final = 50
Words = dict[str, tuple[str, ...]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Rendering(_Data):
    """A value in one language; before, phrase and wish where the slot's own do not fit."""

    text: str = Field(description="display form: Italian; italiana")
    before: str | None = Field(default=None, description="before the noun: moderately priced")
    phrase: str | None = Field(default=None, description="after the noun: by the river")
    wish: str | None = Field(default=None, description="after `it should`: welcome children")
    synonyms: tuple[str, ...] = Field(default=(), description="synonyms for parsers")


class TypeName(_Data):
    """A kind of venue in one language."""

    text: str = Field(description="the noun: restaurant; ristorante")
    article: str = Field(description="the noun with its indefinite article: a restaurant; un ristorante")
    plural: str = Field(description="restaurants; ristoranti")
    synonyms: tuple[str, ...] = Field(default=(), description="synonyms for parsers")


class Slot(_Data):
    """A slot of a venue: a constraint in a search, a request in a question."""

    constraint: bool = Field(False, description="searchable; it then needs a list of values")
    requestable: bool = Field(False, alias="request", description="participants can ask for it")
    types: tuple[str, ...] | None = Field(None, description="kinds of venue with this slot (default: all)")
    names: dict[str, str] = Field({}, description="slot name by language: type of food")
    before: dict[str, str] = Field({}, description="a constraint before the noun, with {value}: a cheap pub")
    phrase: dict[str, str] = Field({}, description="a constraint after the noun: in the {value} of the city")
    wish: dict[str, str] = Field({}, description="a constraint after `it should`, with {value} or {phrase}")
    anything: dict[str, str] = Field({}, description="a clause that allows any value")
    asked_as: dict[str, str] = Field({}, description="object of `find out`: the address")
    unasked: tuple[str, ...] = Field((), description="values never used in tasks: a pub without internet")
    asks: Words = Field({}, description="phrases with which people ask for it, for parsers, by language")
    match: Literal["exact", "code", "prefix"] = Field(
        "exact",
        description=(
            "code if only letters and digits count, as in a telephone number; prefix if systems "
            "may shorten it, as a postcode"
        ),
    )
    values: dict[str, dict[str, Rendering]] = Field(
        {}, description="words of constraint values, by value and language"
    )

    def of_type(self, venue_type: str) -> bool:
        return self.types is None or venue_type in self.types


class Venue(_Data):
    """One venue."""

    venue_id: str = Field(alias="id", description="identifier")
    name: str = Field(description="name as systems say it")
    type: str = Field(description="kind of venue; a different kind is a different goal")
    slots: dict[str, str] = Field(description="a value for every slot of its kind")


class Ontology(_Data):
    """Kinds of venue, slots with values, phrases for indifference, venues."""

    name: str = Field(alias="ontology", description="name")
    types: dict[str, dict[str, TypeName]] = Field(description="kinds of venue, by language")
    slots: dict[str, Slot] = Field(description="the slots, by name")
    dontcare: Words = Field({}, description="phrases that allow any value, by language")
    venues: tuple[Venue, ...] = Field(description="the venues")

    def of_type(self, venue_type: str) -> list[Venue]:
        return [venue for venue in self.venues if venue.type == venue_type]

    def constraint_slots(self, venue_type: str) -> list[str]:
        return [name for name, slot in self.slots.items() if slot.constraint and slot.of_type(venue_type)]

    def request_slots(self, venue_type: str) -> list[str]:
        return [name for name, slot in self.slots.items() if slot.requestable and slot.of_type(venue_type)]

    def rendering(self, slot: str, value: str, language: str) -> Rendering:
        """The value in words; a value without words stands for itself."""
        known = self.slots[slot].values.get(value, {})
        return known.get(language) or Rendering(text=value)

    def matching(
        self, venue_type: str, constraints: Mapping[str, str], exclusions: Iterable[str] = ()
    ) -> list[Venue]:
        """Venues of this type that meet all constraints, except excluded ones (by identifier).

        Values are equal when equal after normalisation, never by substring; all values meet `dontcare`. A
        venue
        without the slot meets no constraint on it except `dontcare`. A different type is a different goal.
        """
        left_out = set(exclusions)
        return [
            venue
            for venue in self.of_type(venue_type)
            if venue.venue_id not in left_out
            and all(meets(venue.slots.get(slot), value) for slot, value in constraints.items())
        ]

    def gives(self, venue: Venue, slot: str, value: str) -> bool:
        """Check `value` against the venue's value of this slot; codes are compared by letters and digits."""
        held = venue.slots.get(slot)
        if held is None:
            return False
        return is_same_value(held, value, self.slots[slot].match if slot in self.slots else "exact")


_plain = lru_cache(maxsize=20_000)(normalise_value)


def meets(held: str | None, wanted: str) -> bool:
    """Check a venue's value against a constraint."""
    if _plain(wanted) == DONTCARE:
        return True
    return held is not None and _plain(held) == _plain(wanted)


def check_ontology(path: Path, languages: tuple[str, ...] = ()) -> tuple[Ontology | None, list[Problem]]:
    """The ontology, or None with everything that is wrong. `languages` are those its words must cover."""
    source = read_yaml(path)
    ontology = read_model(source, Ontology)
    if ontology is None:
        return None, source.problems[:MOST_REPORTED]
    _check_venues(ontology, source)
    _check_slots(ontology, source)
    _check_languages(ontology, source, languages)
    return (None if source.problems else ontology), source.problems[:MOST_REPORTED]


def load_ontology(path: Path, languages: tuple[str, ...] = ()) -> Ontology:
    """The ontology of a file.

    Raises  InputError: the first thing that is wrong, and how many more there are
    """
    ontology, problems = check_ontology(path, languages)
    if ontology is None:
        raise first_error(problems)
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
            source.report(at, f"unknown placeholder {{{piece}}}", f"write {known}")


def _check_venues(ontology: Ontology, source: Source) -> None:
    seen = set[str]()
    values = {
        name: {normalise_value(value) for value in slot.values} for name, slot in ontology.slots.items()
    }
    for index, venue in enumerate(ontology.venues):
        path = ("venues", index)
        if venue.venue_id in seen:
            source.report((*path, "id"), f"venue {venue.venue_id!r} is listed twice", "give each its own id")
        seen.add(venue.venue_id)
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
            elif values[name] and normalise_value(value) not in values[name]:
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
