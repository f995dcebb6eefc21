"""One suite that every kind of judgement of ours must pass: the contract to which packages' are held, too."""

import csv
from pathlib import Path
from typing import Any

import pytest

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.store import Log
from vivavoce.study.judgement_kind import JUDGEMENTS
from vivavoce.study.model import Study
from vivavoce.testing.judgement import JudgementContract
from vivavoce_commands.annotation.files import take_in, with_commands, write_commands

KILLED = "test_what_was_acknowledged_is_there_after_a_kill"
TESTS = [
    pytest.param(name, marks=pytest.mark.long if name == KILLED else ())
    for name in dir(JudgementContract)
    if name.startswith("test_")
]


class LabelsKeepIt(JudgementContract):
    name, languages = "schemes", ("en", "it")
    settings = ["context"]
    forms = {"/annotate/label": {"choice": "AP"}, "/annotate/finish": {}}


class CommandsKeepIt(JudgementContract):
    name, languages = "commands", ("en", "it")
    settings = {"templates": "kitchen-en", "dataset": "said"}
    forms = {
        "/annotate/commands/work": {"annotation": "take(pot)", "press": "save"},
        "/annotate/commands/finish": {},
    }

    def write(self, folder: Path, double: float) -> None:
        super().write(folder, double)
        with DatasetWriter(folder / "said", study={"name": "said"}, source={"kind": "test"}) as writer:
            said = [
                {
                    "command_id": f"{speaker}-{number}",
                    "participant_id": speaker,
                    "recipe": "soup",
                    "utterance": number,
                    "language": "en",
                    "text": "take the pot",
                    "simulated": False,
                }
                for speaker in ("ada", "ben", "eva")
                for number in (1, 2)
            ]
            writer.add("commands", said)
            writer.close()

    def prepare(self, log: Log, study: Study) -> None:
        """The commands stand in a dataset."""

    def rows(self, study: Study, log: Log, folder: Path) -> list[dict[str, Any]]:
        work = self.kind.open(study, log)
        return with_commands(work, Dataset(work.commands.dataset), folder).read("commands").to_pylist()

    def write_files(self, study: Study, log: Log, folder: Path) -> None:
        write_commands(self.kind.open(study, log), folder)

    def read_files(self, study: Study, log: Log, folder: Path) -> None:
        file = folder / "commands.csv"
        with file.open(encoding="utf-8") as lines:
            people = {row["annotator_id"] for row in csv.DictReader(lines) if not row["stands"]}
        for who in sorted(people):
            take_in(self.kind.open(study, log), file, who)


CONTRACTS = {contract.name: contract for contract in (LabelsKeepIt, CommandsKeepIt)}


@pytest.mark.parametrize("keeps", TESTS)
@pytest.mark.parametrize("name", JUDGEMENTS.names())
def test_a_kind_of_judgement_keeps_its_contract(name: str, keeps: str) -> None:
    getattr(CONTRACTS[name](), keeps)()
