"""Child processes, such as bundled bots: start, wait, stop."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from vivavoce.core.errors import VivavoceError


@contextmanager
def bundled_bots(domain: Path, variants: dict[str, int]) -> Iterator[None]:
    """Run the bundled restaurant bots in processes: variant -> port; stopped when the block ends."""
    commands = [
        [
            sys.executable,
            "-m",
            "vivavoce_bots",
            "restaurant",
            "--variant",
            variant,
            "--port",
            str(port),
            "--domain",
            str(domain),
        ]
        for variant, port in variants.items()
    ]
    with running(commands) as processes:
        for (variant, port), process in zip(variants.items(), processes, strict=True):
            wait_for_port("127.0.0.1", port, f"the bundled bot {variant}", process)
        yield


@contextmanager
def running_bots(commands: Mapping[str, tuple[list[str], int]]) -> Iterator[None]:
    """Run bots in processes, stopped when the block ends.

    Input   commands: by system, the words after `vivavoce bots run`, and the port
    """
    started = [[sys.executable, "-m", "vivavoce", "bots", "run", *words] for words, _ in commands.values()]
    with running(started) as processes:
        for (name, (_, port)), process in zip(commands.items(), processes, strict=True):
            wait_for_port("127.0.0.1", port, f"the bundled bot {name}", process)
        yield


@contextmanager
def running(commands: list[list[str]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Child processes, stopped however the block ends."""
    signal.signal(signal.SIGTERM, _stop_orderly)
    will = last_will()
    silent = {**os.environ, "VIVAVOCE_BOT_SILENT": "1"}  # the parent tells where its bots are
    processes = [
        subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=will, env=silent)
        for command in commands
    ]
    try:
        yield processes
    finally:
        end_processes(processes, patience_s=8)


def end_processes(processes: Sequence[subprocess.Popen[bytes]], *, patience_s: float) -> None:
    """Terminate all of them; kill those still alive after this time."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _stop_orderly(number: int, _: object) -> None:
    """Exit through every `finally`, so that child processes stop as well."""
    raise SystemExit(128 + number)


def last_will() -> Callable[[], object] | None:
    """On Linux: stop a child even when this process is killed."""
    if sys.platform != "linux":
        return None
    prctl, death_signal = ctypes.CDLL(None).prctl, 1
    return lambda: prctl(death_signal, int(signal.SIGTERM))


def wait_for_port(
    host: str, port: int, what: str, process: subprocess.Popen[bytes], timeout_s: float = 180.0
) -> None:
    """Wait until a process listens; on a busy machine that may take long.

    Raises  VivavoceError: it did not start in time, or it ended
    """
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise VivavoceError(f"{what} ended with {process.returncode} before it listened on port {port}")
        try:
            with socket.create_connection((host, port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise VivavoceError(f"{what} did not start on port {port} within {timeout_s:.0f} s")
