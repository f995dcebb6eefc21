"""Statements of the hot path, compiled once for each kind of database and from then on run as text.

SQLAlchemy looks a statement up in its cache and works out its parameters at every run, which takes longer
than the database does. Here that is done at the first run; values become what the driver takes by the types
of the same columns.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import JSON, Connection, CursorResult, Dialect, Executable
from sqlalchemy.sql.compiler import SQLCompiler

_Processor = Callable[[Any], Any] | None
_PREPARED: Final[dict[tuple[Executable, str, tuple[str, ...]], "_Prepared"]] = {}


class _Prepared(NamedTuple):
    """The text of a statement; for each of its places the parameter, its default and what turns its value."""

    text: str
    positional: bool
    parameters: tuple[tuple[str, Any, _Processor], ...]

    def values(self, given: Mapping[str, Any]) -> tuple[Any, ...] | dict[str, Any]:
        ordered = [
            (name, process(value) if process is not None else value)
            for name, default, process in self.parameters
            for value in (given.get(name, default),)
        ]
        return tuple(value for _, value in ordered) if self.positional else dict(ordered)


def run(connection: Connection, statement: Executable, given: Mapping[str, Any]) -> CursorResult[Any]:
    """Run a statement that lives as long as the program; what is given sets the columns of the same names.

    A mapping or list for a column of JSON may be given as the text that it is to be stored as.
    """
    key = (statement, connection.dialect.name, tuple(given))
    prepared = _PREPARED.get(key)
    if prepared is None:
        prepared = _PREPARED[key] = _prepare(statement, connection.dialect, tuple(given))
    return connection.exec_driver_sql(prepared.text, prepared.values(given))


def _prepare(statement: Executable, dialect: Dialect, names: tuple[str, ...]) -> _Prepared:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))  # type: ignore[attr-defined]
    assert isinstance(compiled, SQLCompiler)
    defaults = compiled.params
    order = compiled.positiontup or list(defaults)
    parameters = tuple((name, defaults.get(name), _processor(compiled, name, dialect)) for name in order)
    return _Prepared(compiled.string, compiled.positional, parameters)


def _processor(compiled: SQLCompiler, name: str, dialect: Dialect) -> _Processor:
    kind = compiled.binds[name].type
    process = kind.dialect_impl(dialect).bind_processor(dialect)
    if process is None or not isinstance(kind, JSON):
        return process
    return lambda value: value if isinstance(value, str) else process(value)
