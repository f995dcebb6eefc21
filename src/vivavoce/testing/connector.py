"""Contract of every connector."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final

from vivavoce.connectors.base import Connector, Conversation, PastTurn, UserTurn
from vivavoce.connectors.factory import CONNECTORS, make_connector
from vivavoce.connectors.probe import hello
from vivavoce.core.errors import InputError, SystemUnderTestError

EXACT: Final = ('"quoted" \\ {{ text }} {% x %}', "two\nlines", "città ✓ \U0001f600", "${HOME}")
AT_ONCE: Final = 20


class ConnectorContract:
    """Contract of every connector, tried with a running system.

    name      what stands after `connect:`
    settings  of a system that answers, as the study file has them without `connect`
    nobody    settings with which nobody can be reached; None: that cannot be, as for a system in the package
    """

    name: str
    settings: dict[str, Any]
    nobody: dict[str, Any] | None = None

    def test_it_is_found_by_its_name_and_tells_its_facts(self) -> None:
        kind = CONNECTORS.get(self.name)
        assert kind.name == self.name and kind.summary, "summary must name the connected bot in one line"
        undescribed = [name for name, field in kind.settings.model_fields.items() if not field.description]
        assert not undescribed, f"settings without description: {undescribed}"

    def test_an_unknown_setting_is_answered_with_the_nearest(self) -> None:
        try:
            make_connector({"connect": self.name, **self.settings, "turn_timeouts": 3}, {})
        except InputError as error:
            assert "'turn_timeout_s'" in str(error)
        else:
            raise AssertionError("an unknown setting was accepted: derive settings from ConnectorSettings")

    def test_it_says_hello(self) -> None:
        reply = self.within(hello)
        assert reply.ok, reply.problem

    def test_a_conversation_goes_on_from_turn_to_turn(self) -> None:
        async def talk(connector: Connector) -> list[str]:
            conversation = Conversation("going-on")
            async for _ in connector.open(conversation):
                pass
            answers = [await say(connector, conversation, text, n) for n, text in ((1, "one"), (2, "two"))]
            await connector.close(conversation)
            return answers

        assert all(self.within(talk)), "each turn needs a message in reply"

    def test_a_conversation_can_be_reset_and_closed_twice(self) -> None:
        async def talk(connector: Connector) -> str:
            conversation = Conversation("forgetting")
            await say(connector, conversation, "one")
            await connector.reset(conversation)
            answer = await say(connector, conversation, "two", 2)
            await connector.close(conversation)
            await connector.close(conversation)
            return answer

        assert self.within(talk)

    def test_many_conversations_go_on_at_once(self) -> None:
        async def one(connector: Connector, number: int) -> str:
            conversation = Conversation(f"many-{number}")
            answer = await say(connector, conversation, f"word-{number}")
            await connector.close(conversation)
            return answer

        async def talk(connector: Connector) -> list[str]:
            return await asyncio.gather(*(one(connector, number) for number in range(AT_ONCE)))

        assert all(self.within(talk))

    def test_whatever_a_participant_writes_is_answered(self) -> None:
        async def talk(connector: Connector) -> list[str]:
            return [await say(connector, Conversation(f"exact-{n}"), text) for n, text in enumerate(EXACT)]

        assert all(self.within(talk))

    def test_a_turn_that_is_given_up_leaves_it_usable(self) -> None:
        async def talk(connector: Connector) -> str:
            turn = UserTurn(key="given-up", number=1, text="one")
            async with aclosing(connector.send(Conversation("given-up"), turn)) as outputs:  # type: ignore[type-var]
                await anext(outputs)
            return await say(connector, Conversation("afterwards"), "two")

        assert self.within(talk)

    def test_it_can_be_shut_down_unused_and_twice(self) -> None:
        async def close(connector: Connector) -> None:
            await connector.shut_down()  # once more when all is done

        self.within(close)

    def test_nobody_there_is_unreachable_and_was_not_reached(self) -> None:
        if self.nobody is None:
            return

        async def talk(connector: Connector) -> SystemUnderTestError | None:
            try:
                await say(connector, Conversation("nobody"), "one")
            except SystemUnderTestError as error:
                await connector.close(Conversation("nobody"))
                return error
            return None

        error = self.within(talk, self.nobody)
        assert error is not None, "a missing bot must raise an error"
        assert (error.failure, error.reached) == ("unreachable", False)

    def within(
        self, talk: Callable[[Connector], Awaitable[Any]], settings: dict[str, Any] | None = None
    ) -> Any:
        """Result of `talk` on a connector with these settings."""
        connect_settings = {"allow_private": True, **(self.settings if settings is None else settings)}
        return asyncio.run(_talk({"connect": self.name, **connect_settings}, talk))


async def _talk(settings: dict[str, Any], talk: Callable[[Connector], Awaitable[Any]]) -> Any:
    connector = make_connector(settings, {})
    try:
        return await talk(connector)
    finally:
        await connector.shut_down()


async def say(connector: Connector, conversation: Conversation, text: str, number: int = 1) -> str:
    """The answer to one turn; the history is kept as a session keeps it."""
    turn = UserTurn(key=f"{conversation.key}-{number}", number=number, text=text)
    outputs = [output async for output in connector.send(conversation, turn)]
    answer = "\n".join(output.text for output in outputs if output.kind == "message")
    conversation.history += (PastTurn("user", text), PastTurn("system", answer))
    return answer
