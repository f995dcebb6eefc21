"""A wizard who plays along, and one turn of a dialogue that they answer."""

import asyncio
from collections.abc import Callable
from typing import Any

from vivavoce.connectors.base import Conversation, PastTurn, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.wizard_room import Reply, Room, Seat

PAST = (PastTurn("user", "one"),)
ECHO = {"connect": "scripted", "replies": [{"say": "You said {text}", "choices": ["yes"]}]}
Play = Callable[[Seat], str]


async def playing(room: Room, play: Play) -> None:
    """A wizard who takes everything and replies to what is asked."""
    seen = 0
    while True:
        for seat in list(room.seats.values()):
            if seat.wizard is None:
                room.take(seat.key, "Merlin")
            if seat.reply is not None and not seat.reply.done():
                room.say(seat.key, Reply(play(seat), "Merlin"))
        seen = await room.changed(seen)


def within(
    talk: Callable[[Any], Any],
    play: Play | None,
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
    **settings: Any,
) -> Any:
    async def run() -> Any:
        connector = make_connector({"connect": "wizard", **settings}, {})
        player = asyncio.create_task(playing(connector.room, play)) if play else None
        try:
            return await talk(connector)
        finally:
            await connector.shut_down()
            if player is not None:
                player.cancel()

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(run())


async def taken(outputs: Any) -> list[SystemOutput]:
    return [one async for one in outputs]


def told(text: str) -> UserTurn:
    return UserTurn(key=text, number=1, text=text)


def messages(outputs: list[SystemOutput]) -> list[str]:
    return [one.text for one in outputs if one.kind == "message"]


def one_turn(text: str, play: Play, **settings: Any) -> list[SystemOutput]:
    return within(lambda one: taken(one.send(Conversation("c"), told(text))), play, **settings)
