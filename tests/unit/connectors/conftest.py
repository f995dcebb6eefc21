"""Real counterparts for connectors: programs of their own, on real sockets."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scenes.processes import free_port, wait_for_port

COUNTERPARTS = Path(__file__).resolve().parents[2] / "plugins" / "counterparts"


def start(arguments: list[str], port: int) -> subprocess.Popen[bytes]:
    """A process that listens on the port when this returns."""
    process = subprocess.Popen([sys.executable, *arguments])
    wait_for_port(port, process)
    return process


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
