"""Bytes that no browser sends, at both services: who asks is answered as before, and memory comes back."""

import http.client
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import psutil
import pytest

import scenes.attacking
from scenes.attacking import ATTACKS, CONNECTIONS
from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port, study_with_bots, wait_for_port

pytestmark = [pytest.mark.reliability, pytest.mark.long]
CALM_S: Final = 5.0
ATTACK_S: Final = 12.0
BACK_S: Final = 60.0
PAUSE_S: Final = 0.02
FLOOR_S: Final = 0.02  # noise of the measurement: a calm median is 2 to 5 ms
PEOPLE: Final = 40


@dataclass(frozen=True)
class Service:
    """A service as strangers see it: an honest page, and the addresses that are attacked."""

    process: psutil.Process
    port: int
    page: str
    file: str
    form: str

    def seconds(self, path: str) -> float:
        """How long a person with a connection of their own waits."""
        connection, began = (
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S),
            time.monotonic(),
        )
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
        connection.close()
        return time.monotonic() - began

    def median_s(self, during_s: float) -> float:
        """The median of such waits."""
        waits, until = [], time.monotonic() + during_s
        while time.monotonic() < until:
            waits.append(self.seconds(self.page))
            time.sleep(PAUSE_S)
        return statistics.median(waits)

    def crowd(self) -> None:
        """Many people at once, so that every thread has begun."""
        with ThreadPoolExecutor(PEOPLE) as people:
            list(people.map(self.seconds, (self.page, self.file) * 5 * PEOPLE))

    def memory(self) -> float:
        """Resident mebibytes."""
        return self.process.memory_info().rss / 2**20


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Service]]:
    """`vivavoce serve`: the participants' pages and the dashboard beside them; both end without a defect."""
    folder, port, desk_port = tmp_path_factory.mktemp("attacked"), free_port(), free_port()
    printed = folder / "printed.txt"
    with study_with_bots(folder / "study") as study, printed.open("w") as stderr:
        command = [sys.executable, "-m", "vivavoce", "serve", str(study)]
        command += ["--log", f"sqlite:///{folder}/log.sqlite"]
        command += ["--port", str(port), "--desk-port", str(desk_port)]
        serving = psutil.Popen(command, stdin=subprocess.DEVNULL, stderr=stderr)
        try:
            for awaited in (port, desk_port):
                wait_for_port(awaited, serving)
            (desk,) = [child for child in serving.children() if "desk" in child.cmdline()]
            yield {
                "participants": Service(serving, port, "/", "/static/participant.css", "/annotate/sign-in"),
                "dashboard": Service(desk, desk_port, "/sign-in", "/door.css", "/sign-in"),
            }
            serving.send_signal(signal.SIGINT)
            assert serving.wait(PATIENCE_S) == 130
            assert "Traceback" not in printed.read_text()
        finally:
            with suppress(psutil.NoSuchProcess):
                serving.kill()


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", ["participants", "dashboard"])
def test_strange_bytes_neither_hold_up_people_nor_keep_memory(
    services: dict[str, Service], name: str, attack: str, note_figures: Callable[..., None]
) -> None:
    service = services[name]
    service.crowd()
    before, calm_s = service.memory(), service.median_s(CALM_S)
    command = [sys.executable, scenes.attacking.__file__, attack, str(service.port), str(ATTACK_S + 2)]
    with subprocess.Popen([*command, service.file, service.form], stdout=subprocess.PIPE) as attacker:
        attacked_s, peak = service.median_s(ATTACK_S), service.memory()
        opened = int(attacker.communicate(timeout=PATIENCE_S)[0])
    ended = time.monotonic()
    eventually(lambda: service.memory() <= 1.1 * before, "memory does not come back", patience_s=BACK_S)
    note_figures(
        "strange bytes",
        service=name,
        attack=attack,
        connections=opened,
        median_ms=round(1000 * calm_s, 1),
        median_attacked_ms=round(1000 * attacked_s, 1),
        mib_before=round(before),
        mib_in_the_attack=round(peak),
        back_after_s=round(time.monotonic() - ended),
    )
    assert opened >= CONNECTIONS
    assert attacked_s <= 2 * calm_s + FLOOR_S
