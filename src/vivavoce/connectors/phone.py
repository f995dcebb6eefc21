"""A system that is a telephone number: it is called, and the participant talks to it by himself.

Wire    none of our own: `line` makes the call and is given from outside; the room of telephones has one
Memory  the call; nothing is sent or answered turn by turn, and no words pass through here
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar, Final, Protocol

from pydantic import Field

from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.secrets import Vault, names_in
from vivavoce.core.errors import SystemUnderTestError

ONLY_CALLED: Final = "a telephone number takes no text: it is talked to by voice (channel: phone)"
NO_LINE: Final = "nothing here can make calls"


class PhoneSettings(ConnectorSettings):
    """Settings of a system with `connect: phone`."""

    number: str = Field(
        pattern=r"^(sip:[^\s@]+@[^\s@]+|\+?[0-9*#]{1,32})$",
        description="what is called: sip:NAME@HOST[:PORT], or a number that the exchange knows",
    )
    exchange: str | None = Field(
        None,
        pattern=r"^[^\s:]+:\d{1,5}$",
        description="HOST:PORT that our calls go to; none: NAME's own HOST",
    )
    caller_id: str = Field("vivavoce", pattern=r"^[A-Za-z0-9+._-]{1,64}$", description="who it sees calling")
    username: str | None = Field(None, description="name that the exchange knows us by")
    password: str | None = Field(
        None,
        pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
        description="${NAME} of the variable with the password",
    )
    ring_s: float = Field(30.0, ge=1, le=180, description="seconds that it may ring")
    keys: str = Field(
        "", pattern=r"^[0-9*#A-D,]{0,64}$", description="pressed when it has answered; a comma waits a second"
    )


class PhoneLine(Protocol):
    """Who makes calls; a leg of a call is that of the room of telephones."""

    async def call(self, settings: PhoneSettings, password: str | None) -> Any:
        """Call and wait until it is answered. Raises SystemUnderTestError."""
        ...

    async def ask(self, settings: PhoneSettings) -> str:
        """What the number says when it is asked whether it is there. Raises SystemUnderTestError."""
        ...

    async def stop(self) -> None: ...


class PhoneConnector:
    """A telephone number. `call` is for who holds a call with a participant; text finds nobody here."""

    name: ClassVar[str] = "phone"
    summary: ClassVar[str] = "a telephone number that is called; the participant talks to it himself"
    settings: ClassVar[type[ConnectorSettings]] = PhoneSettings

    def __init__(self, settings: PhoneSettings, vault: Vault) -> None:
        self.told, self._vault = settings, vault
        self.line: PhoneLine | None = None

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "PhoneConnector":
        return cls(settings, Vault(names_in(settings.model_dump()), secrets))

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(audio=True, memory="caller", greets=False)

    async def call(self) -> Any:
        """The leg of a call to it. Raises SystemUnderTestError: it was not reached, or did not answer."""
        password = self._vault.expand(self.told.password) if self.told.password else None
        return await self._line().call(self.told, password)

    async def ping(self) -> str:
        """What it says when asked whether it is there, without ringing. Raises SystemUnderTestError."""
        return await self._line().ask(self.told)

    def _line(self) -> PhoneLine:
        if self.line is None:
            raise SystemUnderTestError("unreachable", NO_LINE, reached=False)
        return self.line

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        """Nothing: it greets who calls it."""
        for output in ():
            yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        for output in ():
            yield output
        raise SystemUnderTestError("unreachable", ONLY_CALLED, reached=False)

    async def reset(self, conversation: Conversation) -> None:
        """Each call is a new conversation."""

    async def close(self, conversation: Conversation) -> None:
        """Who called it hangs up."""

    async def shut_down(self) -> None:
        if self.line is not None:
            await self.line.stop()


def as_phone(connector: Any) -> PhoneConnector | None:
    """The telephone number behind a connector and the limits around it; None for any other system."""
    inner = getattr(connector, "inner", connector)
    return inner if isinstance(inner, PhoneConnector) else None
