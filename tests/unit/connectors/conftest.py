"""Real counterparts for connectors: programs of their own, on real sockets."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

COUNTERPARTS = Path(__file__).resolve().parents[2] / "plugins" / "counterparts"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(arguments: list[str], port: int) -> subprocess.Popen[bytes]:
    """A process that listens on the port when this returns."""
    process = subprocess.Popen([sys.executable, *arguments])
    for _ in range(400):
        if process.poll() is not None:
            raise RuntimeError(f"{arguments} ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.025)
    raise RuntimeError(f"{arguments} does not listen")


@pytest.fixture(scope="session")
def faulty() -> Iterator[str]:
    """The address of a server that answers in every wrong way there is."""
    port = free_port()
    process = start([str(COUNTERPARTS / "faulty_server.py"), str(port)], port)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


@pytest.fixture(scope="session")
def restaurant_bot() -> Iterator[str]:
    port = free_port()
    process = start(["-m", "vivavoce_bots", "restaurant", "--port", str(port)], port)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


@pytest.fixture
def closed_port() -> Callable[[], int]:
    return free_port


@pytest.fixture(scope="session")
def chat_server() -> Iterator[str]:
    """The address of a well-behaved server with three interfaces."""
    port = free_port()
    process = start([str(COUNTERPARTS / "chat_server.py"), str(port)], port)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()
