"""A log whose file is moved or deleted under the service acknowledges nothing more and loses nothing."""

import shutil
from pathlib import Path

import pytest

from vivavoce.core.errors import LogError
from vivavoce.log.database_file import RESCUED
from vivavoce.log.store import Log


def marks(url: str) -> int:
    with Log.open(url) as log, log.reading() as connection:
        return connection.exec_driver_sql("SELECT count(*) FROM marks").scalar_one()


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
def test_nothing_is_acknowledged_without_its_file_and_what_was_is_rescued(tmp_path: Path, how: str) -> None:
    file = tmp_path / "log.sqlite"

    def mark(tx) -> None:
        tx.connection.exec_driver_sql("INSERT INTO marks VALUES (1)")

    with Log.open(f"sqlite:///{file}") as log:
        log.transact_now(lambda tx: tx.connection.exec_driver_sql("CREATE TABLE marks (n INTEGER)"))
        log.transact_now(mark)
        away = file.rename(tmp_path / "away.sqlite")
        if how == "deleted":
            away.unlink()
        if how == "replaced":
            shutil.copy(away, file)
        for _ in range(2):
            with pytest.raises(LogError, match="moved, deleted or replaced"):
                log.transact_now(mark)
        if how == "moved":
            away.rename(file)
            log.transact_now(mark)
    assert marks(f"sqlite:///{file}{RESCUED}") == 1
    if how == "moved":
        assert marks(f"sqlite:///{file}") == 2
