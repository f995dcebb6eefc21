"""The summary as a table for the terminal."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.text import Text

from vivavoce.analysis.summary import NO_DIALOGUE
from vivavoce.core.terminal import FittedTable as Table
from vivavoce.measures import MEASURES
from vivavoce.reports.language import amount, count, difference, differences, label, p_value
from vivavoce.reports.rate_tables import abandoned, is_clustered, rate_cell, with_all
from vivavoce.reports.section import SIMULATED_MARK
from vivavoce.stats.declared_results import DeclaredComparison
from vivavoce.stats.summary_results import GroupTest, SuccessRate, Summary

MOST_PAIRS: Final = 30
SIDES: Final = "Differences: the first minus the second, those of rates in percentage points."
RATES: Final = (
    ("subjective_success", "subjective\nsuccess"),
    ("objective_success_assigned", "objective,\nassigned"),
    ("objective_success_inferred", "objective,\ninferred"),
)


class _Line(NamedTuple):
    """A comparison as the terminal shows it."""

    family: str
    measure: str
    a: str | None
    b: str | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool | None

    @classmethod
    def declared(cls, comparison: DeclaredComparison) -> "_Line":
        return cls(
            "declared",
            comparison.measure,
            comparison.a,
            comparison.b,
            comparison.difference,
            comparison.low,
            comparison.high,
            comparison.p,
            comparison.p_adjusted,
            comparison.significant,
        )

    @classmethod
    def explored(cls, test: GroupTest) -> "_Line":
        side = test.decisive
        return cls(
            "explored",
            test.measure,
            test.a,
            test.b,
            side.difference,
            side.low,
            side.high,
            side.p,
            side.p_adjusted,
            test.significant,
        )


def results_table(summary: Summary) -> Table:
    """One row a group: dialogues, participants, success rates with 95 % intervals, WER or turns a dialogue.

    Input   what `vivavoce.analysis.summary.summarise` returns
    Note    a rate of which nothing was counted has no column; what users wrote is never read as markup; where
            the terminal is too narrow cells go on in the next line, and nothing is cut
    """
    headings = [
        (name, heading) for name, heading in RATES if (rate := summary.all.rates.get(name)) and rate.n
    ]
    last = "word_error_rate" if summary.all.counted("word_error_rate") else "turns"
    heading = Text(summary.study)
    if summary.simulated:
        heading.append(f"  {SIMULATED_MARK}", style="bold black on yellow")
    table = Table(
        title=heading,
        title_justify="left",
        caption=_caption(summary),
        caption_justify="left",
        header_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column(summary.by_what, overflow="fold")
    table.add_column("dialogues", justify="right", overflow="fold")
    table.add_column("people", justify="right", overflow="fold")
    for name, text in headings:
        table.add_column(f"{text}\nof {summary.all.rates[name].unit}s", justify="right", overflow="fold")
    table.add_column("WER" if last == "word_error_rate" else "turns", justify="right", overflow="fold")
    for row in with_all(summary):
        if row is summary.all:
            table.add_section()
        table.add_row(
            Text(label(row.key)),
            "\n".join((count(row.dialogues), *abandoned(row.abandoned))),
            count(row.participants),
            *(_rate(row.rates[name]) for name, _ in headings),
            amount(row.measures[last].value, "ratio" if last == "word_error_rate" else ""),
        )
    return table


def comparisons(summary: Summary, *, most: int = MOST_PAIRS) -> Sequence[Table | Text]:
    """A row a comparison that belongs to a family, what was declared first, then the families in words.

    Note    beyond `most` rows those that differ alone, and how many more there are
    Empty   nothing was declared or tested: []
    """
    letters = {family.name: letter for family, letter in zip(summary.families, ascii_lowercase, strict=False)}
    declared = summary.declared.results if summary.declared else ()
    explored = [test for test in summary.tests if test.family == "explored"]
    lines = [*(_Line.declared(declaration) for declaration in declared), *map(_Line.explored, explored)]
    selected = lines if len(lines) <= most else [line for line in lines if line.significant]
    notes = [Text(f"{letters[family.name]}  {family.why}", style="dim") for family in summary.families]
    if len(selected) < len(lines):
        notes.insert(0, Text(f"{len(lines) - len(selected)} more show no difference; --json has them all."))
    if not selected:
        return notes
    notes.insert(0, Text(SIDES, style="dim"))
    table = Table(header_style="bold", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for place, heading in enumerate(("compared", "pair", "difference", "95%", "p", "p (adjusted)")):
        table.add_column(heading, justify="left" if place < 2 else "right", overflow="fold")
    for selected_line in selected:
        table.add_row(*_compared(selected_line, letters[selected_line.family]))
    return [table, *notes]


def _compared(line: _Line, letter: str) -> list[Text]:
    """Measure, pair, difference, interval, p, adjusted p with its family's letter; bold where it differs."""
    measure = MEASURES.get(line.measure) if line.measure in MEASURES else None
    unit = measure.unit if measure else ""
    interval = differences(line.low, line.high, unit)
    adjusted = Text(p_value(line.p_adjusted), style="bold" if line.significant else "")
    return [
        Text(measure.title if measure else line.measure.replace("_", " ").capitalize()),
        Text(f"{label(line.a)} \u2013 {label(line.b)}"),
        Text(difference(line.difference, unit)),
        Text(interval),
        Text(p_value(line.p)),
        adjusted.append(f" {letter}", style="not bold"),
    ]


def _rate(rate: SuccessRate) -> Text:
    cell = rate_cell(rate)
    interval = [f"\n{line}" for line in cell.under[:1]]
    if rate.low is not None:
        return Text(cell.main, style="bold").append(f" of {count(rate.n)}{interval[0]}", style="not bold dim")
    return Text(cell.main).append("".join(interval), style="dim")


def _caption(summary: Summary) -> Text:
    how = "participants as the unit" if is_clustered(summary) else "Wilson"
    words = f"under each rate its 95% CI ({how}); dataset {summary.data}"
    none = "" if summary.excluded["dialogues"] else str(NO_DIALOGUE)
    return Text(words if summary.all.dialogues else none)
