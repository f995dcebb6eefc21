"""kill -9 of the server under talking participants: no acknowledged turn lost, none doubled."""

import asyncio
import random
import signal
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from scenes.browserless import into_chat, patiently
from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, study_with_bots, wait_for_port
from vivavoce.log import events
from vivavoce.log.store import Log

SERVER = str(Path(__file__).with_name("server_process.py"))


@dataclass
class Talker:
    """One participant: what was acknowledged, and what the page has shown."""

    number: int
    acknowledged: dict[str, tuple[int, str]] = field(default_factory=dict)
    cut_off: int = 0
    shown: list[tuple[int, str]] = field(default_factory=list)
    seq: int = 0

    async def talk(self, base: str, stop: asyncio.Event) -> None:
        async with httpx.AsyncClient(base_url=base, follow_redirects=True, timeout=PATIENCE_S) as client:
            dialogue = await into_chat(client)
            await self._listen(client, dialogue, want_answer=True)
            while not stop.is_set():
                if not await self._say(client, dialogue, f"cheap food, talker {self.number}"):
                    break
                if not await self._listen(client, dialogue, want_answer=True):
                    break

    async def _say(self, client: httpx.AsyncClient, dialogue: str, text: str) -> bool:
        """Send one turn with one key until it is acknowledged, as the page does."""
        key = uuid.uuid4().hex
        text = f"{text} turn {len(self.acknowledged)}"
        turn = {"key": key, "dialogue_id": dialogue, "text": text}
        for _ in range(10_000):
            try:
                response = await client.post("/turns", json=turn)
            except httpx.HTTPError as error:
                # cut off in flight: the turn may be on disk already, and only its key can tell
                self.cut_off += not isinstance(error, httpx.ConnectError)
                await asyncio.sleep(0.05)
                continue
            if response.status_code == 200:
                self.acknowledged[key] = (response.json()["seq"], text)
                return True
            if response.status_code < 500 and response.json()["error"] != "busy":
                return False
            await asyncio.sleep(0.05)
        raise AssertionError("the server was busy for ever")

    async def _listen(self, client: httpx.AsyncClient, dialogue: str, *, want_answer: bool) -> bool:
        """Take in news until nothing is owed; whether the dialogue is still running."""
        while True:
            asked = {"after": self.seq, "wait": 2, "dialogue_id": dialogue}
            news = (await patiently(client.get, "/events", params=asked)).json()
            self.shown += [(one["seq"], one["kind"]) for one in news["events"]]
            self.seq = news["seq"]
            if not news["running"]:
                return False
            if not news["waiting"]:
                return True


def acknowledged(talkers: list[Talker]) -> int:
    return sum(len(talker.acknowledged) for talker in talkers)


async def until_talked(talkers: list[Talker], turns: int, patience_s: float = PATIENCE_S) -> None:
    """Let the talkers get into their stride, so that the kill strikes them in the middle of it."""
    deadline = time.monotonic() + patience_s
    while acknowledged(talkers) < turns and time.monotonic() < deadline:
        await asyncio.sleep(0.02)


async def kill_again_and_again(study: Path, log_url: str, kills: int, people: int) -> list[Talker]:
    port = free_port()
    talkers = [Talker(number) for number in range(people)]
    stop = asyncio.Event()
    chance = random.Random(7)
    tasks: list[asyncio.Task[None]] = []
    for kill in range(kills + 1):
        with process(SERVER, str(study), log_url, str(port)) as server:
            await asyncio.to_thread(wait_for_port, port)
            if not tasks:
                base = f"http://127.0.0.1:{port}"
                tasks = [asyncio.create_task(talker.talk(base, stop)) for talker in talkers]
            if kill == kills:
                stop.set()
                await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
                server.send_signal(signal.SIGTERM)
                await asyncio.to_thread(server.wait, PATIENCE_S)
                return talkers
            await until_talked(talkers, acknowledged(talkers) + people)
            await asyncio.sleep(chance.uniform(0.0, 0.6))
            server.send_signal(signal.SIGKILL)
            await asyncio.to_thread(server.wait, PATIENCE_S)
    raise AssertionError("unreachable")


def check(log: Log, talkers: list[Talker]) -> Counter[str]:
    """Compare what participants were told with what the log holds."""
    tally: Counter[str] = Counter()
    promised = {key: said for talker in talkers for key, said in talker.acknowledged.items()}
    found: dict[str, tuple[int, str]] = {}
    for visit in log.visits("city"):
        stored = log.events(visit.visit_id)
        assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
        said = [one for one in stored if isinstance(one.event, events.UserTurnSent)]
        for one in said:
            assert one.client_key not in found
            found[str(one.client_key)] = (one.seq, one.event.text)
        replies = Counter(
            one.event.reply_to
            for one in stored
            if isinstance(one.event, events.SystemTurnReceived | events.SystemTurnFailed | events.SilenceKept)
            and one.event.reply_to is not None
        )
        assert all(count == 1 for count in replies.values()), "an answer stands twice in the log"
        assert set(replies) >= {one.event.turn_index for one in said[:-1]}, "a turn was never answered"
        tally["turns"] += len(said)
        tally["failures"] += sum(isinstance(one.event, events.SystemTurnFailed) for one in stored)
    tally["lost"] = sum(found.get(key) != said for key, said in promised.items())
    tally["doubled"] = len(found) - len({text for _, text in found.values()})
    for talker in talkers:
        assert len(set(talker.shown)) == len(talker.shown), "the page showed a turn twice"
    tally["acknowledged"] = len(promised)
    tally["cut_off"] = sum(talker.cut_off for talker in talkers)
    return tally


@pytest.mark.reliability
@pytest.mark.parametrize(
    "log_url",
    ["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgresql, pytest.mark.long])],
    indirect=True,
)
@pytest.mark.parametrize(("kills", "people"), [(2, 20), pytest.param(200, 50, marks=pytest.mark.long)])
def test_kills_under_people_who_talk_lose_and_double_nothing(
    log_url: str, tmp_path: Path, kills: int, people: int, note_figures: Callable[..., None]
) -> None:
    changes = {
        "allocation: least": "limits: {user_turns: 10000}\nallocation: least",
    }
    with study_with_bots(tmp_path / "study", changes) as study:
        talkers = asyncio.run(kill_again_and_again(study, log_url, kills, people))
    with Log.open(log_url) as log:
        tally = check(log, talkers)
    database = log_url.partition(":")[0]
    note_figures("acknowledged turns", kills=kills, people=people, database=database, **tally)
    assert (tally["lost"], tally["doubled"]) == (0, 0)
    assert tally["acknowledged"] >= kills * people / 2, "too little was said for this to mean anything"
