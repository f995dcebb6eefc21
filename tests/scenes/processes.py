"""Real processes for tests: bundled bots, studies that reach them, servers that can be killed."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import Final

from scenes.patience import PATIENCE_S, eventually
from vivavoce.study.scaffold import write_study

_chance: Final = SystemRandom()
_offered: Final[set[int]] = set()


def _ports() -> range:
    """Below those that Linux takes for outgoing connections; each process of a test run has others."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return range(20_000 + 2 * number, 32_000, 2 * processes)


def free_port() -> int:
    """A port that nobody listens on, that no connection takes meanwhile, and that is offered once.

    Telephones take the port above it, too, for TLS or RTCP: it is free, and offered to nobody.
    """
    ports = _ports()
    while (port := _chance.choice(ports)) in _offered or not (_can_listen(port) and _can_listen(port + 1)):
        pass
    _offered.add(port)
    return port


def _can_listen(port: int) -> bool:
    """Whether it is free for TCP and for UDP."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(type=kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True


def wait_for_port(
    port: int, process: subprocess.Popen[bytes] | None = None, *, patience_s: float = PATIENCE_S
) -> None:
    """Wait until somebody listens; a process that was to listen must not have ended."""

    def listening() -> bool:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        assert process is None or process.poll() is None, f"{process.args} ended with {process.returncode}"
        return False

    eventually(listening, f"nobody listens on port {port}", patience_s=patience_s)


@contextmanager
def example_bot(name: str) -> Iterator[str]:
    """The address of a running bot of examples/bots."""
    port = free_port()
    script = Path(__file__).resolve().parents[2] / "examples" / "bots" / f"{name}.py"
    with process(str(script), "--port", str(port)) as running:
        wait_for_port(port, running)
        yield f"http://127.0.0.1:{port}/chat"


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone when the block ends."""
    running = subprocess.Popen([sys.executable, *command], stdin=subprocess.DEVNULL)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


@contextmanager
def study_with_bots(folder: Path, changes: dict[str, str] | None = None) -> Iterator[Path]:
    """A study of the preset `cambridge-2011` whose two systems are running bundled bots.

    changes  pieces of the study file's text and what stands in their place
    """
    write_study(folder, "cambridge-2011", name="city")
    domain = str(folder / "restaurants.yaml")
    ports = [free_port(), free_port()]
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    for old, new in zip(("9101/chat", "9102/chat"), ports, strict=True):
        text = text.replace(old, f"{new}/chat")
    for old, new in (changes or {}).items():
        assert old in text, f"{old!r} is not in the study file"
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    bots = ("-m", "vivavoce_bots", "restaurant", "--domain", domain)
    with (
        process(*bots, "--variant", "nbest", "--port", str(ports[0])),
        process(*bots, "--variant", "onebest", "--port", str(ports[1])),
    ):
        for port in ports:
            wait_for_port(port)
        yield folder / "study.yaml"
