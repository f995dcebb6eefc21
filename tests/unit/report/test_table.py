"""The terminal's table of results."""

from io import StringIO

from rich.console import Console

from vivavoce.analysis.summary import summarise
from vivavoce.reports.language import span
from vivavoce.reports.table import results_table


def printed(summary, width: int = 80) -> str:
    console = Console(file=StringIO(), width=width, color_system=None)
    console.print(results_table(summary))
    return console.file.getvalue()


def test_each_group_has_its_counts_and_rates_with_intervals(make):
    summary = summarise(make(), "system")
    text = printed(summary)
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("alpha", "beta", "all"))] == [
        "alpha",
        "beta",
        "all",
    ]
    assert "75.0% of 20" in text
    (alpha, _) = summary.by
    clustered = alpha.rates["subjective_success"].clustered
    assert span(clustered.low, clustered.high) in text
    assert "participants" in text[text.index("under each rate") :]
    assert "SIMULATED" not in text


def test_simulated_results_are_marked_in_the_title(make):
    assert "SIMULATED" in printed(summarise(make(simulated=True), "system")).splitlines()[0]


def test_nothing_is_cut_at_eighty_columns(make):
    assert "…" not in printed(summarise(make(), "system"))


def test_a_narrow_terminal_folds_cells_and_cuts_nothing(make):
    text = printed(summarise(make(), "system"), 50)
    assert "…" not in text and max(map(len, text.splitlines())) <= 50
    words = set(text.split())
    assert {"20", "75.0%"} <= words and "alpha" in text


def test_names_in_brackets_are_no_markup(make):
    text = printed(summarise(make(systems=("[red]alpha[/red]", "[/]beta"), study="[bold]x"), "system"), 120)
    assert "[red]alpha[/red]" in text
    assert "[/]beta" in text
    assert "[bold]x" in text


def test_rates_without_any_case_have_no_column(make):
    text = printed(summarise(make(rated=False), "system"))
    assert "subjective" not in text
    assert "turns" in text


def test_an_empty_dataset_is_named_empty(make):
    assert "has no dialogues" in printed(summarise(make(dialogues=0), "system"))
