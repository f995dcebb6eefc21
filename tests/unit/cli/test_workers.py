"""`serve --workers`: what several workers cannot share is refused in one line, before anything begins."""

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scenes.patience import eventually
from scenes.visits import make_study
from vivavoce.cli.workers import Workers, _Worker, listening, require_shareable
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.study import model as study_model

SERVER = "postgresql://vivavoce@localhost/trials"
BOT = {"connect": "http", "url": "http://127.0.0.1:9101/chat", "allow_private": True}
WIZARD = {"connect": "wizard"}
TELEGRAM = {"connect": "telegram", "port": 9300}


def refusal(folder: Path, system: dict[str, Any], url: str = SERVER, workers: int = 3, **changes: Any) -> str:
    """What somebody reads who serves a study with this system by so many workers; "" where it goes."""
    text = f"systems:\n  bot: {{{', '.join(f'{key}: {value}' for key, value in system.items())}}}\n"
    study = make_study(folder, systems={"bot": system}, file_text=text, **changes)
    try:
        require_shareable(study, url, {"bot": make_connector(system, {"TELEGRAM_TOKEN": "t"})}, workers)
    except InputError as error:
        return str(error)
    return ""


def test_a_study_in_writing_may_be_served_by_several(tmp_path: Path) -> None:
    assert refusal(tmp_path, BOT) == ""
    assert refusal(tmp_path, BOT | {"budget": 5, "price_per_turn": 1}, workers=1) == ""
    assert refusal(tmp_path, BOT, "sqlite:///log.sqlite", workers=1) == ""


@pytest.mark.parametrize("workers", [0, -1])
def test_fewer_than_one_worker_serve_nobody(tmp_path: Path, workers: int) -> None:
    assert (
        refusal(tmp_path, BOT, workers=workers)
        == f"--workers: {workers} workers cannot serve anyone. Give 1 or more"
    )


def test_a_log_in_a_file_is_no_log_of_several(tmp_path: Path) -> None:
    assert refusal(tmp_path, BOT, "sqlite:///log.sqlite") == (
        "sqlite:///log.sqlite: several workers cannot share a log in a SQLite file. "
        "Name a database with --log postgresql://..., or leave out --workers"
    )


def test_what_one_process_counts_is_named_with_its_place(tmp_path: Path) -> None:
    said = refusal(tmp_path, BOT | {"price_per_turn": 1, "budget": 5})
    assert said.startswith("study.yaml:2 systems.bot.budget: one process must count this")
    assert said.endswith("out --workers, or leave out budget")
    assert "systems.bot.max_concurrency" in refusal(tmp_path, BOT | {"max_concurrency": 5})


@pytest.mark.parametrize(
    ("system", "problem"),
    [
        (WIZARD, "wizards answer in one process"),
        (TELEGRAM, "a system that connects to us can reach only one process"),
    ],
)
def test_what_is_met_in_one_process_is_refused(tmp_path: Path, system: dict[str, Any], problem: str) -> None:
    assert refusal(tmp_path, system) == f"study.yaml:2 systems.bot: {problem}. Leave out --workers"


@pytest.mark.parametrize("channel", ["voice", "phone"])
def test_dialogues_that_are_spoken_are_held_by_one_process(tmp_path: Path, channel: str) -> None:
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate="none",
        feedback=(),
        channel=channel,
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    said = refusal(tmp_path, BOT, visit=(step,))
    assert said.startswith(f"city: one process must handle dialogues of the channel {channel}. Leave out")


BEGINS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"


@contextmanager
def workers(folder: Path, *command: str) -> Iterator[Workers]:
    """One worker that is this command."""
    with listening("127.0.0.1", 0) as listener:
        running = Workers([sys.executable, "-c", *command], listener, folder, number=1)
        try:
            yield running
        finally:
            running.stop()


def test_a_worker_that_cannot_begin_ends_the_service_that_begins(tmp_path: Path) -> None:
    with (
        workers(tmp_path, "raise SystemExit(3)") as running,
        pytest.raises(VivavoceError, match="ended before it was ready"),
    ):
        running.start()


def test_a_worker_that_falls_again_and_again_ends_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.cli.workers.time.sleep", lambda _: None)
    later = itertools.count()
    monkeypatch.setattr("vivavoce.cli.workers.time.monotonic", lambda: 10.0 * next(later))
    with (
        workers(tmp_path, "raise SystemExit(3)") as running,
        pytest.raises(VivavoceError, match="worker 0 ended 5 times before it was ready"),
    ):
        running._workers = [_Worker(0)]
        running.watch()


def test_a_worker_that_dies_is_started_anew(tmp_path: Path) -> None:
    with workers(tmp_path, BEGINS, str(tmp_path / "worker-0.sock")) as running:
        running.start()
        (first,) = running._workers
        assert first.process is not None
        before = first.process.pid
        first.process.kill()

        def followed() -> bool:
            running.look()
            return first.process is not None and first.process.pid != before and first.ready

        eventually(followed, "nobody came after the worker")
