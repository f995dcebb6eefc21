"""Cells that are read as numbers: read, told to stand for one, or refused; none is lost without a word."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenes.command_line import vivavoce
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.importers.base import IMPORTERS

MAPPING = """rows: turn
columns:
  {dialogue: case, speaker: who, text: said, system: release, subjective_success: solved, ratings: [mark]%s}
parties: {guest: user, desk: system}
%s"""
Rated = list[tuple[str, float | None, str]]
Rate = Callable[..., Rated]


@pytest.fixture
def rated(tmp_path: Path) -> Rate:
    """What the dataset has of ratings, given what the rows of the file say of success, and of the mark."""

    def made(*answers: tuple[str, str], columns: str = "", more: str = "", extra: str = "") -> Rated:
        rows = [f"{n},guest,Two tickets,one,{solved};{mark}" for n, (solved, mark) in enumerate(answers)]
        lines = ["case,who,said,release,solved;mark" + (";note" if extra else "")]
        lines += [row + (f";{extra}" if extra else "") for row in rows]
        log, mapping = tmp_path / "log.csv", tmp_path / "mapping.yaml"
        log.write_text("\n".join(lines).replace(";", "\t").replace(",", "\t") + "\n", encoding="utf-8")
        mapping.write_text(MAPPING % (columns, more), encoding="utf-8")
        result = IMPORTERS.get("table").make_dataset([log], tmp_path / "dataset", mapping=mapping)
        read: list[dict[str, Any]] = result.dataset.everything.read("ratings").to_pylist()
        return [(row["item_id"], row["value"], row["answer"]) for row in read]

    return made


def test_yes_and_no_and_numbers_need_no_telling(rated: Rate) -> None:
    assert rated(("yes", "4"), ("No", "2.5")) == [
        ("solved", 1, "yes"),
        ("mark", 4, "4"),
        ("solved", 0, "No"),
        ("mark", 2.5, "2.5"),
    ]


def test_a_word_is_the_number_that_the_mapping_says_or_no_answer(rated: Rate) -> None:
    told = "answers: {solved: {sì: 1, no: 0, boh: null}, mark: {buono: 4}}"
    assert rated(("sì", "buono"), ("no", "3"), ("boh", ""), more=told) == [
        ("solved", 1, "sì"),
        ("mark", 4, "buono"),
        ("solved", 0, "no"),
        ("mark", 3, "3"),
        ("solved", None, "boh"),
    ]


@pytest.mark.parametrize("word", ["si", "Y", "ok", "success", "nan", "inf", "1 of 2"])
def test_a_word_that_nobody_explained_stops_the_import_before_anything_is_written(
    rated: Rate, tmp_path: Path, word: str
) -> None:
    with pytest.raises(InputError, match=r"log\.csv:3: .* number.*answers"):
        rated(("yes", "3"), (word, "4"))
    assert not (tmp_path / "dataset").exists()


def test_a_comma_in_a_number_is_read_where_the_mapping_says_so(rated: Rate, tmp_path: Path) -> None:
    file, mapping = tmp_path / "log.csv", tmp_path / "mapping.yaml"
    file.write_text("case;who;said;release;solved;mark\n1;guest;Hello;one;yes;3,5\n", encoding="utf-8")
    mapping.write_text(MAPPING % ("", ""), encoding="utf-8")
    importer = IMPORTERS.get("table")
    with pytest.raises(InputError, match=r"'3,5' in column 'mark' .*decimal: ','"):
        importer.make_dataset([file], tmp_path / "dataset", mapping=mapping)
    mapping.write_text(MAPPING % ("", "decimal: ','"), encoding="utf-8")
    found = importer.make_dataset([file], tmp_path / "dataset", mapping=mapping).dataset.everything
    assert found.read("ratings")["value"].to_pylist() == [1, 3.5]


def test_words_are_kept_as_words_where_the_column_is_of_comments(rated: Rate) -> None:
    assert rated(("yes", "4"), columns=", comments: [note]", extra="too slow") == [
        ("solved", 1, "yes"),
        ("mark", 4, "4"),
        ("note", None, "too slow"),
    ]


def test_a_dialogue_that_says_both_is_named_and_left_out(tmp_path: Path) -> None:
    file, mapping = tmp_path / "log.csv", tmp_path / "mapping.yaml"
    rows = ["1,guest,Hello,one,yes,", "1,desk,Hello,one,,", "2,guest,Hello,one,yes,", "2,desk,Hello,one,no,"]
    file.write_text("\n".join(["case,who,said,release,solved,mark", *rows, ""]), encoding="utf-8")
    mapping.write_text(MAPPING % ("", ""), encoding="utf-8")
    result = IMPORTERS.get("table").make_dataset([file], tmp_path / "dataset", mapping=mapping)
    assert result.dataset.everything.read("dialogues")["dialogue_id"].to_pylist() == ["1"]
    (problem,) = result.skipped
    assert (
        "'solved' is 'yes' at" in str(problem)
        and "and 'no' at" in str(problem)
        and "log.csv:5" in str(problem)
    )


def test_answers_of_a_column_that_is_no_number_are_a_mistake_of_the_mapping(rated: Rate) -> None:
    with pytest.raises(InputError, match=r"answers\.release does not refer to a numeric column"):
        rated(("yes", "4"), more="answers: {release: {one: 1}}")


ITALIAN = """dialogo;turno;ora;testo;sistema;partecipante;successo;voto
d1;utente;2026-01-03 10:00:00;Cerco un pub;alfa;p1;s\u00ec;3,5
d1;sistema;2026-01-03 10:00:05;Il Toro;alfa;p1;s\u00ec;3,5
d2;Utente;2026-01-03 11:00:00;Un bar;beta;p2;no;2,0
d2;Sistema;2026-01-03 11:00:05;Non lo so;beta;p2;no;2,0
"""


def test_a_table_with_italian_columns_is_guessed_and_imported_as_it_was_guessed(tmp_path: Path) -> None:
    table, mapping = tmp_path / "prove.csv", tmp_path / "mapping.yaml"
    table.write_text(ITALIAN, encoding="utf-8")
    assert vivavoce("import", "table", table, "--guess", mapping).returncode == 0
    vivavoce("import", "table", table, "--mapping", mapping, "--into", tmp_path / "D")
    dataset = Dataset(tmp_path / "D")
    dialogues = dataset.read("dialogues").to_pylist()
    assert [(one["system"], one["reward"]) for one in dialogues] == [("alfa", 1.0), ("beta", 0.0)]
    assert len({one["participant_id"] for one in dialogues} - {None}) == 2
    assert {one["party"] for one in dataset.read("turns").to_pylist()} == {"user", "system"}
    assert sorted(one["value"] for one in dataset.read("ratings").to_pylist()) == [2.0, 3.5]


def test_what_is_left_out_for_one_reason_is_one_line_with_a_count_and_the_first_place(tmp_path: Path) -> None:
    file, mapping = tmp_path / "log.csv", tmp_path / "mapping.yaml"
    rows = ["1,guest,Hello,one,yes,", *[f",guest,Hello {one},one,yes," for one in range(20)], "2,guest,Hello"]
    file.write_text("\n".join(["case,who,said,release,solved,mark", *rows, ""]), encoding="utf-8")
    mapping.write_text(MAPPING % ("", ""), encoding="utf-8")
    told = vivavoce("import", "table", file, "--mapping", mapping, "--into", tmp_path / "D").stderr
    lines = [one for one in told.splitlines() if one.startswith("skipped")]
    assert lines == [
        f"skipped 20 identical problems, the first at {file}:3: no 'case': the row belongs to no dialogue",
        f"skipped {file}:23: too few cells",
    ]
    assert "21 skipped" in told
