"""The how-to page on annotating commands does what it says, command by command."""

import re
import shlex
from pathlib import Path

import pytest

import vivavoce_commands
from scenes.command_line import vivavoce
from vivavoce.dataset.reader import Dataset
from vivavoce.study.scaffold import write_study

PAGE = Path(vivavoce_commands.__file__).parents[2] / "docs" / "how-to" / "annotate-commands.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.long
def test_the_commands_of_the_page_lead_from_a_corpus_to_an_annotated_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(tmp_path, "cambridge-2011", name="robot")
    study = tmp_path / "study.yaml"
    (section,) = blocks("yaml")
    study.write_text(f"{study.read_text(encoding='utf-8')}\n{section}", encoding="utf-8")
    for line in "".join(blocks("sh")).splitlines():
        words = shlex.split(line)
        assert words[0] == "vivavoce"
        vivavoce(*words[1:])
    rows = Dataset(tmp_path / "annotated" / "dataset").read("commands").to_pylist()
    assert rows and {row["annotator_id"] for row in rows} == {"anna bruno"}
    assert all(row["annotation"] for row in rows)
