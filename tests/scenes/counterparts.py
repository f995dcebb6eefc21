"""Counterparts for connectors: programs of their own, started when they are first needed."""

import subprocess
import sys
from pathlib import Path

from scenes.processes import free_port, wait_for_port

FOLDER = Path(__file__).resolve().parents[1] / "plugins" / "counterparts"


class Counterparts:
    """Running programs by what they were started with; all are gone after `stop`."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], int]] = {}

    def server(self, script: str, *more: str) -> str:
        """HOST:PORT of a program of the folder that takes a port."""
        if (script, *more) not in self._running:
            port = free_port()
            process = self._start(script, str(port), *more)
            self._running[(script, *more)] = (process, port)
            wait_for_port(port, process)
        return f"127.0.0.1:{self._running[(script, *more)][1]}"

    def program(self, name: str, *arguments: str) -> str:
        """HOST:PORT of a program that a package of others installed beside Python and that takes --port."""
        if (name, *arguments) not in self._running:
            port = free_port()
            command = [str(Path(sys.executable).parent / name), "--port", str(port), *arguments]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            self._running[(name, *arguments)] = (process, port)
            wait_for_port(port, process)
        return f"127.0.0.1:{self._running[(name, *arguments)][1]}"

    def caller(self, script: str) -> int:
        """The port that a program of the folder keeps calling until somebody listens there."""
        if (script,) not in self._running:
            port = free_port()
            self._running[(script,)] = (self._start(script, f"http://127.0.0.1:{port}"), port)
        return self._running[(script,)][1]

    def _start(self, script: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(FOLDER / script), *arguments]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def stop(self) -> None:
        for process, _ in self._running.values():
            process.kill()
            process.wait()
