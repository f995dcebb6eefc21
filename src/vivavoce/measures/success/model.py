"""Model of scoring: acts, turns, goals, and the venues of the domain."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce.core.text import is_same_value, normalise_value
from vivavoce.dataset.vocabulary import DONTCARE, NAME, TYPE
from vivavoce.languages.data import FactWords

_WORD: Final = re.compile(r"\w+")
_APOSTROPHE: Final = re.compile(r"\s*'\s*")


class Names:
    """The names of a database, and what else is one of them.

    A name that is told is the one in the database with the same letters and digits, but for articles before
    it and words for `&`. Else it is a shorter or longer form of one name: all words of one stand in the other
    in their order, what the other has besides are words that several names of the database have (hotel,
    restaurant), and one that they share is of this name alone. Where two names fit, or none, it stays what
    it is.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._words = {name: _words(name) for name in dict.fromkeys(map(normalise_value, names))}
        counted = Counter(word for words in self._words.values() for word in set(words))
        self._shared = {word for word, names_with in counted.items() if names_with > 1}
        self._spelt: dict[str, list[str]] = defaultdict(list)
        for name, words in self._words.items():
            self._spelt["".join(words)].append(name)
        self._found: dict[str, str] = {}

    def known(self, spoken_name: str) -> str:
        """The name of the database that this is; where it is none, or several, itself, normalised."""
        name = normalise_value(spoken_name)
        if name in self._words:
            return name
        if name not in self._found:
            fitting = self._fitting(_words(name))
            self._found[name] = fitting[0] if len(fitting) == 1 else name
        return self._found[name]

    def _fitting(self, words: tuple[str, ...]) -> list[str]:
        if words and (spelt := self._spelt.get("".join(words))):
            return spelt
        return [name for name, name_words in self._words.items() if self._is_form(words, name_words)]

    def _is_form(self, words: tuple[str, ...], name_words: tuple[str, ...]) -> bool:
        common = set(words) & set(name_words)
        if common <= self._shared or not set(words) ^ set(name_words) <= self._shared:
            return False
        short, long = sorted((words, name_words), key=len)
        remaining = iter(long)
        return all(word in remaining for word in short)


def _words(name: str) -> tuple[str, ...]:
    before, ampersand = _articles_and_ampersand()
    simplified = _APOSTROPHE.sub("", before.sub("", normalise_value(name).replace("’", "'")))
    return tuple(word for word in _WORD.findall(simplified) if word not in ampersand)


@cache
def _articles_and_ampersand() -> tuple[re.Pattern[str], frozenset[str]]:
    """Articles and words for "&" in all languages: a venue's name may be in another language."""
    all_words = [FactWords.or_english(name) for name in FactWords.languages()]
    articles = {word for words in all_words for word in words.articles}
    before = "|".join(
        rf"{re.escape(article)}\s*" if article[-1:] == "'" else rf"{re.escape(article)}\s+"
        for article in articles
    )
    return re.compile(rf"^(?:{before or '(?!)'})+"), frozenset(
        word for words in all_words for word in words.ampersand
    )


class ScoredAct(NamedTuple):
    """One act item; values are compared normalised, never by substring."""

    act: str
    slot: str | None = None
    value: str | None = None
    op: str | None = None


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """A turn with what the system did, or with what the user really meant."""

    index: int
    party: str
    acts: tuple[ScoredAct, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    """Wanted venue: `constraints` maps slots to a value or `dontcare`; `type` is one of them.

    denied    values that a slot must not have
    excluded  names of venues that the user has turned down
    """

    constraints: Mapping[str, str] = field(default_factory=dict)
    requests: tuple[str, ...] = ()
    denied: frozenset[tuple[str, str]] = frozenset()
    excluded: frozenset[str] = frozenset()

    @property
    def empty(self) -> bool:
        return not (self.constraints or self.requests or self.denied)


class Value(NamedTuple):
    """One value of a slot, and how it is compared: `exact`, `code` or `prefix`."""

    text: str
    match: str = "exact"


@dataclass(frozen=True, slots=True)
class ScoredVenue:
    """One entity with its slots; a slot may have several values."""

    key: str
    name: str
    slots: Mapping[str, tuple[Value, ...]]

    def has(self, slot: str, value: str) -> bool:
        if slot == NAME:
            return self.name == normalise_value(value)
        return any(
            is_same_value(accepted.text, value, accepted.match) for accepted in self.slots.get(slot, ())
        )


class Venues:
    """The domain's entities, found by name (`names`: what else is one of their names)."""

    def __init__(self, venues: Iterable[ScoredVenue]) -> None:
        self.all = tuple(venues)
        self.slots = frozenset(slot for venue in self.all for slot in venue.slots)
        self._named: dict[str, tuple[ScoredVenue, ...]] = {}
        for venue in self.all:
            self._named[venue.name] = (*self._named.get(venue.name, ()), venue)
        self.names = Names(self._named)
        self._matching: dict[Any, tuple[ScoredVenue, ...]] = {}
        self._having: dict[tuple[str, str], frozenset[int]] = {}

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> "Venues":
        """From rows of the table `entities`."""
        names: dict[str, str] = {}
        slots: dict[str, dict[str, list[Value]]] = {}
        for row in rows:
            key = row["entity_id"]
            names[key] = normalise_value(row["name"])
            if row["slot"] != NAME:
                values = slots.setdefault(key, {}).setdefault(row["slot"], [])
                values.append(Value(row["value"], row["match"]))
        return cls(
            ScoredVenue(key, name, {slot: tuple(values) for slot, values in slots.get(key, {}).items()})
            for key, name in names.items()
        )

    def __bool__(self) -> bool:
        return bool(self.all)

    def named(self, name: str) -> tuple[ScoredVenue, ...]:
        """The entities of a name; usually one, none when the system invented it."""
        return self._named.get(self.names.known(name), ())

    def as_named_here(self, turns: Iterable[ScoredTurn]) -> list[ScoredTurn]:
        """The turns with names as the database has them."""
        turn_acts = ((turn, tuple(map(self._named_here, turn.acts))) for turn in turns)
        return [turn if acts == turn.acts else replace(turn, acts=acts) for turn, acts in turn_acts]

    def _named_here(self, act: ScoredAct) -> ScoredAct:
        if act.slot != NAME or not act.value:
            return act
        name = self.names.known(act.value)
        return act if name == normalise_value(act.value) else act._replace(value=name)

    def matching(self, goal: Goal) -> tuple[ScoredVenue, ...]:
        """The entities that meet the goal's constraints; what the user turned down is not left out."""
        key = (frozenset(goal.constraints.items()), goal.denied)
        if key not in self._matching:
            self._matching[key] = tuple(self.all[place] for place in sorted(self._fitting(goal)))
        return self._matching[key]

    def _fitting(self, goal: Goal) -> set[int]:
        """The places of the entities that `meets` lets through."""
        candidates = set(range(len(self.all)))
        for slot, value in goal.constraints.items():
            if self._asks(slot, value):
                candidates &= self._with(slot, value)
        return candidates.difference(*(self._with(slot, value) for slot, value in goal.denied))

    def _with(self, slot: str, value: str) -> frozenset[int]:
        if (slot, value) not in self._having:
            having = (place for place, venue in enumerate(self.all) if self._has(venue, slot, value))
            self._having[slot, value] = frozenset(having)
        return self._having[slot, value]

    def _asks(self, slot: str, value: str) -> bool:
        return value != DONTCARE and not (slot == TYPE and TYPE not in self.slots)

    def meets(self, venue: ScoredVenue, goal: Goal) -> bool:
        """Every constraint that is not `dontcare` holds; a type is not asked of entities that have none."""
        for slot, value in goal.constraints.items():
            if self._asks(slot, value) and not self._has(venue, slot, value):
                return False
        return not any(self._has(venue, slot, value) for slot, value in goal.denied)

    def _has(self, venue: ScoredVenue, slot: str, value: str) -> bool:
        return venue.has(slot, self.names.known(value) if slot == NAME else value)
