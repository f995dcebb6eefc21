"""A service of its own for load: the study with a bot that answers at once, and a log that holds nobody."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from vivavoce.api.studies import read_study, study_path
from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.core.ports import free_port
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.log.events import UserTurnSent
from vivavoce.log.store import Log
from vivavoce.log.verification import verify
from vivavoce_load.figures import Kept
from vivavoce_load.people import SentTurn

READY_WITHIN_S: Final = 180.0
_LEFT_BEHIND: Final = ("recruitment", "follow_up", "caps", "identity")
_NO_MATERIAL: Final = ("*.sqlite*", "recordings", "*.parquet", "*.wav", ".*")
_LIMITS: Final = {"visits_per_hour": 100_000, "user_turns": 10_000, "dialogue_minutes": 1440}


@dataclass(frozen=True)
class Served:
    """A service that runs: its first page, and its log."""

    link: str
    log: str
    study: str


@contextmanager
def served(study: Path, log: str | None, workers: int, *, own_systems: bool) -> Iterator[Served]:
    """The study served from a copy, with a log of its own; gone when the block ends.

    Raises  InputError: the log that was named holds visits; VivavoceError: the service did not come up
    """
    with tempfile.TemporaryDirectory(prefix="vivavoce-load-") as made:
        port, desk_port, bot_port = (free_port(wanted) for wanted in (8300, 8400, 8500))
        copy = _copied(study_path(study), Path(made), None if own_systems else bot_port)
        url = log or f"sqlite:///{Path(made) / 'log.sqlite'}"
        name = read_study(copy).name
        _require_nobody(url, name)
        serve = ["-m", "vivavoce", "serve", str(copy), "--log", url, "--port", str(port)]
        serve += ["--desk-port", str(desk_port), "--workers", str(workers)]
        said = Path(made) / "said.txt"
        with (
            said.open("w") as told,
            _running(told, ["-m", "vivavoce_load.stand_in", str(bot_port)], serve),
        ):
            link = f"http://127.0.0.1:{port}/"
            _wait_for(f"{link}healthz", said)
            yield Served(link, url, name)


def _copied(study: Path, folder: Path, bot_port: int | None) -> Path:
    """The study in another folder: everybody may come, as often as they like, and meets the stand-in."""
    data: dict[str, Any] = dict(parse_yaml(study.read_bytes(), str(study)).data)
    for key in _LEFT_BEHIND:
        data.pop(key, None)
    data["limits"] = {**(data.get("limits") or {}), **_LIMITS}
    if bot_port is not None:
        bot = {"connect": "http", "url": f"http://127.0.0.1:{bot_port}/", "allow_private": True, "open": True}
        data["systems"] = dict.fromkeys(data.get("systems") or {}, bot)
    shutil.copytree(study.parent, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_NO_MATERIAL))
    copy = folder / study.name
    copy.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return copy


def _require_nobody(url: str, study: str) -> None:
    with Log.open(url) as log:
        if log.visits(study):
            raise InputError(
                "this log holds visits, and load is no data",
                place=url,
                hint="name an empty database with --log",
            )


@contextmanager
def _running(told: Any, *commands: list[str]) -> Iterator[None]:
    processes = [
        subprocess.Popen([sys.executable, *words], stdin=subprocess.DEVNULL, stdout=told, stderr=told)
        for words in commands
    ]
    try:
        yield
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(address: str, said: Path) -> None:
    until_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until_s:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        if "vivavoce: " in (told := said.read_text(encoding="utf-8")):
            raise VivavoceError(f"the service did not come up: {told.strip().splitlines()[-1]}")
    raise VivavoceError(f"the service did not come up within {READY_WITHIN_S:.0f} s")


def kept(url: str, study: str, said: list[SentTurn]) -> Kept:
    """What the log holds of the turns that were acknowledged."""
    with Log.open(url) as log:
        found: dict[str, list[tuple[int, str]]] = {}
        for visit in log.visits(study):
            for one in log.events(visit.visit_id):
                if isinstance(one.event, UserTurnSent):
                    found.setdefault(str(one.client_key), []).append((one.seq, one.event.text))
        unbroken = verify(log).broken is None
    promised = [one for one in said if one.acknowledged_s is not None]
    return Kept(
        acknowledged=len(promised),
        lost=sum((one.seq, one.text) not in found.get(one.key, []) for one in promised),
        doubled=sum(len(found.get(one.key, [])) > 1 for one in promised), unbroken=unbroken,
    )  # fmt: skip


def load_before() -> float | None:
    """The load of the machine as `uptime` says it."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
