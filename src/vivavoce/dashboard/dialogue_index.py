"""Column index of all dialogues of a study, to find, count and sort them quickly.

One mechanism for filters, facets, words and orders: each fact of a dialogue is a code in an array with one
place a dialogue, what may be several (tools, tags) one array of truth values for each, what was said one text
for each side. Places are given once and never move; `make bench ARGS="--only listing"` measures it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vivavoce.dashboard.dialogue_query import COUNTED, COUNTS, FACTOR, NOTHING, SUCCESS, DialogueQuery
from vivavoce.log.scope import SCOPES, TEAM, Scope

if TYPE_CHECKING:
    from vivavoce.dashboard.dialogue_card import DialogueCard
    from vivavoce.dashboard.verdicts import Verdicts

LENGTHS_S: Final = {"0": 0, "30": 30, "60": 60, "120": 120, "300": 300, "600": 600}
TURNS: Final = {"0": 0, "1": 1, "3": 3, "6": 6, "11": 11}
OUTCOMES: Final = ("uncounted", "no", "yes", "partly")
TOGETHER: Final = {"cases": ("no", "yes", "partly"), "successes": ("yes", "partly")}
FIRST_ROWS: Final = 1024
MOST_COUNTED: Final = 400
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Places = np.ndarray[Any, np.dtype[np.intp]]


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
    """Values of one facet, the most frequent first; `more`: number of omitted values."""

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

    values: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    array: np.ndarray[Any, np.dtype[np.int32]] = field(default_factory=lambda: np.zeros(FIRST_ROWS, np.int32))

    def set(self, place: int, value: str) -> None:
        number = self.numbers.setdefault(value, len(self.numbers))
        if number == len(self.values):
            self.values.append(value)
        self.array[place] = number

    def among(self, chosen: Iterable[str], rows: int) -> Mask:
        numbers = [self.numbers[value] for value in chosen if value in self.numbers]
        return np.isin(self.array[:rows], numbers)

    def counts(self, mask: Mask) -> dict[str, int]:
        tally = np.bincount(self.array[: len(mask)][mask], minlength=len(self.values))
        numbers = np.flatnonzero(tally)
        if len(numbers) > MOST_COUNTED:  # such as participants: the most frequent are enough
            numbers = numbers[np.argpartition(-tally[numbers], MOST_COUNTED)[:MOST_COUNTED]]
        return {self.values[number]: int(tally[number]) for number in numbers.tolist()}

    def distinct(self, mask: Mask) -> int:
        """Number of distinct values in these dialogues."""
        return int(np.count_nonzero(np.bincount(self.array[: len(mask)][mask])))

    def ranks(self, rows: int) -> np.ndarray[Any, Any]:
        """Positions of the values in alphabetical order."""
        order = np.argsort(np.argsort(np.array([value.casefold() for value in self.values] or [""])))
        return order[self.array[:rows]]


@dataclass
class FactMarks:
    """Multi-valued facts: a mask of dialogues for each value; NOTHING: without any."""

    arrays: dict[str, Mask] = field(default_factory=dict)
    size: int = FIRST_ROWS

    def set(self, place: int, values: Collection[str]) -> None:
        for array in self.arrays.values():
            array[place] = False
        for value in values or (NOTHING,):
            if value not in self.arrays:
                self.arrays[value] = np.zeros(self.size, bool)
            self.arrays[value][place] = True

    def among(self, chosen: Iterable[str], rows: int) -> Mask:
        mask = np.zeros(rows, bool)
        for value in chosen:
            if value in self.arrays:
                mask |= self.arrays[value][:rows]
        return mask

    def counts(self, mask: Mask) -> dict[str, int]:
        numbers = {value: int((array[: len(mask)] & mask).sum()) for value, array in self.arrays.items()}
        return {value: n for value, n in numbers.items() if n}

    def ranks(self, rows: int) -> np.ndarray[Any, Any]:
        """Number of values per dialogue."""
        total = np.zeros(rows, np.int32)
        for value, array in self.arrays.items():
            if value != NOTHING:
                total += array[:rows]
        return total


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
        self._size = FIRST_ROWS
        self._codes: dict[str, Codes] = {}
        self._marks = {name: FactMarks() for name in ("errors", "tools", "tags")}
        self._numbers = {name: np.full(FIRST_ROWS, np.nan) for name in NUMBERS}
        self._scopes = np.zeros(FIRST_ROWS, np.int8)  # places in SCOPES
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
            self.cards.append(card)
            for word in self._words.values():
                word.append("")
            if place >= self._size:
                self._grow()
            self._marks["tags"].set(place, self._tags.get(card.dialogue_id, ()))
        self.cards[place] = card
        for name, value in facts_of(card).items():
            if name not in self._codes:
                self._codes[name] = Codes([""], {"": 0}, np.zeros(self._size, np.int32))
            self._codes[name].set(place, value)
        self._marks["errors"].set(place, card.errors)
        self._marks["tools"].set(place, card.tools)
        for name, number in NUMBERS.items():
            value = number(card)
            self._numbers[name][place] = np.nan if value is None else value
        self._scopes[place] = SCOPES.index(card.scope)
        self._words["user"][place], self._words["system"][place] = card.user_words, card.system_words

    def variety(self, name: str) -> int:
        """Number of values of a fact in all dialogues."""
        if name in self._codes:
            column, rows = self._codes[name], len(self.cards)
            nothing = bool(column.among([NOTHING], rows).any())
            return column.distinct(np.ones(rows, bool)) - nothing
        return len(self._marks[name].arrays) if name in self._marks else 0

    def told(self, name: str) -> bool:
        """True if dialogues differ in an optional fact, such as errors, tags or a code."""
        if name in self._marks:
            return bool(self._marks[name].arrays.keys() - {NOTHING})
        return len(np.unique(self._numbers[name][: len(self.cards)])) > 1

    def tag(self, dialogue_id: str, tags: Iterable[str]) -> None:
        """Set the current tags of a dialogue, which may be added later."""
        self._tags[dialogue_id] = tuple(tags)
        if (place := self._places.get(dialogue_id)) is not None:
            self._marks["tags"].set(place, self._tags[dialogue_id])

    def tags_of(self, dialogue_id: str) -> tuple[str, ...]:
        return self._tags.get(dialogue_id, ())

    def _grow(self) -> None:
        """Double the capacity."""
        rows, self._size = self._size, 2 * self._size

        def longer(array: np.ndarray[Any, Any], rest: Any) -> np.ndarray[Any, Any]:
            return np.concatenate([array, np.full(rows, rest, array.dtype)])

        for codes in self._codes.values():
            codes.array = longer(codes.array, 0)
        for marks in self._marks.values():
            marks.size = self._size
            marks.arrays = {value: longer(array, False) for value, array in marks.arrays.items()}
        self._numbers = {name: longer(array, np.nan) for name, array in self._numbers.items()}
        self._scopes = longer(self._scopes, 0)

    def places(self, query: DialogueQuery, scope: Scope | None, verdicts: "Verdicts | None" = None) -> Places:
        """Places of the matching dialogues, in the order of the query."""
        return self._ordered(query, self._filtered(query, scope, verdicts)[None], verdicts)

    def place_among(self, places: Places, dialogue_id: str) -> int | None:
        """Position of a dialogue among these places, from 0; None if absent."""
        positions = np.flatnonzero(places == self._places.get(dialogue_id, -1))
        return int(positions[0]) if len(positions) else None

    def find(
        self, query: DialogueQuery, scope: Scope | None, verdicts: "Verdicts | None" = None
    ) -> tuple[Places, list[Facet], list[CountedCases]]:
        """Matching places, facets with counts, and counts of the chosen rates.

        Note  the numbers of a facet are of dialogues that pass all filters but its own
        """
        masks = self._filtered(query, scope, verdicts)
        selected = masks[None]
        facets = []
        for name in [
            *self._facet_names(verdicts),
            *(facet for facet in query.chosen if facet.startswith(COUNTS)),
        ]:
            column = self._column(name, verdicts)
            if column is None:
                continue
            mask, chosen = masks.get(name, selected), query.chosen.get(name, ())
            counts = column.counts(mask)
            for chosen_value in set(chosen) - counts.keys():
                counts[chosen_value] = int((column.among([chosen_value], len(mask)) & mask).sum())
            values = [FacetValue(value, n, value in chosen) for value, n in counts.items()]
            more = column.distinct(mask) - len(values) if isinstance(column, Codes) else 0
            if len(values) > 1 or chosen:
                values.sort(key=lambda facet_value: (-facet_value.number, facet_value.value))
                facets.append(Facet(name, values, max(0, more)))
        rates = [name.removeprefix(SUCCESS) for name in query.chosen if name.startswith(SUCCESS)]
        judged = self._of_verdicts(verdicts)
        counted = [judged[rate].counted(rate, selected) for rate in rates if rate in judged]
        return self._ordered(query, selected, verdicts), facets, counted

    def _facet_names(self, verdicts: "Verdicts | None") -> list[str]:
        singles = [name for name in self._codes if not name.startswith(FACTOR)]
        factors = [name for name in self._codes if name.startswith(FACTOR)]
        return [*singles, *factors, *self._marks, *(SUCCESS + rate for rate in self._of_verdicts(verdicts))]

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
        rows = len(self.cards)
        whose = self._scopes[:rows]
        ground = whose != SCOPES.index(TEAM) if scope is None else whose == SCOPES.index(scope)
        ground = ground & self._said(query, ground) & self._between(query, rows)
        facet_masks: dict[str, Mask] = {}
        for name, values in query.chosen.items():
            column = self._column(name, verdicts)
            facet_masks[name] = np.zeros(rows, bool) if column is None else column.among(values, rows)
        masks: dict[str | None, Mask] = {}
        for left_out in (None, *facet_masks):
            mask = ground.copy()
            for name, facet_mask in facet_masks.items():
                if name != left_out:
                    mask &= facet_mask
            masks[left_out] = mask
        return masks

    def _between(self, query: DialogueQuery, rows: int) -> Mask:
        within = np.ones(rows, bool)
        if (days := self._codes.get("date")) and (query.since or query.until):
            selected_days = [
                value for value in days.values if value and query.since <= value <= (query.until or "9")
            ]
            within = days.among(selected_days, rows)
        return within

    def _said(self, query: DialogueQuery, ground: Mask) -> Mask:
        """Mask of dialogues with all the words; the id of a dialogue matches as well."""
        matches = ground.copy()
        sides = [self._words[query.side]] if query.side else list(self._words.values())
        for phrase in query.phrases:
            among = np.flatnonzero(matches)
            hits = np.zeros(len(among), bool)
            for words in sides:
                missing = np.flatnonzero(~hits)
                hits[missing] = [phrase in words[place] for place in among[missing].tolist()]
            if any(letter.isdigit() for letter in phrase):  # ids contain digits, words rarely do
                hits |= [phrase in self.cards[place].dialogue_id for place in among.tolist()]
            matches[among] = hits
        return matches

    def _ordered(self, query: DialogueQuery, mask: Mask, verdicts: "Verdicts | None") -> Places:
        """Sorted places: missing values last, ties by latest first."""
        places = np.flatnonzero(mask)[::-1]
        keys = self._keys(query.sort, verdicts)[places]
        missing = np.isnan(keys)
        falling = -keys if query.descending else keys
        return places[np.argsort(np.where(missing, np.inf, falling), kind="stable")]

    def _keys(self, sort: str, verdicts: "Verdicts | None") -> np.ndarray[Any, np.dtype[np.float64]]:
        rows = len(self.cards)
        if sort in self._numbers:
            return self._numbers[sort][:rows]
        if sort == "dialogue":
            return np.argsort(np.argsort(np.array([card.dialogue_id for card in self.cards] or [""]))).astype(
                float
            )
        column = self._column(sort, verdicts)
        return np.zeros(rows) if column is None else column.ranks(rows).astype(float)

    def _of_verdicts(self, verdicts: "Verdicts | None") -> "dict[str, JudgedRate]":
        """Verdicts aligned with the places, cached while both are unchanged."""
        if verdicts is None:
            return {}
        cached = self._judged.get(verdicts.scope)
        if cached is None or cached[0] is not verdicts or cached[1] != len(self.cards):
            cached = verdicts, len(self.cards), self._lay_out(verdicts)
            self._judged[verdicts.scope] = cached
        return cached[2]

    def _counted(self, measure: str, verdicts: "Verdicts | None") -> "FactMarks | None":
        """Mask of dialogues with a case of a measure that is not a success rate."""
        if verdicts is None or measure not in verdicts.counted:
            return None
        where = np.array(
            [self._places.get(dialogue_id, -1) for dialogue_id in verdicts.dialogue_ids], dtype=int
        )
        zeros = np.zeros(self._size, bool)
        zeros[where[(where >= 0) & verdicts.counted[measure]]] = True
        return FactMarks({COUNTED: zeros}, self._size)

    def _lay_out(self, verdicts: "Verdicts") -> "dict[str, JudgedRate]":
        where = np.array(
            [self._places.get(dialogue_id, -1) for dialogue_id in verdicts.dialogue_ids], dtype=int
        )
        present = where >= 0
        rates = {}
        for name, (numerators, denominators) in verdicts.rates.items():
            zeros = np.zeros((2, len(self.cards)))
            zeros[:, where[present]] = numerators[present], denominators[present]
            rates[name] = JudgedRate(zeros[0], zeros[1])
        return rates

    def verdict_of(self, dialogue_id: str, verdicts: "Verdicts | None") -> dict[str, tuple[str, int, int]]:
        """Outcome, successes and cases of one dialogue, by measure."""
        place = self._places.get(dialogue_id)
        if place is None:
            return {}
        return {
            name: (
                OUTCOMES[rate.codes[place]],
                round(rate.numerators[place]),
                round(rate.denominators[place]),
            )
            for name, rate in self._of_verdicts(verdicts).items()
        }


class JudgedRate:
    """Cases and successes of one rate in each dialogue."""

    def __init__(self, numerators: np.ndarray[Any, Any], denominators: np.ndarray[Any, Any]) -> None:
        self.numerators, self.denominators = numerators, denominators
        yes, no = numerators >= denominators, numerators <= 0
        self.codes = np.where(denominators <= 0, 0, np.where(yes, 2, np.where(no, 1, 3)))

    def among(self, chosen: Sequence[str], rows: int) -> Mask:
        outcomes = {outcome for choice in chosen for outcome in TOGETHER.get(choice, (choice,))}
        return np.isin(
            self.codes[:rows], [OUTCOMES.index(outcome) for outcome in outcomes if outcome in OUTCOMES]
        )

    def counts(self, mask: Mask) -> dict[str, int]:
        tally = np.bincount(self.codes[mask], minlength=len(OUTCOMES))
        return {name: int(n) for name, n in zip(OUTCOMES, tally, strict=True) if n}

    def ranks(self, rows: int) -> np.ndarray[Any, Any]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.denominators > 0, self.numerators / self.denominators, np.nan)[:rows]

    def counted(self, measure: str, mask: Mask) -> CountedCases:
        """Cases and successes of the rate in these dialogues."""
        cases = mask & (self.denominators > 0)
        n, successes = (float(values[cases].sum()) for values in (self.denominators, self.numerators))
        return CountedCases(measure, int(cases.sum()), n, successes)
