"""Servers of a row: processes that listen, what they have computed, and people who ask them in turns."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from scenes.processes import free_port, wait_for_port

__all__ = ["Server", "cpu_s", "free_port", "served"]


class Server(NamedTuple):
    address: str
    pid: int


@contextmanager
def served(
    command: Sequence[str | Path], port: int, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """A process that listens, and is gone with its children when the block ends.

    Raises  AssertionError: it ended before it listened
    """
    words, environment = [str(one) for one in command], {**os.environ, **(env or {})}
    with (
        Path(os.devnull).open("wb") as nothing,
        subprocess.Popen(
            words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=nothing, stderr=nothing
        ) as process,
    ):
        try:
            wait_for_port(port, process)
            yield Server(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()


def cpu_s(pid: int) -> float:
    """How long a process has computed."""
    facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")
