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

    text: str = Field(description="as it is shown: Italian; italiana")
    before: str | None = Field(default=None, description="before the noun: moderately priced")
    phrase: str | None = Field(default=None, description="after the noun: by the river")
    wish: str | None = Field(default=None, description="after `it should`: welcome children")
    synonyms: tuple[str, ...] = Field(
        default=(), description="other ways to say it, by which parsers know it"
    )


class TypeName(_Data):
    """A kind of venue in one language."""

    text: str = Field(description="the noun: restaurant; ristorante")
    article: str = Field(description="the noun with its indefinite article: a restaurant; un ristorante")
    plural: str = Field(description="restaurants; ristoranti")
    synonyms: tuple[str, ...] = Field(
        default=(), description="other ways to say it, by which parsers know it"
    )


class Slot(_Data):
    """Something known of a venue: a constraint when one searches by it, a request when one asks for it."""

    constraint: bool = Field(False, description="one can search by it; then it lists its values")
    requestable: bool = Field(False, alias="request", description="one can ask for it")
    types: tuple[str, ...] | None = Field(None, description="kinds of venue that have it; all when left out")
    names: dict[str, str] = Field({}, description="its name by language: type of food")
    before: dict[str, str] = Field({}, description="a constraint before the noun, with {value}: a cheap pub")
    phrase: dict[str, str] = Field({}, description="a constraint after the noun: in the {value} of the city")
    wish: dict[str, str] = Field({}, description="a constraint after `it should`, with {value} or {phrase}")
    anything: dict[str, str] = Field({}, description="a clause that says any value will do")
    asked_as: dict[str, str] = Field({}, description="what one wants to know, after `find out`: the address")
    unasked: tuple[str, ...] = Field((), description="values that no task asks for: a pub without internet")
    asks: Words = Field({}, description="phrases by which people ask for it, for parsers, by language")
    match: Literal["exact", "code", "prefix"] = Field(
        "exact",
        description="code where only letters and digits count, as in a telephone number; prefix where what a "
        "system says may be cut short, as a postcode",
    )
    values: dict[str, dict[str, Rendering]] = Field({}, description="by value, by language; of constraints")

    def of_type(self, venue_type: str) -> bool:
        return self.types is None or venue_type in self.types


class Venue(_Data):
    """One venue."""

    venue_id: str = Field(alias="id", description="its key")
    name: str = Field(description="its name as systems say it")
    type: str = Field(description="its kind; another kind is another goal")
    slots: dict[str, str] = Field(description="its value for every slot that its kind has")


class Ontology(_Data):
    """Kinds of venue, slots with values, phrases for indifference, venues."""

    name: str = Field(alias="ontology", description="its name")
    types: dict[str, dict[str, TypeName]] = Field(description="kinds of venue, by language")
    slots: dict[str, Slot] = Field(description="what is known of venues")
    dontcare: Words = Field({}, description="phrases that mean: any will do, by language")
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
        return is_same_value(held, value, self.slots[slot].match if slot in self.slots else "exact")


_plain = lru_cache(maxsize=20_000)(normalise_value)


def meets(held: str | None, wanted: str) -> bool:
    """Whether a venue's value meets a constraint."""
    if _plain(wanted) == DONTCARE:
        return True
    return held is not None and _plain(held) == _plain(wanted)
