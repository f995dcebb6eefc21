"""What it costs to show answers while they grow, beside the same answers shown whole, in the same run.

    python -m benchmarks.streamed_answers [--people 50] [--words 200] [--every 0.02]

Everybody gets one answer at the same time, a word every so many seconds, and a page that asks for news.
`until_seen` is from a word's arrival to when a page is told of it: it is in the log then, and its Markdown
rendered.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from vivavoce.connectors.base import Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.log.events import WordsShown
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine
from vivavoce.web.transcript import growing

STUDY = """study: speed
languages: [en]
systems: {{bot: {{connect: scripted}}}}
visit:
  - dialogue: {{gate: none, answers: {answers}}}
"""


class Speaker:
    """Says a word every so many seconds, and notes when each came."""

    capabilities = Capabilities(streaming=True, greets=False)

    def __init__(self, words: int, every_s: float) -> None:
        self.words, self.every_s = words, every_s
        self.came: dict[str, list[tuple[int, float]]] = {}

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        return
        yield

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        came, length = self.came.setdefault(turn.text, []), 0
        for number in range(self.words):
            await asyncio.sleep(self.every_s)
            word = "\n\n- **word** " if number % 20 == 0 else "another "
            length += len(word)
            came.append((length, time.perf_counter()))
            yield SystemOutput(kind="delta", text=word)

    async def close(self, conversation: Conversation) -> None: ...

    async def shut_down(self) -> None: ...


async def listen(engine: SessionEngine, visit_id: str, key: str, speaker: Speaker) -> list[float]:
    """Say something and follow the answer as the page does; the delays of what was seen while it grew."""
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


async def measure(folder: Path, answers: str, options: argparse.Namespace) -> dict[str, Any]:
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(answers=answers))
    study, speaker = load_study(folder), Speaker(options.words, options.every)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {"bot": speaker})  # pyright: ignore[reportArgumentType]
        await engine.start()
        visits = [(await engine.open_visit(language="en")).visit_id for _ in range(options.people)]
        for visit_id in visits:
            while not (await engine.state(visit_id)).dialogues[-1].greeted:
                await asyncio.sleep(0.01)
        begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
        listening = (listen(engine, one, f"key-{number}", speaker) for number, one in enumerate(visits))
        delays_s = sorted(delay for found in await asyncio.gather(*listening) for delay in found)
        lasted_s, cpu_s = time.perf_counter() - begun_s, time.process_time() - begun_cpu_s
        shown = sum(isinstance(one.event, WordsShown) for visit in visits for one in log.events(visit))
        await engine.stop()
        size = (folder / "log.sqlite").stat().st_size
    seen = {
        f"until_seen_p{share}_ms": round(1000 * delays_s[len(delays_s) * share // 100])
        for share in (50, 99)
        if delays_s
    }
    return {
        "lasted_s": round(lasted_s, 2),
        "cpu_ms_per_answer": round(1000 * cpu_s / options.people, 1),
        "pieces_per_answer": round(shown / options.people, 1),
        "log_kb_per_answer": round(size / 1000 / options.people, 1),
        **seen,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--every", type=float, default=0.02)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as made:
        found = {
            answers: asyncio.run(measure(Path(made).resolve() / answers, answers, options))
            for answers in ("whole", "streamed")
        }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
