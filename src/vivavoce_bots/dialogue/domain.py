"""The domain as the bot sees it: kinds of venue, slots and values in words, venues. Read from YAML."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from ruamel.yaml.error import YAMLError

from vivavoce_bots.acts import DONTCARE
from vivavoce_bots.dialogue.opening import DAY, DAYS, HOURS, TIME, TODAY, Opening, read_opening
from vivavoce_bots.dialogue.speech import LANGUAGES, read_data, read_yaml, speech
from vivavoce_bots.engine.bot_file import DomainError

_REMEMBERED = 10_000
TYPE = "type"
NAME = "name"


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

    def value(self, slot: str) -> str | None:
        """What is known of it, its kind included."""
        own = {TYPE: self.type, NAME: self.name}
        return own.get(slot) or self.slots.get(slot)

    def meets(self, constraints: Mapping[str, str]) -> bool:
        for slot, value in constraints.items():
            if value != DONTCARE and slot not in (DAY, TIME) and self.value(slot) != value:
                return False
        day, time = (_real(constraints.get(slot)) for slot in (DAY, TIME))
        return self._opening is None or (day is None and time is None) or self._opening.covers(day, time)

    def misses(self, refuted: Mapping[str, Collection[str]]) -> bool:
        """Whether it has none of the values that are not wanted."""
        return not any(self.value(slot) in values for slot, values in refuted.items())

    @cached_property
    def _opening(self) -> Opening | None:
        return read_opening(self.slots.get(HOURS, ""))


def _real(value: str | None) -> str | None:
    return None if value == DONTCARE else value


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

    def relaxations(
        self,
        constraints: Mapping[str, str],
        without: Iterable[str] = (),
        refuted: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> list[dict[str, list[str]]]:
        """What could be given up so that something matches: the values that there are, by slot.

        Output  the fewest slots first that will do; of those, what leaves most venues; the kind of venue last
        """
        real = [slot for slot, value in constraints.items() if value != DONTCARE]
        gone = set(without)
        for count in range(1, len(real) + 1):
            found: list[tuple[bool, int, dict[str, list[str]]]] = []
            for slots in combinations(real, count):
                rest = {slot: value for slot, value in constraints.items() if slot not in slots}
                venues = [one for one in self.matching(rest, gone) if one.misses(refuted)]
                if venues:
                    values = {slot: _distinct(one.value(slot) for one in venues) for slot in slots}
                    found.append((TYPE in slots, -len(venues), values))
            if found:
                return [values for *_, values in sorted(found, key=lambda one: one[:2])]
        return []

    def implied_type(self, constraints: Mapping[str, str]) -> str | None:
        """The kind of venue that is meant: the one said, or the only one that has such a constraint."""
        said = constraints.get(TYPE)
        only = [
            self.slots[slot].types[0]
            for slot, value in constraints.items()
            if slot in self.slots and len(self.slots[slot].types) == 1 and value != DONTCARE
        ]
        return said or next(iter(only), None) or (next(iter(self.types)) if len(self.types) == 1 else None)

    def with_day_and_time(self) -> "Domain":
        """The same with day and time as constraints, where it tells when its venues are open."""
        if not any(read_opening(venue.slots.get(HOURS, "")) for venue in self.venues):
            return self
        return replace(self, slots={**self.slots, DAY: _timed(DAY), TIME: _timed(TIME)})

    def stand_in(self, name: str, random: Random) -> str:
        """The name of a venue of another kind; of any other where there is but one kind."""
        known = self.venue(name)
        others = [one.name for one in self.venues if known is None or one.type != known.type]
        others = others or [one.name for one in self.venues if one.name != name]
        return random.choice(others) if others else name

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

    def values(self, slot: str) -> dict[str, dict[str, list[str]]]:
        """The values of a slot in words; none where there is no such slot, or any value will do."""
        return self.types if slot == TYPE else self.slots[slot].values if slot in self.slots else {}

    def say(self, slot: str, value: str, language: str) -> str:
        known = self.values(slot)
        if slot == HOURS:
            days = speech(language).slots[DAY]["values"]
            return re.sub(r"\w+day", lambda day: days[day[0]][0] if day[0] in days else day[0], value)
        return _first(known.get(value, {}), language, value)

    def describe(self, slot: str, value: str, language: str) -> str:
        """A constraint as it stands after the noun: `in the north of town`, `with free internet`."""
        known = self.slots[slot]
        whole = known.value_phrases.get(value, {}).get(language)
        return whole or known.phrases.get(language, "({value})").replace(
            "{value}", self.say(slot, value, language)
        )


def _distinct(values: Iterable[str | None]) -> list[str]:
    return [value for value in dict.fromkeys(values) if value is not None]


def _timed(name: str) -> Slot:
    """Day or time as a slot, in the words of the languages."""
    known = {language: speech(language).slots[name] for language in LANGUAGES}
    values: dict[str, dict[str, list[str]]] = {}
    for at, day in enumerate(DAYS if name == DAY else ()):
        offset = {DAYS.index(TODAY): "today", DAYS.index(TODAY) + 1: "tomorrow"}.get(at)
        values[day] = {
            language: [*one["values"][day], *(one[offset] if offset else ())]
            for language, one in known.items()
        }
    return Slot(
        name=name,
        constraint=True,
        requestable=False,
        types=(),
        asked_as={},
        values=values,
        names={language: one["name"] for language, one in known.items()},
        phrases={language: one["phrase"] for language, one in known.items()},
        anything={language: one["anything"] for language, one in known.items()},
        asks={language: one["asks"] for language, one in known.items()},
    )


def _first(words: Mapping[str, list[str]], language: str, otherwise: str) -> str:
    return (words.get(language) or [otherwise])[0]


def read_domain(path: Path | None = None) -> Domain:
    """The domain in a file; the small one of this package when there is none.

    Raises  DomainError: the file cannot be read, or lacks what a domain needs
    """
    shown = path.name if path else "restaurants.yaml"
    try:
        return _domain(read_yaml(path) if path else read_data("restaurants"))
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
