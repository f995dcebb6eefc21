"""The domain: kinds of venue, slots and their values in words, and the venues themselves."""

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.text import bare, normalise_value
from vivavoce.study.task import DONTCARE

Words = dict[str, tuple[str, ...]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Rendering(_Data):
    """A value in one language.

    text      as it is shown: Italian; italiana
    before, phrase, wish  as it stands in a task, where the slot's own do not fit
    synonyms  other ways to say it, for parsers
    """

    text: str
    before: str | None = None
    phrase: str | None = None
    wish: str | None = None
    synonyms: tuple[str, ...] = ()


class TypeName(_Data):
    """A kind of venue in one language: a restaurant, restaurants; un ristorante, ristoranti."""

    text: str
    article: str = Field(description="the noun with its indefinite article")
    plural: str
    synonyms: tuple[str, ...] = ()


class Slot(_Data):
    """Something that can be known of a venue: a constraint when one searches by it, a request when one asks for it.

    names     its name by language: "type of food"
    before    a constraint before the noun, where the language has such adjectives: "{value}" (a cheap pub)
    phrase    a constraint after the noun, by language, with {value}: "in the {value} of the city"
    wish      a constraint after "it should", with {value} or {phrase}: "be {phrase}"
    anything  a clause that says any value will do: "any part of the city will do"
    asked_as  what one wants to know, after "find out": "the phone number"
    unasked   values that no task asks for: a pub without internet
    asks      phrases by which people ask for it, for parsers
    match     exact, or prefix where a spoken value may be cut short
    """

    constraint: bool = False
    requestable: bool = Field(False, alias="request")
    types: tuple[str, ...] | None = Field(None, description="kinds of venue that have it; all when left out")
    names: dict[str, str] = Field(default={}, description="its name by language")
    before: dict[str, str] = {}
    phrase: dict[str, str] = {}
    wish: dict[str, str] = {}
    anything: dict[str, str] = {}
    asked_as: dict[str, str] = {}
    unasked: tuple[str, ...] = ()
    asks: Words = {}
    match: Literal["exact", "prefix"] = "exact"
    values: dict[str, dict[str, Rendering]] = Field(
        default={}, description="by value, by language; constraints only"
    )

    def of_type(self, venue_type: str) -> bool:
        return self.types is None or venue_type in self.types


class Venue(_Data):
    """One venue; `slots` holds its value for every slot that its type has."""

    venue_id: str = Field(alias="id")
    name: str
    type: str
    slots: dict[str, str]


class Ontology(_Data):
    """Kinds of venue, slots with values, phrases for indifference, venues."""

    name: str = Field(alias="ontology")
    types: dict[str, dict[str, TypeName]]
    slots: dict[str, Slot]
    dontcare: Words = Field(default={}, description="phrases that mean: any will do, by language")
    venues: tuple[Venue, ...]

    def venue(self, venue_id: str) -> Venue | None:
        return next((venue for venue in self.venues if venue.venue_id == venue_id), None)

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
        """The venues of this type that meet every constraint and are not excluded (by identifier).

        Values are equal when they are equal normalised, never by substring; `dontcare` is met by all. A venue
        without the slot meets no constraint on it but `dontcare`. Another type is another goal.
        """
        left_out = set(exclusions)
        return [
            venue
            for venue in self.of_type(venue_type)
            if venue.venue_id not in left_out
            and all(meets(venue.slots.get(slot), value) for slot, value in constraints.items())
        ]

    def gives(self, venue: Venue, slot: str, value: str) -> bool:
        """Whether `value` is what the venue has for this slot; codes are compared by letters and digits."""
        held = venue.slots.get(slot)
        if held is None:
            return False
        if slot in self.slots and self.slots[slot].match == "prefix":
            return bool(bare(value)) and bare(held).startswith(bare(value))
        return normalise_value(held) == normalise_value(value)


def meets(held: str | None, wanted: str) -> bool:
    """Whether a venue's value meets a constraint."""
    if normalise_value(wanted) == DONTCARE:
        return True
    return held is not None and normalise_value(held) == normalise_value(wanted)
