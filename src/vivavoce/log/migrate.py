"""Brings a database's tables up to the version that this code reads and writes."""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from vivavoce.core.errors import InputError, LogError
from vivavoce.log.engine import PATIENCE_S, first_line, shown, when_free

HEAD: Final = "0005"
SCRIPTS: Final = Path(__file__).parent / "migrations"


def migrate(engine: Engine, *, patience_s: float = PATIENCE_S) -> None:
    """Make the log's tables, or alter them, in one transaction; nothing happens where they are up to date.

    patience_s  how long to wait while another process does so, or writes
    Raises      InputError: the tables were made by a newer version; LogError: they could not be made
    """

    def bring_up_to_date() -> None:
        with engine.connect() as connection, connection.begin():
            if version(connection) != HEAD:
                _upgrade(connection)

    try:
        when_free(bring_up_to_date, patience_s)
    except DBAPIError as error:
        raise LogError(
            f"{shown(engine.url)}: the log's tables could not be made: {first_line(error)}"
        ) from error


def version(connection: Connection) -> str | None:
    """The version of a database's tables; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("select version_num from alembic_version")).scalar_one_or_none()


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise InputError(
            f"the log was written by a newer version of vivavoce ({error})",
            place=shown(connection.engine.url),
            hint="install that version",
        ) from None
