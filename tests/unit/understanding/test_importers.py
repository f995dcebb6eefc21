"""Corpora of commands: SUGAR's layout, and HuRIC's frames."""

import json

import pytest

from vivavoce.core.errors import InputError
from vivavoce.importers.base import IMPORTERS
from vivavoce_commands.notation import read_predicates

SUGAR, HURIC = IMPORTERS.get("sugar"), IMPORTERS.get("huric")


def test_speakers_of_the_sugar_layout_become_participants_and_lines_become_commands(tmp_path):
    folder = tmp_path / "speakers"
    folder.mkdir()
    (folder / "AbCdF26.csv").write_text(
        "1; prendere({200 g}, riso); sciacquare\n---\n1; cuocere(riso\n", "utf-8"
    )
    (folder / "robot.csv").write_bytes("1; mettere(caffè, tazza)\n".encode("latin-1"))
    done = SUGAR.read([folder], tmp_path / "dataset")
    rows = done.dataset.read("commands").to_pylist()
    assert [(row["participant_id"], row["recipe"], row["annotation"]) for row in rows] == [
        ("AbCdF26", "0", "[prendere(200 g, riso), sciacquare()]"),
        ("AbCdF26", "1", None),
        ("robot", "0", "mettere(caffè, tazza)"),
    ]
    assert rows[1]["annotation_written"] == "cuocere(riso"
    assert (done.calls, [line.split(": ")[0] for line in done.skipped]) == (3, ["AbCdF26.csv:3:16"])
    people = {
        row["participant_id"]: row["attributes"] for row in done.dataset.read("participants").to_pylist()
    }
    assert json.loads(people["AbCdF26"]) == {"sex": "F", "age": 26}
    assert people["robot"] is None


def test_the_strict_import_stops_at_the_first_line_that_cannot_be_read(tmp_path):
    file = tmp_path / "AbF20.csv"
    file.write_text("1; mettere(\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"AbF20\.csv:1:12"):
        SUGAR.read([file], tmp_path / "dataset", strict=True)


def test_huric_frames_become_predicates_with_roles(shared, tmp_path):
    done = HURIC.read([shared / "data" / "huric_it"], tmp_path / "dataset")
    rows = done.dataset.read("commands").to_pylist()
    assert (len(rows), done.skipped) == (241, [])  # as the corpus' own table 1 says
    predicates = [read_predicates(row["annotation"]) for row in rows]
    assert sum(map(len, predicates)) == 272
    assert len({each.action for line in predicates for each in line}) == 14
    texts = {row["text"]: row["annotation"] for row in rows}
    assert texts["accendi i riscaldamenti"] == "Change_operational_state(Device: i riscaldamenti)"
    assert {row["language"] for row in rows} == {"it"}


def test_a_broken_huric_file_is_named_and_left_out(tmp_path):
    folder = tmp_path / "it"
    folder.mkdir()
    (folder / "1.hrc").write_text("<huricExample id='1'><commands></huricExample>", encoding="utf-8")
    (folder / "2.hrc").write_text(
        "<huricExample id='2'><commands><command><sentence>vai</sentence><tokens/></command></commands>"
        "</huricExample>",
        encoding="utf-8",
    )
    done = HURIC.read([folder], tmp_path / "dataset")
    assert [row["annotation"] for row in done.dataset.read("commands").to_pylist()] == [None]
    assert "1.hrc" in done.skipped[0]
