"""Asterisk asks what to do with a call: one connection, facts in lines, a command back.

The facts are lines `agi_name: value` up to an empty one. Our answer sets a variable of the channel, the
ticket that the dial plan shows where it takes the sound; it is empty where no line is free.

Source  Asterisk documentation: "Asterisk Gateway Interface (AGI)", application "AGI", command "set variable"
"""

import asyncio
import re
from collections.abc import Callable
from typing import Final

import structlog

VARIABLE: Final = "VIVAVOCE_TICKET"
ANSWER_S: Final = 10.0
MOST_LINES: Final = 200
_RESTRICTION: Final = 0x60  # bits of the presentation: 0 the number may be shown
_FACT: Final = re.compile(r"(agi_[a-z0-9_]{1,40}):[ \t]?(.*)")
_NUMBER: Final = re.compile(r"\+?[A-Za-z0-9._*#-]{1,64}")

Route = Callable[[str, str], str | None]

_report = structlog.get_logger("vivavoce.telephony")


class BadRequest(ValueError):
    """What came is no request of Asterisk's."""


class FastAgi:
    """Answers Asterisk; `route` gives a ticket for caller and number, None where every line is taken."""

    def __init__(self, route: Route) -> None:
        self._route = route

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question; whatever cannot be read as one gets no answer."""
        try:
            async with asyncio.timeout(ANSWER_S):
                facts = await read_facts(reader)
                ticket = self._route(caller_of(facts), called_of(facts))
                writer.write(f'SET VARIABLE {VARIABLE} "{ticket or ""}"\n'.encode())
                await writer.drain()
                reply = await reader.readline()
        except (BadRequest, TimeoutError, OSError) as error:
            _report.warning("route_not_asked", reason=str(error) or type(error).__name__)
            return
        if not reply.startswith(b"200"):  # the caller has hung up meanwhile; the ticket is never shown
            _report.info("route_not_taken", reply=reply[:80].decode("ascii", "replace"))


async def read_facts(reader: asyncio.StreamReader) -> dict[str, str]:
    """The facts of a call, by name.

    Raises  BadRequest: a line that is no fact or too long, too many lines, no fact at all, an early end
    """
    facts: dict[str, str] = {}
    for _ in range(MOST_LINES):
        try:
            line = (await reader.readuntil(b"\n")).decode("utf-8", "replace").rstrip("\r\n")
        except asyncio.IncompleteReadError:
            raise BadRequest("ended before its empty line") from None
        except asyncio.LimitOverrunError:
            raise BadRequest("a line that is too long") from None
        if not line:
            if not facts:
                raise BadRequest("no facts")
            return facts
        found = _FACT.fullmatch(line)
        if found is None:
            raise BadRequest("a line that is no fact")
        facts[found[1]] = found[2].strip()
    raise BadRequest("too many lines")


def caller_of(facts: dict[str, str]) -> str:
    """Who calls; "" where that is not known or not to be shown."""
    presentation = facts.get("agi_callingpres", "0")
    if presentation.isdecimal() and int(presentation) & _RESTRICTION:
        return ""
    return _number(facts.get("agi_callerid", ""))


def called_of(facts: dict[str, str]) -> str:
    """The number that was dialled: as the dial plan says by an argument, else the extension."""
    return _number(facts.get("agi_arg_1", "")) or _number(facts.get("agi_extension", ""))


def _number(text: str) -> str:
    known = _NUMBER.fullmatch(text) is not None and text.lower() not in ("unknown", "anonymous")
    return text if known else ""
