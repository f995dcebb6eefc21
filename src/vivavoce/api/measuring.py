"""`measure`: interaction parameters of a dataset, each value with its interval, n and signature."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from vivavoce.api.opening import Rules, accepted, data_warnings, open_dataset
from vivavoce.api.results import Result
from vivavoce.api.rows import MeasuredValue
from vivavoce.api.wording import errors_in_python
from vivavoce.core.errors import InputError
from vivavoce.core.executor import working_on

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    from rich.console import RenderableType
    from rich.text import Text

    from vivavoce.api.rows import MeasuredValue
    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.dataset.reader import Dataset
    from vivavoce.measures import Measure


WIDEST: Final = 12


def values_table(rows: "Sequence[MeasuredValue]", groups: list[str | None], by: str) -> "Table":
    """Under each value its interval and dialogues; beyond WIDEST groups only all dialogues together.

    Input   the values of which anything was counted; the groups in their order, all together last
    """
    from rich.box import SIMPLE_HEAD
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.measures import MEASURES
    from vivavoce.reports.language import label

    columns = groups if len(groups) <= WIDEST else groups[-1:]
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(f"by {by}", overflow="fold")
    for key in columns:
        table.add_column(Text(label(key)), justify="right", overflow="fold")
    cells = {(row.measure, row.key): row for row in rows}
    titles = Counter(MEASURES.get(name).title for name in {row.measure for row in rows})
    for family in dict.fromkeys(entry.family for _, entry in MEASURES):
        family_measures = dict.fromkeys(row.measure for row in rows if row.family == family)
        if family_measures:
            table.add_section()
            table.add_row(Text(family.replace("_", " ").capitalize(), style="bold"))
        for name in family_measures:
            measure_entry = MEASURES.get(name)
            symbol = "" if measure_entry.symbol.startswith("#") else f" {measure_entry.symbol}"
            values = [_cell(cells.get((name, key)), measure_entry.unit) for key in columns]
            title = measure_entry.title if titles[measure_entry.title] == 1 else name
            table.add_row(Text(title).append(symbol, style="dim"), *values)
    return table


def _cell(row: "MeasuredValue | None", unit: str) -> "Text":
    from rich.text import Text

    from vivavoce.reports.language import amount, between, count, measured

    if not row:
        return Text(amount(None, unit))
    value, interval = measured(row.value, row.low, row.high, unit)
    text = Text(value)
    if row.open:
        bounds = between(row.lowest, row.highest, lambda value: amount(value, unit))
        text.append(f"\n{bounds}\n{count(row.open)} open", style="yellow")
    if (row.low or 0) >= 0:
        interval = interval.replace(" to ", "\u2013")  # as narrow as a terminal's columns are
    return text.append(
        "".join(f"\n{text_line}" for text_line in (interval, count(row.dialogues)) if text_line), style="dim"
    )


MOST_PLOTTED: Final = 12


@dataclass(frozen=True, eq=False, repr=False)
class Measurements(Result[MeasuredValue, dict[str, Any]]):
    """Values of measures, by group and then over all dialogues.

    by     what the groups are
    frame  the table of `vivavoce measure --csv`
    """

    by: str = ""
    frame: "pd.DataFrame" = field(kw_only=True, repr=False)

    row: ClassVar[type] = MeasuredValue

    def shown(self) -> "Iterator[RenderableType]":
        from rich.text import Text

        yield from self.table()
        yield from (Text(line, style="dim") for line in self.closing())

    def table(self) -> "Iterator[RenderableType]":
        """One table, without the sentences under it; none where nothing was counted."""

        if rows := [row for row in self.rows if row.dialogues]:
            yield values_table(rows, list(dict.fromkeys(row.key for row in self.rows)), self.by)

    def closing(self) -> Iterator[str]:
        """Notes on the table, in sentences."""
        counted = {row.measure for row in self.rows if row.dialogues}
        if any(row.low is not None for row in self.rows):
            yield ("below each value: 95% CI (clustered by participant), then the number of dialogues")
        if missing := len({row.measure for row in self.rows} - counted):
            listed = "run `vivavoce measure --list` to see what they need"
            yield f"{missing} measures are missing in every dialogue; {listed}"

    def plot(self, *only: "str | Measure", width: int = 420) -> "alt.TopLevelMixin":
        """Dots with 95 % intervals, one panel per measure, one line per group; empty values are omitted.

        Input   only: measures, symbols or families of those that were measured; all where there are few.
                width: of a panel, in pixels
        Raises  InputError: more measures than one picture shows, or none that has a value
        """
        from vivavoce.api.charts import values_chart
        from vivavoce.measures import MEASURES
        from vivavoce.measures.values import chosen

        with errors_in_python():
            selected = set(chosen(accepted(MEASURES, only) or (), place="plot()")) if only else None
        rows = [
            row
            for row in self.rows
            if row.value is not None and (selected is None or row.measure in selected)
        ]
        names = list(dict.fromkeys(row.measure for row in rows))
        if not 0 < len(names) <= MOST_PLOTTED:
            hint = "choose measures: .plot('word_error_rate'), or a family" if names else "no values to plot"
            raise InputError(f"{len(names)} measures are too many for one figure", place="plot()", hint=hint)
        return values_chart(rows, width, simulated=self.facts["simulated"])


def measure(
    dataset: "Dataset | Path | str",
    *,
    by: str = "system",
    only: "Sequence[str | Measure] | str | Measure | None" = None,
    keywords: Collection[str] | None = None,
    exclude: Rules = None,
    mixed: bool = False,
    engine: str | None = None,
) -> Measurements:
    """Compute interaction parameters of a dataset, as `vivavoce measure --only` does.

    Input   dataset: opened, or its folder. by: system, condition, participant, population, task, channel,
            language or a factor. only: measures, names, symbols, families, instrumental, expert; default all.
            keywords: words for isolated-word measures. exclude: rules such as `user_turns < 2` in place of
            the study's, or `none`. mixed: take people and simulated users together. engine: where what
            falls into pieces is done: processes, processes:N, dask, dask://HOST:PORT; here when left out
    Output  a row a measure and group, then a row a measure over all dialogues
    Empty   what is undefined is None, never 0
    Raises  InputError: no dataset, or one of people and programs; UnknownName: a grouping, measure or rule
    """
    from vivavoce.measures import MEASURES

    with errors_in_python():
        opened = open_dataset(dataset, exclude, mixed=mixed)
        with working_on(engine):
            return measurements(opened, by, accepted(MEASURES, only), keywords).in_python()


def measurements(
    opened: "Dataset", by: str, only: Sequence[str] | None, keywords: Collection[str] | None = None
) -> Measurements:
    """Measurements of an opened dataset; the command line prints and writes them."""
    from vivavoce.analysis.clustered_summary import with_intervals
    from vivavoce.analysis.flow import abandoned_words, exclusion_words, later_rules_words
    from vivavoce.analysis.summary import chosen_labels, open_disputes
    from vivavoce.measures.values import EVERYTHING, as_json, chosen, values

    names = chosen(only or [EVERYTHING])
    table = values(opened, names, by, keywords=keywords)
    table = with_intervals(opened, table, by, keywords=keywords)
    rows = tuple(_row(record) for record in table.to_dict("records"))
    messages = [
        *data_warnings(opened),
        exclusion_words(opened),
        later_rules_words(opened),
        abandoned_words(opened),
        *open_disputes(opened),
        *chosen_labels(opened),
    ]
    warnings = tuple(str(line) for line in messages if line)
    return Measurements(rows=rows, facts=as_json(opened, table, by), warnings=warnings, by=by, frame=table)


def _row(record: Any) -> MeasuredValue:
    facts: dict[str, Any] = {name: None if value != value else value for name, value in record.items()}
    facts["key"] = None if facts["key"] is None else str(facts["key"])
    for name in ("dialogues", "open", "participants"):
        facts[name] = None if facts[name] is None else int(facts[name])
    facts["whole"] = bool(facts["whole"])
    return MeasuredValue(**facts)
