"""The report on a comparison of transcripts: a dataset of choices alone makes a whole report."""

from pathlib import Path

import pytest

from scenes.judgements import judge_rows, made, person_row
from vivavoce.log.dataset import Dataset
from vivavoce.report.blocks import Bullets, TableOfText
from vivavoce.report.document import compose
from vivavoce.report.html import render
from vivavoce.report.material import Options


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    people = [person_row(number) for number in range(80)]
    rows = judge_rows(80, {"empathy": 0.8, "formality": 0.2, "pace": 0.5}, ties=0.1, seed=3)
    return made(tmp_path / "data", preferences=rows, participants=people)


def test_choices_alone_make_a_report_with_the_answer_first(dataset: Dataset) -> None:
    document = compose(dataset)
    assert document.lead == "960 judgements between two transcripts, by 80 participants."
    assert document.answer[0].startswith("empathy: ")
    assert "fell on the control version" in document.answer[1]
    assert "No preference could be shown for pace." in document.answer
    assert document.mark == "SIMULATED"
    assert not any("no dialogue" in one for one in document.before)
    assert [one.name for one in document.sections] == ["preferences", "effort", "run"]


def test_the_table_prints_the_control_s_share_with_a_star(dataset: Dataset) -> None:
    table = next(one for one in compose(dataset).blocks(TableOfText) if one.name == "preferences")
    rows = {row.heading: [cell.main for cell in row.cells] for row in table.rows}
    assert len(rows["formality"]) == 4 + 1 + 2
    assert all(shown.endswith("*") for shown in rows["formality"])
    assert not any("*" in shown for shown in rows["empathy"])
    assert float(rows["formality"][4].rstrip("%*")) > 70
    assert {where for where, _ in table.signatures} >= {"empathy", "empathy, ease"}


def test_the_report_tells_what_may_have_swayed_the_choices(dataset: Dataset) -> None:
    said = " ".join(" ".join(one.items) for one in compose(dataset).blocks(Bullets))
    for phrase in ("Cochran's Q", "leaning to the left", "by place in the order", "A judgement took"):
        assert phrase in said
    names = [one.name for one in compose(dataset).blocks(TableOfText)]
    assert names[:4] == ["preferences", "preference_tests", "preference_differences", "preference_ties"]


def test_the_report_on_choices_is_written_in_italian_too(dataset: Dataset) -> None:
    page = render(dataset, options=Options(language="it"))
    for phrase in ("Che cosa è stato preferito", "soddisfazione", "versione di controllo", "Rao e Kupper"):
        assert phrase in page
