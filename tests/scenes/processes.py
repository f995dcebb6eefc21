"""Real processes for tests: bundled bots, studies that reach them, servers that can be killed."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vivavoce.study.scaffold import write_study


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port: int, timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"nobody listens on port {port}")


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
