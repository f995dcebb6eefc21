"""One service a log: two that serve the same would each hold its own picture of the visits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vivavoce.cli.studies import log_url
from vivavoce.core.errors import InputError

if TYPE_CHECKING:
    from vivavoce.study.model import Study

SUFFIX: Final = ".serving"


def served_file(study: "Study", url: str | None) -> Path | None:
    """The file of the log that a study is served from; None for one on a server."""
    address = log_url(study, url)
    return Path(address.removeprefix("sqlite:///")) if address.startswith("sqlite:///") else None


@contextmanager
def alone(log: Path | None) -> Iterator[None]:
    """Keep others from serving a log on this machine until the block ends, however the process ends.

    log     the log's file; None where it is on a server, and nobody is kept out
    Raises  InputError: another process serves it; names that process
    """
    if log is None or os.name != "posix":
        yield
        return
    import fcntl

    with log.with_name(log.name + SUFFIX).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise InputError(
                f"process {file.read().strip() or '(unknown)'} serves this log already", place=str(log),
                cure="use the pages that it printed, or stop it first",
            ) from None  # fmt: skip
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
