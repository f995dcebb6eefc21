"""The report on a comparison of transcripts: a dataset of choices alone makes a whole report."""

import json
from pathlib import Path

import pytest

from scenes.judgements import judge_rows, made, person_row
from vivavoce.analysis.preference_results import preference_results
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.blocks import Bullets, TableOfText
from vivavoce.reports.drawing import Figure
from vivavoce.reports.html import render
from vivavoce.reports.section import ReportOptions, compose


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    people = [person_row(number) for number in range(80)]
    rows = judge_rows(80, {"empathy": 0.8, "formality": 0.2, "pace": 0.5}, ties=0.1, seed=3)
    return made(tmp_path / "data", preferences=rows, participants=people)


def test_choices_alone_make_a_report_with_the_answer_first(dataset: Dataset) -> None:
    document = compose(dataset)
    assert document.lead == "960 judgements of pairs of transcripts by 80 participants."
    assert document.answer[0].startswith("empathy: ")
    assert "control version" in document.answer[1]
    assert "No significant preference for pace." in document.answer
    assert document.mark == "SIMULATED"
    assert not any("no dialogue" in one for one in document.before)
    assert [one.name for one in document.sections] == ["preferences", "effort", "run"]


def test_every_share_in_the_table_is_that_of_the_experimental_version(dataset: Dataset) -> None:
    table = next(one for one in compose(dataset).blocks(TableOfText) if one.name == "preferences")
    rows = {row.heading: row.cells for row in table.rows}
    assert len(rows["formality"]) == 4 + 1 + 2
    shares = {name: [float(cell.main.rstrip("%")) for cell in cells] for name, cells in rows.items()}
    assert max(shares["formality"]) < 40
    assert min(shares["empathy"]) > 60
    limits = [cell.under[0].split(" to ") for cells in rows.values() for cell in cells]
    shown = [share for each in shares.values() for share in each]
    assert all(float(low) <= one <= float(high) for one, (low, high) in zip(shown, limits, strict=True))
    assert {where for where, _ in table.signatures} >= {"empathy", "empathy, ease"}


def test_the_shares_are_drawn_with_their_intervals_and_a_line_at_one_half(dataset: Dataset) -> None:
    (drawn,) = [one for one in compose(dataset).blocks(Figure) if one.name == "preferences"]
    spec = json.dumps(drawn.spec)
    for row in preference_results(dataset).cells:
        assert json.dumps(row.ratio)[:8] in spec
        assert json.dumps(row.low)[:8] in spec
    assert '"half": 0.5' in spec
    assert "formality, satisfaction: " in drawn.alternative
    assert drawn.printed.startswith("<svg")
    (italian,) = [
        one
        for one in compose(dataset, ReportOptions(language="it")).blocks(Figure)
        if one.name == "preferences"
    ]
    assert "soddisfazione" in italian.alternative


def test_a_version_that_everybody_prefers_is_told_as_preferred(tmp_path: Path) -> None:
    document = compose(made(tmp_path / "all", preferences=judge_rows(30, {"empathy": 1.5})))
    assert document.answer[0].startswith("empathy: 100.0% of the choices preferred the experimental version")


def test_how_strongly_is_told_where_it_was_asked_and_only_there(dataset: Dataset, tmp_path: Path) -> None:
    assert "preference_strength" not in [one.name for one in compose(dataset).blocks(TableOfText)]
    rows = judge_rows(40, {"empathy": 0.9}, ties=0.1, seed=5)
    for place, row in enumerate(rows):
        row["strength"] = None if row["choice"] == "tie" else 1 + place % 3
    strong = made(tmp_path / "strong", preferences=rows)
    table = next(one for one in compose(strong).blocks(TableOfText) if one.name == "preference_strength")
    assert {row.group for row in table.rows} == {"empathy"}
    assert len(table.rows) == 4 + 1
    assert float(table.rows[-1].cells[0].main) > 0.5
    assert dict(table.signatures)["empathy"].startswith("preference_strength|")
    page = render(strong, options=ReportOptions(language="it"))
    assert "Forza della preferenza" in page


def test_the_report_tells_what_may_have_swayed_the_choices(dataset: Dataset) -> None:
    said = " ".join(" ".join(one.items) for one in compose(dataset).blocks(Bullets))
    for phrase in ("Cochran's Q", "side bias", "by position in the order", "Time per judgement"):
        assert phrase in said
    names = [one.name for one in compose(dataset).blocks(TableOfText)]
    assert names[:4] == ["preferences", "preference_tests", "preference_differences", "preference_ties"]


def test_the_report_on_choices_is_written_in_italian_too(dataset: Dataset) -> None:
    page = render(dataset, options=ReportOptions(language="it"))
    for phrase in ("Preferenze per domanda", "soddisfazione", "versione di controllo", "Rao e Kupper"):
        assert phrase in page
