"""The arena: balanced meetings, both sides asked and answered, votes in their order, ends, restarts."""

import asyncio
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from scenes.fighting import (
    SYSTEMS,
    arena_engine,
    arena_study,
    due,
    fight,
    fight_all,
    settled,
    until,
    write_arena,
)
from scenes.listening import listening_study
from scenes.visits import Parrot
from vivavoce.connectors.base import ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.wire import Wire
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.log.arena_events import BoutAssigned, BoutEnded, VoteCast
from vivavoce.log.events import (
    DialogueEnded,
    DialogueOpened,
    SystemTurnFailed,
    SystemTurnReceived,
    UserTurnSent,
)
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.model import Limits, Study
from vivavoce.trial.arena import opponents, unknown
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.masking import MASK, leaks, masked
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import check_text

EVEN = dict.fromkeys(SYSTEMS, 0.0)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return arena_study(tmp_path / "study")


async def begun(engine: SessionEngine) -> tuple[str, str]:
    """A visit and its first bout, both sides greeted."""
    await engine.start()
    opened = await engine.open_visit(language="en")
    state = await until(engine, opened.visit_id, settled)
    assert state.phase == "battle" and state.bout is not None
    return opened.visit_id, state.bout.event.bout_id


async def exchange(engine: SessionEngine, visit: str, bout: str, number: int) -> None:
    await engine.bouts.say(visit, bout, key=f"message-{number}", text=f"question {number}")
    await until(engine, visit, due)


def kinds(log: Log, visit: str, kind: type) -> list:
    return [one.event for one in log.events(visit) if isinstance(one.event, kind)]


def test_both_sides_hear_the_same_and_the_vote_follows_both_answers(study: Study, log: Log) -> None:
    async def run() -> str:
        engine = arena_engine(study, log)
        visit, bout = await begun(engine)
        with pytest.raises(Stale):
            await engine.bouts.vote(visit, bout, exchange=1, choice="left")
        with pytest.raises(Refused):
            await engine.bouts.finish(visit, bout)
        with pytest.raises(Refused, match="not_running"):
            await engine.bouts.say(visit, "another bout", key="message-0", text="to nobody")
        await exchange(engine, visit, bout, 1)
        with pytest.raises(Refused, match="busy"):
            await engine.bouts.say(visit, bout, key="message-2", text="too early")
        await engine.bouts.vote(visit, bout, exchange=1, choice="left")
        with pytest.raises(Stale):
            await engine.bouts.vote(visit, bout, exchange=1, choice="right")
        await exchange(engine, visit, bout, 2)
        await engine.bouts.vote(visit, bout, exchange=2, choice="both_bad")
        await engine.bouts.finish(visit, bout)
        state = await engine.state(visit)
        assert state.outcome == "completed"
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    sent = kinds(log, visit, UserTurnSent)
    assert [one.text for one in sent] == ["question 1"] * 2 + ["question 2"] * 2
    assert len({one.dialogue_id for one in sent}) == 2
    first, second = kinds(log, visit, VoteCast)
    assert (first.choice, first.exchange, second.choice) == ("left", 1, "both_bad")
    assert first.leaks == ["left", "right"]
    (ended,) = kinds(log, visit, BoutEnded)
    assert (ended.reason, ended.votes) == ("user", 2)
    assert [one.reason for one in kinds(log, visit, DialogueEnded)] == ["user", "user"]


def test_a_message_is_durable_before_a_system_hears_it_and_an_answer_before_anybody_sees_it(
    study: Study, log: Log
) -> None:
    async def run() -> None:
        heard: list[int] = []
        visits: list[str] = []

        class Checking(Parrot):
            async def send(self, conversation, turn):
                heard.append(len(kinds(log, visits[0], UserTurnSent)))
                async for output in super().send(conversation, turn):
                    yield output

        engine = arena_engine(study, log, **{name: Checking() for name in SYSTEMS})
        visit, bout = await begun(engine)
        visits.append(visit)
        await exchange(engine, visit, bout, 1)
        state = await engine.state(visit)
        assert state.bout is not None and state.bout.vote_due
        assert heard == [2, 2]
        assert len([one for one in kinds(log, visit, SystemTurnReceived) if one.reply_to is not None]) == 2
        await engine.stop()

    asyncio.run(run())


def test_the_same_message_twice_is_one(study: Study, log: Log) -> None:
    async def run() -> str:
        engine = arena_engine(study, log)
        visit, bout = await begun(engine)
        for _ in range(3):
            await engine.bouts.say(visit, bout, key="message-1", text="question")
        await until(engine, visit, due)
        await engine.stop()
        return visit

    assert len(kinds(log, asyncio.run(run()), UserTurnSent)) == 2


def test_a_restart_goes_on_where_the_bout_was(study: Study, log: Log) -> None:
    async def first() -> tuple[str, str]:
        engine = arena_engine(study, log)
        visit, bout = await begun(engine)
        await exchange(engine, visit, bout, 1)
        await engine.stop()
        return visit, bout

    async def second(visit: str, bout: str) -> None:
        engine = arena_engine(study, log)
        await engine.start()
        state = await engine.state(visit)
        assert state.bout is not None and state.bout.vote_due
        await engine.bouts.vote(visit, bout, exchange=1, choice="tie")
        await exchange(engine, visit, bout, 2)
        await engine.bouts.vote(visit, bout, exchange=2, choice="right")
        await engine.stop()

    asyncio.run(second(*asyncio.run(first())))


class Telling(Parrot):
    """Says what it did, and breaks down in the middle where it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self._wire = Wire(ConnectorSettings.model_validate({"connect": "x"}), Vault((), {}))

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self._wire.sent("line", turn.text)
        if turn.text == "break in a message":
            yield SystemOutput(kind="delta", text="So far")
        else:
            yield SystemOutput(kind="message", text="One.")
            yield SystemOutput(kind="message", text="Two.")
        if turn.text.startswith("break"):
            raise SystemUnderTestError("timeout", "no more")
        yield SystemOutput(kind="extras", raw={"n": 1})


def test_what_a_side_gave_out_is_kept_also_what_came_before_it_failed(study: Study, log: Log) -> None:
    async def run() -> str:
        engine = arena_engine(study, log, **{name: Telling() for name in SYSTEMS})
        visit, bout = await begun(engine)
        await exchange(engine, visit, bout, 1)
        await engine.bouts.vote(visit, bout, exchange=1, choice="tie")
        for text in ("break in a message", "break after two"):
            await engine.bouts.say(visit, bout, key=text, text=text)
            await until(engine, visit, settled)
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    received = kinds(log, visit, SystemTurnReceived)
    greetings, answers = (
        [one for one in received if (one.reply_to is None) == first] for first in (True, False)
    )
    assert [(one.raw, one.wire) for one in greetings] == [(None, None)] * 2
    assert [(one.raw, one.wire) for one in answers] == [
        ([{"n": 1}], [{"sent": "line", "body": "question 1"}])
    ] * 2
    failed = kinds(log, visit, SystemTurnFailed)
    assert [(one.partial, one.wire) for one in failed] == [
        *[("So far", [{"sent": "line", "body": "break in a message"}])] * 2,
        *[("One.\nTwo.", [{"sent": "line", "body": "break after two"}])] * 2,
    ]
    assert all(one.reply_to is not None for one in failed)


def test_a_system_that_remembers_in_its_process_answers_as_long_as_that_runs_and_is_told_the_end_once(
    study: Study, log: Log
) -> None:
    parrot = Parrot(memory="process")

    async def run() -> str:
        engine = arena_engine(study, log, **dict.fromkeys(SYSTEMS, parrot))
        visit, bout = await begun(engine)
        for number in (1, 2):
            await exchange(engine, visit, bout, number)
            await engine.bouts.vote(visit, bout, exchange=number, choice="tie")
            assert parrot.closed == []
        await engine.bouts.finish(visit, bout)
        await until(engine, visit, lambda _: len(parrot.closed) == 2)
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    assert kinds(log, visit, SystemTurnFailed) == [] and len(set(parrot.closed)) == 2
    assert [len(one) for one in parrot.histories] == [1, 1, 3, 3]


def test_a_greeting_that_a_restart_interrupted_is_heard_in_the_dialogue_that_was_opened(
    study: Study, log: Log
) -> None:
    class Slow(Parrot):
        async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
            await asyncio.Event().wait()
            async for output in super().open(conversation):
                yield output

    async def first() -> str:
        engine = arena_engine(study, log, **dict.fromkeys(SYSTEMS, Slow()))
        await engine.start()
        visit = (await engine.open_visit(language="en")).visit_id
        await until(engine, visit, lambda _: len(kinds(log, visit, DialogueOpened)) == 2)
        assert engine.answering(visit)
        await engine.stop()
        return visit

    async def second(visit: str) -> None:
        engine = arena_engine(study, log)
        await engine.start()
        await until(engine, visit, settled)
        await until(engine, visit, lambda _: not engine.answering(visit))
        await engine.stop()

    visit = asyncio.run(first())
    assert kinds(log, visit, SystemTurnReceived) == []
    asyncio.run(second(visit))
    assert len(kinds(log, visit, SystemTurnReceived)) == len(kinds(log, visit, DialogueOpened)) == 2


@pytest.mark.parametrize(
    ("memory", "idempotent", "again"),
    [
        ("system", True, True),
        ("system", False, False),
        ("caller", False, True),
        ("process", True, False),
        ("process", False, False),
    ],
)
def test_a_message_that_was_being_answered_at_a_restart_is_asked_again_or_said_to_be_lost(
    study: Study, log: Log, memory: str, idempotent: bool, again: bool
) -> None:
    """Again where it is taken only once, or nothing is remembered; else it may have been heard."""

    async def first() -> tuple[str, str]:
        slow = Parrot(memory=memory, idempotent=idempotent)
        slow.gate = asyncio.Event()
        engine = arena_engine(study, log, **dict.fromkeys(SYSTEMS, slow))
        visit, bout = await begun(engine)
        await engine.bouts.say(visit, bout, key="message-1", text="question")
        await until(engine, visit, lambda _: len(slow.sent) == 2)
        await engine.stop()
        return visit, bout

    async def second(visit: str) -> None:
        parrot = Parrot(memory=memory, idempotent=idempotent)
        engine = arena_engine(study, log, **dict.fromkeys(SYSTEMS, parrot))
        await engine.start()
        state = await until(engine, visit, settled)
        assert state.bout is not None and state.bout.vote_due == again
        assert state.bout.may_finish != again
        assert len({turn.key for turn in parrot.sent}) == (2 if again else 0)
        await engine.stop()

    visit, _ = asyncio.run(first())
    asyncio.run(second(visit))
    outcome = SystemTurnReceived if again else SystemTurnFailed
    assert len([one for one in kinds(log, visit, outcome) if one.reply_to is not None]) == 2
    assert len(kinds(log, visit, UserTurnSent)) == 2


def test_a_bout_that_is_left_is_ended_and_can_be_followed_by_another(tmp_path: Path) -> None:
    clock = ManualClock()
    log = Log.open(f"sqlite:///{tmp_path / 'idle.sqlite'}", clock)
    study = arena_study(tmp_path / "two", battles=2)

    async def run() -> None:
        connectors = {name: Parrot() for name in SYSTEMS}
        engine = SessionEngine(study, log, connectors, clock=clock)
        visit, _ = await begun(engine)
        assert await engine.sweep() == 0
        clock.advance(study.limits.idle_minutes * 60 + 1)
        assert await engine.sweep() == 1
        state = await engine.state(visit)
        assert (state.phase, state.round) == ("ready", 1)
        assert [one.reason for one in kinds(log, visit, BoutEnded)] == ["abandoned"]
        await engine.next_dialogue(visit, state.step, state.round)
        assert (await engine.state(visit)).phase == "battle"
        await engine.stop()

    asyncio.run(run())
    log.close_now()


def test_systems_meet_first_whose_difference_is_known_least() -> None:
    """A new one meets before all others; then whom it is compared with worst, also by way of others."""
    often = Counter({("a", "b"): 30, ("b", "c"): 30, ("a", "c"): 30})
    for seed in range(5):
        assert "new" in opponents(["a", "b", "c", "new"], often, Counter(), Random(seed), widest=True)
    # a and d were never compared, but by a long way; b and d by a shorter one; c and d met
    chain = Counter({("a", "b"): 9, ("b", "c"): 9, ("c", "d"): 9})
    assert set(opponents(list("abcd"), chain, Counter(), Random(1), widest=True)) == {"a", "d"}
    spread = unknown(list("abcd"), chain)
    assert spread["a", "d"] > spread["b", "d"] > spread["c", "d"]
    assert spread["c", "d"] == pytest.approx(1 / 9, rel=0.01), "the resistance of nine in parallel"
    mine = Counter({("a", "d"): 1})
    assert set(opponents(list("abcd"), chain, mine, Random(1), widest=True)) != {"a", "d"}, "not again"


def test_a_study_lets_a_system_that_came_later_meet_first(tmp_path: Path, log: Log) -> None:
    study = arena_study(tmp_path / "study", more=", matchmaking: widest")
    older = study.model_copy(update={"systems": dict(list(study.systems.items())[:2])})
    asyncio.run(fight_all(arena_engine(older, log), 6, EVEN))
    asyncio.run(fight_all(arena_engine(study, log), 4, EVEN, seed=2))
    bouts = [one for visit in log.visits("city") for one in kinds(log, visit.visit_id, BoutAssigned)]
    assert all("topaz" in (one.left_system, one.right_system) for one in bouts[6:])


def test_a_resting_system_meets_nobody_while_two_others_are_awake() -> None:
    met = [opponents(["cobalt", "topaz"], Counter(), Counter(), Random(seed)) for seed in range(20)]
    assert set(met) == {("cobalt", "topaz"), ("topaz", "cobalt")}


@pytest.mark.parametrize(("resting", "meet"), [(0, 3), (1, 2), (2, 3), (3, 3)])
def test_where_fewer_than_two_are_awake_none_is_spared(
    study: Study, log: Log, resting: int, meet: int
) -> None:
    async def run() -> set[str]:
        engine, met = arena_engine(study, log), set[str]()
        engine.rules.suspended = lambda: set(SYSTEMS[:resting])
        for _ in range(6):
            state = await engine.state((await engine.open_visit(language="en")).visit_id)
            assert state.bout is not None
            met |= {state.bout.event.left_system, state.bout.event.right_system}
        await engine.stop()
        return met

    assert len(asyncio.run(run())) == meet


def test_a_side_that_fails_asks_for_no_vote_and_three_failures_end_the_bout(study: Study, log: Log) -> None:
    async def run() -> str:
        silent = study.model_copy(update={"systems": dict(study.systems)})
        for name in SYSTEMS:
            silent.systems[name] = {"connect": "scripted", "replies": [{"match": ".", "fail": "timeout"}]}
        engine = arena_engine(silent, log)
        visit, bout = await begun(engine)
        for number in range(1, 4):
            await engine.bouts.say(visit, bout, key=f"message-{number}", text="hello?")
            state = await until(engine, visit, settled)
        assert state.phase == "ended"
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    assert kinds(log, visit, VoteCast) == []
    assert len(kinds(log, visit, SystemTurnFailed)) == 6
    assert [one.reason for one in kinds(log, visit, BoutEnded)] == ["failure"]


def test_the_most_messages_of_a_bout_end_it_after_the_last_vote(study: Study, log: Log) -> None:
    asyncio.run(fight_all(arena_engine(study, log), 1, EVEN))
    visit = log.visits("city")[-1].visit_id
    assert len(kinds(log, visit, VoteCast)) == 3
    assert [one.reason for one in kinds(log, visit, BoutEnded)] == ["limit"]


def test_leaving_ends_the_bout_and_begins_no_other(tmp_path: Path, log: Log) -> None:
    async def run() -> str:
        engine = arena_engine(arena_study(tmp_path / "more", battles=3), log)
        visit, _ = await begun(engine)
        await engine.withdraw(visit)
        assert (await engine.state(visit)).outcome == "withdrew"
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    assert len(kinds(log, visit, BoutAssigned)) == 1
    assert [one.reason for one in kinds(log, visit, BoutEnded)] == ["abandoned"]


def test_meetings_and_sides_are_balanced(tmp_path: Path, log: Log) -> None:
    asyncio.run(fight_all(arena_engine(arena_study(tmp_path / "six", battles=2, turns=1), log), 12, EVEN))
    bouts = [bout for visit in log.visits("city") for bout in kinds(log, visit.visit_id, BoutAssigned)]
    pairs = Counter(frozenset((one.left_system, one.right_system)) for one in bouts)
    assert sorted(pairs.values()) == [8, 8, 8]
    sides = Counter((one.left_system, one.right_system) for one in bouts)
    assert set(sides.values()) == {4}
    for visit in log.visits("city"):
        mine = [frozenset((b.left_system, b.right_system)) for b in kinds(log, visit.visit_id, BoutAssigned)]
        assert len(set(mine)) == 2  # nobody meets the same two again while others are left


def test_votes_and_dialogues_are_exported(study: Study, log: Log, tmp_path: Path) -> None:
    asyncio.run(fight_all(arena_engine(study, log), 2, EVEN))
    dataset = export_dataset(log, "city", tmp_path / "data")
    votes = dataset.read("votes").to_pylist()
    assert len(votes) == 6
    turns = {(one["dialogue_id"], one["turn_index"]): one for one in dataset.read("turns").to_pylist()}
    for vote in votes:
        for side in ("left", "right"):
            turn = turns[vote[f"{side}_dialogue_id"], vote[f"{side}_turn_index"]]
            assert turn["party"] == "system"
            assert vote[f"{side}_system"] in turn["text"]  # raw in the log, masked on the page
    assert dataset.read("dialogues").num_rows == 4


def test_names_are_masked_however_they_are_written() -> None:
    for text, shown in [
        ("I am beryl-9.", f"I am {MASK}."),
        ("BERYL 9 and Beryl9", f"{MASK} and {MASK}"),
        ("Cobalt's answer, cobaltite", f"{MASK}'s answer, cobaltite"),
        ("The Cobalt Machine", MASK),
        ("a bot", "a bot"),
        ("v2 or gpt", f"v2 or {MASK}"),  # two characters are too few, three are enough
        ("..., -", "..., -"),
    ]:
        names = ("beryl-9", "cobalt", "The Cobalt Machine", "a", "v2", "gpt", "...")
        assert masked(text, names) == shown
        assert leaks(text, names) == (shown != text)


def test_nothing_is_masked_without_names() -> None:
    assert masked("I am beryl", ()) == "I am beryl"


def test_what_follows_the_last_battle_has_its_material(tmp_path: Path, log: Log) -> None:
    folder = tmp_path / "study"
    listening_study(folder.with_name("clips"))
    write_arena(folder, turns=1)
    shutil.copytree(folder.with_name("clips") / "clips", folder / "clips")
    shutil.copy(folder.with_name("clips") / "clips.csv", folder)
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("  - listen: {clips: clips.csv, audio: clips}\n")
    study = load_study(folder)

    async def run() -> VisitState:
        engine = arena_engine(study, log)
        await engine.start()
        visit = await fight(engine, EVEN, Random(1))
        state = await engine.state(visit)
        await engine.stop()
        return state

    state = asyncio.run(run())
    assert state.planned is not None and state.planned.name == "listen" and state.planned.stimuli


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x" * 20, None),
        ("x" * 21, "too_long"),
        (" x ", None),
        ("", "empty"),
        (" \n", "empty"),
    ],
)
def test_a_message_is_as_long_as_the_study_allows_and_not_empty(text: str, problem: str | None) -> None:
    limits = Limits(max_chars=20)
    if problem is None:
        check_text(text, limits)
        return
    with pytest.raises(Refused, match=problem):
        check_text(text, limits)
