"""Lock against two services on one log: each would keep a different picture of the visits."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError

SUFFIX: Final = ".serving"


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Lock a log until the block ends, however the process ends.

    url     the log's address: a file is locked on this machine, a log on a server everywhere
    Raises  InputError: another process serves it; names that process
    """
    if not url.startswith("sqlite:///"):
        from vivavoce.log.service_lock import served_alone

        with served_alone(url, lost=lambda: os.kill(os.getpid(), signal.SIGTERM)):
            yield
        return
    with _alone_with_file(Path(url.removeprefix("sqlite:///"))):
        yield


@contextmanager
def _alone_with_file(log: Path) -> Iterator[None]:
    if os.name != "posix":
        yield
        return
    import fcntl

    log = log.resolve()  # a symbolic link is the same log
    if log.is_file() and (names := log.stat().st_nlink) > 1:
        raise InputError(
            f"the log has {names} names (hard links)",
            place=str(log),
            hint="Keep one, so that it is served once",
        )
    with log.with_name(log.name + SUFFIX).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise InputError(
                f"process {file.read().strip() or '(unknown)'} already serves this log",
                place=str(log),
                hint="Use the pages that it printed, or stop it first",
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
