"""The domain: kinds of venue, slots and their values in words, and the venues themselves."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.text import is_same_value, normalise_value
from vivavoce.study.task import DONTCARE

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
    slots: dict[str, Slot] = Field(description="the venues")
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
