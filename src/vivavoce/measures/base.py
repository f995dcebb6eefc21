"""A measure with all facts about itself, the tables that it reads, and sums over the rows of a dialogue."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from vivavoce.core.extras import later
from vivavoce.core.registry import Member, Registry

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from vivavoce.dataset.reader import Dataset

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.int64]]
else:
    np = later("numpy")
    Floats = Any
    Places = Any


Result = TypeVar("Result")
Pair = tuple[float, float]
Pairs = Mapping[str, Pair]


def field_of(name: str) -> pc.Expression:
    """A column, to filter tables by; pyarrow's functions are imported when the first measure is computed."""
    from pyarrow.compute import field

    return field(name)


class Tables:
    """The tables of a set of whole dialogues, as Arrow tables, each read once.

    A table or column that the dataset lacks is there with no rows or with nulls.

    keywords   words that the keyword measures look at; None: those of the domain's values
    facts      what is known of the whole dataset, where these are one bucket of it; see `overall`
    only       dialogues, from all buckets; None: all of this dataset or bucket; none: no row of any table
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        keywords: Collection[str] | None = None,
        facts: Facts | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        self.dataset = dataset
        self.keywords = keywords
        self.facts: Facts = {} if facts is None else facts
        self._only = only
        self._read: dict[str, pa.Table] = {}
        self._results: dict[Hashable, tuple[Any, frozenset[str]]] = {}
        self._layers: set[str] = set()

    def read(self, name: str) -> pa.Table:
        """One whole table, in memory."""
        if name not in self._read:
            self._read[name] = self._complete(name)
        return self._read[name]

    def _complete(self, name: str) -> pa.Table:
        import pyarrow as pa

        from vivavoce.dataset.schema import TABLES

        table = self._chosen(name)
        for column in TABLES[name].arrow():
            if column.name not in table.column_names:
                table = table.append_column(column.name, pa.nulls(len(table), column.type))
        return table

    def _chosen(self, name: str) -> pa.Table:
        import pyarrow as pa

        from vivavoce.dataset.schema import TABLES

        if self._only is None:
            return self.dataset.read(name)
        if not self._only:
            return TABLES[name].arrow(tuple(self.dataset.factors)).empty_table()
        if "dialogue_id" not in TABLES[name].arrow().names:
            return self.dataset.read(name)
        row_filter = field_of("dialogue_id").isin(list(self._only))
        return pa.concat_tables([bucket.read(name).filter(row_filter) for bucket in _buckets(self.dataset)])

    def overall(
        self, find: Callable[..., Result], join: Callable[[Sequence[Result]], Result], *given: Hashable
    ) -> Result:
        """A fact about all dialogues, also where these tables are a bucket of them: found once, in each.

        Input   find: a function of a module that takes tables and what is `given`, and asks for no such fact
                itself; join: what the facts of all buckets make together, in whatever order
        """
        if (find, join, given) not in self.facts:
            everywhere = [self]
            if getattr(self.dataset, "buckets", 1) > 1:
                options: Any = {"keywords": self.keywords, "facts": self.facts}
                everywhere = (Tables(bucket, **options) for bucket in _buckets(self.dataset))
            if self._only is not None and not self._only:
                everywhere = [self]
            self.facts[find, join, given] = join([find(tables, *given) for tables in everywhere])
        return self.facts[find, join, given]

    def pairs(self, counted: Pairs | pa.Table) -> Pairs:
        """Components of a measure by dialogue."""
        if isinstance(counted, Mapping):
            return counted
        columns = [counted[name].to_pylist() for name in ("dialogue_id", "numerator", "denominator")]
        return {
            key: (numerator or 0.0, denominator or 0.0)
            for key, numerator, denominator in zip(*columns, strict=True)
        }

    def remember(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result under this key, made once; for what several measures share."""
        if key not in self._results:
            outer, self._layers = self._layers, set()
            value = make()
            self._results[key] = value, frozenset(self._layers)
            self._layers = outer
        stored, layers = self._results[key]
        self._layers |= layers
        return stored

    def forget(self) -> None:
        """Let go of what was read and remembered."""
        self._read.clear()
        self._results.clear()

    def see(self, layer: str) -> None:
        """Note that a layer of annotation was looked at."""
        self._layers.add(layer)

    def counted(self, components: Components) -> tuple[Pairs, frozenset[str]]:
        """Components of a measure, and the layers of annotation that it read on the way."""
        self._layers = set()
        pairs = self.pairs(components(self))
        return pairs, frozenset(self._layers)

    def variant(self, key: Hashable, make: Callable[[Tables], Any]) -> Tables:
        """Copy of the tables with another result under this key, without results that read annotations."""
        tables = Tables(self.dataset, keywords=self.keywords, facts=self.facts, only=self._only)
        tables._read = self._read
        tables._results = {key: entry for key, entry in self._results.items() if not entry[1]}
        tables._results[key] = make(tables), frozenset()
        return tables


def _buckets(dataset: Dataset) -> Iterator[Dataset]:
    return (dataset.bucket(number) for number in range(dataset.buckets))


Facts = dict[tuple[Callable[..., Any], Callable[..., Any], tuple[Hashable, ...]], Any]
Direction = Literal["higher", "lower"]
Origin = Literal["instrumental", "expert", "participant"]
Components = Callable[[Tables], "Pairs | pa.Table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One interaction parameter.

    components     a function over the Arrow tables of a set of whole dialogues: numerator and denominator by
                   dialogue, or a table with the columns dialogue_id, numerator, denominator and at most one
                   row a dialogue; the measure's value over any set of dialogues is the sum of numerators over
                   the sum of denominators, so those of a dialogue come from its own rows alone
    symbol         as published, empty where there is none
    unit           of the value: s, words, turns, ratio
    level          on which it is observed: utterance, turn, dialogue, goal
    origin         `instrumental` (from the log alone), `expert` (needs transcription or annotation) or
                   `participant` (what participants answered)
    direction      which way is better, None where neither is
    empty          when it is missing, in a sentence
    analysis_unit  what the denominator counts: dialogue, turn, word, exchange, goal
    needs          ways to count it, of which one will do: each names what it takes beside the turns
                   (`measures.evidence`); none: the turns do
    """

    name: str
    title: str
    meaning: str
    symbol: str = ""
    unit: str
    level: str
    family: str
    origin: Origin
    direction: Direction | None = None
    source: str
    empty: str
    analysis_unit: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    needs: Sequence[Sequence[str]] = ()
    components: Components = field(repr=False)

    @property
    def unit_symbol(self) -> str:
        """The unit as a sign: `s`, or `1` for ratios and counts."""
        return self.unit if self.unit in DIMENSIONS else "1"

    @property
    def counted(self) -> str:
        """Unit of n; the family of inferred goals names its own unit (goal, call_all, call_last)."""
        return str(self.parameters.get("unit", self.analysis_unit))

    def facts(self) -> dict[str, str | None]:
        """Everything that a catalogue lists."""
        return {
            "name": self.name,
            "symbol": self.symbol,
            "title": self.title,
            "unit": self.unit_symbol,
            "counts": self.unit,
            "level": self.level,
            "family": self.family,
            "origin": self.origin,
            "direction": self.direction,
            "source": self.source,
            "empty": self.empty,
            "meaning": self.meaning,
        }


DIMENSIONS: Final = ("s", "ms")


def _measures(offered: Any) -> list[Member[Measure]]:
    family = [offered] if isinstance(offered, Measure) else offered
    if not isinstance(family, list | tuple) or not all(isinstance(measure, Measure) for measure in family):
        raise TypeError("define a Measure, or a tuple of Measures; see docs/how-to/extend.md")
    return [(measure.name, lambda member=measure: member) for measure in family]


MEASURES: Final[Registry[Measure]] = Registry("measure", unpack=_measures)


Found = TypeVar("Found")
LARGEST: Final = 2**62


class PairColumns(Mapping[str, "Pair"]):
    """Numerators and denominators along the dialogues of the tables; a mapping of those that are there.

    there  which dialogues are; None: those whose denominator is not 0
    """

    def __init__(
        self,
        dialogue_ids: Sequence[str],
        numerators: Floats,
        denominators: Floats,
        there: np.ndarray | None = None,
    ) -> None:
        self.dialogue_ids = dialogue_ids
        self.there = denominators != 0 if there is None else there
        self.both = np.where(self.there, np.vstack([numerators, denominators]), 0.0)
        self._places: dict[str, int] | None = None

    def over_dialogues(self) -> PairColumns:
        """Copy with the same numerators and each dialogue counted once."""
        return PairColumns(self.dialogue_ids, self.both[0], self.there.astype(float), self.there)

    def __getitem__(self, key: str) -> Pair:
        if self._places is None:
            entries = zip(self.dialogue_ids, self.there.tolist(), strict=True)
            self._places = {
                dialogue_id: place for place, (dialogue_id, present) in enumerate(entries) if present
            }
        numerator, denominator = self.both[:, self._places[key]].tolist()
        return numerator, denominator

    def __iter__(self) -> Iterator[str]:
        return (
            dialogue_id
            for dialogue_id, present in zip(self.dialogue_ids, self.there.tolist(), strict=True)
            if present
        )

    def __len__(self) -> int:
        return int(self.there.sum())


def dialogue_ids(tables: Tables) -> list[str]:
    """The dialogues of the tables, in their order."""
    return tables.remember(dialogue_ids, lambda: tables.read("dialogues")["dialogue_id"].to_pylist())


def dialogue_places(tables: Tables, rows: pa.Table) -> Places:
    """The place of each row's dialogue among those of the tables; -1 where it is none of them."""

    def number() -> dict[str, int]:
        return {dialogue_id: place for place, dialogue_id in enumerate(dialogue_ids(tables))}

    places = tables.remember(dialogue_places, number)
    (codes,), row_ids = encoded(rows["dialogue_id"])
    return taken(np.array([places.get(dialogue_id, -1) for dialogue_id in row_ids], dtype=np.int64), codes)


def encoded(*columns: pa.ChunkedArray) -> tuple[list[Places], list[Any]]:
    """Columns of values as numbers, -1 for null, and the values of these numbers, each once."""
    import pyarrow as pa

    chained = pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
    if not len(chained):
        return [np.zeros(0, np.int64) for _ in columns], []
    codes = chained.combine_chunks().dictionary_encode()
    numbers = codes.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(numbers, ends), codes.dictionary.to_pylist()


def taken(values: np.ndarray, codes: Places, missing: Any = -1) -> np.ndarray:
    """The value of each number; `missing` for -1."""
    return np.append(values, missing)[codes]


def once(make: Callable[..., Found], *codes: Places) -> tuple[list[Found], Places]:
    """Value of each combination of numbers, computed once, and the combination of each row."""
    if not len(codes[0]):
        return [], np.zeros(0, np.int64)
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        low = int(code.min())
        many = int(code.max()) - low + 1
        if int(key.max()) >= LARGEST // many:  # else two combinations might become one number
            key = np.unique(key, return_inverse=True)[1]
        key = key * many + code - low
    _, firsts, group_of = np.unique(key, return_index=True, return_inverse=True)
    return [make(*row) for row in zip(*(column[firsts].tolist() for column in codes), strict=True)], group_of


def memoized(rows: pa.Table, names: Sequence[str], make: Callable[..., Found]) -> list[Found]:
    """Value computed from these columns of each row; equal rows share one object."""
    columns = [encoded(rows[name]) for name in names]
    values = [[*column_values, None] for _, column_values in columns]  # the last, -1, is null

    def of_codes(*codes: int) -> Found:
        return make(*(column_values[code] for column_values, code in zip(values, codes, strict=True)))

    unique_values, group_of = once(of_codes, *(codes for (codes,), _ in columns))
    return [unique_values[group] for group in group_of.tolist()]


def number_column(rows: pa.Table, name: str) -> Floats:
    """A column of numbers; NaN where it is null."""
    import pyarrow as pa

    return rows[name].cast(pa.float64()).to_numpy()


def sum_rows(
    tables: Tables,
    places: Places,
    tops: Floats,
    bottoms: Floats | None = None,
    *,
    also: Places | None = None,
) -> PairColumns:
    """Sums over the rows of each dialogue, in their order; a dialogue without rows is not there.

    Input   the dialogue of each row; what it adds to the numerator and, where told, to the denominator (1)
            also: dialogues that are there without rows
    """
    ids = dialogue_ids(tables)
    placed = places >= 0
    whose = places[placed]
    counts = np.bincount(whose, minlength=len(ids)).astype(float)
    below = counts if bottoms is None else np.bincount(whose, bottoms[placed], len(ids))
    present = counts > 0
    if also is not None:
        present[also[also >= 0]] = True
    above = np.bincount(whose, tops[placed], len(ids))
    return PairColumns(ids, above.astype(float), below.astype(float), present)


def places_of(tables: Tables, entries_of: Mapping[str, Sized]) -> tuple[Places, Places]:
    """The places of dialogues, and of each of what they have."""
    places = {dialogue_id: place for place, dialogue_id in enumerate(dialogue_ids(tables))}
    known_places = np.array([places.get(dialogue_id, -1) for dialogue_id in entries_of], dtype=np.int64)
    return known_places, np.repeat(known_places, [len(entries) for entries in entries_of.values()])
