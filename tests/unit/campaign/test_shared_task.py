"""A shared task on understood commands: the test set is blind, all answer all, equal figures share a rank."""

import zipfile
from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset, replacing
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.html import page
from vivavoce_campaign.document.leaderboard import compose_leaderboard
from vivavoce_campaign.shared_task import begin, export_all, load, standings

COMMANDS = {"anna": ["take(milk)", "put(milk, pan)"], "bruno": ["take(eggs)", "stir(eggs)"]}


def written(folder: Path, **lines: list[str]) -> None:
    folder.mkdir(parents=True)
    for speaker, said in lines.items():
        text = "\n".join(f"{number}; {one}" for number, one in enumerate(said, 1))
        (folder / f"{speaker}.txt").write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    with DatasetWriter(tmp_path / "d", study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add(
            "commands",
            [
                {
                    "command_id": f"{speaker}-{number}",
                    "participant_id": speaker,
                    "recipe": "r",
                    "utterance": number,
                    "text": "say it",
                    "annotation": one,
                    "language": "en",
                    "simulated": True,
                }
                for speaker, said in COMMANDS.items()
                for number, one in enumerate(said, 1)
            ],
        )
        writer.close()
    assert begin(tmp_path / "task", Dataset(tmp_path / "d"), "sugar-again") == 4
    written(tmp_path / "task" / "answers" / "perfect", **COMMANDS)
    written(
        tmp_path / "task" / "answers" / "half",
        anna=["take(milk)", "put(salt, pan)"],
        bruno=["take(eggs)", "boil(eggs)"],
    )
    written(tmp_path / "task" / "answers" / "twin", **COMMANDS)
    written(tmp_path / "task" / "answers" / "picky", anna=COMMANDS["anna"])
    return tmp_path / "task"


def test_the_test_set_holds_the_commands_and_none_of_their_answers(task: Path) -> None:
    rows = Dataset(task / "test").read("commands").to_pylist()
    assert len(rows) == 4 and {row["text"] for row in rows} == {"say it"}
    assert not any("milk" in path.read_bytes().decode("latin-1") for path in (task / "test").iterdir())
    with replacing(), DatasetWriter(task / "test", study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("commands", [{"command_id": "c", "annotation": "take(milk)", "simulated": True}])
    with pytest.raises(InputError, match="contains answers"):
        load(task)


def test_teams_stand_by_their_figure_and_who_left_speakers_out_is_not_ranked(task: Path) -> None:
    found = standings(task)
    told = [(one["team"], one["rank"], one["corpus"]["exact_utterances"]) for one in found["teams"]]
    assert told == [("perfect", 1, 1.0), ("twin", 1, 1.0), ("half", 3, 0.5), ("picky", None, 1.0)]
    assert found["teams"][-1]["missing_speakers"] == ["bruno"]


def test_the_leaderboard_is_a_page_in_both_languages(task: Path) -> None:
    (task / "answers" / "half").rename(task / "answers" / "<i>half")
    for words, heading in (("en", "Leaderboard"), ("it", "Classifica")):
        document = compose_leaderboard(standings(task), words=words)
        rows = document.blocks(TableOfText)[0].rows
        assert [row.cells[0].main for row in rows] == ["1", "1", "3", "–"]
        assert heading in page(document) and "<i>half" not in page(document)


def test_everything_is_in_the_archive(task: Path, tmp_path: Path) -> None:
    export_all(task, tmp_path / "all.zip", standings(task))
    names = zipfile.ZipFile(tmp_path / "all.zip").namelist()
    held = ("reference/anna.txt", "answers/half/bruno.txt", "standings.json", "test/commands.parquet")
    assert {f"sugar-again/{one}" for one in held} <= set(names)


def test_what_cannot_be_begun_is_said(task: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a shared task"):
        begin(task, Dataset(tmp_path / "d"), "again")
    with pytest.raises(InputError, match="no annotated command"):
        begin(tmp_path / "new", Dataset(task / "test"), "again")
