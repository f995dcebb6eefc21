"""Every error that Vivavoce raises on purpose.

VivavoceError
├── InputError            what a user gave is wrong: value, place, next step
│   ├── UnknownName       a registry or a file does not know this name
│   ├── DuplicateName     two objects claim one name
│   ├── MissingExtra      what is asked for needs a package that is not installed
│   └── MissingColumn     a table lacks what a measure reads
├── SystemUnderTestError  the bot failed: unreachable, timeout, bad_answer, refused, closed
└── LogError              the log could not be written or read
"""

from difflib import get_close_matches
from typing import Any, Final, Literal

FailureKind = Literal["unreachable", "timeout", "bad_answer", "refused", "closed"]

MOST_LISTED: Final = 40  # known names; of more, the nearest


class VivavoceError(Exception):
    """Anything that Vivavoce raises on purpose; it can be pickled, as another process's comes from there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _raised_elsewhere, (type(self), self.args), self.__dict__


def _raised_elsewhere(kind: type[VivavoceError], args: tuple[Any, ...]) -> VivavoceError:
    return kind.__new__(kind, *args)


class InputError(VivavoceError):
    """What a user gave is wrong; one line says value, place and next step.

    Shown as `place: problem; hint`. The command line prints it without a stack trace and exits with 2.

    values  fill the places `%(name)s` of problem and hint, which pages say in the reader's language
    """

    def __init__(
        self, problem: str, *, place: str = "", hint: str = "", values: dict[str, Any] | None = None
    ) -> None:
        if values:
            self.template, self.hint_template, self.values = problem, hint, values
            problem, hint = problem % values, hint % values
        self.problem, self.place, self.hint = problem, place, hint
        super().__init__(f"{place + ': ' if place else ''}{problem}{'; ' + hint if hint else ''}")

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in the place of a stack trace."""
        return [f"{type(self).__name__}: {self}"]


class UnknownName(InputError):
    """A name that nobody registered; the nearest known name is offered."""

    def __init__(self, kind: str, name: object, known: list[str], *, place: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(f"unknown {kind} {name!r}", place=place, hint=nearest(str(name), self.known))


class DuplicateName(InputError):
    """Two objects claim one name; the holder is named."""

    def __init__(self, kind: str, name: str, holder: object) -> None:
        super().__init__(f"{kind} {name!r} is already registered by {holder!r}", hint="choose another name")


class MissingExtra(InputError):
    """What is asked for needs a package that is not installed."""


class MissingColumn(InputError):
    """A table lacks a column that a measure reads; names the export that should supply it."""

    def __init__(self, table: str, column: str, supplier: str) -> None:
        super().__init__(f"no column {column!r}", place=f"table {table}", hint=f"supplied by {supplier}")


class SystemUnderTestError(VivavoceError):
    """The system under test failed; `failure` says how, `reached` whether it may have seen the turn.

    retry_after_s: it did not take the turn, and asks to be asked again after so many seconds.
    """

    def __init__(
        self, failure: FailureKind, detail: str, *, reached: bool = True, retry_after_s: float | None = None
    ) -> None:
        self.failure: FailureKind = failure
        self.detail, self.reached, self.retry_after_s = detail, reached, retry_after_s
        super().__init__(f"{failure}: {detail}")


class LogError(VivavoceError):
    """The log could not be written or read; nothing is acknowledged that is not on disk."""


def nearest(name: str, known: list[str]) -> str:
    """The hint for an unknown name: `did you mean 'code'? known: code, dialogue, none`."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    listed = "known: " + ", ".join(known) if known else "none is known"
    if len(known) > MOST_LISTED:
        listed = f"nearest of {len(known)}: " + ", ".join(get_close_matches(name, known, n=6, cutoff=0))
    return f"did you mean {close[0]!r}? {listed}" if close else listed
