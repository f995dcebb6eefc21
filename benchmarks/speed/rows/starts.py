"""What somebody waits for before anything happens: the help, a check, the first page after `serve`."""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.speed import peers
from benchmarks.speed.row import Measured, Row, compared, cost_of, in_turns, vivavoce, workplace
from benchmarks.speed.servers import cpu_s, free_port

ROUNDS = 7
BARE = Path(__file__).parents[1] / "programs" / "bare.py"
LIBRARIES = "import typer, pydantic, ruamel.yaml"
WAIT_S = 60.0


def first_page(command: list, port: int) -> tuple[float, float]:
    """Seconds from the command to the first page, and what the process had computed by then."""
    begun = time.perf_counter()
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([str(word) for word in command], **quiet)
    try:
        while time.perf_counter() - begun < WAIT_S:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=WAIT_S) as answer:
                    answer.read()
                return time.perf_counter() - begun, cpu_s(process.pid)
            except urllib.error.URLError:
                assert process.poll() is None, f"{command[0]} ended before its first page"
                time.sleep(0.01)
        raise TimeoutError(f"no page within {WAIT_S:.0f} s")
    finally:
        process.terminate()
        process.wait()


def measure(quick: bool) -> Measured:
    typer, fastapi = peers.python("typer"), peers.python("fastapi")
    rounds = 2 if quick else ROUNDS
    with workplace() as folder:
        study = folder / "study"
        cost_of(vivavoce("init", study))
        check = vivavoce("check", study, "--no-bots")
        spent = in_turns(
            {
                "typer": lambda: cost_of([typer, "-c", "import typer"]).cpu_s,
                "libraries": lambda: cost_of([sys.executable, "-c", LIBRARIES]).cpu_s,
                "help": lambda: cost_of(vivavoce("--help")).cpu_s,
                "check": lambda: cost_of(check).cpu_s,
            },
            rounds,
        )
        computed: dict[str, list[float]] = {"serve": [], "empty": []}

        def page(name: str) -> float:
            port = free_port()
            serve = vivavoce("serve", study, "--port", port, "--desk-port", free_port())
            command = serve if name == "serve" else [fastapi, BARE, "empty", port]
            seconds, computing = first_page(command, port)
            computed[name].append(computing)
            return seconds

        waited = in_turns({name: lambda name=name: page(name) for name in computed}, 2 if quick else 5)
    cpu, empty = {"unit": "CPU s"}, "an empty application"
    return Measured(
        [
            compared("--help", spent["help"], spent["typer"], against="import typer", aim=1.5, **cpu),
            compared("check", spent["check"], spent["typer"], against="import typer", aim=2, **cpu),
            compared("check", spent["check"], spent["libraries"], against=LIBRARIES, **cpu),
            compared("first page of serve", waited["serve"], waited["empty"], against=empty, unit="s", aim=2),
            compared(
                "the same, by the processor", computed["serve"], computed["empty"], against=empty, **cpu
            ),
        ]
    )


ROW = Row(
    "starts",
    "`--help`; `check`; first page of `serve`",
    "importing Typer; an empty FastAPI application",
    measure,
    ("typer", "fastapi"),
    limit_s=300,
    why="`check` builds the whole study model; the first page needs the database, connectors and tasks",
)
