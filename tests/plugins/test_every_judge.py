"""One suite that every judge of ours must pass: the contract to which packages' are held, too."""

from contextlib import closing
from pathlib import Path

import pytest

from unit.judges.conftest import ScriptedModel, write_trial
from vivavoce.analysis.prediction.model import fit_model
from vivavoce.dataset.reader import Dataset
from vivavoce.judges.base import JUDGES
from vivavoce.testing.judge import JudgeContract


class ModelKeepsIt(JudgeContract):
    name, settings = "model", {"file": "model.json"}

    def prepare(self, folder: Path, dataset: Dataset) -> None:
        elsewhere, _ = write_trial(folder / "elsewhere", seed=2)
        (folder / self.settings["file"]).write_text(fit_model(elsewhere, "found_all").as_file())


class OpenAIKeepsIt(JudgeContract):
    name, settings = "openai", {}


class PersonKeepsIt(JudgeContract):
    name = "person"

    def prepare(self, folder: Path, dataset: Dataset) -> None:
        labels = {
            row["label"] for row in dataset.read("annotations").to_pylist() if row["layer"] == "subtask"
        }
        self.settings = {
            "annotator": "a",
            "layer": "subtask",
            "codes": {one: n for n, one in enumerate(sorted(labels))},
        }


class FunctionKeepsIt(JudgeContract):
    name, settings = "python", {"file": "mine.py"}
    files = {"mine.py": "def judge(dialogue, question):\n    return len(dialogue['turns']), 0.5\n"}


CONTRACTS = {kind.name: kind for kind in (ModelKeepsIt, OpenAIKeepsIt, PersonKeepsIt, FunctionKeepsIt)}


@pytest.mark.parametrize("keeps", [name for name in dir(JudgeContract) if name.startswith("test_")])
@pytest.mark.parametrize("name", JUDGES.names())
def test_a_judge_keeps_its_contract(name: str, keeps: str) -> None:
    contract = CONTRACTS[name]()
    with closing(ScriptedModel()) as model:
        if name == "openai":
            contract.settings = {"url": model.url, "model": "scripted", "allow_private": True}
        getattr(contract, keeps)()
