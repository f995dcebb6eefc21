"""What computes apart keeps nobody waiting, and leaves nothing behind."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scenes.patience import eventually
from vivavoce_speech.engines.process_worker import ProcessWorker, WorkerEnded

LEFT_ALONE = """
import asyncio, sys, time
sys.path.insert(0, {folder!r})
from test_process_worker import apart

async def main():
    print(await apart().call("who"), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""


def answers() -> Callable[[str], int]:
    def answer(asked: str) -> int:
        if asked == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if asked == "fail":
            raise ValueError("no number is in it")
        return os.getpid()

    return answer


def apart() -> ProcessWorker:
    return ProcessWorker(answers)


def test_it_computes_in_another_process_and_hands_errors_on():
    async def scene() -> None:
        away = apart()
        assert await away.call("who") != os.getpid()
        with pytest.raises(ValueError, match="no number is in it"):
            await away.call("fail")
        await away.close()

    asyncio.run(scene())


def test_after_its_process_was_killed_the_next_call_gets_a_new_one():
    async def scene() -> None:
        away = apart()
        before = await away.call("who")
        with pytest.raises(WorkerEnded):
            await away.call("die")
        assert await away.call("who") != before
        await away.close()

    asyncio.run(scene())


def test_closed_it_computes_nothing_more_and_its_processes_are_gone():
    async def scene() -> None:
        away = apart()
        process = await away.call("who")
        await away.close()
        assert not alive(process)
        with pytest.raises(WorkerEnded):
            await away.call("who")

    asyncio.run(scene())


@pytest.mark.long
def test_its_processes_end_with_one_that_was_killed(tmp_path):
    script = tmp_path / "left_alone.py"
    script.write_text(LEFT_ALONE.format(folder=str(Path(__file__).parent)), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        process = int(parent.stdout.readline())
        assert alive(process)
        parent.kill()
    eventually(lambda: not alive(process), "the process outlived the one that it worked for")


def alive(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        facts = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return facts.rpartition(")")[2].split()[0] != "Z"
