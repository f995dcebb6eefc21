"""The section on stress tests: figures as computed, transcripts side by side, nothing run as markup."""

import json
from pathlib import Path
from typing import Any

import pytest

from unit.stress.test_scores import ROWS
from vivavoce.core.statement import statement
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.html import render
from vivavoce.reports.section import ReportOptions, compose
from vivavoce_stress.base import STRESS_TESTS
from vivavoce_stress.blocks import EARLIER
from vivavoce_stress.evidence import Evidence


def transcript(*said: str) -> str:
    turns = [
        {"party": "user" if place % 2 == 0 else "system", "text": text, "injected": place == 0}
        for place, text in enumerate(said)
    ]
    return json.dumps(turns)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    told = {
        "clean_transcript": transcript("a cheap pub", "Which area?"),
        "transcript": transcript("a chaep <b>pub</b>", "Pardon?", "a cheap pub", "Which area?"),
    }
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("stress", [row | told for row in ROWS])
    return Dataset(tmp_path)


def tables(dataset: Dataset, **options: Any) -> list[TableOfText]:
    return compose(dataset, ReportOptions(sections=("stress",), **options)).blocks(TableOfText)


def test_the_section_gives_every_test_group_and_language_its_ratio(dataset: Dataset) -> None:
    table = tables(dataset)[0]
    by = {row.heading: row for row in table.rows}
    assert {"ST-2", "ST-5", "ST-9", "spelling", "lexical", "syntactic", "en"} <= set(by)
    assert by["ST-5"].cells[2].main == "50.0%"
    assert by["ST-2"].cells[2].main == "66.7% to 77.8%"  # 6 of 9, should the open case fail; else 7 of 9
    assert {"6 of 8", "1 open"} <= set(by["ST-2"].cells[2].under)
    assert by["ST-9"].cells[1].main == "1"
    assert len(table.signatures) == 3


def test_a_test_is_called_as_it_was_registered_when_it_ran(tmp_path: Path) -> None:
    told = {"ST-5": "Rare words", "MINE": "My own test"}
    rows = [row | {"test": "MINE"} if row["test"] == "ST-2" else row for row in ROWS]
    study = {"name": "s", "stress_tests": told}
    with DatasetWriter(tmp_path, study=study, source={"kind": "test"}) as writer:
        writer.add("stress", rows)
    named = {row.heading: row.under for row in tables(Dataset(tmp_path))[0].rows}
    assert (named["MINE"], named["ST-5"], named["ST-9"]) == (
        ("My own test",),
        ("Rare words",),
        ("Order of nouns and adjectives",),
    )
    assert (named["lexical"], named["en"]) == (("Words",), ())


def test_tests_of_datasets_without_titles_are_called_as_they_are_today(dataset: Dataset) -> None:
    assert {name: STRESS_TESTS.get(name).title for name in EARLIER} == EARLIER
    assert {row.heading: row.under for row in tables(dataset)[0].rows}["ST-2"] == ("Misspelled words",)


def test_what_failed_stands_beside_the_original_turn_by_turn(dataset: Dataset) -> None:
    side = tables(dataset)[1]
    assert [cell.main for cell in side.columns] == ["Turn", "With the original", "With the variant"]
    assert [cell.main for cell in side.rows[0].cells] == ["a cheap pub", "a chaep <b>pub</b>"]
    assert side.rows[0].cells[0].strong
    assert [len(row.cells) for row in side.rows] == [2, 2, 2, 2]
    assert "ST-2" in side.caption and "why" in side.caption


def test_words_of_users_are_never_markup_and_can_be_left_out(dataset: Dataset) -> None:
    page = render(dataset, options=ReportOptions(sections=("stress",)))
    assert "chaep &lt;b&gt;pub" in page and "<b>pub" not in page
    assert len(tables(dataset, redact=True)) == 1


def test_a_dataset_without_stress_tests_has_no_such_section(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}):
        pass
    assert "stress" not in [one.name for one in compose(Dataset(tmp_path)).sections]


def test_reasons_are_said_in_the_readers_language_with_the_words_of_the_bot(tmp_path: Path) -> None:
    """By code and values; those that earlier versions stored as sentences still read."""
    because = statement(
        "{k} of {n} replays passed; {reason}", k=0, n=3, reason=Evidence("not_understood", "Eh?").reason
    )
    told = {"clean_transcript": transcript("a", "b"), "transcript": transcript("a", "Eh?")}
    new = {"reason": str(because), "why": json.dumps(because.facts())}
    old = {"reason": "2 of 3 replays passed; the system gave no answer: timeout: t"}
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "stress", [row | told | new if row["verdict"] == "fail" else row | told | old for row in ROWS]
        )
    dataset = Dataset(tmp_path)
    assert "0 of 3 replays passed; the system says that it did not understand: “Eh?”" in said_of(dataset)
    italian = said_of(dataset, language="it")
    assert "0 prove su 3 superate; il sistema dice di non aver capito: «Eh?»" in italian
    assert "2 prove su 3 superate; il sistema non ha risposto: timeout: t" in italian


def said_of(dataset: Dataset, **options: Any) -> str:
    return "\n".join(one.caption for one in tables(dataset, **options))


def test_the_first_page_says_what_waits_and_where_it_is_judged(dataset: Dataset) -> None:
    document = compose(dataset, ReportOptions(sections=("stress",)))
    told = " ".join(document.before)
    assert "bot: 1 stress test waits for a person's verdict." in told
    assert "http://127.0.0.1:8001/stress/verdicts" in told
    assert "1 stress test aspetta il verdetto di una persona" in " ".join(
        compose(dataset, ReportOptions(sections=("stress",), language="it")).before
    )
    page = render(dataset, options=ReportOptions(sections=("stress",)))
    assert '<a href="http://127.0.0.1:8001/stress/verdicts"' in page
    assert (
        "8 of 12 decided cases passed; without a verdict: 1" in page and "61.5%" in page and "69.2%" in page
    )
