"""Exception classes of Vivavoce.

VivavoceError
├── InputError            wrong user input: value, place, next step
│   ├── UnknownName       a registry or a file does not know this name
│   ├── DuplicateName     two objects claim one name
│   └── MissingExtra      a required package is not installed
├── SystemUnderTestError  the bot failed: unreachable, timeout, bad_answer, refused, closed
└── LogError              the log could not be written or read
"""

import re
from difflib import get_close_matches
from typing import Any, Final, Literal

FailureKind = Literal["unreachable", "timeout", "bad_answer", "refused", "closed"]

MOST_LISTED: Final = 40  # known names; of more, the nearest


class VivavoceError(Exception):
    """Base class of Vivavoce's errors; it can be pickled, for errors of other processes."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _raised_elsewhere, (type(self), self.args), self.__dict__


def _raised_elsewhere(kind: type[VivavoceError], args: tuple[Any, ...]) -> VivavoceError:
    return kind.__new__(kind, *args)


class InputError(VivavoceError):
    """Wrong user input; one line with place, value and next step.

    Shown as `place: problem. Hint`. The command line prints it without a stack trace and exits with 2.

    values  fill the places `%(name)s` of problem and hint, which pages translate
    """

    def __init__(
        self, problem: str, *, place: str = "", hint: str = "", values: dict[str, Any] | None = None
    ) -> None:
        if values:
            self.template, self.hint_template, self.values = problem, hint, values
            problem, hint = problem % values, hint % values
        self.problem, self.place, self.hint = problem, place, hint
        super().__init__(f"{place + ': ' if place else ''}{sentences(problem, hint)}")

    def _render_traceback_(self) -> list[str]:
        """Text that a notebook shows in place of a stack trace."""
        return [f"{type(self).__name__}: {self}"]


class UnknownName(InputError):
    """An unregistered name; the hint suggests the nearest known one."""

    def __init__(self, kind: str, name: object, known: list[str], *, place: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        super().__init__(f"unknown {kind} {name!r}", place=place, hint=nearest(str(name), self.known))


class DuplicateName(InputError):
    """Two objects claim one name; the holder is named."""

    def __init__(self, kind: str, name: str, holder: object) -> None:
        super().__init__(f"{kind} {name!r} is already registered by {holder!r}", hint="choose another name")


class MissingExtra(InputError):
    """A required package is not installed."""


class SystemUnderTestError(VivavoceError):
    """The system under test failed. failure: kind of failure; reached: it may have seen the turn.

    retry_after_s: the system rejected the turn and accepts a retry after this many seconds.
    """

    def __init__(
        self, failure: FailureKind, detail: str, *, reached: bool = True, retry_after_s: float | None = None
    ) -> None:
        self.failure: FailureKind = failure
        self.detail, self.reached, self.retry_after_s = detail, reached, retry_after_s
        super().__init__(f"{failure}: {detail}")


class LogError(VivavoceError):
    """The log could not be written or read; nothing is acknowledged that is not on disk."""


def sentences(problem: str, hint: str) -> str:
    """Join problem and hint as sentences; capitalise the hint unless it starts with a name or a command."""
    hint = re.sub(
        r"^(?!(?:pip|apt|vivavoce) )(?:known(?=:)|[a-z]+(?=[ ,?]|$))", lambda word: word[0].capitalize(), hint
    )
    return ". ".join(part for part in (problem, hint) if part)


def nearest(name: str, known: list[str]) -> str:
    """Hint for an unknown name: `Did you mean 'code'? Known: code, dialogue, none`."""
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    listed = "Known: " + ", ".join(known) if known else "Known: none"
    if len(known) > MOST_LISTED:
        listed = f"Nearest of {len(known)}: " + ", ".join(get_close_matches(name, known, n=6, cutoff=0))
    return f"Did you mean {close[0]!r}? {listed}" if close else listed
