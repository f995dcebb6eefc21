"""Cells of CSV files: read back as they were, and never a formula."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dataset.csv_files import export_csv, read_csv_cell, safe_csv_cell
from vivavoce.dataset.writer import DatasetWriter


@given(
    st.none()
    | st.text()
    | st.sampled_from("=+-@\t\r\n\0＝＋－＠'").flatmap(lambda c: st.text().map(c.__add__))
)
def test_a_csv_cell_reads_back_and_never_begins_a_formula(text: str | None) -> None:
    cell = safe_csv_cell(text)
    assert read_csv_cell(cell) == text
    assert not cell.startswith(tuple("=+-@\t\r\n\0＝＋－＠"))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("thai;=HYPERLINK(1)", "thai;'=HYPERLINK(1)"),
        ("thai\n=1+1", "thai\n'=1+1"),
        ("thai; '@SUM(1)", "thai; ''@SUM(1)"),
        ("a=b; c-d\n\n- e", "a=b; c-d\n\n'- e"),
    ],
)
def test_no_formula_stands_behind_a_semicolon_or_a_line_where_those_separate_cells(
    text: str, cell: str
) -> None:
    assert safe_csv_cell(text) == cell
    assert read_csv_cell(cell) == text


@given(st.text(alphabet=";\n\t '=-@xＡ＝", max_size=12))
def test_a_cell_with_semicolons_and_lines_reads_back(text: str) -> None:
    cell = safe_csv_cell(text)
    assert read_csv_cell(cell) == text
    split = re.split(r"[;\t\r\n]", cell)
    assert not any(part.strip().startswith(tuple("=+-@＝＋－＠")) for part in split[1:])


def test_texts_of_any_length_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([safe_csv_cell("x" * 1_000_000)])
    with path.open(encoding="utf-8", newline="") as file:
        assert [len(cell) for cell in next(csv.reader(file))] == [1_000_000]


@given(
    st.lists(st.none() | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1)
)
def test_a_whole_csv_reads_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str | None]) -> None:
    folder = tmp_path_factory.mktemp("csv")
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "turns",
            (
                {"dialogue_id": "d", "turn_index": number, "party": "user", "text": text}
                for number, text in enumerate(texts)
            ),
        )
    export_csv(folder, folder)
    with (folder / "turns.csv").open(encoding="utf-8", newline="") as file:
        assert [read_csv_cell(row["text"]) for row in csv.DictReader(file)] == texts
