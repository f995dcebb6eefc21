"""Contract of every step of a visit."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from vivavoce.connectors.factory import make_connector
from vivavoce.dataset.reader import Dataset
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.simulation.trial import run_trial
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.study.step_kind import STEPS, Information, Message, StepKind
from vivavoce.trial.engine import SessionEngine

VISITORS = 3


class StepContract:
    """Contract of every step, tried in a study of that step alone.

    name       as it stands in the study file
    settings   as they stand there under its name; None: none
    languages  of the study
    files      text files beside the study file, by name
    protocol   one that the package brings, in which the step stands; None: it brings none
    """

    name: str
    settings: Any = None
    languages: tuple[str, ...] = ("en",)
    files: Mapping[str, str] = {}
    protocol: str | None = None

    def write(self, folder: Path) -> None:
        """Make the folder of a study whose last step it is; another's where it needs more than text files."""
        folder.mkdir()
        for file, text in self.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        step = self.name if self.settings is None else {self.name: self.settings}
        study = {"study": "contract", "languages": list(self.languages), "visit": [step]}
        YAML(typ="safe").dump(study, folder / "study.yaml")

    def test_it_is_found_by_its_name(self) -> None:
        assert STEPS.get(self.name).name == self.name

    def test_it_says_how_long_it_takes_and_what_it_is(self) -> None:
        with self._study() as study:
            step, kind = study.visit[-1], self._kind()
            assert kind.minutes(step, study) > 0
            course = kind.preregistration_line(step, study)
            assert course and "\n" not in course, "preregistration_line must be a single line"

    def test_a_study_of_its_protocol_is_written_and_can_be_run(self) -> None:
        if self.protocol is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            write_study(Path(folder) / "study", self.protocol)
            study = load_study(Path(folder) / "study")
        assert study.protocol == self.protocol and self.name in [step.kind for step in study.visit]
        for step in study.visit:
            assert step.document is None or all(
                study.text(step, language).strip() for language in study.languages
            )

    def test_what_participants_are_told_has_its_values_filled_in(self) -> None:
        with self._study() as study:
            info: Information = self._kind().participant_info(study.visit[-1], study)
            for message in _messages(info):
                for language in study.languages:
                    assert "%(" not in self._kind().say(message, language)

    def test_programs_go_through_it_and_its_rows_are_exported(self) -> None:
        with self._study() as study, tempfile.TemporaryDirectory() as folder:
            with Log.open(f"sqlite:///{Path(folder) / 'log.sqlite'}") as log:
                asyncio.run(_simulate(study, log))
                visits = log.visits(study.name)
                outcomes = {visit.outcome for visit in visits}  # some programs lose patience, as people do
                assert "completed" in outcomes and outcomes <= {"completed", "withdrew"}
                assert all(visit.simulated for visit in visits)
                data = export_dataset(log, study.name, Path(folder) / "data")
            self._check_rows(data, len(visits))

    def _check_rows(self, data: Dataset, visits: int) -> None:
        kind = self._kind()
        if isinstance(kind, StimulusStep) and kind.table is not None:
            rows = data.everything.read(kind.table.name).to_pylist()
            people = {row["participant_id"] for row in rows}
            assert len(people) == visits, "each participant needs at least one row"

    def _kind(self) -> StepKind[Any]:
        return STEPS.get(self.name)

    @contextmanager
    def _study(self) -> Iterator[Study]:
        with tempfile.TemporaryDirectory() as folder:
            self.write(Path(folder) / "study")
            yield load_study(Path(folder) / "study")


def _messages(info: Information) -> list[Message]:
    return [*([info.lead] if info.lead else []), *info.does, *info.needs, *info.keeps]


async def _simulate(study: Study, log: Log) -> None:
    engine = SessionEngine(study, log, {name: make_connector(raw, {}) for name, raw in study.systems.items()})
    await engine.start()
    try:
        await run_trial(engine, VISITORS, seed=1)
    finally:
        await engine.stop()
