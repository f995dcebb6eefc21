"""Tickets that join a call that was announced with the connection that brings its sound: once and soon."""

import time
from typing import Final, NamedTuple

TICKET_S: Final = 120.0
MOST_TICKETS: Final = 1_000


class Announced(NamedTuple):
    """A call that was announced, and whose sound has not come yet."""

    caller_id: str
    called: str
    until_s: float


class Tickets:
    """The calls that are awaited, by ticket; of too many the oldest is forgotten."""

    def __init__(self) -> None:
        self._awaited: dict[str, Announced] = {}

    def __len__(self) -> int:
        self._forget_old()
        return len(self._awaited)

    def issue(self, ticket: str, caller_id: str, called: str) -> None:
        """Await a call; whoever shows the ticket within two minutes is that call."""
        self._forget_old()
        while len(self._awaited) >= MOST_TICKETS:
            del self._awaited[next(iter(self._awaited))]
        self._awaited[ticket] = Announced(caller_id, called, time.monotonic() + TICKET_S)

    def redeem(self, ticket: str) -> Announced | None:
        """The call of a ticket, which is then used up; None where there is none."""
        self._forget_old()
        return self._awaited.pop(ticket, None)

    def _forget_old(self) -> None:
        now = time.monotonic()
        for ticket in [ticket_id for ticket_id, call in self._awaited.items() if call.until_s < now]:
            del self._awaited[ticket]
