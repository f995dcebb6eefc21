"""Background work of the dashboard: a check repeated by its own thread."""

import threading
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import structlog

from vivavoce.core.errors import VivavoceError

_report = structlog.get_logger("vivavoce.dashboard")


class BackgroundCheck(ABC):
    """Repeat a check until closed.

    thread   the thread's name; event: what is reported where a check ends unexpectedly; failure: what
             `problem` says then, for the dashboard
    problem  why the last check came to nothing, "" where it did
    """

    thread: ClassVar[str]
    event: ClassVar[str]
    failure: ClassVar[str]

    def __init__(self, every_s: float) -> None:
        self.every_s = every_s
        self.problem = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    @abstractmethod
    def wanted(self) -> bool:
        """True if the study needs this check."""

    @abstractmethod
    def check(self) -> Any:
        """Check once; safe to call from other threads."""

    def start(self) -> None:
        """Start the thread if the study needs the check."""
        if self.wanted and self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.thread, daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.check()
                self.problem = ""
            except VivavoceError as error:
                self.problem = str(error)
            except Exception:
                if self._stop.is_set():
                    return
                _report.exception(self.event)
                self.problem = self.failure
            self._stop.wait(self.every_s)
