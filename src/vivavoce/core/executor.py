"""Engines for parallel work: this process, local processes, or a Dask cluster.

`in_pieces` splits the work; `working_on` chooses the engine. A piece lost with its worker is done again, and
each piece has its own random numbers, so results are the same on every engine and number of workers.
"""

import gc
import os
import pickle
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import require

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from distributed import Client

Piece = TypeVar("Piece")
Result = TypeVar("Result")
PLACE: Final = "--engine"
KINDS: Final = ("here", "processes", "processes:N", "dask", "dask://HOST:PORT")
FAILURES: Final = 5
PATIENCE_S: Final = 10


class Engine:
    """Does a function over pieces, one after the other in this process; a context, at whose end workers go.

    What other engines are given must be picklable, and importable where it is done. What the function holds
    goes to each worker once, a piece with each task.
    """

    def map(self, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        """The results in the order of the pieces, each as soon as it is asked for and there."""
        yield from map(partial(_do, work), pieces)

    def close(self) -> None:
        """Let the workers go."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_HERE: Final = Engine()
_CURRENT: Final = ContextVar("engine", default=_HERE)


@contextmanager
def working_on(text: str | None) -> Iterator[None]:
    """Use the named engine for parallel work in the block; None: unchanged.

    Raises  as `read_engine`
    """
    if text is None:
        yield
        return
    with read_engine(text) as engine:
        before = _CURRENT.set(engine)
        try:
            yield
        finally:
            _CURRENT.reset(before)


def elsewhere() -> bool:
    """True if an engine was named, so that undivided work may be split."""
    return _CURRENT.get() is not _HERE


def in_pieces(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
    """A function's results over pieces, in their order, made on the engine that was named.

    Input   work and pieces that can be pickled; what is drawn at random has its seed in the piece
    """
    yield from (_CURRENT.get() if len(pieces) > 1 else _HERE).map(work, pieces)


def _do(work: Callable[[Piece], Result], piece: Piece) -> Result:
    """With one thread of linear algebra: sums that are split over several have other last digits."""
    loaded = _linear_algebra(len(sys.modules))
    with nullcontext() if loaded is None else loaded.limit(limits=1, user_api="blas"):
        return work(piece)


@lru_cache(maxsize=1)
def _linear_algebra(modules: int) -> Any:
    """Libraries of linear algebra that are loaded; looked for again where modules were loaded since.

    Empty  without the extra `fast` nothing holds them back here, and no engine is read: None
    """
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:
        return None
    return ThreadpoolController()


def read_engine(text: str | None) -> Engine:
    """The engine that a word names: here (None as well), processes, processes:N, dask, dask://HOST:PORT.

    Raises  UnknownName: it names none; InputError: not a number of processes, or no address
            MissingExtra: Dask, or what holds linear algebra to one thread, is not installed
    """
    kind, _, argument = (text or "here").partition(":")
    if kind == "here" and not argument:
        return Engine()
    if kind == "processes":
        require("threadpoolctl")
        return Processes(_number(argument) if argument else os.cpu_count() or 1)
    if kind == "dask":
        require("distributed", "threadpoolctl")
        return Dask(_address(argument) if argument else None)
    raise UnknownName("engine", text or "", list(KINDS), place=PLACE)


def _number(text: str) -> int:
    if not text.isdecimal() or not int(text):
        hint = "give a whole number, such as processes:4"
        raise InputError(f"{text!r} is not a number of processes", place=PLACE, hint=hint)
    return int(text)


def _address(text: str) -> str:
    host, _, port = text.removeprefix("//").rpartition(":")
    if not (text.startswith("//") and host and port.isdecimal()):
        hint = "write the scheduler's address, such as dask://node7:8786"
        raise InputError(f"'dask:{text}' is not an address", place=PLACE, hint=hint)
    return f"tcp://{host}:{port}"


class Processes(Engine):
    """Several processes of this machine."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pool: ProcessPoolExecutor | None = None

    def map(self, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        from concurrent.futures.process import BrokenProcessPool

        done = 0
        with TemporaryDirectory(prefix="vivavoce-work-") as folder:
            work_file = Path(folder) / "work"
            work_file.write_bytes(pickle.dumps(work))
            for _ in range(FAILURES):
                try:
                    for result in self._started().map(partial(_do_held, work_file), pieces[done:]):
                        yield result
                        done += 1
                    return
                except BrokenProcessPool:
                    self.close()
        problem = f"worker processes crashed {FAILURES} times before they finished"
        raise InputError(problem, place=PLACE, hint="use fewer processes; memory may be too small")

    def _started(self) -> "ProcessPoolExecutor":
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        if self._pool is None:
            # begun anew, never forked: a fork of a process with threads may hang
            self._pool = ProcessPoolExecutor(self._number, get_context("spawn"), _begin_alone)
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _begin_alone() -> None:
    """Before numpy is loaded: processes that share a machine's cores need no threads for each of them."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"


def _do_held(work_file: Path, piece: Any) -> Any:
    return _do(_held(work_file), piece)


@lru_cache(maxsize=1)
def _held(file: Path) -> Callable[[Any], Any]:
    """The function that the pieces of one `map` are for, read once a process."""
    return pickle.loads(file.read_bytes())  # noqa: S301 - of our own folder, which nobody else writes to


class Dask(Engine):
    """A Dask cluster: that of a scheduler, or, without address, one of this machine."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._opened = ExitStack()
        self._client: Client | None = None

    def map(self, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
        from distributed import KilledWorker

        client = self._started()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # it is sent once
            # a task, not data laid on some worker: what is lost with that worker is made again
            work_future = client.submit(_same, work, pure=False)
        for future in client.map(_do_there, pieces, work=work_future, pure=False):
            try:
                yield future.result()
            except KilledWorker:
                problem = "workers crashed repeatedly on the same task"
                hint = "give them more memory, or check their logs"
                raise InputError(problem, place=PLACE, hint=hint) from None
            except ModuleNotFoundError as error:
                problem = f"a worker lacks the package {error.name}"
                hint = "install the same packages on the workers"
                raise InputError(problem, place=PLACE, hint=hint) from None

    def _started(self) -> "Client":
        from distributed import Client, LocalCluster

        if self._client is None:
            where: Any = self._address
            if where is None:
                local: Any = {"threads_per_worker": 1, "dashboard_address": None}
                where = self._opened.enter_context(LocalCluster(os.cpu_count() or 1, **local))
            try:
                self._client = self._opened.enter_context(Client(where, timeout=PATIENCE_S))
            except (OSError, ValueError):
                hint = "start a scheduler there, or name another"
                raise InputError(f"no scheduler answers at {where}", place=PLACE, hint=hint) from None
        return self._client

    def close(self) -> None:
        self._client = None
        self._opened.close()


def _same(work: Any) -> Any:
    return work


def _do_there(piece: Any, work: Callable[[Any], Any]) -> Any:
    return _do(work, piece)


_COLLECTOR = threading.Lock()
_within, _collects = 0, True  # threads in such a block; whether it was on before


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: plain tables hold none, and looking takes up to a third of the time.

    The collector is one for all threads: the last of those that are in such a block turns it on again.
    """
    global _within, _collects
    with _COLLECTOR:
        if not _within:
            _collects = gc.isenabled()
            gc.disable()
        _within += 1
    try:
        yield
    finally:
        with _COLLECTOR:
            _within -= 1
            if not _within and _collects:
                gc.enable()
