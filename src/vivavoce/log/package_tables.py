"""Tables that a package keeps in the log's database beside its own: made, altered and erased with them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection

from vivavoce.core.registry import Registry
from vivavoce.log.guarded_rows import Guarded, recorded
from vivavoce.log.migrate import Schema, version
from vivavoce.log.store import Log
from vivavoce.log.transaction import Transaction


@dataclass(frozen=True)
class ErasedParticipant:
    """Person to erase.

    tickets  SHA-256 of the tickets with which they came
    persons  recruiters' keys for them
    """

    study: str
    participant_id: str
    visits: Sequence[str]
    tickets: frozenset[str]
    persons: frozenset[str]


@dataclass(frozen=True)
class ExportedVisits:
    """Visits of a dataset, by visit_id with their participants; salt: of pseudonyms, in no export."""

    study: str
    visits: Mapping[str, str]
    simulated: bool | None
    salt: str


Rows = Iterable[dict[str, Any]]


@dataclass(frozen=True)
class PackageTables:
    """Tables as a package offers them in the group `vivavoce.log_tables`.

    schema  with their versions; the package calls `Log.bring_tables` before it uses them
    erase   takes out what leads to a participant; says in sentences what stays, and why
    rows    what of them stands in a dataset, by its tables; None: nothing does
    open_business  sentences on what still needs somebody's identifiers, such as a payment that is due; while
                   there is one, no rule of retention takes them out. None: nothing ever does
    guarded  tables whose rows nobody may alter unnoticed, written under `guarded_rows.recorded`
    """

    name: str
    schema: Schema
    erase: Callable[[Connection, ErasedParticipant], list[str]]
    rows: Callable[[Connection, ExportedVisits], Iterable[tuple[str, Rows]]] | None = None
    open_business: Callable[[Connection, ErasedParticipant], list[str]] | None = None
    guarded: Sequence[Guarded] = ()


LOG_TABLES: Final[Registry[PackageTables]] = Registry("log table", PackageTables)


def erase_beside(tx: Transaction, tables: Sequence[PackageTables], whose: ErasedParticipant) -> list[str]:
    """Erase a participant in packages' tables; sentences on what stays."""
    with ExitStack() as stack:
        for guarded in (guarded for table in tables for guarded in table.guarded):
            stack.enter_context(recorded(tx, guarded))
        return [sentence for table in tables for sentence in table.erase(tx.connection, whose)]


def package_rows(connection: Connection, exported: ExportedVisits) -> Iterator[tuple[str, Rows]]:
    """Rows of packages' tables for a dataset: none in a log that lacks them or has earlier versions."""
    for _, log_table in LOG_TABLES:
        if log_table.rows is not None and version(connection, log_table.schema) == log_table.schema.head:
            yield from log_table.rows(connection, exported)


def present_tables(log: Log) -> list[PackageTables]:
    """Packages' tables that this log has, brought to the version that their packages read and write."""
    with log.reading() as connection:
        tables = [
            log_table for _, log_table in LOG_TABLES if version(connection, log_table.schema) is not None
        ]
    for registered in tables:
        log.bring_tables(registered.schema)
    return tables
