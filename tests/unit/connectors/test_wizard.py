"""A person as the system, or as its recognition, understanding or management."""

import asyncio
import time
from typing import Any

import pytest
import uvloop

from scenes.wizards import ECHO, Play, messages, one_turn, taken, told, within
from vivavoce.connectors.base import Conversation, PastTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.wizard_room import GONE_AFTER_S, NotYours, Reply, Room, Seat
from vivavoce.core.errors import InputError, SystemUnderTestError


def test_a_recogniser_that_is_a_person_changes_what_the_system_hears() -> None:
    outputs = one_turn("a cheap pub", lambda seat: "a cheap tub", replaces="recognition", behind=ECHO)
    assert messages(outputs) == ["You said a cheap tub"]
    assert outputs[0].raw == {
        "wizard": "Merlin",
        "replaces": "recognition",
        "source": "free",
        "gave": "a cheap tub",
    }


def test_an_understanding_that_is_a_person_tells_the_system_what_was_meant() -> None:
    play: Play = lambda seat: f"/inform({seat.asked})"  # noqa: E731
    outputs = one_turn("pub", play, replaces="understanding", behind=ECHO)
    assert messages(outputs) == ["You said /inform(pub)"]


def test_no_reply_comes_before_the_delay_is_over() -> None:
    """On the loop that serves pages, whose clock counts whole milliseconds."""

    async def talk(connector: Any) -> float:
        room, shortest_s = connector.room, 1.0
        room.enter(Seat("c", "en", "", time.monotonic()))
        room.take("c", "Merlin")
        for number in range(20):
            begun_s = time.monotonic()
            answer = asyncio.create_task(taken(connector.send(Conversation("c"), told(str(number)))))
            await asyncio.sleep(0.0103)
            room.say("c", Reply("yes", "Merlin"))
            await answer
            shortest_s = min(shortest_s, time.monotonic() - begun_s)
        return shortest_s

    assert within(talk, None, uvloop.new_event_loop, delay_s=0.02) >= 0.02


def test_a_manager_that_is_a_person_sees_the_proposal_and_may_say_something_else() -> None:
    seen: list[str | None] = []

    def play(seat: Seat) -> str:
        seen.append(seat.proposal)
        return "Which area?"

    outputs = one_turn("pub", play, replaces="management", behind=ECHO)
    assert (seen, messages(outputs)) == (["You said pub"], ["Which area?"])


def test_a_wizard_who_begins_says_the_first_message() -> None:
    outputs = within(
        lambda one: taken(one.open(Conversation("c"))), lambda seat: f"{seat.opening}", begins=True
    )
    assert messages(outputs) == ["True"]


def test_a_wizard_sees_all_that_was_said_before_a_restart() -> None:
    async def talk(connector: Any) -> list[str]:
        past = (PastTurn("user", "one"), PastTurn("system", "two"))
        again = Conversation("again", history=past)
        assert await taken(connector.open(again)) == []
        return messages(await taken(connector.send(again, told("three"))))

    def play(seat: Seat) -> str:
        return "+".join(line.text for line in seat.lines)

    assert within(talk, play, greeting="not said again") == ["one+two+three"]


def test_strategies_are_spread_over_dialogues_and_stay_the_same_in_each() -> None:
    strategies = {"explicit": {"a": "A?"}, "implicit": {"a": "A."}}

    async def talk(connector: Any) -> list[str]:
        for number in range(40):
            await taken(connector.open(Conversation(f"c{number}")))
        return [seat.strategy for seat in connector.room.seats.values()]

    first = within(talk, lambda _: "", strategies=strategies)
    assert set(first) == {"explicit", "implicit"}
    assert within(talk, lambda _: "", strategies=strategies) == first
    fixed = within(talk, lambda _: "", strategies=strategies, strategy="implicit")
    assert set(fixed) == {"implicit"}


def test_a_participant_whom_no_wizard_takes_is_told_in_time() -> None:
    with pytest.raises(SystemUnderTestError, match=r"no wizard joined within 0\.1 s") as caught:
        within(lambda one: taken(one.open(Conversation("c"))), None, pairing_timeout_s=0.1)
    assert (caught.value.failure, caught.value.reached) == ("unreachable", False)


@pytest.mark.parametrize("taken_first", [False, True])
def test_a_conversation_that_is_ended_waits_no_longer(taken_first: bool) -> None:
    async def talk(connector: Any) -> None:
        conversation = Conversation("c")
        sending = asyncio.create_task(taken(connector.send(conversation, told("hello"))))
        while "c" not in connector.room.seats:
            await asyncio.sleep(0)
        if taken_first:
            connector.room.take("c", "Merlin")
            while connector.room.seats["c"].reply is None:
                await asyncio.sleep(0)
        await connector.close(conversation)
        with pytest.raises(SystemUnderTestError, match="closed: the conversation has ended"):
            await sending
        assert not connector.room.seats

    within(talk, None)


def test_the_conversations_of_a_wizard_who_has_gone_may_be_taken_by_another() -> None:
    async def run() -> None:
        room = Room(None)
        room.enter(Seat("c", "en", "", 0.0))
        room.take("c", "Merlin")
        with pytest.raises(NotYours):
            room.take("c", "Morgana")
        now_s = asyncio.get_running_loop().time()
        room.here("Morgana", now_s + GONE_AFTER_S / 2)
        with pytest.raises(NotYours):
            room.take("c", "Morgana")
        room.here("Merlin", now_s)
        room.here("Morgana", now_s + GONE_AFTER_S)
        with pytest.raises(NotYours):
            room.take("c", "Morgana")
        for nobodys in ("c", "another"):
            with pytest.raises(NotYours):
                room.release(nobodys, "Morgana")
        room.here("Morgana", now_s + GONE_AFTER_S + 1)
        room.take("c", "Morgana")
        with pytest.raises(NotYours):
            room.say("c", Reply("too late", "Merlin"))

    asyncio.run(run())


def test_a_turn_is_answered_once_and_only_while_an_answer_is_waited_for() -> None:
    async def run() -> None:
        room, seat = Room(None), Seat("c", "en", "", 0.0)
        room.enter(seat)
        room.take("c", "Merlin")
        for asked in (None, "where?"):
            with pytest.raises(NotYours):
                room.say("c", Reply("too early", "Merlin"))
            assert not seat.opening
            waiting = asyncio.create_task(room.answered(seat, asked))
            await asyncio.sleep(0)
            assert seat.opening == (asked is None)
            room.say("c", Reply("here", "Merlin"))
            with pytest.raises(NotYours):
                room.say("c", Reply("there", "Merlin"))
            assert (await waiting).text == "here"
        assert [(line.party, line.text) for line in seat.lines] == [("user", "where?")]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"replaces": "recognition"}, "a wizard for recognition needs the key 'behind'"),
        ({"behind": ECHO}, "a wizard for the whole system cannot have 'behind'"),
        ({"strategy": "polite", "strategies": {"terse": {}}}, "unknown strategy 'polite'. Known: terse"),
        ({"free_text": False}, "a wizard without free text needs scripted replies"),
        ({"replaces": "management", "behind": {"connect": "htp"}}, "Did you mean 'http'"),
    ],
)
def test_settings_that_do_not_fit_together_are_named(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        make_connector({"connect": "wizard", **settings}, {}, place="systems.oz")
