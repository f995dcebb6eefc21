"""Errors of a session.

SessionError
├── Stale     the submitted page belongs to an earlier state of the visit: show the current one
└── Refused   the request cannot be granted now; `reason` is a word that the page can translate
"""

from typing import Literal

from vivavoce.core.errors import VivavoceError

Reason = Literal[
    "paused",
    "busy",
    "too_long",
    "empty",
    "not_running",
    "unsent_turns",
    "too_many_codes",
    "unknown_visit",
    "too_short",
    "too_fast",
    "bad_audio",
    "full",
    "came_before",
]


class SessionError(VivavoceError):
    """Anything that a session refuses."""


class Stale(SessionError):
    """The page that was submitted belongs to an earlier place of the visit; show the current one."""


class Refused(SessionError):
    """The request cannot be granted now; nothing was written."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}" if detail else reason)
