"""Real counterparts of connectors, which `make counterparts` installs: a Rasa, a bot of the Bot Framework."""

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from scenes.counterparts import FOLDER
from scenes.processes import free_port, wait_for_port

_CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
ROOT: Final = Path(os.environ.get("COUNTERPARTS_ROOT") or _CACHE / "vivavoce" / "counterparts")
_QUIET: Final = {"RASA_TELEMETRY_ENABLED": "false", "SQLALCHEMY_SILENCE_UBER_WARNING": "1"}
# Rasa's servers hang up after 5 s without a request. Where a busy machine makes them late, one writes to a
# connection that the other has closed, and the bot says nothing. Here they wait for each other
_PATIENT: Final = {
    **{f"SANIC_{name}_TIMEOUT": "3600" for name in ("KEEP_ALIVE", "REQUEST", "RESPONSE", "WEBSOCKET_PING")},
    "TICKET_LOCK_LIFETIME": "3600",
}
STARTS_IN_S: Final = 600.0  # some load for minutes where a machine is busy
_JWT_KEY: Final = b"a secret of tests"  # as in credentials-persistent.yml


def installed(*path: str) -> Path:
    """A file of an installed counterpart; the test is skipped where it is absent."""
    file = ROOT.joinpath(*path)
    if not file.exists():
        pytest.skip(f"{file} is not there: make counterparts installs it")
    return file


def token() -> str:
    """A JSON web token (RFC 7519, HS256) that the persistent Rasa lets in over Socket.IO."""
    head, said = ({"alg": "HS256", "typ": "JWT"}, {"user": {"username": "participant", "role": "user"}})
    signed = b".".join(_encoded(json.dumps(part).encode()) for part in (head, said))
    return (signed + b"." + _encoded(hmac.digest(_JWT_KEY, signed, hashlib.sha256))).decode()


def _encoded(part: bytes) -> bytes:
    return base64.urlsafe_b64encode(part).rstrip(b"=")


class RealRasa:
    """Our assistant, trained and run by a real Rasa: once as it comes, once with persistent sessions.

    plain, persistent  the addresses of the two
    """

    def __init__(self, folder: Path) -> None:
        python = str(installed("rasa", "bin", "python"))
        self._folder, self._rasa = folder / "assistant", [python, "-m", "rasa"]
        self._running = ExitStack()
        shutil.copytree(FOLDER / "rasa_assistant", self._folder)
        self._environment = {**os.environ, **_QUIET, **_PATIENT}
        self._train()
        try:
            actions = free_port()
            self._environment["ACTIONS"] = f"http://127.0.0.1:{actions}"
            self._serve("actions", actions, "--actions", "actions")
            self.plain = self._bot("credentials.yml")
            self.persistent = self._bot("credentials-persistent.yml")
        except BaseException:
            self.stop()
            raise

    def _train(self) -> None:
        what = ["--data", "nlu.yml", "rules.yml", "--domain", "domain.yml", "--config", "config.yml"]
        command = [*self._rasa, "train", *what, "--out", "models"]
        trained = subprocess.run(
            command, cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        assert trained.returncode == 0, trained.stderr[-3000:]

    def _bot(self, credentials: str) -> str:
        port = free_port()
        files = ["--credentials", credentials, "--endpoints", "endpoints.yml"]
        self._serve("bot", port, "--interface", "127.0.0.1", *files)
        return f"http://127.0.0.1:{port}"

    def _serve(self, what: str, port: int, *more: str) -> None:
        said = self._running.enter_context((self._folder / f"{what}-{port}.log").open("wb"))
        verb = ["run", "actions"] if what == "actions" else ["run"]
        command = [*self._rasa, *verb, "--port", str(port), *more]
        serving = subprocess.Popen(
            command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
        self._running.callback(_end, serving)
        wait_for_port(port, serving, patience_s=STARTS_IN_S)

    def stop(self) -> None:
        self._running.close()


class RealLine:
    """A bot of the Bot Framework behind Direct Line on this machine, with a welcome or without."""

    def __init__(self, *, welcomes: bool) -> None:
        modules = installed("directline", "node_modules")
        node = shutil.which("node") or pytest.skip(
            "Node is not installed: make counterparts says what it needs"
        )
        port = free_port()
        command = [node, str(FOLDER / "directline_bot" / "bot.js"), str(port)]
        self._process = subprocess.Popen(
            [*command, *(["welcome"] if welcomes else [])],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "NODE_PATH": str(modules)},
        )
        try:
            wait_for_port(port, self._process)
        except BaseException:
            self.stop()
            raise
        self.url = f"http://127.0.0.1:{port}/directline"

    def stop(self) -> None:
        _end(self._process)


class TypedDialogflow:
    """An agent that reads and writes by Google's own definitions of Dialogflow's messages, ES and CX."""

    def __init__(self) -> None:
        python, port = str(installed("dialogflow", "bin", "python")), free_port()
        command = [python, str(FOLDER / "dialogflow_agent.py"), str(port)]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            wait_for_port(port, self._process)
        except BaseException:
            self.stop()
            raise
        self.url = f"http://127.0.0.1:{port}"

    def stop(self) -> None:
        _end(self._process)


def _end(process: subprocess.Popen[Any]) -> None:
    process.kill()
    process.wait()
