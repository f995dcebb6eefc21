"""What a preregistration says of data that are there already, and of the test that will be made."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log
from vivavoce.stats.difference import HOW, compare_clusters
from vivavoce.study.scaffold import write_study

SHAPES = ("aspredicted", "osf")


def registered(study: Path, *options: str) -> str:
    run = CliRunner().invoke(app, ["preregister", str(study), *options], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return run.stdout


def visited(study: Path, *, people: int, programs: int) -> None:
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        for number in range(people + programs):
            came = VisitOpened(
                study="city",
                revision="r",
                participant_id=f"p{number}",
                pool="open",
                language="en",
                simulated=number >= people,
            )
            log.transact_now(lambda tx, came=came, number=number: tx.append(f"v{number}", came))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_study(tmp_path / "city", "cambridge-2011", name="city")
    return tmp_path / "city"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_study_that_nobody_has_visited_has_no_data_and_gets_no_log(study: Path, shape: str) -> None:
    assert "No data from people" in registered(study, "--shape", shape)
    assert not (study / "log.sqlite").exists()


@pytest.mark.parametrize("shape", SHAPES)
def test_people_who_came_are_counted_and_programs_apart(study: Path, shape: str) -> None:
    visited(study, people=2, programs=3)
    said = registered(study, "--shape", shape)
    assert "when this text was written: 2 visits, since " in said
    assert "simulated users, recorded separately: 3 visits, since " in said
    assert "No data" not in said


def test_programs_alone_are_no_data_of_people(study: Path) -> None:
    visited(study, people=0, programs=1)
    said = registered(study)
    assert "No data from people" in said
    assert "recorded separately: 1 visit, since" in said


def test_a_log_that_is_named_and_not_there_is_no_evidence_of_no_data(study: Path) -> None:
    run = CliRunner().invoke(app, ["preregister", str(study), "--log", f"sqlite:///{study}/other.sqlite"])
    assert run.exception is not None
    assert "no log in this folder" in str(run.exception)


def test_the_test_that_is_registered_is_named_as_the_analysis_names_it(study: Path) -> None:
    said = registered(study)
    assert "leave-one" not in said
    rng = np.random.default_rng(1)
    for method, people, within in (
        ("permutation_within", 20, True),
        ("permutation_between", 20, False),
        ("cluster_robust_t", 500, True),
    ):
        ids = np.arange(people)
        sides = (ids, ids) if within else (ids[::2], ids[1::2])
        cases = [(rng.integers(0, 2, len(one)).astype(float), np.ones(len(one))) for one in sides]
        found = compare_clusters(*sides, *cases)
        assert found is not None and found.method == method
        assert HOW[method] in str(found.why)
        assert HOW[method] in said
