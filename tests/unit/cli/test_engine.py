"""`--engine` of the verbs that compute much: the same bytes on processes and on a cluster."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from scenes.callers import told_by_caller
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter

VERBS = (
    ("measure",),
    ("analyse",),
    ("power",),
    ("report",),
    ("simulate", "run"),
    ("simulate", "compare"),
    ("predict", "evaluate"),
    ("predict", "explain"),
)


def run(*words: object) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_place_that_there_is_not_is_a_line_in_every_verb_that_has_one(
    verb: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"--engine: unknown engine 'spark'. Known: dask, .*processes:N"):
        CliRunner().invoke(app, [*verb, str(tmp_path), "--engine", "spark"], catch_exceptions=False)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems and 15 people, whose answers hang on how long it took."""
    draw, folder = np.random.default_rng(8), tmp_path_factory.mktemp("engine") / "calls"
    with DatasetWriter(folder, study={"name": "calls"}, source={"kind": "test"}) as writer:
        for place in range(90):
            key, turns = {"dialogue_id": f"d{place:02}"}, int(draw.integers(2, 9))
            who = {"participant_id": f"p{place % 15}"}
            system = f"bot{place // 15 % 3}"
            writer.add(
                "dialogues",
                [
                    {
                        **key,
                        **who,
                        "study": "calls",
                        "system": system,
                        "condition": system,
                        "channel": "text",
                        "language": "en",
                        "simulated": False,
                        "duration_s": float(draw.integers(20, 90)),
                    }
                ],
            )
            writer.add(
                "turns",
                [
                    {**key, "turn_index": number, "party": ("system", "user")[number % 2], "text": "so it is"}
                    for number in range(turns)
                ],
            )
            asked = {**key, **who, "wording": "project"}
            writer.add(
                "ratings",
                [
                    {
                        **asked,
                        "instrument": "satisfaction",
                        "item_id": "satisfied",
                        "value": float(np.clip(round(6 - turns / 2 + draw.normal(0, 0.5)), 1, 5)),
                    },
                    {
                        **asked,
                        "instrument": "cambridge",
                        "item_id": "found_all",
                        "role": "subjective_success",
                        "value": float(draw.random() < 0.9 - turns / 12),
                    },
                ],
            )
        writer.add("participants", [{"participant_id": f"p{n}", "simulated": False} for n in range(15)])
    return folder


@pytest.fixture(scope="module", params=["processes", "dask"])
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "processes":
        yield "processes:2"
        return
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    started: Any = LocalCluster(2, threads_per_worker=1, dashboard_address=":0")
    with started as cluster:
        yield f"dask:{cluster.scheduler_address.removeprefix('tcp:')}"


@pytest.mark.long
def test_verbs_print_the_same_bytes_wherever_they_compute(engine: str, dataset: Path, tmp_path: Path) -> None:
    """JSON holds every digit."""
    for words in (
        ("analyse", dataset, "--measure", "subjective_success", "--margin", "0.1", "--json"),
        ("analyse", dataset, "--judge", "parameters", "--target", "satisfied", "--json"),
        (
            "predict",
            "evaluate",
            dataset,
            "--target",
            "satisfied",
            "--with",
            "dialogue_duration",
            "--with",
            "user_turns",
            "--json",
        ),
        (
            "predict",
            "explain",
            dataset,
            "--target",
            "satisfied",
            "--with",
            "dialogue_duration",
            "--with",
            "user_turns",
            "--json",
        ),
        ("power", "two-rates", ".3", ".8", "--calls-per-participant", 3, "--icc", ".1", "--json"),
    ):
        assert run(*words, "--engine", engine) == run(*words), words
    here, there = tmp_path / "here.html", tmp_path / "there.html"
    run("report", dataset, "--out", here)
    run("report", dataset, "--out", there, "--engine", engine)
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.long
def test_callers_call_from_everywhere(engine: str, tmp_path: Path) -> None:
    told = []
    for place, more in (("here", ()), ("there", ("--engine", engine))):
        folder = tmp_path / place
        run("init", folder, "--protocol", "cambridge-2011")
        (folder / "study.yaml").write_text(
            "study: lamp\nlanguages: [en]\nsystems:\n  house: {connect: scripted, otherwise: Bye.}\n"
            "  roof: {connect: scripted, otherwise: What?}\nontology: restaurants.yaml\n"
            "tasks: {generate: 9, constraints: 1..2, requests: 1..1, seed: 7}\n"
            "visit:\n  - dialogue: {repeat: 1, gate: none}\n",
            encoding="utf-8",
        )
        run("simulate", folder, "--dialogues", 60, "--seed", 4, *more)
        told.append(told_by_caller(folder))
    assert len(told[0]) > 10 and sum(map(len, told[0])) > 200 and told[0] == told[1]
