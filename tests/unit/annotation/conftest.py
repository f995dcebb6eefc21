"""A study that annotates, and a log of six dialogues."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.annotating import annotated_study, hold_dialogue
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import Workplace
from vivavoce.log.store import Log
from vivavoce.study.model import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return annotated_study(tmp_path / "study")


@pytest.fixture
def log(tmp_path: Path, study: Study) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        for number in range(6):
            hold_dialogue(opened, study, number)
        yield opened


@pytest.fixture
def workplace(study: Study, log: Log) -> Workplace:
    return LABELS.open(study, log)
