"""A study served for real: a bot in its own process, the participants' pages in a thread, a log on disk."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.testing.pages import Running, running
from vivavoce.trial.engine import SessionEngine

__all__ = ["Running", "Website", "await_answer", "restaurant_bot", "running", "served_study"]


@dataclass(frozen=True)
class Website:
    """Where the pages are, and what is behind them."""

    url: str
    engine: SessionEngine
    log: Log


@contextmanager
def restaurant_bot(*options: str) -> Iterator[int]:
    """The bundled bot as a process; its port."""
    port = free_port()
    command = [sys.executable, "-m", "vivavoce_bots", "restaurant", "--port", str(port), *options]
    process = subprocess.Popen(command)
    try:
        await_answer(f"http://127.0.0.1:{port}/health")
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@contextmanager
def served_study(
    folder: Path, bot_port: int, *, repeat: str = "2..3", gate: str = "code", **settings: object
) -> Iterator[Website]:
    """The shipped Cambridge study with both systems at one bot, on a free port."""
    write_study(folder, "cambridge-2011", name="city")
    file = folder / "study.yaml"
    text = file.read_text().replace(":9101/", f":{bot_port}/").replace(":9102/", f":{bot_port}/")
    text = text.replace("gate: code", f"gate: {gate}")
    file.write_text(
        text.replace("repeat: 3..40", f"repeat: {repeat}").replace("generate: 200", "generate: 20")
    )
    study = load_study(folder)
    connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, connectors)
        with running(create_app(engine, **settings)) as server:  # pyright: ignore[reportArgumentType]
            yield Website(server.url, engine, log)
            for connector in connectors.values():
                server.call(connector.shut_down())


def await_answer(url: str) -> None:
    """Wait until an address answers 200."""

    def answered() -> bool:
        try:
            return httpx.get(url, trust_env=False, timeout=PATIENCE_S).status_code == 200
        except httpx.TransportError:
            return False

    eventually(answered, f"{url} does not answer")
