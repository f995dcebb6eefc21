"""A study without files, and a log of its own for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.visits import make_study
from vivavoce.log.store import Log
from vivavoce.study.model import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        yield opened
