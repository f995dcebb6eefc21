"""Annotated commands out to files and in again."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.annotating_commands import ANNA, BRUNO, annotate_all, commanding_study
from scenes.command_line import vivavoce
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.log.store import Log
from vivavoce_commands.annotation.drafts import read_drafts
from vivavoce_commands.annotation.files import take_in, with_commands, write_commands
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import standing
from vivavoce_commands.annotation.workplace import CommandWorkplace
from vivavoce_commands.command_file import read_command_file


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[CommandWorkplace]:
    study = commanding_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield COMMANDS.open(study, log)


def test_what_stands_goes_into_notation_csv_and_the_dataset_with_its_origin(workplace, tmp_path):
    annotate_all(workplace, "anna", ANNA)
    annotate_all(workplace, "bruno", BRUNO)
    workplace.settle("ada/soup", 1, "add(onion, *pot*)", by="vera")
    assert write_commands(workplace, tmp_path / "out") == {"commands": 5, "standing": 4}
    ada = read_command_file(tmp_path / "out" / "notation" / "ada.csv")
    assert [one.annotation for one in ada.commands] == ANNA["ada/soup"]
    with (tmp_path / "out" / "commands.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["command_id"] == "ada-2"]
    assert [(row["annotator_id"], row["stands"]) for row in rows] == [
        ("anna", ""),
        ("bruno", ""),
        ("adjudicated", "yes"),
    ]
    source = workplace.commands.dataset
    assert source is not None
    made = with_commands(workplace, Dataset(source), tmp_path / "made").read("commands").to_pylist()
    assert [(row["command_id"], row["annotation"], row["annotator_id"]) for row in made[:2]] == [
        ("ada-1", "[take(pot), put(pot, fire)]", "anna bruno"),
        ("ada-2", "add(onion, *pot*)", "adjudicated"),
    ]
    with pytest.raises(InputError, match="written over itself"):
        with_commands(workplace, Dataset(source), source)


def test_files_of_an_annotator_become_his_work(workplace, tmp_path):
    annotate_all(workplace, "anna", ANNA)
    write_commands(workplace, tmp_path / "out")
    assert take_in(workplace, tmp_path / "out" / "notation", "carla") == 4
    work = workplace.see().dialogues["ada/soup"].work["carla"]
    assert work.finished_at is not None, "every command of it has an annotation"
    assert workplace.see().dialogues["ben/soup"].work["carla"].finished_at is None, "one command is open"
    found = standing(workplace.see(), workplace.sequences())
    assert found["ada-2"].annotator_id == "anna carla"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("ada.csv", "1; take(pot\n", r"ada\.csv:1:"),
        ("ada.csv", "7; take(pot)\n", "no command 7 in ada/soup"),
        ("ada.csv", "1; take(pot)\n---\n1; take(pan)\n", "this speaker has 1 recipe"),
        ("ava.csv", "1; take(pot)\n", "no commands of speaker 'ava'"),
        ("table.csv", "command_id,annotation\nada-9,take(pot)\n", "table.csv:2: unknown command 'ada-9'"),
        ("table.csv", "command_id,annotation\nada-1,take(pot\n", "table.csv:2:9"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_its_line_and_nothing_is_written(
    workplace, tmp_path, name, content, problem
):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        take_in(workplace, tmp_path / name, "carla")
    assert not workplace.see().of_annotator("carla")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("ada-1,take(pot,1", "drafts.csv:2"),
        ("ada-1,take(pot),1.5", "drafts.csv:2: invalid confidence '1.5'"),
        ("ada-1,take(pot),1\nada-1,take(cup),1", "drafts.csv:3: command 'ada-1' has two drafts"),
    ],
)
def test_drafts_that_cannot_be_read_are_told_with_their_line(tmp_path, lines, told):
    path = tmp_path / "drafts.csv"
    path.write_text(f"command_id,annotation,confidence\n{lines}\n")
    with pytest.raises(InputError) as refused:
        read_drafts(path)
    assert told in str(refused.value)


def test_what_stands_teaches_the_drafts_of_the_rest_while_the_service_runs(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "drafts.csv").write_text("command_id,annotation,confidence\nada-2,take(pot),0.1\n", "utf-8")
    section = "commands: {templates: kitchen-en, dataset: commands, drafts: drafts.csv}\n  double: 1"
    url = f"sqlite:///{folder / 'log.sqlite'}"
    with Log.open(url) as log:
        served = COMMANDS.open(commanding_study(folder, section), log)
        for who, said in (("anna", ANNA), ("bruno", BRUNO)):
            annotate_all(served, who, said)
        served.settle("ben/soup", 0, "add(flowers, *oil*)", by="vera")
        assert served.drafts["ada-2"].annotation == "take(pot)"
        told = vivavoce("annotate", "commands-draft", folder, "--system", "majority", "--log", url)
        assert "trained on 3 commands" in told.stderr, "ada-2 is disputed, and ben-2 is no command"
        assert set(served.drafts) == {"ada-1", "ada-2", "ada-3"}, "the recipe that is not done, as a whole"
        assert served.drafts["ada-2"].annotation != "take(pot)"
        (folder / "drafts.csv").write_text("broken", encoding="utf-8")
        assert served.drafts["ada-2"].annotation == "take(pot)", "what was read before is better than none"
    lacking = commanding_study(tmp_path / "lacking").folder
    refused = vivavoce("annotate", "commands-draft", lacking, "--system", "majority", code=2)
    assert "`drafts` file" in refused.stderr
