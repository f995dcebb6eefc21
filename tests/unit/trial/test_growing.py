"""Answers that are shown while they grow: in the log before anybody can see them, in one turn afterwards."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from scenes.fighting import SYSTEMS, arena_engine, arena_study
from scenes.fighting import until as until_state
from scenes.patience import eventually_there
from scenes.visits import Parrot, greeted, into_dialogue, make_study, settled
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.connectors.rate_limit import Pieces
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.log.events import SystemTurnFailed, SystemTurnReceived, WordsShown
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Study
from vivavoce.trial import streaming_answer as growing
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.masking import MASK, masked
from vivavoce.trial.masking import settled as settled_part
from vivavoce.trial.state import VisitState


class Speaker(Parrot):
    """Gives out the pieces that the test hands it; None ends the turn, an error breaks it."""

    def __init__(self, **capabilities: object) -> None:
        super().__init__(**capabilities)
        self.pieces: asyncio.Queue[Any] = asyncio.Queue()

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.sent.append(turn)
        while (piece := await self.pieces.get()) is not None:
            if isinstance(piece, Exception):
                raise piece
            yield SystemOutput(kind="delta", text=piece)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "PIECE_EVERY_S", 0.0)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    made = make_study(tmp_path)
    steps = [
        one.model_copy(update={"answers": "streamed"}) if isinstance(one, DialogueStep) else one
        for one in made.visit
    ]
    return made.model_copy(update={"visit": tuple(steps)})


async def grown(engine: SessionEngine, visit: str, words: str) -> VisitState:
    """The state in which these words are shown of an answer that is not whole."""

    async def there() -> VisitState | None:
        state = await engine.state(visit)
        return state if words in [one.growing for one in state.dialogues] else None

    found = await eventually_there(there, f"{words!r} was never shown")
    assert found is not None
    return found


def of(log: Log, visit: str, kind: type) -> list[Any]:
    return [one.event for one in log.events(visit) if isinstance(one.event, kind)]


async def asked(engine: SessionEngine) -> tuple[str, str]:
    """A visit in its first dialogue, in which a turn waits for its answer."""
    visit, dialogue = await into_dialogue(engine)
    await engine.say(visit, dialogue, key="key-1", text="where?")
    return visit, dialogue


def test_what_is_shown_is_in_the_log_before_and_the_answer_is_one_turn(
    study: Study, log: Log, tmp_path: Path
) -> None:
    async def run() -> str:
        speaker = Speaker()
        engine = SessionEngine(study, log, {"one": speaker, "two": speaker})
        await engine.start()
        visit, dialogue = await asked(engine)
        whole = ""
        for piece in ("At the", " **old", " mill**."):
            whole += piece
            speaker.pieces.put_nowait(piece)
            await grown(engine, visit, whole)
            assert "".join(one.text for one in of(log, visit, WordsShown)) == whole
            assert not of(log, visit, SystemTurnReceived)[1:], "the answer is not whole"
        speaker.pieces.put_nowait(None)
        await settled(engine, visit)
        held = (await engine.state(visit)).dialogues[-1]
        assert (held.growing, held.turns[-1].text) == ("", "At the **old mill**.")
        await engine.end_dialogue(visit, dialogue, user_turns=1)
        await engine.stop()
        return visit

    visit = asyncio.run(run())
    assert [(one.turn_index, one.kept) for one in of(log, visit, WordsShown)] == [(2, 0), (2, 6), (2, 12)]
    turns = export_dataset(log, "city", tmp_path / "data").read("turns").to_pylist()
    assert [one["party"] for one in turns] == ["system", "user", "system"]
    answer = turns[2]
    assert answer["text"] == "At the **old mill**." and turns[0]["first_shown_s"] is None
    assert answer["first_output_s"] <= answer["first_shown_s"] <= answer["complete_s"]


@pytest.mark.parametrize("simulated", [False, True])
def test_nothing_is_logged_of_an_answer_before_it_is_whole_by_default_and_of_what_programs_get(
    tmp_path: Path, log: Log, study: Study, simulated: bool
) -> None:
    async def run() -> None:
        speaker = Speaker()
        of_whole = make_study(tmp_path)
        engine = SessionEngine(study if simulated else of_whole, log, {"one": speaker, "two": speaker})
        await engine.start()
        visit = (await engine.open_visit(language="en", simulated=simulated)).visit_id
        await engine.give_consent(visit, 0, agreed=True, document="d")
        await engine.read_page(visit, 1)
        dialogue = await greeted(engine, visit)
        await engine.say(visit, dialogue, key="key-1", text="where?")
        speaker.pieces.put_nowait("At the")
        await eventually_there(speaker.pieces.empty)
        for _ in range(5):  # a piece would be on its way by now
            await asyncio.sleep(0)
        speaker.pieces.put_nowait(None)
        await settled(engine, visit)
        assert of(log, visit, SystemTurnReceived)[-1].text == "At the"
        assert of(log, visit, WordsShown) == []
        await engine.stop()

    asyncio.run(run())


def test_an_answer_that_breaks_off_is_a_failure_with_what_was_shown(study: Study, log: Log) -> None:
    async def run() -> None:
        speaker = Speaker(memory="caller")
        engine = SessionEngine(study, log, {"one": speaker, "two": speaker})
        await engine.start()
        visit, dialogue = await asked(engine)
        speaker.pieces.put_nowait("At the")
        await grown(engine, visit, "At the")
        speaker.pieces.put_nowait(SystemUnderTestError("closed", "the connection was closed"))
        await settled(engine, visit)
        (failed,) = of(log, visit, SystemTurnFailed)
        assert (failed.failure, failed.shown, failed.partial) == ("closed", "At the", "At the")
        speaker.pieces.put_nowait(None)
        await engine.say(visit, dialogue, key="key-2", text="where?")
        await settled(engine, visit)
        assert len(speaker.sent) == 2, "a turn that broke off is sent again by the participant alone"
        await engine.stop()

    asyncio.run(run())


@pytest.mark.parametrize("capabilities", [{"memory": "caller"}, {"idempotent": True}])
def test_after_a_restart_nobody_reads_another_answer_in_the_place_of_one_that_had_begun(
    study: Study, tmp_path: Path, capabilities: dict[str, object]
) -> None:
    held: list[str] = []

    async def in_a_process(go_on: Callable[[SessionEngine, Speaker], Any]) -> None:
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            speaker = Speaker(**capabilities)
            engine = SessionEngine(study, log, {"one": speaker, "two": speaker})
            await engine.start()
            await go_on(engine, speaker)
            await engine.stop()

    async def until_the_end(engine: SessionEngine, speaker: Speaker) -> None:
        held[:] = await asked(engine)
        speaker.pieces.put_nowait("At the")
        await grown(engine, held[0], "At the")

    async def afterwards(engine: SessionEngine, speaker: Speaker) -> None:
        await settled(engine, held[0])
        (failed,) = of(engine.log, held[0], SystemTurnFailed)
        assert (failed.failure, failed.shown) == ("interrupted", "At the")
        assert speaker.sent == []
        for piece in ("By the river.", None):
            speaker.pieces.put_nowait(piece)
        await engine.say(*held, key="key-2", text="where?")
        await settled(engine, held[0])
        assert of(engine.log, held[0], SystemTurnReceived)[-1].text == "By the river."

    asyncio.run(in_a_process(until_the_end))
    asyncio.run(in_a_process(afterwards))


def test_both_sides_of_a_bout_grow_and_one_that_breaks_leaves_the_other_alone(
    tmp_path: Path, log: Log
) -> None:
    study = arena_study(tmp_path / "study", more=", answers: streamed")

    async def run() -> None:
        speakers = {name: Speaker() for name in SYSTEMS}
        engine = arena_engine(study, log, **speakers)
        await engine.start()
        visit = (await engine.open_visit(language="en")).visit_id
        bout = (await until_state(engine, visit, lambda state: state.bout and state.bout.settled)).bout
        assert bout is not None
        left, right = speakers[bout.event.left_system], speakers[bout.event.right_system]
        await engine.bouts.say(visit, bout.event.bout_id, key="message-1", text="where?")
        left.pieces.put_nowait("Left of it")
        right.pieces.put_nowait("Right")
        await grown(engine, visit, "Left of it")
        await grown(engine, visit, "Right")
        left.pieces.put_nowait(SystemUnderTestError("closed", "the connection was closed"))
        right.pieces.put_nowait(None)
        await until_state(engine, visit, lambda state: state.bout.settled)
        (failed,) = of(log, visit, SystemTurnFailed)
        assert failed.shown == "Left of it"
        assert of(log, visit, SystemTurnReceived)[-1].text == "Right"
        await engine.stop()

    asyncio.run(run())


def test_no_name_is_seen_before_it_is_known_to_be_one() -> None:
    for text, part in [
        ("I am", "I am"),
        ("I am Te", "I am "),
        ("I am Tesla", "I am Tesla"),
        ("I am te-l l", "I am "),
        ("I am Tello ", "I am "),
        ("I am Tello now", f"I am {MASK} now"),
        ("Tello 9", ""),
        ("Tello 9, and", f"{MASK}, and"),
        ("Tello 95", f"{MASK} 95"),
        ("what", "what"),
        ("a hotel", "a hotel"),
    ]:
        names = ("tello", "Tello-9", "it")
        assert masked(settled_part(text, names), names) == part


def test_a_secret_that_comes_in_pieces_is_seen_by_nobody() -> None:
    pieces = Pieces(Vault({"KEY"}, {"KEY": "sk-12345"}))
    given = [pieces.take(one) for one in ("my key is s", "k-1", "2345, s", "ki", " sk-1")] + [pieces.rest()]
    assert given == ["my key is ", "", "${KEY}, ", "ski", " ", "sk-1"]


def test_answers_are_streamed_in_the_pages_chat_alone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stream answers, not dialogues by voice"):
        DialogueStep.model_validate({"answers": "streamed", "channel": "voice"})
    with pytest.raises(InputError, match="answers"):
        arena_study(tmp_path / "study", more=", answers: sometimes")
