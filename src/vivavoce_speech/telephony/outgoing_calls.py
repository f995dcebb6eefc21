"""Our own calls, to systems that are telephone numbers and to participants."""

import asyncio
import socket
from typing import Final

from pydantic import Field

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.core.errors import FailureKind, SystemUnderTestError
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.sip_auth import Credentials
from vivavoce_speech.telephony.sip_caller import NotAnswered, Outcome, SipCaller, SipLine, address_of

_FAILURES: Final[dict[Outcome, FailureKind]] = {
    "busy": "refused",
    "no_answer": "timeout",
    "declined": "refused",
    "unreachable": "unreachable",
    "refused": "refused",
}


class PhoneSettings(ConnectorSettings):
    """Settings of a system with `connect: phone`."""

    number: str = Field(
        pattern=r"^(sip:[^\s@]+@[^\s@]+|\+?[0-9*#]{1,32})$",
        description="destination: sip:NAME@HOST[:PORT], or a number known to the exchange",
    )
    exchange: str | None = Field(
        None,
        pattern=r"^[^\s:]+:\d{1,5}$",
        description="HOST:PORT of the exchange; none: the host of the destination",
    )
    caller_id: str = Field("vivavoce", pattern=r"^[A-Za-z0-9+._-]{1,64}$", description="caller ID")
    username: str | None = Field(None, description="user name at the exchange")
    password: str | None = Field(
        None,
        pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
        description="password as ${NAME} of an environment variable",
    )
    ring_s: float = Field(30.0, ge=1, le=180, description="maximum ringing time in seconds")
    keys: str = Field(
        "",
        pattern=r"^[0-9*#A-D,]{0,64}$",
        description="keys to press after the call is answered; a comma waits one second",
    )


class Outgoing:
    """Makes calls by SIP, each from the address of this machine that leads to who is called."""

    def __init__(self) -> None:
        self._callers: dict[str, SipCaller] = {}
        self._lock = asyncio.Lock()

    async def caller_towards(self, number: str, line: SipLine) -> SipCaller:
        """Caller for this route, started when first needed. Raises NotAnswered: no route exists."""
        host = line.exchange.rpartition(":")[0] if line.exchange else address_of(number, line).host
        try:
            ours = await asyncio.to_thread(address_towards, host.strip("[]"))
        except OSError as error:
            raise NotAnswered("unreachable", f"{host}: {error.strerror or error}") from None
        async with self._lock:
            if ours not in self._callers:
                caller = SipCaller(host=ours)
                await caller.start()
                self._callers[ours] = caller
            return self._callers[ours]

    async def call(self, settings: PhoneSettings, password: str | None) -> PhoneLeg:
        """The leg of a call to a system, with its keys pressed. Raises SystemUnderTestError."""
        who = Credentials(settings.username or "", password or "") if settings.username else None
        line = SipLine(settings.exchange, settings.caller_id, who)
        try:
            caller = await self.caller_towards(settings.number, line)
            leg = await caller.call(settings.number, line, ring_s=settings.ring_s)
        except NotAnswered as error:
            raise _failure(error) from None
        if settings.keys:
            leg.press(settings.keys)
        return leg

    async def ask(self, settings: PhoneSettings) -> str:
        """Reply of a system's number to OPTIONS. Raises SystemUnderTestError: nothing, or `unknown`."""
        line = SipLine(settings.exchange, settings.caller_id)
        try:
            caller = await self.caller_towards(settings.number, line)
            code = await caller.ask(settings.number, line, reach_s=settings.connect_timeout_s)
        except NotAnswered as error:
            raise _failure(error) from None
        if code in (404, 410, 484, 604):
            raise SystemUnderTestError("unreachable", f"the exchange does not know this number ({code})")
        return f"a SIP server answers ({code}); the telephone was not rung"

    async def stop(self) -> None:
        """Hang up and close."""
        callers, self._callers = list(self._callers.values()), {}
        for caller in callers:
            await caller.stop()


def address_towards(host: str) -> str:
    """The address of this machine from which packets to a host leave; nothing is sent. Raises OSError."""
    family, _, _, _, address = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect(address)
        return probe.getsockname()[0]


def _failure(error: NotAnswered) -> SystemUnderTestError:
    reached = error.outcome not in ("unreachable", "refused")
    detail = f"{error.outcome.replace('_', ' ')}: {error.detail}"
    return SystemUnderTestError(_FAILURES[error.outcome], detail, reached=reached)
