"""One hello to a system under test, for `vivavoce check` and for the dashboard."""

import secrets
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from vivavoce.connectors.base import Connector, Conversation, SystemOutput, UserTurn
from vivavoce.core.clock import Clock, SystemClock
from vivavoce.core.errors import SystemUnderTestError

_GREETING: Final = {"it": "Buongiorno"}


@dataclass(frozen=True, slots=True)
class Hello:
    """What a system made of one hello: its text, the seconds it took, and the problem if there was one."""

    ok: bool
    text: str
    seconds: float
    problem: str | None = None


async def hello(connector: Connector, *, language: str = "en", clock: Clock | None = None) -> Hello:
    """Open a conversation, say hello, close it. Failures of the system are in the result, never raised."""
    clock = clock or SystemClock()
    conversation = Conversation(key=secrets.token_hex(16), language=language)
    turn = UserTurn(key=f"{conversation.key}-1", number=1, text=_GREETING.get(language[:2], "Hello"))
    texts: list[str] = []
    start = clock.monotonic_s()
    try:
        async with aclosing(connector.open(conversation)) as greeting:  # pyright: ignore[reportArgumentType]
            async for _ in greeting:
                pass
        start = clock.monotonic_s()
        async with aclosing(connector.send(conversation, turn)) as answer:  # pyright: ignore[reportArgumentType]
            async for output in answer:
                texts += _message(output)
        return Hello(True, "\n".join(texts), clock.monotonic_s() - start)
    except SystemUnderTestError as error:
        return Hello(False, "\n".join(texts), clock.monotonic_s() - start, str(error))
    finally:
        await connector.close(conversation)


def _message(output: SystemOutput) -> list[str]:
    return [output.text] if output.kind == "message" else []
