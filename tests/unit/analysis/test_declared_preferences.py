"""Comparisons of transcripts that a study declared before its data."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.judgements import QUESTIONS, judge_rows, made
from vivavoce.analysis.declared import declared_family
from vivavoce.analysis.preference_results import preference_results
from vivavoce.cli.main import app
from vivavoce.core.result import as_json
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.html import page
from vivavoce.reports.preregistration import preregistration
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.study.scaffold import write_study

FILE = "study: talk\nprotocol: guerini-2018\n"


def judged(folder: Path, wins: dict[tuple[str, str], int], people: int, file: str) -> Dataset:
    """So many people who prefer the experimental version, by variable and question."""
    variables = dict.fromkeys((variable for variable, _ in wins), 0.5)
    rows = judge_rows(people, variables)
    for row in rows:
        person = int(row["participant_id"][1:])
        experimental = person < wins[row["variable"], row["question"]]
        row["choice"] = "experimental" if experimental else "control"
    with DatasetWriter(folder, study={"name": "talk", "file": file}, source={"kind": "test"}) as writer:
        writer.add("preferences", rows)
        return writer.close()


def cells(folder: Path, alignment: int, file: str = FILE) -> list[dict]:
    """143 people; all other cells are far from even. `alignment` prefer it for ease of use."""
    wins = {("empathy", question): 111 for question in QUESTIONS}
    wins |= {("alignment", question): 96 for question in QUESTIONS} | {("alignment", "ease"): alignment}
    dataset = judged(folder, wins, 143, file)
    declared = declared_family(dataset)
    assert declared is not None
    return declared.choices


def test_the_preset_declares_the_papers_test_of_every_question(tmp_path: Path) -> None:
    found = cells(tmp_path / "data", 86)
    assert len(found) == 8
    (ease,) = (one for one in found if (one.variable, one.question) == ("alignment", "ease"))
    # 86 of 143: chi-square 5.8811, p .015304, as recomputed from the paper's table 2
    assert (ease.experimental, ease.decided) == (86, 143)
    assert ease.p == pytest.approx(0.015304, abs=1e-6) == ease.p_adjusted  # the largest of eight, by Holm
    assert ease.significant is True


def test_bonferroni_fails_the_papers_smallest_cell_and_the_exact_test_is_another(tmp_path: Path) -> None:
    bonferroni = f"{FILE}analysis: {{correction: bonferroni}}\n"
    (ease,) = (one for one in cells(tmp_path / "b", 86, bonferroni) if one.experimental == 86)
    assert ease.p_adjusted == pytest.approx(8 * 0.015304, abs=1e-5) and ease.significant is False
    exact = f"{FILE}analysis: {{preferences: {{test: exact}}}}\n"
    (ease,) = (one for one in cells(tmp_path / "e", 86, exact) if one.experimental == 86)
    assert ease.p == pytest.approx(0.018891, abs=1e-6)


def test_the_report_tells_what_was_declared_apart_from_exploration(tmp_path: Path) -> None:
    cells(tmp_path / "data", 72)
    dataset, declared = Dataset(tmp_path / "data"), ReportOptions(sections=["declared"])
    document = compose(dataset, declared)
    table = next(one for one in document.blocks(TableOfText) if one.name == "declared_choices")
    verdicts = [row.cells[-1].main for row in table.rows]
    assert verdicts.count("no significant preference") == 1 and verdicts.count("unequal preference") == 7
    assert "The study file declares no comparisons" not in page(document)


def test_the_opening_rests_on_the_declared_cells_and_names_their_family(tmp_path: Path) -> None:
    """One cell of eight differs; no variable as a whole would."""
    wins = {(variable, question): 70 for variable in ("empathy", "alignment") for question in QUESTIONS}
    dataset = judged(tmp_path / "data", wins | {("alignment", "ease"): 94}, 143, FILE)
    said = compose(dataset).answer
    # 94 of 143: chi-square (2*94-143)^2/143 = 14.161, p .000168; times 8 comparisons
    assert said[0].startswith("alignment, as declared in advance: the experimental version is preferred for")
    assert "65.7% of the choices" in said[0] and "adjusted p .001" in said[0]
    assert said[1] == "No significant preference in 7 of 8 declared comparisons of transcripts."
    assert said[2] == "Declared in advance: p is adjusted (Holm) over 8 declared comparisons."
    assert not any("No significant preference for" in one for one in said)
    italian = " ".join(compose(dataset, ReportOptions(language="it")).answer)
    assert "come dichiarato in anticipo: è preferita la versione sperimentale per facilità" in italian
    assert "7 su 8" in italian


def test_a_declared_cell_has_one_adjusted_p_in_analyse_and_report(tmp_path: Path) -> None:
    cells(
        tmp_path / "data", 86, f"{FILE}analysis: {{correction: bonferroni, preferences: {{test: exact}}}}\n"
    )
    dataset = Dataset(tmp_path / "data")
    declared = declared_family(dataset)
    assert declared is not None
    facts = preference_results(dataset)
    asked = {(one.variable, one.question): one.p_adjusted for one in declared.choices}
    assert {(one.variable, one.question): one.p_adjusted for one in facts.cells} == asked
    assert [(one.name, one.of, one.tests) for one in facts.families] == [
        ("declared", "cells", 8),
        ("explored", "variables", 2),
        ("explored", "differences", 1),
    ]
    shown = analyse(str(dataset.folder))
    assert "Declared in advance: p is adjusted (Bonferroni) over 8 declared comparisons." in shown
    assert "Exploratory, not declared: p is adjusted (Holm) over 2 variables." in shown
    told = json.loads(analyse(str(dataset.folder), "--json"))["preferences"]
    assert told["families"] == as_json(facts.families)


def test_the_terminal_names_what_each_number_of_judgements_counts(tmp_path: Path) -> None:
    rows = judge_rows(12, {"empathy": 0.8})
    rows += [row | {"role": "attention", "comparison_number": 2, "pair_id": "check"} for row in rows[:20]]
    folder = str(made(tmp_path / "data", preferences=rows).folder)
    shown = analyse(folder, "--cost", "10")
    assert "12 participants, 48 judgements; and 20 attention pairs and repeats, not in the results" in shown
    assert "ttention pairs and repeats are" in shown
    assert "0.208 per judgement" in shown and "hourly cost" not in shown  # 10 / 48; no hour has a price
    assert "hourly cost" in analyse(folder, "--hourly", "18")


def analyse(*words: str) -> str:
    result = CliRunner().invoke(app, ["analyse", *words], catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_study_without_declaration_is_exploration(tmp_path: Path) -> None:
    wins = {("empathy", question): 30 for question in QUESTIONS}
    dataset = judged(tmp_path / "data", wins, 40, "study: talk\n")
    assert declared_family(dataset) is None
    assert "Exploratory, not declared: p is adjusted (Holm) over 1 variable." in compose(dataset).answer
    assert "declared_choices" not in [one.name for one in compose(dataset).blocks(TableOfText)]


@pytest.mark.parametrize("shape", ["aspredicted", "osf"])
def test_the_preset_can_be_registered_before_anybody_comes(tmp_path: Path, shape: str) -> None:
    write_study(tmp_path / "talk", "guerini-2018", name="talk")
    text = preregistration(tmp_path / "talk", shape)
    assert "chi-square" in text
    assert "adjusted (Holm)" in text and "Systems under test" not in text
    assert "below 0.05" in text and "empathy" in text


def test_a_cell_with_few_choices_is_tested_exactly_within_the_family(tmp_path: Path) -> None:
    wins = {(variable, question): 8 for variable in ("empathy", "alignment") for question in QUESTIONS}
    few = declared_family(judged(tmp_path / "few", wins, 9, FILE))
    assert few is not None
    # 8 of 9 against an even split: 2 (9 + 1) / 512 by the binomial, .0196 by chi-square
    assert [one.p for one in few.choices] == [pytest.approx(20 / 512)] * 8
    assert [one.p_adjusted for one in few.choices] == [pytest.approx(8 * 20 / 512)] * 8
    enough = declared_family(judged(tmp_path / "enough", wins, 10, FILE))
    assert enough is not None
    # 8 of 10: chi-square 3.6
    assert [one.p for one in enough.choices] == [pytest.approx(0.057780, abs=1e-6)] * 8
