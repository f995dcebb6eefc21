"""Follow one user turn through our files: from the page's POST to the answer in the log, then to the report.

    python -m benchmarks turn_trace [--out FILE] [--only scripted] [--turns N]

`sys.setprofile` sees every call of a Python function, in every thread. A call counts where the function is
written in a `.py` file of our packages (`src/vivavoce*`); a coroutine counts once, when it is called.

files       files of ours with a function that was called, in the order of the first call
functions   different functions of ours that were called; calls: their sum
hops        calls of a function of ours from another file of ours; functions of others (FastAPI, SQLAlchemy)
            may stand between the two
direct      hops with nothing of others between
pairs       different pairs of files among the hops

`page -> log` begins where the application is called (ASGI) with POST /turns, and ends when the system's
answer is in the log and none of our functions has been called for 0.2 s. It is the turn with fewest hops
of a dialogue, because the service's periodic work is no part of a turn. `log -> report` is `export`,
`measure` and `report` on that log. Everything runs once before, so that imports and caches do not count.
`load_study` reads the study file a second time. The system is a script inside the process (`scripted`),
or the bundled bot behind the connector `http`. Hops to the log differ by two from run to run.
"""

import argparse
import asyncio
import inspect
import json
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dis import get_instructions
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import httpx

import vivavoce

SOURCE = str(Path(vivavoce.__file__).parents[1]) + "/"
OURS = SOURCE + "vivavoce"  # and the packages beside it
SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
QUIET_S, TURNS, WARM = 0.2, 20, 3
SCRIPTED = 'connect: scripted, greeting: "Hello.", otherwise: "You said: {text}"'
BOT = 'connect: http, url: "http://127.0.0.1:PORT/chat", allow_private: true, open: true, idempotent: true'
STUDY = """
study: traced
protocol: cambridge-2011
systems:
  one: {{{system}}}
  two: {{{system}}}
ontology: restaurants.yaml
tasks: {{generate: 20, seed: 7}}
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1..2, gate: none}}
  - questionnaire: cambridge
"""


class Trace:
    """The calls of functions of ours while it is on, each with its nearest caller of ours."""

    def __init__(self) -> None:
        self.on = False
        self.calls: list[tuple[CodeType, CodeType | None, bool]] = []
        self.last_s = 0.0

    def install(self) -> None:
        """See this thread, and all that are started from now on."""
        threading.setprofile(self.see)
        sys.setprofile(self.see)

    def see(self, frame: FrameType, what: str, _: object) -> None:
        code = frame.f_code
        if not self.on or what != "call" or not _is_ours(code):
            return
        if code.co_name == "<module>" or (code.co_flags & SUSPENDS and not _begins(frame)):
            return
        above, direct = frame.f_back, True
        while above is not None and not _is_ours(above.f_code):
            above, direct = above.f_back, False
        self.calls.append((code, above.f_code if above is not None else None, direct))
        self.last_s = time.monotonic()

    @contextmanager
    def recorded(self) -> Iterator["Trace"]:
        self.calls, self.on, self.last_s = [], True, time.monotonic()
        try:
            yield self
        finally:
            self.on = False


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(OURS) and code.co_filename.endswith(".py")


def _begins(frame: FrameType) -> bool:
    """True if a coroutine or generator is called, and does not go on: it begins at its first RESUME."""
    return frame.f_lasti <= _first_resume(frame.f_code)


@cache
def _first_resume(code: CodeType) -> int:
    return next(one.offset for one in get_instructions(code) if one.opname == "RESUME")


def figures(calls: list[tuple[CodeType, CodeType | None, bool]]) -> dict[str, Any]:
    """What the module's docstring defines, of these calls."""
    hops = [
        (called.co_filename, above.co_filename, direct)
        for called, above, direct in calls
        if above is not None and above.co_filename != called.co_filename
    ]
    files = list(dict.fromkeys(called.co_filename.removeprefix(SOURCE) for called, _, _ in calls))
    return {
        "files": len(files),
        "functions": len({called for called, _, _ in calls}),
        "calls": len(calls),
        "hops": len(hops),
        "direct": sum(direct for *_, direct in hops),
        "pairs": len({(called, above) for called, above, _ in hops}),
        "in_order": files,
    }


async def hold(trace: Trace, folder: Path, repeats: int) -> list[tuple[CodeType, CodeType | None, bool]]:
    """A dialogue in the participants' pages; the calls of its turn with fewest hops."""
    from scenes.browserless import Forms  # pyright: ignore[reportMissingImports]
    from vivavoce.api.studies import make_connectors, open_log, read_study
    from vivavoce.participant.app import create_app
    from vivavoce.trial.engine import SessionEngine

    study = read_study(folder)
    log = open_log(study, None)
    app = create_app(SessionEngine(study, log, make_connectors(study)))
    turns = []
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://trial", follow_redirects=True, timeout=60
        ) as client,
    ):
        page = await client.get("/")
        for path, entered in (("/start", {}), ("/consent", {"answer": "agree"})):
            form = Forms(page.text).to(path)
            page = await client.post(form["action"], data={**form["fields"], **entered})
        dialogue = Forms(page.text).to("/dialogue/end/form")["fields"]["dialogue_id"]
        for number in range(WARM + repeats):
            turn = {"dialogue_id": dialogue, "key": f"turn-key-{number}", "text": "a cheap place, please"}
            await answers(folder, number + 1)
            await asyncio.sleep(QUIET_S)
            with trace.recorded():
                sent = await client.post("/turns", json=turn)
                assert sent.status_code == 200, sent.text
                await answers(folder, number + 2)
                while time.monotonic() - trace.last_s < QUIET_S:
                    await asyncio.sleep(0.01)
            turns.append(trace.calls)
        await client.post("/dialogue/end", json={"dialogue_id": dialogue, "confirmed": True})
    log.close_now()
    return min(turns[WARM:], key=lambda calls: figures(calls)["hops"])


async def answers(folder: Path, count: int) -> None:
    """Wait until the log holds so many answers, asking it without a function of ours."""
    for _ in range(6000):
        log = sqlite3.connect(folder / "log.sqlite")
        found = log.execute("SELECT count(*) FROM events WHERE kind = 'system_turn_received'").fetchone()[0]
        log.close()
        if found >= count:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the system never answered")


def report(folder: Path, into: Path) -> None:
    """Export, measures and report of the study's log, by the command line."""
    from typer.testing import CliRunner

    from vivavoce.cli.main import app

    for words in (
        ("export", folder, "--into", into),
        ("measure", into, "--json"),
        ("report", into, "--out", into / "report.html"),
    ):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, (words, done.output, done.exception)


def traced(trace: Trace, system: str, scratch: Path, repeats: int) -> dict[str, Any]:
    """The figures with this system."""
    from vivavoce.study.load import load_study
    from vivavoce.study.scaffold import write_study

    folder = write_study(scratch / "study", "cambridge-2011", name="traced")[0].parent
    (folder / "study.yaml").write_text(STUDY.format(system=system), encoding="utf-8")
    to_log = asyncio.run(hold(trace, folder, repeats))
    with trace.recorded():
        load_study(folder)
    loading = trace.calls
    report(folder, scratch / "before")
    with trace.recorded():
        report(folder, scratch / "dataset")
    return {
        "page -> log": figures(to_log),
        "log -> report": figures(trace.calls),
        "load_study": figures(loading),
    }


@contextmanager
def bot(domain: Path) -> Iterator[int]:
    """The bundled bot in a process of its own; its port."""
    from scenes.processes import free_port, wait_for_port  # pyright: ignore[reportMissingImports]

    port = free_port()
    told = ["restaurant", "--domain", str(domain), "--port", str(port)]
    running = subprocess.Popen([sys.executable, "-m", "vivavoce_bots", *told])
    try:
        wait_for_port(port, running)
        yield port
    finally:
        running.terminate()
        running.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the JSON here, too")
    parser.add_argument("--only", choices=("scripted", "http"), help="one system in place of both")
    parser.add_argument("--turns", type=int, default=TURNS, help=f"turns of the dialogue (default {TURNS})")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    trace, results = Trace(), {}
    trace.install()
    domain = Path(vivavoce.__file__).parent / "study" / "domains" / "restaurants.yaml"
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        if options.only != "http":
            results["scripted"] = traced(trace, SCRIPTED, scratch / "scripted", options.turns)
        if options.only != "scripted":
            system = BOT.replace("PORT", str(stack.enter_context(bot(domain))))
            results["http"] = traced(trace, system, scratch / "http", options.turns)
    sys.setprofile(None)
    threading.setprofile(None)
    written = json.dumps(results, indent=1)
    print(written)
    if options.out is not None:
        options.out.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
