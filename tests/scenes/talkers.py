"""Participants who talk through kills of the service, and whether the log has what they were told."""

import asyncio
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field

import httpx

from scenes.browserless import into_chat, patiently
from scenes.patience import PATIENCE_S
from vivavoce.log import events
from vivavoce.log.store import Log


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
            if response.status_code < 500 and response.json()["error"] not in ("busy", "too_fast"):
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
            if isinstance(one.event, events.SystemTurnReceived | events.SystemTurnFailed | events.NoAnswer)
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
