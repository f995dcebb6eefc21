"""The domain as the bot sees it: kinds of venue, slots and values in words, venues. Read from YAML."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from vivavoce_bots.acts import DONTCARE

_REMEMBERED = 10_000
TYPE = "type"
NAME = "name"


class DomainError(Exception):
    """The domain file cannot be used; the message names the place."""


@dataclass(frozen=True)
class Slot:
    """Something known of a venue, with the words for it by language."""

    name: str
    constraint: bool
    requestable: bool
    types: tuple[str, ...]
    names: dict[str, str]
    phrases: dict[str, str]
    anything: dict[str, str]
    asked_as: dict[str, str]
    asks: dict[str, list[str]]
    values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    value_phrases: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Venue:
    """One venue with its value for every slot that it has."""

    name: str
    type: str
    slots: dict[str, str]

    def meets(self, constraints: Mapping[str, str]) -> bool:
        for slot, value in constraints.items():
            if value != DONTCARE and (self.type if slot == TYPE else self.slots.get(slot)) != value:
                return False
        return True


@dataclass(frozen=True)
class Domain:
    """All that the bot knows. The first words of a value or type are how the bot says it."""

    types: dict[str, dict[str, list[str]]]
    articles: dict[str, dict[str, str]]
    plurals: dict[str, dict[str, str]]
    slots: dict[str, Slot]
    dontcare: dict[str, list[str]]
    venues: tuple[Venue, ...]

    def matching(self, constraints: Mapping[str, str], without: Iterable[str] = ()) -> list[Venue]:
        key = frozenset(constraints.items())
        if key not in self._matching:
            if len(self._matching) >= _REMEMBERED:
                self._matching.clear()
            self._matching[key] = tuple(venue for venue in self.venues if venue.meets(constraints))
        left_out = set(without)
        return [venue for venue in self._matching[key] if venue.name not in left_out]

    @cached_property
    def _matching(self) -> dict[frozenset[tuple[str, str]], tuple[Venue, ...]]:
        return {}

    def venue(self, name: str | None) -> Venue | None:
        return self._named.get(name)

    @cached_property
    def _named(self) -> dict[str | None, Venue]:
        return {venue.name: venue for venue in reversed(self.venues)}  # of two with one name the first

    def constraint_slots(self, venue_type: str | None) -> list[str]:
        if venue_type not in self._constraint_slots:
            self._constraint_slots[venue_type] = [
                slot.name
                for slot in self.slots.values()
                if slot.constraint
                and (venue_type in (None, DONTCARE) or not slot.types or venue_type in slot.types)
            ]
        return self._constraint_slots[venue_type]

    @cached_property
    def _constraint_slots(self) -> dict[str | None, list[str]]:
        return {}

    def say(self, slot: str, value: str, language: str) -> str:
        known = self.types if slot == TYPE else self.slots[slot].values if slot in self.slots else {}
        return _first(known.get(value, {}), language, value)

    def describe(self, slot: str, value: str, language: str) -> str:
        """A constraint as it stands after the noun: `in the north of town`, `with free internet`."""
        known = self.slots[slot]
        whole = known.value_phrases.get(value, {}).get(language)
        return whole or known.phrases.get(language, "({value})").replace(
            "{value}", self.say(slot, value, language)
        )


def _first(words: Mapping[str, list[str]], language: str, otherwise: str) -> str:
    return (words.get(language) or [otherwise])[0]


def read_domain(path: Path | None = None) -> Domain:
    """The domain in a file; the small one of this package when there is none.

    Raises  DomainError: the file cannot be read, or lacks what a domain needs
    """
    shown = path.name if path else "restaurants.yaml"
    try:
        source = path or files("vivavoce_bots") / "data" / "restaurants.yaml"
        raw = YAML(typ="safe", pure=True).load(source.read_text("utf-8"))
        return _domain(raw)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise DomainError(f"{shown}: cannot be read: {' '.join(str(error).split())}") from None
    except KeyError as error:
        raise DomainError(f"{shown}: {error} is missing") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise DomainError(f"{shown}: is no domain: {error}") from None


def _domain(raw: Mapping[str, Any]) -> Domain:
    return Domain(
        types={
            name: {lang: _words(words) for lang, words in by.items()} for name, by in raw["types"].items()
        },
        articles={
            name: {lang: words.get("article", words["text"]) for lang, words in by.items()}
            for name, by in raw["types"].items()
        },
        plurals={
            name: {lang: words.get("plural", words["text"]) for lang, words in by.items()}
            for name, by in raw["types"].items()
        },
        slots={name: _slot(name, slot) for name, slot in raw["slots"].items()},
        dontcare={lang: list(phrases) for lang, phrases in raw.get("dontcare", {}).items()},
        venues=tuple(
            Venue(str(venue["name"]), str(venue["type"]), {k: str(v) for k, v in venue["slots"].items()})
            for venue in raw["venues"]
        ),
    )


def _slot(name: str, raw: Mapping[str, Any]) -> Slot:
    return Slot(
        name=name,
        constraint=bool(raw.get("constraint")),
        requestable=bool(raw.get("request")),
        types=tuple(raw.get("types") or ()),
        names=dict(raw.get("names") or {}),
        phrases=dict(raw.get("phrase") or {}),
        anything=dict(raw.get("anything") or {}),
        asked_as=dict(raw.get("asked_as") or {}),
        asks={lang: list(phrases) for lang, phrases in (raw.get("asks") or {}).items()},
        values={
            str(value): {lang: _words(words) for lang, words in by.items()}
            for value, by in (raw.get("values") or {}).items()
        },
        value_phrases={
            str(value): {lang: str(words["phrase"]) for lang, words in by.items() if words.get("phrase")}
            for value, by in (raw.get("values") or {}).items()
        },
    )


def _words(rendering: Mapping[str, Any]) -> list[str]:
    """How a thing is said, and the other ways to say it."""
    others = [rendering[key] for key in ("phrase", "plural") if rendering.get(key)]
    return [str(rendering["text"]), *map(str, others), *map(str, rendering.get("synonyms") or ())]
