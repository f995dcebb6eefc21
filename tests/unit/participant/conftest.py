"""A study with texts in two languages, a log of its own for every test, and browsers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.browsing import Visitor, serve, study_with_texts
from scenes.visits import Parrot
from vivavoce.log.store import Log
from vivavoce.study.model import Study


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return study_with_texts(tmp_path)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        yield opened


@pytest.fixture
def parrot() -> Parrot:
    return Parrot()


@pytest.fixture
def visitor(study: Study, log: Log, parrot: Parrot) -> Iterator[Visitor]:
    with serve(study, log, parrot) as open_browser:
        yield open_browser()


@pytest.fixture
def browsers(study: Study, log: Log, parrot: Parrot) -> Iterator[Callable[[], Visitor]]:
    """Makes browsers that know nothing of one another."""
    with serve(study, log, parrot) as open_browser:
        yield open_browser
