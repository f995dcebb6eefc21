"""A measure: a named value with all facts about itself, and the tables it reads."""

from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

import ibis
import pyarrow as pa

from vivavoce.core.registry import Registry
from vivavoce.log.dataset import Dataset
from vivavoce.log.schema import TABLES

Result = TypeVar("Result")


class Tables:
    """The dataset's tables as Ibis expressions on DuckDB.

    A table or column that the dataset lacks is there with no rows or with nulls.

    keywords   words that the keyword measures look at; None: those of the domain's values
    """

    def __init__(self, dataset: Dataset, *, keywords: Collection[str] | None = None) -> None:
        self.dataset = dataset
        self.keywords = keywords
        self.engine = ibis.duckdb.connect()
        self._tables: dict[str, ibis.Table] = {}
        self._results: dict[Hashable, Any] = {}

    def __getitem__(self, name: str) -> ibis.Table:
        if name not in self._tables:
            self._tables[name] = self._open(name)
        return self._tables[name]

    def _open(self, name: str) -> ibis.Table:
        path = self.dataset.path(name)
        if not path.is_file():
            return ibis.memtable(TABLES[name].arrow().empty_table())
        table = self.engine.read_parquet(path, table_name=name)
        schema = ibis.Schema.from_pyarrow(TABLES[name].arrow())
        absent = {column: ibis.null(kind) for column, kind in schema.items() if column not in table.columns}
        return table.mutate(**absent) if absent else table

    def rows(self, expression: ibis.Table | pa.Table) -> pa.Table:
        """Run a query; what was counted already stands as it is."""
        return expression if isinstance(expression, pa.Table) else self.engine.to_pyarrow(expression)

    def remember(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result under this key, made once; for what several measures share."""
        if key not in self._results:
            self._results[key] = make()
        return self._results[key]

    def close(self) -> None:
        """Give back the engine's connection."""
        self.engine.disconnect()


Direction = Literal["higher", "lower"]
Components = Callable[[Tables], ibis.Table | pa.Table]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One interaction parameter.

    components     yields dialogue_id, numerator, denominator: at most one row a dialogue; the measure's value
                   over any set of dialogues is the sum of numerators over the sum of denominators
    symbol         as published, empty where there is none
    unit           of the value: s, words, turns, ratio
    level          on which it is observed: utterance, turn, dialogue, goal
    origin         `instrumental` (from the log alone) or `expert` (needs transcription or annotation)
    direction      which way is better, None where neither is
    empty          when it is missing, in a sentence
    analysis_unit  what the denominator counts: dialogue, turn, word, exchange, goal
    """

    name: str
    title: str
    meaning: str
    symbol: str = ""
    unit: str
    level: str
    family: str
    origin: Literal["instrumental", "expert"]
    direction: Direction | None = None
    source: str
    empty: str
    analysis_unit: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    components: Components = field(repr=False)

    @property
    def unit_symbol(self) -> str:
        """The unit as a sign: `s`, or `1` for ratios and counts."""
        return self.unit if self.unit in DIMENSIONS else "1"

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
MEASURES: Registry[Measure] = Registry("measure")
