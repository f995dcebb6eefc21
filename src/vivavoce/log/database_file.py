"""The file of a SQLite log: noticed when it is moved, deleted or replaced while it is open."""

import sqlite3
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection

from vivavoce.core.errors import LogError

RESCUED: Final = ".rescued"


class DatabaseFile:
    """Identity of the file, by device and inode; a log on a server has none and always passes.

    SQLite goes on writing to a file that has no name any more. What was acknowledged until then is copied to
    `PATH.rescued`, and nothing new is accepted until the file is back.
    """

    def __init__(self, address: URL) -> None:
        is_file = address.get_backend_name() == "sqlite" and address.database
        self.path = Path(address.database or "").resolve() if is_file else None
        self._identity = self._identify()
        self._rescued: Path | None = None

    def check(self, connection: Connection | None) -> None:
        """Check that the open file still has its name.

        connection  the writer's, outside a transaction; None: not connected
        Raises      LogError: it was moved, deleted or replaced
        """
        if self._identify() == self._identity:
            return
        assert self.path is not None
        if self._rescued is None and connection is not None:
            self._rescued = self._rescue(connection)
        saved = f"; everything saved before is in {self._rescued}" if self._rescued else ""
        raise LogError(
            f"{self.path} was moved, deleted or replaced, nothing was saved{saved}; "
            "put the file back, or stop the service and use the copy"
        )

    def _identify(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        with suppress(OSError):
            facts = self.path.stat()
            return facts.st_dev, facts.st_ino
        return None

    def _rescue(self, connection: Connection) -> Path | None:
        assert self.path is not None
        names = (f"{self.path.name}{RESCUED}{number or ''}" for number in count())
        target = next(path for path in map(self.path.with_name, names) if not path.exists())
        raw: Any = connection.connection.dbapi_connection
        try:
            raw.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.Error:
            return None
        return target
