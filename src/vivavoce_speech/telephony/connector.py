"""A system that is a telephone number: it is called, and the participant talks to it themselves.

Wire    SIP, by `Outgoing`
Memory  the call; nothing is sent or answered turn by turn, and no words pass through here
"""

from collections.abc import AsyncIterator
from typing import ClassVar, Final

from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.outgoing_calls import Outgoing, PhoneSettings

ONLY_CALLED: Final = "a telephone number accepts no text: use a voice channel (channel: phone)"


class PhoneConnector(SystemConnector[PhoneSettings]):
    """A telephone number. `call` is for who holds a call with a participant; text finds nobody here."""

    name: ClassVar[str] = "phone"
    summary: ClassVar[str] = "a telephone number; participants call it and talk to it"
    settings: ClassVar[type[ConnectorSettings]] = PhoneSettings

    def __init__(self, settings: PhoneSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self.told, self.line = settings, Outgoing()

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(audio=True, memory="caller", greets=False)

    async def call(self) -> PhoneLeg:
        """The leg of a call to it. Raises SystemUnderTestError: it was not reached, or did not answer."""
        password = self._vault.expand(self.told.password) if self.told.password else None
        return await self.line.call(self.told, password)

    async def ping(self) -> str:
        """Return its reply to OPTIONS, without ringing. Raises SystemUnderTestError."""
        return await self.line.ask(self.told)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        for output in ():
            yield output
        raise SystemUnderTestError("unreachable", ONLY_CALLED, reached=False)

    async def reset(self, conversation: Conversation) -> None:
        """Each call is a new conversation."""

    async def shut_down(self) -> None:
        await self.line.stop()
