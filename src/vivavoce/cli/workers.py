"""`serve --workers N`: the parent process that holds the port, and its workers."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vivavoce.api.studies import log_url, make_connectors, open_log, read_study
from vivavoce.cli.arguments import note
from vivavoce.cli.processes import end_processes
from vivavoce.core.errors import InputError, VivavoceError

if TYPE_CHECKING:
    from vivavoce.connectors.base import Connector
    from vivavoce.study.model import Study

LOOK_EVERY_S: Final = 0.1
READY_WITHIN_S: Final = 180.0
FALLS_IN_A_ROW: Final = 5  # of a worker before it was ready; then the service ends
_COUNTED: Final = ("max_concurrency", "turns_per_minute", "budget")


def require_shareable(
    study: "Study", url: str | None, connectors: "Mapping[str, Connector]", workers: int
) -> None:
    """Check that several workers can serve this study.

    Raises  InputError: names the feature that needs a single process, with the next step
    """
    from vivavoce.api.studies import place_in
    from vivavoce.study.step_kind import channels_of

    alone = "leave out --workers"
    if workers < 1:
        raise InputError(f"{workers} workers cannot serve anyone", place="--workers", hint="Give 1 or more")
    if workers == 1:
        return
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("workers need Unix sockets, which this system lacks", place="--workers", hint=alone)
    address = log_url(study, url)
    if address.startswith("sqlite"):
        raise InputError(
            "several workers cannot share a log in a SQLite file",
            place=address,
            hint=f"Name a database with --log postgresql://..., or {alone}",
        )
    for channel in channels_of(study):
        raise InputError(
            f"one process must handle dialogues of the channel {channel.name}",
            place=study.name,
            hint=f"{alone}, or use text (channel: text)",
        )
    for name, connector in connectors.items():
        inner = getattr(connector, "inner", connector)
        if getattr(connector, "room", None) is not None:
            problem = "wizards answer in one process"
        elif hasattr(inner, "start"):
            problem = "a system that connects to us can reach only one process"
        else:
            continue
        raise InputError(problem, place=place_in(study, "systems", name), hint=alone)
    for name, settings in study.systems.items():
        for key in (key for key in _COUNTED if settings.get(key) is not None):
            raise InputError(
                "one process must count this",
                place=place_in(study, "systems", name, key),
                hint=f"{alone}, or leave out {key}",
            )


def listening(host: str, port: int) -> socket.socket:
    """Socket on which workers accept; clients wait while no worker is up."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=1024)
    listener.set_inheritable(True)
    return listener


@dataclass
class _Worker:
    """A worker as its parent sees it; falls: consecutive ends before it was ready."""

    number: int
    process: "subprocess.Popen[bytes] | None" = None
    falls: int = 0
    begin_at_s: float = 0.0
    ready: bool = False


@dataclass
class Workers:
    """Workers of one service: started, restarted and stopped together."""

    command: list[str]
    listener: socket.socket
    folder: Path
    number: int
    begun_by: Callable[[], object] | None = None
    _workers: list[_Worker] = field(default_factory=list)

    def start(self) -> None:
        """Start all workers and wait until they are ready. Raises  VivavoceError: one was not"""
        self._workers = [_Worker(number) for number in range(self.number)]
        until_s = time.monotonic() + READY_WITHIN_S
        while not all(worker.ready for worker in self._workers):
            self.look()
            if time.monotonic() > until_s:
                raise VivavoceError(f"the workers were not ready within {READY_WITHIN_S:.0f} s")
            if any(worker.falls for worker in self._workers):
                raise VivavoceError("a worker ended before it was ready; see its messages above")
            time.sleep(LOOK_EVERY_S)

    def watch(self) -> None:
        """Restart workers that die. Raises  VivavoceError: one fails repeatedly"""
        while True:
            self.look()
            time.sleep(LOOK_EVERY_S)

    def look(self) -> None:
        """Check the workers once."""
        for worker in self._workers:
            process = worker.process
            if process is not None and process.poll() is not None:
                self._bury(worker, process.returncode)
            if worker.process is None and time.monotonic() >= worker.begin_at_s:
                self._begin(worker)
            if not worker.ready and self._door(worker).exists():
                worker.ready, worker.falls = True, 0

    def stop(self) -> None:
        """Stop all workers."""
        processes = (worker.process for worker in self._workers)
        end_processes([process for process in processes if process is not None], patience_s=15)

    def _begin(self, worker: _Worker) -> None:
        self._door(worker).unlink(missing_ok=True)
        command = [*self.command, "--number", str(worker.number)]
        # a session of its own: Ctrl-C is the parent's, which stops the workers in order
        worker.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            pass_fds=[self.listener.fileno()],
            start_new_session=True,
            preexec_fn=self.begun_by,
        )

    def _bury(self, worker: _Worker, status: int) -> None:
        worker.falls += not worker.ready
        if worker.falls >= FALLS_IN_A_ROW:
            raise VivavoceError(
                f"worker {worker.number} ended {worker.falls} times before it was ready; the service stops"
            )
        note(f"worker {worker.number} ended with {status}; restarting it")
        worker.process, worker.ready = None, False
        worker.begin_at_s = time.monotonic() + worker.falls

    def _door(self, worker: _Worker) -> Path:
        from vivavoce.participant.visit_router import door_of

        return door_of(self.folder, worker.number)


@contextmanager
def working(
    study: Path,
    url: str | None,
    *,
    host: str,
    port: int,
    workers: int,
    secure_cookies: bool,
    notice: str | None,
    begun_by: Callable[[], object] | None,
) -> Iterator[Workers]:
    """Workers of a service, ready; stopped however the block ends."""
    with tempfile.TemporaryDirectory(prefix="vivavoce-") as folder, listening(host, port) as listener:
        command = [sys.executable, "-m", "vivavoce", "worker", str(study), "--of", str(workers)]
        command += ["--listener", str(listener.fileno()), "--folder", folder]
        command += ["--log", url] if url else []
        command += ["--secure-cookies"] if secure_cookies else []
        command += ["--notice", notice] if notice else []
        running = Workers(command, listener, Path(folder), workers, begun_by)
        try:
            running.start()
            yield running
        finally:
            running.stop()


def worker(
    study: Annotated[Path, typer.Argument()],
    number: Annotated[int, typer.Option("--number")],
    of: Annotated[int, typer.Option("--of")],
    listener: Annotated[int, typer.Option("--listener", help="File descriptor of the socket.")],
    folder: Annotated[Path, typer.Option("--folder", help="Directory where the workers meet.")],
    log: Annotated[str | None, typer.Option("--log")] = None,
    secure_cookies: Annotated[bool, typer.Option("--secure-cookies")] = False,
    notice: Annotated[str | None, typer.Option("--notice")] = None,
) -> None:
    """Serve pages beside other workers; `serve --workers` starts it automatically."""
    import structlog

    from vivavoce.participant.app import create_app, not_saved
    from vivavoce.participant.serving import PageServer
    from vivavoce.participant.visit_router import Door, Handover, WorkerShare, door_of
    from vivavoce.trial.engine import SessionEngine

    os.set_inheritable(listener, False)
    structlog.contextvars.bind_contextvars(worker=number)
    read, share = read_study(study), WorkerShare(number, of)
    with open_log(read, log) as opened, socket.socket(fileno=listener) as accepting:
        engine = SessionEngine(read, opened, make_connectors(read), leads=share.leads)
        app: Any = create_app(engine, secure_cookies=secure_cookies, notice=notice)
        site, away = app.state.site, not_saved
        app.add_middleware(Handover, site=site, share=share, folder=folder, away=away)
        door = Door(app, door_of(folder, number))
        server = PageServer(app, door=door, server_header=False, timeout_graceful_shutdown=3)
        server.run(sockets=[accepting])
