"""Brings a database's tables to the version that this code reads and writes: the log's, and packages'."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, column, inspect, select, table
from sqlalchemy.exc import DBAPIError

from vivavoce.core.errors import InputError, LogError
from vivavoce.log.engine import PATIENCE_S, first_line, shown, when_free

SCRIPTS: Final = Path(__file__).parent / "migrations"


@dataclass(frozen=True)
class Schema:
    """Tables that belong together, with their versions.

    name      of the package whose they are; "": the log's own
    head      the version that this code reads and writes
    versions  folder of the migrations (Alembic), of which the last is `head`
    """

    name: str
    head: str
    versions: Path

    @property
    def version_table(self) -> str:
        """Table that holds a database's version."""
        return f"{self.name}_alembic_version" if self.name else "alembic_version"


LOG: Final = Schema("", "0009", SCRIPTS / "versions")


def migrate(engine: Engine, schema: Schema = LOG, *, patience_s: float = PATIENCE_S) -> None:
    """Make tables, or alter them, in one transaction; nothing happens where they are up to date.

    patience_s  how long to wait while another process does so, or writes
    Raises      InputError: the tables were made by a newer version; LogError: they could not be made
    """

    def bring_up_to_date() -> None:
        with engine.connect() as connection, connection.begin():
            if version(connection, schema) != schema.head:
                _upgrade(connection, schema)

    try:
        when_free(bring_up_to_date, patience_s)
    except DBAPIError as error:
        whose = f"{schema.name}'s" if schema.name else "the log's"
        raise LogError(f"{shown(engine.url)}: cannot create {whose} tables: {first_line(error)}") from error


def version(connection: Connection, schema: Schema = LOG) -> str | None:
    """The version of a database's tables; None where there are none."""
    if not inspect(connection).has_table(schema.version_table):
        return None
    query = select(column("version_num")).select_from(table(schema.version_table))
    return connection.execute(query).scalar_one_or_none()


def _upgrade(connection: Connection, schema: Schema) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("version_locations", str(schema.versions).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes.update(connection=connection, version_table=schema.version_table)
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise InputError(
            f"the log was written by a newer version of {schema.name or 'vivavoce'} ({error})",
            place=shown(connection.engine.url),
            hint="install that version",
        ) from None
