"""Many people at once, and a service of its own: places are kept, and everybody finds their visit again."""

import asyncio
import json
import signal
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from scenes.browserless import Forms, dialogue_of, patiently, submit
from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, study_with_bots, wait_for_port
from vivavoce.log.store import Log
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.links import invite

pytestmark = [pytest.mark.reliability, pytest.mark.long]
SERVER = str(Path(__file__).with_name("server_process.py"))
CONSENT = "  - consent: consent.md\n"
NoteFigures = Callable[..., None]


@contextmanager
def service(study: Path, log_url: str, port: int):
    """The participants' service, until the block ends or somebody kills it."""
    with process(SERVER, str(study), log_url, str(port)) as server:
        wait_for_port(port, server)
        yield server


def browser(port: int) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=4)
    return httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=PATIENCE_S, limits=limits
    )


async def all_at_once(work: list[Awaitable[None]], abreast: int) -> None:
    """All of it, so many at a time."""
    free = asyncio.Semaphore(abreast)

    async def one(task: Awaitable[None]) -> None:
        async with free:
            await task

    await asyncio.gather(*map(one, work))


@pytest.mark.parametrize(
    "log_url",
    [
        pytest.param("sqlite", marks=pytest.mark.long),
        pytest.param("postgresql", marks=pytest.mark.postgresql),
    ],
    indirect=True,
)
@pytest.mark.parametrize(("arrivals", "places"), [(12, 4), pytest.param(200, 50, marks=pytest.mark.long)])
def test_of_many_who_come_at_once_as_many_as_there_are_places_are_admitted(
    log_url: str, tmp_path: Path, arrivals: int, places: int, note_figures: NoteFigures
) -> None:
    screen = (
        f"  - screen: {{use: idial_background, admit: {{age: 1..6}}, quotas: {{age: {{2: {places}}}}}}}\n"
    )

    async def arrive(port: int) -> None:
        async with browser(port) as client:
            page = await submit(client, await patiently(client.get, "/"), "/start")
            page = await submit(client, page, "/consent", answer="agree")
            page = await submit(client, page, "/answers", **{"item-age": "2"})
            if Forms(page.text).has("/read"):
                dialogue_of(await submit(client, page, "/read"))

    port = free_port()
    changes = {CONSENT: CONSENT + screen, "allocation: least-used-by-participant": "allocation: balanced"}
    with study_with_bots(tmp_path / "study", changes) as study:
        with service(study, log_url, port):
            asyncio.run(all_at_once([arrive(port) for _ in range(arrivals)], abreast=arrivals))
        with Log.open(log_url) as log:
            outcomes = Counter(visit.outcome for visit in log.visits("city"))
            systems = Counter(dialogue.system for dialogue in log.dialogues("city"))
    note_figures(
        "places",
        arrivals=arrivals,
        places=places,
        database=log_url.partition(":")[0],
        admitted=outcomes[None],
        systems_differ_by=abs(systems["nbest"] - systems["onebest"]),
    )
    assert outcomes == {None: places, "screened_out": arrivals - places}
    assert systems.total() == places and abs(systems["nbest"] - systems["onebest"]) <= 1


@dataclass
class Participant:
    """Somebody with their own link, in a dialogue, who has said something."""

    link: str
    client: httpx.AsyncClient
    text: str = ""
    dialogue: str = ""

    async def begin(self) -> None:
        page = await submit(self.client, await patiently(self.client.get, self.link), "/start")
        page = await submit(self.client, page, "/consent", answer="agree")
        self.dialogue = dialogue_of(await submit(self.client, page, "/read"))
        self.text = f"cheap food {uuid.uuid4().hex}"
        turn = {"key": uuid.uuid4().hex, "dialogue_id": self.dialogue, "text": self.text}
        assert (await patiently(self.client.post, "/turns", json=turn)).status_code == 200

    async def finds(self, page: httpx.Response, client: httpx.AsyncClient) -> None:
        """Whether a page is that of their dialogue, and all that was said is there once."""
        assert dialogue_of(page) == self.dialogue
        asked = {"after": 0, "wait": 0, "dialogue_id": self.dialogue}
        news = (await patiently(client.get, "/events", params=asked)).json()
        assert json.dumps(news).count(self.text) == 1

    async def reloads(self) -> None:
        await self.finds(await patiently(self.client.get, "/visit"), self.client)

    async def opens_a_second_tab(self) -> None:
        await asyncio.gather(self.reloads(), self.reloads())

    async def opens_their_link_elsewhere(self) -> None:
        async with browser(self.client.base_url.port or 0) as other:
            page = await submit(other, await patiently(other.get, self.link), "/start")
            await self.finds(page, other)


@pytest.mark.parametrize(
    "log_url",
    ["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgresql, pytest.mark.long])],
    indirect=True,
)
@pytest.mark.parametrize("visits", [8, pytest.param(500, marks=pytest.mark.long)])
def test_every_visit_is_found_again(
    log_url: str, tmp_path: Path, visits: int, note_figures: NoteFigures
) -> None:
    found: Counter[str] = Counter()
    calm_ones = visits * 3 // 4
    changes = {"allocation: least": "recruitment: {links: {}}\nallocation: least"}

    async def again(participant: Participant, way: str) -> None:
        await {
            "reloaded": participant.reloads,
            "second tab": participant.opens_a_second_tab,
            "own link in another browser": participant.opens_their_link_elsewhere,
            "after a kill of the service": participant.reloads,
        }[way]()
        found[way] += 1

    async def trial(study: Path, port: int, links: list[str]) -> None:
        people = [Participant(link, browser(port)) for link in links]
        ways = ("reloaded", "second tab", "own link in another browser")
        with service(study, log_url, port) as server:
            await all_at_once([one.begin() for one in people], abreast=50)
            calm = [again(one, ways[number % 3]) for number, one in enumerate(people[:calm_ones])]
            await all_at_once(calm, abreast=50)
            server.send_signal(signal.SIGKILL)
            await asyncio.to_thread(server.wait, PATIENCE_S)
        with service(study, log_url, port):
            killed = [again(one, "after a kill of the service") for one in people[calm_ones:]]
            await all_at_once(killed, abreast=50)
        for one in people:
            await one.client.aclose()

    port = free_port()
    with study_with_bots(tmp_path / "study", changes) as study:
        with Log.open(log_url) as log:
            links = invite(Ledger(log, "city"), visits, f"http://127.0.0.1:{port}")
        asyncio.run(trial(study, port, links))
        with Log.open(log_url) as log:
            assert len(log.visits("city")) == len(log.dialogues("city")) == visits
    database = log_url.partition(":")[0]
    note_figures("visits found again", visits=visits, found=found.total(), database=database, **found)
    assert found.total() == visits and len(found) == 4
