"""Column index of all dialogues of a study, to find, count and sort them quickly.

One mechanism for filters, facets, words and orders: each fact of a dialogue is a code in an array with one
place a dialogue, what may be several (tools, tags) one mask for each, what was said one text for each side.
Places are given once and never move; `make bench ARGS="--only listing"` measures it.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.dashboard.dialogue_query import COUNTED, COUNTS, FACTOR, NOTHING, SUCCESS, DialogueQuery
from vivavoce.log.models import SCOPES, TEAM, Scope

if TYPE_CHECKING:
    from vivavoce.dashboard.dialogue_card import DialogueCard
    from vivavoce.dashboard.verdicts import Verdicts

LENGTHS_S: Final = {"0": 0, "30": 30, "60": 60, "120": 120, "300": 300, "600": 600}
TURNS: Final = {"0": 0, "1": 1, "3": 3, "6": 6, "11": 11}
OUTCOMES: Final = ("uncounted", "no", "yes", "partly")
TOGETHER: Final = {"cases": ("no", "yes", "partly"), "successes": ("yes", "partly")}
MOST_COUNTED: Final = 400
Mask = bytes | bytearray
"""One byte per dialogue, 0 or 1."""
Keys = Sequence[Any]
"""One value per dialogue to sort by; None: missing."""
Places = list[int]


def both(first: Mask, second: Mask) -> bytes:
    """Dialogues in both masks."""
    common = int.from_bytes(first, "little") & int.from_bytes(second, "little")
    return common.to_bytes(len(first), "little")


def either(masks: Iterable[Mask], rows: int) -> bytes:
    """Dialogues in any of the masks."""
    found = 0
    for mask in masks:
        found |= int.from_bytes(mask, "little")
    return found.to_bytes(rows, "little")


def where_code(codes: Mask, wanted: Collection[int]) -> Mask:
    """Dialogues with one of these codes, which are below 256."""
    return codes.translate(bytes(code in wanted for code in range(256)))


def places_of(mask: Mask) -> Places:
    return list(compress(range(len(mask)), mask))


def bin_of(bounds: Mapping[str, float], value: float | None) -> str:
    """Name of the range that contains a value; lower bounds are included."""
    if value is None:
        return NOTHING
    return [name for name, low in bounds.items() if value >= low][-1] if value >= 0 else NOTHING


class FacetValue(NamedTuple):
    """Facet value with its number of matching dialogues and selection."""

    value: str
    number: int
    chosen: bool


class Facet(NamedTuple):
    """Values of one facet, the most frequent first; `more`: number of values left out."""

    name: str
    values: list[FacetValue]
    more: int = 0


class CountedCases(NamedTuple):
    """Cases and successes of a rate in the matching dialogues."""

    measure: str
    dialogues: int
    n: float
    successes: float


@dataclass
class Codes:
    """One single-valued fact per dialogue, as the number of its value."""

    values: list[str] = field(default_factory=lambda: [""])
    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})
    array: "array[int]" = field(default_factory=lambda: array("i"))

    def grow(self, rows: int = 1) -> None:
        """Add places for dialogues, with the value ""."""
        self.array.extend([0] * rows)

    def set(self, place: int, value: str) -> None:
        number = self.numbers.setdefault(value, len(self.numbers))
        if number == len(self.values):
            self.values.append(value)
        self.array[place] = number

    def among(self, chosen: Collection[str]) -> Mask:
        wanted = [value in chosen for value in self.values]
        return bytes(map(wanted.__getitem__, self.array))

    def counts(self, mask: Mask) -> dict[str, int]:
        """Dialogues by value; of many values, such as participants, the most frequent."""
        found = Counter(compress(self.array, mask))
        return {self.values[number]: n for number, n in found.most_common(MOST_COUNTED)}

    def distinct(self, mask: Mask) -> int:
        """Number of distinct values in these dialogues."""
        return len(set(compress(self.array, mask)))

    def ranks(self) -> Keys:
        """Positions of the values in alphabetical order."""
        falling = sorted(range(len(self.values)), key=lambda number: self.values[number].casefold())
        ranks = {number: rank for rank, number in enumerate(falling)}
        return list(map(ranks.__getitem__, self.array))


@dataclass
class FactMarks:
    """Multi-valued facts: a mask of dialogues for each value; NOTHING: without any."""

    masks: dict[str, bytearray] = field(default_factory=dict)
    rows: int = 0

    def grow(self) -> None:
        """Add a place for a dialogue."""
        self.rows += 1
        for mask in self.masks.values():
            mask.append(0)

    def set(self, place: int, values: Collection[str]) -> None:
        for mask in self.masks.values():
            mask[place] = 0
        for value in values or (NOTHING,):
            if value not in self.masks:
                self.masks[value] = bytearray(self.rows)
            self.masks[value][place] = 1

    def among(self, chosen: Collection[str]) -> Mask:
        return either((self.masks[one] for one in chosen if one in self.masks), self.rows)

    def counts(self, mask: Mask) -> dict[str, int]:
        found = {value: both(own, mask).count(1) for value, own in self.masks.items()}
        return {value: n for value, n in found.items() if n}

    def ranks(self) -> Keys:
        """Number of values per dialogue."""
        masks = [own for value, own in self.masks.items() if value != NOTHING]
        return list(map(sum, zip(*masks, strict=True))) if masks else [0] * self.rows


NUMBERS: Final[dict[str, Callable[["DialogueCard"], float | None]]] = {
    "begun": lambda card: card.assigned_at.timestamp(),
    "length": lambda card: card.duration_s,
    "turns": lambda card: card.user_turns,
    "errors": lambda card: card.failures,
    "success": lambda card: card.success,
    "code": lambda card: bool(card.code) + card.code_accepted,
}


def facts_of(card: "DialogueCard") -> dict[str, str]:
    """Single-valued facts of a dialogue, by facet."""
    return {
        "system": card.system,
        "condition": card.condition or card.system,
        "task": card.task_id or NOTHING,
        "status": card.outcome,
        "participant": card.participant_id,
        "language": card.language,
        "date": card.assigned_at.astimezone(UTC).date().isoformat(),
        "length": bin_of(LENGTHS_S, card.duration_s),
        "turns": bin_of(TURNS, card.user_turns),
        **{FACTOR + name: value for name, value in card.factors.items()},
    }


class DialogueIndex:
    """Columns of all dialogues, written by the board under its lock."""

    def __init__(self) -> None:
        self.cards: list[DialogueCard] = []
        self._places: dict[str, int] = {}
        self._codes: dict[str, Codes] = {}
        self._marks = {name: FactMarks() for name in ("errors", "tools", "tags")}
        self._numbers: dict[str, list[float | None]] = {name: [] for name in NUMBERS}
        self._scopes = bytearray()  # places in SCOPES
        self._words: dict[str, list[str]] = {"user": [], "system": []}
        self._tags: dict[str, tuple[str, ...]] = {}
        self._judged: dict[str, tuple[Verdicts, int, dict[str, JudgedRate]]] = {}

    def __len__(self) -> int:
        return len(self.cards)

    def put(self, card: "DialogueCard") -> None:
        """Add or update a dialogue."""
        place = self._places.get(card.dialogue_id)
        if place is None:
            place = self._places[card.dialogue_id] = len(self.cards)
            self._grow(card)
            self._marks["tags"].set(place, self._tags.get(card.dialogue_id, ()))
        self.cards[place] = card
        for name, value in facts_of(card).items():
            if name not in self._codes:
                self._codes[name] = Codes()
                self._codes[name].grow(len(self.cards))
            self._codes[name].set(place, value)
        self._marks["errors"].set(place, card.errors)
        self._marks["tools"].set(place, card.tools)
        for name, number in NUMBERS.items():
            self._numbers[name][place] = number(card)
        self._scopes[place] = SCOPES.index(card.scope)
        self._words["user"][place], self._words["system"][place] = card.user_words, card.system_words

    def variety(self, name: str) -> int:
        """Number of values of a fact in all dialogues."""
        if name in self._codes:
            own = self._codes[name]
            numbers = set(own.array)
            return len(numbers) - (own.numbers.get(NOTHING) in numbers)
        return len(self._marks[name].masks) if name in self._marks else 0

    def told(self, name: str) -> bool:
        """True if dialogues differ in an optional fact, such as errors, tags or a code."""
        if name in self._marks:
            return bool(self._marks[name].masks.keys() - {NOTHING})
        return len(set(self._numbers[name])) > 1

    def tag(self, dialogue_id: str, tags: Iterable[str]) -> None:
        """Set the current tags of a dialogue, which may be added later."""
        self._tags[dialogue_id] = tuple(tags)
        if (place := self._places.get(dialogue_id)) is not None:
            self._marks["tags"].set(place, self._tags[dialogue_id])

    def tags_of(self, dialogue_id: str) -> tuple[str, ...]:
        return self._tags.get(dialogue_id, ())

    def _grow(self, card: "DialogueCard") -> None:
        """Add a place for a dialogue to every column."""
        self.cards.append(card)
        for column in (*self._codes.values(), *self._marks.values()):
            column.grow()
        for numbers in self._numbers.values():
            numbers.append(None)
        self._scopes.append(0)
        for words in self._words.values():
            words.append("")

    def places(self, query: DialogueQuery, scope: Scope | None, verdicts: "Verdicts | None" = None) -> Places:
        """Places of the matching dialogues, in the order of the query."""
        return self._ordered(query, self._filtered(query, scope, verdicts)[None], verdicts)

    def place_among(self, places: Places, dialogue_id: str) -> int | None:
        """Position of a dialogue among these places, from 0; None if absent."""
        place = self._places.get(dialogue_id)
        return places.index(place) if place in places else None

    def find(
        self, query: DialogueQuery, scope: Scope | None, verdicts: "Verdicts | None" = None
    ) -> tuple[Places, list[Facet], list[CountedCases]]:
        """Matching places, facets with counts, and counts of the chosen rates.

        Note  the numbers of a facet are of dialogues that pass all filters but its own
        """
        masks = self._filtered(query, scope, verdicts)
        found = masks[None]
        facets = []
        for name in [*self._facet_names(verdicts), *(one for one in query.chosen if one.startswith(COUNTS))]:
            column = self._column(name, verdicts)
            if column is None:
                continue
            mask, chosen = masks.get(name, found), query.chosen.get(name, ())
            counts = column.counts(mask)
            for one in set(chosen) - counts.keys():
                counts[one] = both(column.among([one]), mask).count(1)
            values = [FacetValue(value, n, value in chosen) for value, n in counts.items()]
            more = column.distinct(mask) - len(values) if isinstance(column, Codes) else 0
            if len(values) > 1 or chosen:
                values.sort(key=lambda one: (-one.number, one.value))
                facets.append(Facet(name, values, max(0, more)))
        rates = [name.removeprefix(SUCCESS) for name in query.chosen if name.startswith(SUCCESS)]
        judged = self._of_verdicts(verdicts)
        counted = [judged[rate].counted(rate, found) for rate in rates if rate in judged]
        return self._ordered(query, found, verdicts), facets, counted

    def _facet_names(self, verdicts: "Verdicts | None") -> list[str]:
        singles = [name for name in self._codes if not name.startswith(FACTOR)]
        factors = [name for name in self._codes if name.startswith(FACTOR)]
        return [*singles, *factors, *self._marks, *(SUCCESS + one for one in self._of_verdicts(verdicts))]

    def _column(self, name: str, verdicts: "Verdicts | None") -> "Codes | FactMarks | JudgedRate | None":
        if name.startswith(SUCCESS):
            return self._of_verdicts(verdicts).get(name.removeprefix(SUCCESS))
        if name.startswith(COUNTS):
            return self._counted(name.removeprefix(COUNTS), verdicts)
        return self._codes.get(name) or self._marks.get(name)

    def _filtered(
        self, query: DialogueQuery, scope: Scope | None, verdicts: "Verdicts | None"
    ) -> dict[str | None, Mask]:
        """Masks of matching dialogues; by chosen facet without its own filter, under None with all."""
        scopes = [one for one in SCOPES if (one != TEAM if scope is None else one == scope)]
        ground = where_code(self._scopes, [SCOPES.index(one) for one in scopes])
        if (days := self._codes.get("date")) and (query.since or query.until):
            until = query.until or "9"
            wanted = [day for day in days.values if day and query.since <= day <= until]
            ground = both(ground, days.among(wanted))
        ground = self._said(query, ground)
        own: dict[str, Mask] = {}
        for name, values in query.chosen.items():
            column = self._column(name, verdicts)
            own[name] = bytes(len(self.cards)) if column is None else column.among(values)
        masks: dict[str | None, Mask] = {}
        for left_out in (None, *own):
            mask = ground
            for name, one in own.items():
                if name != left_out:
                    mask = both(mask, one)
            masks[left_out] = mask
        return masks

    def _said(self, query: DialogueQuery, ground: Mask) -> Mask:
        """Mask of dialogues with all the words; the id of a dialogue matches as well."""
        found = bytearray(ground)
        sides = [self._words[query.side]] if query.side else list(self._words.values())
        for phrase in query.phrases:
            without = places_of(found)
            for words in sides:
                without = [place for place in without if phrase not in words[place]]
            if any(letter.isdigit() for letter in phrase):  # ids contain digits, words rarely do
                without = [place for place in without if phrase not in self.cards[place].dialogue_id]
            for place in without:
                found[place] = 0
        return found

    def _ordered(self, query: DialogueQuery, mask: Mask, verdicts: "Verdicts | None") -> Places:
        """Sorted places: missing values last, ties by latest first."""
        places = places_of(mask)[::-1]
        keys = self._keys(query.sort, verdicts)
        known = [place for place in places if keys[place] is not None]
        known.sort(key=keys.__getitem__, reverse=query.descending)
        return known + [place for place in places if keys[place] is None]

    def _keys(self, sort: str, verdicts: "Verdicts | None") -> Keys:
        if sort in self._numbers:
            return self._numbers[sort]
        if sort == "dialogue":
            return [card.dialogue_id for card in self.cards]
        column = self._column(sort, verdicts)
        return [0] * len(self.cards) if column is None else column.ranks()

    def _of_verdicts(self, verdicts: "Verdicts | None") -> "dict[str, JudgedRate]":
        """Verdicts aligned with the places, cached while both are unchanged."""
        if verdicts is None:
            return {}
        known = self._judged.get(verdicts.scope)
        if known is None or known[0] is not verdicts or known[1] != len(self.cards):
            known = verdicts, len(self.cards), self._lay_out(verdicts)
            self._judged[verdicts.scope] = known
        return known[2]

    def _counted(self, measure: str, verdicts: "Verdicts | None") -> "FactMarks | None":
        """Mask of dialogues with a case of a measure that is not a success rate."""
        if verdicts is None or measure not in verdicts.counted:
            return None
        known = bytearray(len(self.cards))
        for dialogue_id, counted in zip(verdicts.dialogue_ids, verdicts.counted[measure], strict=True):
            if counted and dialogue_id in self._places:
                known[self._places[dialogue_id]] = 1
        return FactMarks({COUNTED: known}, len(known))

    def _lay_out(self, verdicts: "Verdicts") -> "dict[str, JudgedRate]":
        places = [self._places.get(dialogue_id) for dialogue_id in verdicts.dialogue_ids]
        found = {}
        for name, (numerators, denominators) in verdicts.rates.items():
            own = JudgedRate([0.0] * len(self.cards), [0.0] * len(self.cards))
            for place, numerator, denominator in zip(places, numerators, denominators, strict=True):
                if place is not None:
                    own.numerators[place], own.denominators[place] = numerator, denominator
            found[name] = own
        return found

    def verdict_of(self, dialogue_id: str, verdicts: "Verdicts | None") -> dict[str, tuple[str, int, int]]:
        """Outcome, successes and cases of one dialogue, by measure."""
        place = self._places.get(dialogue_id)
        if place is None:
            return {}
        return {
            name: (OUTCOMES[own.codes[place]], round(own.numerators[place]), round(own.denominators[place]))
            for name, own in self._of_verdicts(verdicts).items()
        }


@dataclass
class JudgedRate:
    """Cases and successes of one rate in each dialogue."""

    numerators: list[float]
    denominators: list[float]

    @cached_property
    def codes(self) -> bytes:
        """Places in OUTCOMES."""
        return bytes(map(_outcome, self.numerators, self.denominators))

    def among(self, chosen: Collection[str]) -> Mask:
        wanted = {each for one in chosen for each in TOGETHER.get(one, (one,))}
        return where_code(self.codes, [OUTCOMES.index(one) for one in wanted if one in OUTCOMES])

    def counts(self, mask: Mask) -> dict[str, int]:
        return {OUTCOMES[code]: n for code, n in Counter(compress(self.codes, mask)).items()}

    def ranks(self) -> Keys:
        """Shares of successes; None without a case."""
        both_sides = zip(self.numerators, self.denominators, strict=True)
        return [numerator / cases if cases > 0 else None for numerator, cases in both_sides]

    def counted(self, measure: str, mask: Mask) -> CountedCases:
        """Cases and successes of the rate in these dialogues."""
        places = [place for place in places_of(mask) if self.denominators[place] > 0]
        n, successes = (
            float(sum(map(own.__getitem__, places))) for own in (self.denominators, self.numerators)
        )
        return CountedCases(measure, len(places), n, successes)


def _outcome(numerator: float, cases: float) -> int:
    if cases <= 0:
        return OUTCOMES.index("uncounted")
    if numerator >= cases:
        return OUTCOMES.index("yes")
    return OUTCOMES.index("no" if numerator <= 0 else "partly")
