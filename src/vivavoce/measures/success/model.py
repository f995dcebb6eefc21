"""Acts, turns, goals and venues for scoring, and whether the system's offers and facts serve a goal."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple

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


OfferRule = Literal["last", "any"]
OFFER_RULES: Final[tuple[OfferRule, ...]] = ("last", "any")


class Told(NamedTuple):
    """A value that the system gave for the venue then current."""

    venue: str
    slot: str
    value: str


class Record:
    """Offers of the system, in order, and the facts that it gave of each; grows turn by turn.

    A value told without naming a venue is credited to the one current: the first of the same turn, else the
    last of the turns before. Without a current venue it is ignored and counted in `orphans`.
    """

    def __init__(self) -> None:
        self.offers: list[str] = []
        self.told: list[Told] = []
        self.orphans = 0
        self.current: str | None = None

    def add(self, acts: Iterable[ScoredAct]) -> None:
        """Take in the acts of one system turn."""
        venue_name, facts = _facts_of(tuple(acts))
        if venue_name is not None:
            self.current = venue_name
        for name, slot, value in facts:
            if name is not None:
                self.current = name
                self.offers.append(name)
            elif self.current is None:
                self.orphans += 1
            else:
                self.told.append(Told(self.current, slot, value))

    def carry(self, before: "Record") -> None:
        """Start with the venue that was current in another record, and the facts given of it there."""
        if before.current is not None:
            self.current = before.current
            self.offers.append(before.current)
            self.told.extend(fact for fact in before.told if fact.venue == before.current)

    def informed(self, venue: ScoredVenue, *, verify_values: bool = True) -> set[str]:
        """Slots of this venue that the system gave; a value that is not the venue's is not information."""
        return {
            fact.slot
            for fact in self.told
            if fact.venue == venue.name and (not verify_values or venue.has(fact.slot, fact.value))
        } | {NAME}


@lru_cache(maxsize=50_000)
def _facts_of(acts: tuple[ScoredAct, ...]) -> tuple[str | None, tuple[tuple[str | None, str, str], ...]]:
    """The first venue that acts name; in their order each venue, or slot and value of one told."""
    facts = tuple(
        (offered_name(act), act.slot, act.value)
        for act in acts
        if act.act in ("inform", "offer") and act.slot and act.value
    )
    return next((name for name, _, _ in facts if name is not None), None), facts


def record(turns: Iterable[ScoredTurn]) -> Record:
    """The record of whole turns; user turns say nothing here."""
    answer_record = Record()
    for turn in turns:
        if turn.party == "system":
            answer_record.add(turn.acts)
    return answer_record


def offered_name(act: ScoredAct) -> str | None:
    """The venue that an act offers, normalised."""
    if act.act in ("offer", "inform") and act.slot == NAME and act.value:
        return normalise_value(act.value)
    return None


def serves(
    goal: Goal,
    answer_record: Record,
    venues: Venues,
    *,
    offer_rule: OfferRule = "last",
    verify_values: bool = True,
) -> bool:
    """True if the system offered a venue that meets the goal and gave all requested facts of it.

    `last`: the venue offered last must be that one; `any`: one of those offered. A venue that the user turned
    down counts only where no other meets the constraints.
    Source  Jurčíček et al. 2011, section 4
    """
    fitting = venues.matching(goal)
    fresh = tuple(venue for venue in fitting if venue.name not in goal.excluded)
    names = answer_record.offers[-1:] if offer_rule == "last" else answer_record.offers
    candidates = [venue for venue in fresh or fitting if venue.name in names]
    requested = set(goal.requests)
    return any(
        requested <= answer_record.informed(venue, verify_values=verify_values) for venue in candidates
    )
