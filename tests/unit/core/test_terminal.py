"""Tables in terminals: words stay whole at every width, and every cell can be read."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.text import Text

from vivavoce.core.terminal import FittedTable

WORDS = ["subjective", "success", "restaurant-nbest-template-2026", "S0A0", "1\u202f300", "91.3%", "of", "x"]


def printed(table: FittedTable, width: int) -> str:
    out = StringIO()
    Console(file=out, width=width, color_system=None).print(table)
    return out.getvalue()


def made(head: list[str], rows: list[list[str]]) -> FittedTable:
    table = FittedTable(*head, box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), title="A title")
    for row in rows:
        table.add_row(Text(row[0], style="bold"), *row[1:])
    return table


@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=4, max_size=4),
    st.integers(34, 160),
)
def test_no_word_is_broken_or_lost_at_any_width(cells: list[str], width: int) -> None:
    text = printed(made(["measure", "pair", "difference", "(adjusted)"], [cells, cells]), width)
    words = [word for cell in cells for word in cell.replace("\u202f", "").split()]
    assert all(text.count(word) >= 2 for word in words)
    assert "difference" in text and "(adjusted)" in text
    assert all(len(line) <= width for line in text.splitlines())


def test_a_table_that_fits_is_a_table_and_one_that_does_not_is_a_block_a_row() -> None:
    rows = [["subjective success", "S0A0", "-0.022", ".394"], ["objective success", "S1A1", "", "1"]]
    head = ["measure", "system", "difference", "p"]
    assert "subjective success  S0A0" in " ".join(printed(made(head, rows), 80).split("\n"))
    narrow = printed(made(head, rows), 30).splitlines()
    assert [line.rstrip() for line in narrow] == [
        "A title",
        "subjective success",
        "  system: S0A0",
        "  difference: -0.022",
        "  p: .394",
        "objective success",
        "  system: S1A1",
        "  p: 1",
    ]


@pytest.mark.parametrize("width", [80, 40])
def test_thousands_are_not_parted_by_a_line(width: int) -> None:
    assert "1300" in printed(made(["a", "n"], [["all", "1\u202f300"]]), width)
