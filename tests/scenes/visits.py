"""A study without files, a system under test that does as it is told, and ways to walk a visit."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from scenes.patience import eventually_there
from vivavoce.connectors.base import Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.log import events
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine


class Parrot:
    """Repeats what it hears; `broken` messages make it fail, `gate` makes it wait."""

    def __init__(self, **capabilities: object) -> None:
        self.capabilities = Capabilities(**{"memory": "system", **capabilities})  # pyright: ignore
        self.sent: list[UserTurn] = []
        self.histories: list[tuple[str, ...]] = []
        self.closed: list[str] = []
        self.greeting: str | None = "Hello."
        self.gate: asyncio.Event | None = None
        self.down = False

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        if self.down:
            raise SystemUnderTestError("unreachable", "nobody listens", reached=False)
        if self.greeting:
            yield SystemOutput(kind="message", text=self.greeting)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.sent.append(turn)
        self.histories.append(tuple(past.text for past in conversation.history))
        if self.gate:
            await self.gate.wait()
        if turn.text == "break":
            raise SystemUnderTestError("timeout", "no answer within 30 s")
        if turn.text == "say nothing":
            return
        yield SystemOutput(kind="delta", text="You said: ")
        yield SystemOutput(kind="delta", text=turn.text)
        if turn.text == "bye":
            yield SystemOutput(kind="end")

    async def reset(self, conversation: Conversation) -> None: ...

    async def close(self, conversation: Conversation) -> None:
        self.closed.append(conversation.key)

    async def shut_down(self) -> None: ...


def make_study(folder: Path, **changes: object) -> study_model.Study:
    feedback = (study_model.QuestionnaireStep(name="cambridge", about="dialogue"),)
    dialogue = study_model.DialogueStep(
        repeat=study_model.Range(min=2, max=3),
        gate="code",
        nontrivial=study_model.Nontrivial(user_turns=2),
        feedback=feedback,
    )
    tasks = tuple(
        study_model.Task(
            task_id=f"task-{number}",
            type="restaurant",
            constraints={"food": "thai"},
            requests=("phone",),
            text={"en": f"Find a Thai restaurant ({number})."},
        )
        for number in range(6)
    )
    facts: dict[str, object] = {
        "name": "city",
        "protocol": None,
        "languages": ("en", "it"),
        "title": {"en": "City"},
        "systems": {"one": {"connect": "parrot"}, "two": {"connect": "parrot"}},
        "tasks": tasks,
        "visit": (
            study_model.ConsentStep(file="consent.md"),
            study_model.InstructionsStep(file="how.md"),
            dialogue,
            study_model.QuestionnaireStep(name="sus", about="visit"),
        ),
        "allocation": "least-used-by-participant",
        "limits": study_model.Limits(),
        "identity": study_model.Identity(),
        "analysis": study_model.Analysis(),
        "folder": folder,
        "revision": "0" * 12,
    }
    return study_model.Study.model_validate({**facts, **changes})


async def into_dialogue(engine: SessionEngine) -> tuple[str, str]:
    """Open a visit and walk it to its first dialogue, greeted; the visit and the dialogue."""
    opened = await engine.open_visit(language="en")
    await engine.give_consent(opened.visit_id, 0, agreed=True, document="d")
    await engine.read_page(opened.visit_id, 1)
    return opened.visit_id, await greeted(engine, opened.visit_id)


async def greeted(engine: SessionEngine, visit_id: str) -> str:
    """Wait until the current dialogue is greeted or over; its key."""
    dialogue = (await engine.state(visit_id)).dialogues[-1]
    await settled(engine, visit_id)
    return dialogue.dialogue_id


async def settled(engine: SessionEngine, visit_id: str) -> None:
    """Wait until the system under test owes nothing."""

    async def owes_nothing() -> bool:
        state = await engine.state(visit_id)
        return not engine.answering(visit_id) and state.dialogues[-1].unanswered is None

    await eventually_there(owes_nothing, "the system never answered")


async def say(
    engine: SessionEngine, visit_id: str, dialogue_id: str, text: str, key: str | None = None
) -> None:
    await engine.say(visit_id, dialogue_id, key=key or f"key-{text}-{dialogue_id}", text=text)
    await settled(engine, visit_id)


def ratings() -> list[events.LoggedRating]:
    return [events.LoggedRating(item_id="found_all", value=1, answer="Yes", role="subjective_success")]


def with_engine(study, log, scenario, **systems) -> None:
    """Run a scenario with an engine that is started before and stopped after."""

    async def run() -> None:
        connectors = systems or {"one": Parrot(), "two": Parrot()}
        engine = SessionEngine(study, log, connectors)
        await engine.start()
        try:
            await scenario(engine)
        finally:
            await engine.stop()

    asyncio.run(run())


async def hold_dialogue(engine: SessionEngine, visit_id: str, dialogue_id: str) -> None:
    await say(engine, visit_id, dialogue_id, "a thai place")
    await say(engine, visit_id, dialogue_id, "its phone")
    await engine.end_dialogue(visit_id, dialogue_id, user_turns=2)
