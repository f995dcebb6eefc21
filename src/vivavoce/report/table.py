"""The summary as a table for the terminal."""

from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.text import Text

from vivavoce.analysis.summary import NO_DIALOGUE
from vivavoce.core.terminal import FittedTable as Table
from vivavoce.report.content import is_clustered, rate_cell, with_all
from vivavoce.report.numbers import amount, count, label
from vivavoce.report.prose import SIMULATED_MARK

RATES: Final = (
    ("subjective_success", "subjective\nsuccess"),
    ("objective_success_assigned", "objective,\nassigned"),
    ("objective_success_inferred", "objective,\ninferred"),
)


def results_table(summary: dict[str, Any]) -> Table:
    """One row a group: dialogues, participants, success rates with 95 % intervals, WER or turns a dialogue.

    Input   what `vivavoce.analysis.summary.summarise` returns
    Note    a rate of which nothing was counted has no column; what users wrote is never read as markup; where
            the terminal is too narrow cells go on in the next line, and nothing is cut
    """
    measures = summary["all"]["measures"]
    shown = [(name, heading) for name, heading in RATES if summary["all"].get(name, {}).get("n")]
    last = "word_error_rate" if measures.get("word_error_rate", {}).get("denominator") else "turns"
    heading = Text(summary["study"])
    if summary["simulated"]:
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
    table.add_column(summary["by_what"], overflow="fold")
    table.add_column("dialogues", justify="right", overflow="fold")
    table.add_column("people", justify="right", overflow="fold")
    for name, text in shown:
        table.add_column(f"{text}\nof {summary['all'][name]['unit']}s", justify="right", overflow="fold")
    table.add_column("WER" if last == "word_error_rate" else "turns", justify="right", overflow="fold")
    for row in with_all(summary):
        if row is summary["all"]:
            table.add_section()
        table.add_row(
            Text(label(row["key"])),
            count(row["dialogues"]),
            count(row["participants"]),
            *(_rate(row[name]) for name, _ in shown),
            amount(row["measures"].get(last, {}).get("value"), "ratio" if last == "word_error_rate" else ""),
        )
    return table


def _rate(rate: dict[str, Any]) -> Text:
    cell = rate_cell(rate)
    interval = [f"\n{line}" for line in cell.under[:1]]
    if rate["low"] is not None:
        return Text(cell.main, style="bold").append(
            f" of {count(rate['n'])}{interval[0]}", style="not bold dim"
        )
    return Text(cell.main).append("".join(interval), style="dim")


def _caption(summary: dict[str, Any]) -> Text:
    how = "participants as the unit" if is_clustered(summary) else "Wilson"
    words = f"under each rate its 95% interval ({how}); dataset {summary['data']}"
    none = "" if summary["excluded"]["dialogues"] else NO_DIALOGUE
    return Text(words if summary["all"]["dialogues"] else none)
