"""A wizard with a program behind: what it proposes, what of it is done, and what it is told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from scenes.wizards import ECHO, PAST, messages, one_turn, playing, taken, told, within
from vivavoce.connectors.base import (
    Act,
    Capabilities,
    Choice,
    Conversation,
    Frames,
    Heard,
    SystemOutput,
    Understood,
    UserTurn,
    heard_on_the_wire,
)
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.wizard import WizardConnector, WizardSettings
from vivavoce.connectors.wizard_room import Reply, Seat
from vivavoce.trial.outputs import SystemTurn, gather


class Guide:
    """A program that tells an address, says what it did, and ends the dialogue."""

    capabilities = Capabilities(memory="caller")

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        for output in ():
            yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="delta", text="It is in Lan")
        yield SystemOutput(
            kind="message", text="It is in Lantern Street.", choices=(Choice("Thanks", "/thank"),), held_s=0.5
        )
        yield SystemOutput(
            kind="extras",
            acts=(Act("inform", "address", "5 Lantern Street"),),
            understood=(Understood((Act("request", "address"),), 0.9),),
            raw={"intent": "ask"},
        )
        yield SystemOutput(kind="end")

    async def reset(self, conversation: Conversation) -> None: ...
    async def close(self, conversation: Conversation) -> None: ...
    async def shut_down(self) -> None: ...


def decided(
    words: str,
    *,
    ends: bool = False,
    behind: Any = None,
    look: Callable[[Seat], object] = id,
    **settings: Any,
) -> SystemTurn:
    """What becomes of a turn where the wizard sends these words; the guide is behind."""

    async def run() -> SystemTurn:
        connector = WizardConnector(
            WizardSettings(**{"connect": "wizard", "replaces": "management", "behind": {}, **settings})
        )
        connector.stand_before(behind or Guide())
        turn, room = SystemTurn(), connector.room
        outputs = connector.send(Conversation("c"), told("where?"))
        waiting = asyncio.create_task(gather(outputs, lambda: 1.0, turn))
        while (seat := room.seats.get("c")) is None or seat.reply is None:
            if seat is not None and seat.wizard is None:
                room.take("c", "Merlin")
            await asyncio.sleep(0)
        look(seat)
        room.say("c", room.worded(seat, "Merlin", words, ends=ends))
        await waiting
        return turn

    return asyncio.run(run())


def test_a_proposal_sent_unchanged_ends_where_the_program_or_the_wizard_does() -> None:
    for ends in (False, True):
        turn = decided("You said where?", ends=ends, behind=make_connector(ECHO, {}))
        assert facts_of(turn)["source"] == "proposal" and turn.ends_dialogue == ends


def test_a_wizard_sees_what_the_program_understood_and_whether_it_would_end() -> None:
    seen: list[tuple[list[str], bool]] = []

    class Understands(Guide):
        async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
            acts = (Act("inform", "food", "thai", "!="), Act("request", "address"), Act("bye"))
            yield SystemOutput(kind="extras", understood=(Understood(acts, 0.9),))
            yield SystemOutput(kind="message", text="Where?")

    for behind in (Guide(), Understands()):
        decided("So.", behind=behind, look=lambda seat: seen.append((list(seat.understood), seat.closing)))
    assert seen == [
        (["request(address=)"], True),
        (["inform(food!=thai), request(address=), bye(=)"], False),
    ]


def test_what_a_system_behind_a_recogniser_says_is_shown_to_the_wizard() -> None:
    seats: list[Seat] = []
    decided("where", behind=Guide(), replaces="recognition", look=seats.append)
    assert [(line.party, line.text) for line in seats[0].lines] == [
        ("user", "where?"),
        ("system", "It is in Lantern Street."),
    ]


def facts_of(turn: SystemTurn) -> dict[str, Any]:
    return next(one for one in turn.raw if "wizard" in one)


def test_what_a_program_would_have_done_is_not_done_where_the_wizard_says_something_else() -> None:
    turn = decided("It is a secret.")
    assert [message.text for message in turn.messages] == ["It is a secret."]
    assert turn.acts is None and not turn.ends_dialogue and turn.messages[0].choices == []
    assert [one.acts[0].slot for one in turn.understood] == ["address"]
    facts = facts_of(turn)
    assert (facts["source"], facts["proposed"], facts["proposed_end"]) == (
        "free",
        "It is in Lantern Street.",
        True,
    )
    assert facts["proposed_acts"] == [
        {"act": "inform", "slot": "address", "value": "5 Lantern Street", "op": None}
    ]


def test_a_proposal_sent_unchanged_is_the_program_s_turn_with_its_acts_buttons_and_end() -> None:
    turn = decided("It is in Lantern Street.")
    assert [message.text for message in turn.messages] == ["It is in Lantern Street."]
    assert turn.ends_dialogue and turn.messages[0].choices == [{"title": "Thanks", "payload": "/thank"}]
    assert turn.acts is not None and [act.value for act in turn.acts] == ["5 Lantern Street"]
    assert turn.first_output_s == turn.complete_s == 1.0
    facts = facts_of(turn)
    assert facts["source"] == "proposal" and "proposed_acts" not in facts


@pytest.mark.parametrize(
    ("words", "source", "label"),
    [
        ("It is in Lantern Lane.", "edited", None),
        ("Pardon?", "prompt", "again"),
        ("Which street?", "script", "street"),
        ("I would rather talk about tea.", "free", None),
        ("It is in York, I really do think so", "free", None),
        ("It is in York", "edited", None),
        ("it is close", "edited", None),
    ],
)
def test_where_a_reply_came_from_is_told_by_its_words(words: str, source: str, label: str | None) -> None:
    ready = {"prompts": {"again": "Pardon?"}, "strategies": {"asking": {"street": "Which street?"}}}
    facts = facts_of(decided(words, **ready))
    assert (facts["source"], facts.get("label"), facts["strategy"]) == (source, label, "asking")
    assert "gave" not in facts, "nothing of it went into a system behind"


def test_a_wizard_may_end_without_a_word_and_a_recogniser_may_end_too() -> None:
    turn = decided("", ends=True)
    assert turn.ends_dialogue and turn.messages == [] and facts_of(turn)["source"] == "silence"
    echo = make_connector(ECHO, {})
    turn = decided("goodbye", ends=True, behind=echo, replaces="recognition")
    assert [message.text for message in turn.messages] == ["You said goodbye"] and turn.ends_dialogue


def test_a_greeting_is_nothing_that_a_recogniser_gave() -> None:
    outputs = within(
        lambda one: taken(one.open(Conversation("c"))),
        lambda _: "",
        greeting="Hello.",
        replaces="recognition",
        behind=ECHO,
    )
    assert outputs[-1].raw == {"wizard": "Merlin", "replaces": "recognition", "source": "greeting"}


def test_the_first_message_says_whose_dialogue_it_is_and_by_which_strategy() -> None:
    outputs = within(
        lambda one: taken(one.open(Conversation("c"))),
        lambda _: "",
        greeting="Hello.",
        strategies={"asking": {"street": "Which street?"}},
    )
    assert messages(outputs) == ["Hello."]
    assert outputs[-1].raw == {
        "wizard": "Merlin",
        "replaces": "system",
        "source": "greeting",
        "strategy": "asking",
    }


@pytest.mark.parametrize(
    "of_the_user",
    [
        {"understood": (Understood((Act("request", "address"),), 0.9),)},
        {"raw": {"intent": "ask"}},
        {"heard": (Heard("where", 1.0),)},
    ],
)
def test_whatever_a_program_says_of_the_user_is_kept_where_the_wizard_says_something_else(
    of_the_user: dict[str, Any],
) -> None:
    class Listener(Guide):
        async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
            yield SystemOutput(kind="message", text="No.")
            yield SystemOutput(kind="extras", acts=(Act("deny"),), **of_the_user)

    turn = decided("Perhaps.", behind=Listener())
    told = {"understood": turn.understood, "raw": turn.raw[:-1], "heard": turn.heard}
    assert [name for name, one in told.items() if one] == list(of_the_user)


class Recorder(Guide):
    """A program that keeps what it is told, and greets or not."""

    def __init__(self, *, greets: bool = False, starts: bool = True) -> None:
        self.capabilities = Capabilities(choices=True, idempotent=True, memory="system", greets=greets)
        self.told: list[Any] = []
        if starts:
            self.start = self.begin

    async def begin(self) -> None:
        self.told.append("start")

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        self.told.append(f"open {len(conversation.history)}")
        yield SystemOutput(kind="message", text="I am a program.")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.told.append((turn.text, turn.payload, [(one.text, one.score) for one in turn.heard]))
        for output in (
            SystemOutput(kind="delta", text="It is"),
            SystemOutput(kind="message", text=""),
            SystemOutput(kind="extras", text="aside", raw={"seen": True}),
            SystemOutput(kind="message", text="It is here."),
        ):
            yield output


def in_place(program: Any, /, **settings: Any) -> WizardConnector:
    connector = WizardConnector(WizardSettings(**{"connect": "wizard", **settings}))
    if program is not None:
        connector.stand_before(program)
    return connector


@pytest.mark.parametrize(
    ("settings", "behind", "greets"),
    [
        ({}, None, False),
        ({"begins": True}, None, True),
        ({"greeting": "Hello."}, None, True),
        ({"begins": True, "greeting": "Hello."}, None, True),
        ({}, False, False),
        ({}, True, True),
        ({"greeting": "Hello."}, False, True),
        ({"begins": True}, False, True),
    ],
)
def test_a_wizard_greets_where_it_is_set_to_or_where_the_program_behind_does(
    settings: dict[str, Any], behind: bool | None, greets: bool
) -> None:
    parts = {} if behind is None else {"replaces": "management", "behind": {}}
    program = None if behind is None else Recorder(greets=behind)
    found = in_place(program, **parts, **settings).capabilities
    assert found.greets == greets
    assert (found.choices, found.memory, found.idempotent) == (
        (False, "caller", False) if behind is None else (True, "system", False)
    )


def test_a_program_behind_is_started_where_it_has_to_be() -> None:
    programs = [Recorder(), Recorder(starts=False), None]
    for program in programs:
        parts = {"replaces": "management", "behind": {}} if program else {}
        asyncio.run(in_place(program, **parts).start())
    assert [one.told for one in programs if one] == [["start"], []]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, []),
        ({"begins": True}, ["the wizard says"]),
        ({"greeting": "Hello."}, ["Hello."]),
        ({"begins": True, "greeting": "Hello."}, ["Hello."]),
        ({"replaces": "management", "behind": {**ECHO, "greeting": "Echo."}}, ["Echo."]),
        (
            {"replaces": "management", "behind": {**ECHO, "greeting": "Echo."}, "greeting": "Hello."},
            ["Echo.", "Hello."],
        ),
    ],
)
def test_the_first_message_is_scripted_the_wizards_the_programs_or_none(
    settings: dict[str, Any], said: list[str]
) -> None:
    async def talk(connector: Any) -> tuple[list[str], list[str]]:
        outputs = await taken(connector.open(Conversation("c")))
        return messages(outputs), [one.text for one in connector.room.seats["c"].lines]

    assert within(talk, lambda _: "the wizard says", **settings) == (said, said)


@pytest.mark.parametrize(
    ("replaces", "received"),
    [
        ("recognition", ("a tub", None, [("a tub", 1.0)])),
        ("understanding", ("a pub", "a tub", [])),
    ],
)
def test_the_program_behind_receives_words_from_a_recogniser_and_meaning_beside_the_words(
    replaces: str, received: tuple[Any, ...]
) -> None:
    async def run() -> tuple[list[Any], list[str]]:
        program, seats = Recorder(), list[Seat]()
        connector = in_place(program, replaces=replaces, behind={})
        answer = asyncio.create_task(taken(connector.send(Conversation("c"), told("a pub"))))
        while (seat := connector.room.seats.get("c")) is None or seat.reply is None:
            if seat is not None and seat.wizard is None:
                connector.room.take("c", "Merlin")
            await asyncio.sleep(0)
        seats.append(seat)
        connector.room.say("c", Reply("a tub", "Merlin"))
        await answer
        return program.told, [line.text for line in seats[0].lines]

    told_to_it, lines = asyncio.run(run())
    assert told_to_it == [received]
    assert lines == ["a pub", "It is here."], "pieces, asides and empty messages are no lines"


def test_the_program_behind_is_opened_again_for_a_dialogue_that_goes_on_and_says_nothing() -> None:
    async def run() -> tuple[list[SystemOutput], list[Any]]:
        program = Recorder()
        connector = in_place(program, replaces="management", behind={}, greeting="Hello.")
        player = asyncio.create_task(playing(connector.room, lambda _: ""))
        again = Conversation("c", history=PAST)
        outputs = await taken(connector.open(again))
        player.cancel()
        return outputs, program.told

    assert asyncio.run(run()) == ([], ["open 1"])


def test_what_the_wizard_is_asked_stands_on_the_wire() -> None:
    wire: Frames = []
    with heard_on_the_wire(wire):
        within(lambda one: taken(one.open(Conversation("c"))), lambda _: "Hello?", begins=True)
        one_turn("a pub", lambda _: "Where?")
    assert [frame["body"] for frame in wire if frame.get("sent") == "to the wizard"] == ["", "a pub"]


@pytest.mark.parametrize(
    ("outputs", "proposed"),
    [
        ([("delta", "It is "), ("delta", "here")], "It is here"),
        ([("delta", "It is "), ("message", "It is here.")], "It is here."),
        ([("message", "It is here."), ("delta", "And"), ("extras", "aside")], "It is here.\nAnd"),
        ([("message", "One."), ("sent", ""), ("message", "Two.")], "One.\nTwo."),
    ],
)
def test_a_proposal_is_all_that_the_program_would_say(outputs: list[tuple[Any, str]], proposed: str) -> None:
    class Proposes(Guide):
        async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
            for kind, text in outputs:
                yield SystemOutput(kind=kind, text=text, held_s=0.5)

    turn = decided("No.", behind=Proposes())
    assert facts_of(turn)["proposed"] == proposed
    assert [one.text for one in turn.messages] == ["No."]


def test_a_dialogue_that_begins_anew_or_ends_does_so_for_the_program_behind_too() -> None:
    class Forgets(Guide):
        def __init__(self) -> None:
            self.told: list[str] = []

        async def reset(self, conversation: Conversation) -> None:
            self.told.append("reset")

        async def close(self, conversation: Conversation) -> None:
            self.told.append("close")

    async def run(program: Forgets | None) -> None:
        parts = {"replaces": "management", "behind": {}} if program else {}
        connector, conversation = in_place(program, **parts), Conversation("c", history=PAST)
        await connector.reset(conversation)
        assert conversation.history == ()
        await connector.close(conversation)

    program = Forgets()
    for one in (program, None):
        asyncio.run(run(one))
    assert program.told == ["reset", "close"]
