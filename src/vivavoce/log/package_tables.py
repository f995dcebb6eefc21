"""Tables that a package keeps in the log's database beside its own: made, altered and erased with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from vivavoce.core.shelf import Shelf
from vivavoce.log.migrate import Schema, version
from vivavoce.log.store import Log


@dataclass(frozen=True)
class ErasedParticipant:
    """Whose rows are to go.

    tickets  SHA-256 of the tickets with which they came
    persons  recruiters' keys for them
    """

    study: str
    participant_id: str
    visits: Sequence[str]
    tickets: frozenset[str]
    persons: frozenset[str]


@dataclass(frozen=True)
class PackageTables:
    """Tables as a package offers them in the group `vivavoce.log_tables`.

    schema  with their versions; the package calls `Log.bring_tables` before it uses them
    erase   takes out what leads to a participant; says in sentences what stays, and why
    """

    name: str
    schema: Schema
    erase: Callable[[Connection, ErasedParticipant], list[str]]


LOG_TABLES: Final[Shelf[PackageTables]] = Shelf("log table", PackageTables)


def present_tables(log: Log) -> list[PackageTables]:
    """Packages' tables that this log has, brought to the version that their packages read and write."""
    with log.reading() as connection:
        found = [one for _, one in LOG_TABLES if version(connection, one.schema) is not None]
    for one in found:
        log.bring_tables(one.schema)
    return found
