"""Answers of 200 words for 50 people at once: streamed to the page, beside the same answers shown whole."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.speed.row import Measured, Row, compared, workplace

from vivavoce.connectors.base import Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.log.store import Log
from vivavoce.participant.transcript import growing
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine

PEOPLE, WORDS, EVERY_S = 50, 200, 0.02
STUDY = """study: speed
languages: [en]
systems: {{bot: {{connect: scripted}}}}
visit:
  - dialogue: {{gate: none, answers: {answers}}}
"""


class Speaker:
    """Says a word every so many seconds, and notes when each came."""

    capabilities = Capabilities(streaming=True, greets=False)

    def __init__(self) -> None:
        self.came: dict[str, list[tuple[int, float]]] = {}

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        return
        yield

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        came, length = self.came.setdefault(turn.text, []), 0
        for number in range(WORDS):
            await asyncio.sleep(EVERY_S)
            word = "\n\n- **word** " if number % 20 == 0 else "another "
            length += len(word)
            came.append((length, time.perf_counter()))
            yield SystemOutput(kind="delta", text=word)

    async def close(self, conversation: Conversation) -> None: ...

    async def shut_down(self) -> None: ...


async def _listen(engine: SessionEngine, visit_id: str, key: str, speaker: Speaker) -> list[float]:
    """Follow an answer as the page does; delays from a word to the news of it."""
    dialogue_id = (await engine.state(visit_id)).dialogues[-1].dialogue_id
    await engine.say(visit_id, dialogue_id, key=key, text=key)
    seq, delays_s = (await engine.state(visit_id)).seq, []
    while True:
        found = await engine.updates(visit_id, seq, 20)
        seq = found[-1].seq if found else seq
        dialogue = (await engine.state(visit_id)).dialogues[-1]
        if dialogue.unanswered is None:
            return delays_s
        if dialogue.growing:
            growing(dialogue)
            reached = [at_s for length, at_s in speaker.came[key] if length <= len(dialogue.growing)]
            delays_s.append(time.perf_counter() - reached[-1])


async def _cost(folder: Path, answers: str, people: int) -> tuple[float, list[float]]:
    """Milliseconds of processor time an answer, and the delays."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(answers=answers), encoding="utf-8")
    study, speaker = load_study(folder), Speaker()
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {"bot": speaker})  # pyright: ignore[reportArgumentType]
        await engine.start()
        visits = [(await engine.open_visit(language="en")).visit_id for _ in range(people)]
        for visit_id in visits:
            while not (await engine.state(visit_id)).dialogues[-1].greeted:
                await asyncio.sleep(0.01)
        begun_s = time.process_time()
        listening = (_listen(engine, one, f"key-{number}", speaker) for number, one in enumerate(visits))
        delays_s = sorted(delay for found in await asyncio.gather(*listening) for delay in found)
        spent_s = time.process_time() - begun_s
        await engine.stop()
    return 1000 * spent_s / people, delays_s


def measure(quick: bool) -> Measured:
    people = 5 if quick else PEOPLE
    with workplace() as folder:
        whole, _ = asyncio.run(_cost(folder / "whole", "whole", people))
        streamed, delays_s = asyncio.run(_cost(folder / "streamed", "streamed", people))
    p50, p99 = (1000 * delays_s[len(delays_s) * share // 100] for share in (50, 99))
    return Measured(
        [compared(f"an answer, {people} at once", [streamed], [whole], against="shown whole", unit="CPU ms")],
        notes=[f"from a word's arrival to the page: p50 {p50:.0f}, p99 {p99:.0f} ms"],
    )


ROW = Row("streaming", "streamed answers of 200 words", "the same answers shown whole", measure, limit_s=120)
