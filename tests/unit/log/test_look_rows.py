"""Looks of a stopping rule, from the log over the dataset into the report."""

from pathlib import Path

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import TRIAL, InterimAnalysisRun, LoggedVerdict, VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.sections.declared.section import looks_blocks


def look(number: int, stop: str | None, *, study: str = "city", rule: str = "pocock") -> InterimAnalysisRun:
    verdict = LoggedVerdict(
        a="nbest", b="onebest", difference=0.12, low=-0.01, high=0.25, statistic=2.5, bar=2.413, stop=stop
    )
    return InterimAnalysisRun(
        study=study,
        rule=rule,
        measure="objective_success_inferred",
        number=number,
        of=None if rule == "anytime" else 3,
        participants=20 * number,
        planned=60,
        information=number / 3,
        verdicts=[verdict, verdict.model_copy(update={"b": "third", "stop": None})],
        stop=stop,
    )


def exported(folder: Path, *looks: InterimAnalysisRun) -> Dataset:
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        opened = VisitOpened(study="city", revision="r", participant_id="p", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v", opened))
        for one in looks:
            log.transact_now(lambda tx, one=one: tx.append(TRIAL, one))
        return export_dataset(log, "city", folder / "data")


def test_every_look_and_pair_is_a_row_of_its_own_study(tmp_path: Path) -> None:
    dataset = exported(tmp_path, look(1, None), look(2, "effect"), look(1, None, study="elsewhere"))
    rows = dataset.read("looks").to_pylist()
    assert [(row["look_number"], row["b"], row["verdict"], row["stop"]) for row in rows] == [
        (1, "onebest", None, None),
        (1, "third", None, None),
        (2, "onebest", "effect", "effect"),
        (2, "third", None, "effect"),
    ]
    assert [row["participants"] for row in rows] == [20, 20, 40, 40]
    assert rows[0]["information"] == pytest.approx(1 / 3) and rows[0]["taken_at"] is not None
    assert (rows[0]["statistic"], rows[0]["bar"], rows[0]["looks_planned"]) == (2.5, 2.413, 3)


def test_the_report_shows_each_look_with_what_it_needed(tmp_path: Path) -> None:
    (table,) = looks_blocks(exported(tmp_path, look(1, None), look(2, "effect")).read("looks").to_pylist())
    assert [row.group for row in table.rows] == ["Look 1 of 3"] * 2 + ["Look 2 of 3"] * 2
    assert [row.cells[-1].main for row in table.rows] == ["continue", "continue", "they differ", "continue"]
    assert table.rows[0].cells[2].main == "\u22121.0 to +25.0"
    assert [cell.main for cell in table.rows[0].cells[3:5]] == ["2.50", "2.41"]


def test_an_always_valid_rule_says_at_whom_it_was_decided(tmp_path: Path) -> None:
    (table,) = looks_blocks(exported(tmp_path, look(2, "effect", rule="anytime")).read("looks").to_pylist())
    assert {row.group for row in table.rows} == {"Decided at participant 2"}
    assert "e-value" in " ".join(column.main for column in table.columns)


def test_a_study_without_looks_has_none_and_the_same_hash_as_before(tmp_path: Path) -> None:
    dataset = exported(tmp_path)
    assert dataset.read("looks").num_rows == 0 and looks_blocks([]) == []
    assert "looks" not in dataset.manifest["tables"]
