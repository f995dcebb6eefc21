"""The flow of a trial as readers see it: rows only for what there is, in every language."""

from pathlib import Path

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.section import ReportOptions, compose

STUDY = """study: s
systems: {a: {connect: http}}
visit: [{dialogue: {gate: GATE}}]
analysis: {exclude: [{participant: p0}]}
"""
EARNED = {"en": "Non-trivial (code earned)", "it": "Non banali (codice ottenuto)"}


def rows(folder: Path, gate: str, language: str) -> dict[str, tuple[str, ...]]:
    file = STUDY.replace("GATE", gate)
    with DatasetWriter(folder, study={"name": "s", "file": file}, source={"kind": "log"}) as writer:
        for number in range(3):
            writer.add("participants", [{"participant_id": f"p{number}", "simulated": False}])
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": f"d{number}",
                        "study": "s",
                        "system": "a",
                        "condition": "a",
                        "participant_id": f"p{number}",
                        "channel": "text",
                        "language": "en",
                        "simulated": False,
                        "code_issued": False,
                    }
                ],
            )
    document = compose(Dataset(folder), ReportOptions(language=language))
    (table,) = (one for one in document.blocks(TableOfText) if one.name == "flow")
    return {row.heading: (row.cells[0].main, *row.under) for row in table.rows}


@pytest.mark.parametrize("language", EARNED)
def test_earned_codes_are_counted_only_where_codes_are_given_out(tmp_path: Path, language: str) -> None:
    assert EARNED[language] not in rows(tmp_path / "open", "dialogue", language)
    assert rows(tmp_path / "coded", "code", language)[EARNED[language]] == ("0",)


def test_one_participant_left_out_is_one_participant(tmp_path: Path) -> None:
    assert rows(tmp_path / "en", "dialogue", "en")["Excluded: participant = p0"] == (
        "1",
        "all of 1 participant",
    )
    italian = rows(tmp_path / "it", "dialogue", "it")
    assert ("1", "tutti quelli di 1 partecipante") in italian.values()
