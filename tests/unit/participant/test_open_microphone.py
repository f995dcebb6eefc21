"""The WebSocket of an open microphone: whose it is, who is refused, and what nonsense does to it."""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from scenes.browserless import Forms
from scenes.open_page import Page
from scenes.patience import KEPT, PATIENCE_S, eventually
from scenes.visits import Parrot, make_study
from scenes.websites import running
from scenes.whispering import Hummed
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine


@dataclass
class Guest:
    """A browser in its dialogue, and the service that it talks with."""

    url: str
    log: Log
    cookies: str
    dialogue: str
    tab: str

    def connect(
        self, *, dialogue: str | None = None, tab: str | None = None, **headers: str
    ) -> ClientConnection:
        query = f"dialogue_id={dialogue or self.dialogue}&tab={tab or self.tab}"
        return connect(
            f"ws{self.url[4:]}/voice/microphone?{query}",
            proxy=None,
            open_timeout=PATIENCE_S,
            additional_headers={"Cookie": self.cookies} | headers,
        )

    def events(self, kind: str) -> list[Any]:
        (visit,) = self.log.visits("city")
        return [one.event for one in self.log.events(visit.visit_id) if one.event.kind == kind]


@pytest.fixture
def guest(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Guest]:
    Hummed.texts = []
    step = DialogueStep(
        repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
    )
    how = getattr(request, "param", "open")
    voice = Voice(recogniser="whispered", synthesiser="hummed", microphone=how)
    study = make_study(tmp_path, visit=(step,), voice=voice, systems={"one": {"connect": "parrot"}})
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {"one": Parrot()}))) as server,
        httpx.Client(base_url=server.url, follow_redirects=True, timeout=PATIENCE_S, limits=KEPT) as client,
    ):
        start = Forms(client.get("/").text).to("/start")
        page = client.post(start["action"], data=start["fields"])
        dialogue = Forms(page.text).to("/dialogue/end/form")["fields"]["dialogue_id"]
        tab = page.text.partition('data-tab="')[2].partition('"')[0]
        cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        yield Guest(server.url, log, cookies, dialogue, tab)


def told(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next words of this kind; sound and other words are passed over."""
    while True:
        message = socket.recv(PATIENCE_S)
        if isinstance(message, str) and json.loads(message)["kind"] == kind:
            return json.loads(message)


def sound(socket: ClientConnection) -> tuple[int, bytes]:
    while True:
        message = socket.recv(PATIENCE_S)
        if isinstance(message, bytes):
            return struct.unpack("<I", message[:4])[0], message[4:]


def closed(socket: ClientConnection) -> None:
    with pytest.raises(ConnectionClosed):
        while True:
            socket.recv(PATIENCE_S)


def test_the_page_of_the_dialogue_is_greeted_and_hears_the_program(guest: Guest) -> None:
    with guest.connect(Origin=guest.url) as socket:
        assert told(socket, "hello")["position"] == 0
        place, samples = sound(socket)
        assert place == 0
        assert samples
    assert len(guest.events("microphone_opened")) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Cookie": ""},
        {"Cookie": "vivavoce-city=guessed"},
    ],
)
def test_other_sites_and_strangers_get_no_microphone(guest: Guest, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused, guest.connect(**headers):
        pass
    assert refused.value.response.status_code == 403
    assert guest.events("microphone_opened") == []


@pytest.mark.parametrize("guest", ["push"], indirect=True)
def test_a_study_whose_microphones_are_pushed_has_none_that_is_open(guest: Guest) -> None:
    with pytest.raises(InvalidStatus), guest.connect():
        pass


def test_an_older_tab_and_another_dialogue_are_told_so(guest: Guest) -> None:
    with guest.connect(tab="older") as socket:
        told(socket, "superseded")
        closed(socket)
    with guest.connect(dialogue="dialogue-of-nobody") as socket:
        assert told(socket, "refused")["reason"] == "not_running"
        closed(socket)
    assert guest.events("microphone_opened") == []


def test_a_second_connection_takes_the_place_of_the_first(guest: Guest) -> None:
    with guest.connect() as first:
        told(first, "hello")
        with guest.connect() as second:
            told(second, "hello")
            told(first, "superseded")
            closed(first)
            second.send(Page().frame())
    assert len(guest.events("microphone_opened")) == 1


@pytest.mark.parametrize(
    "nonsense", [b"", b"short", bytes(10_000), "not json", '{"kind": ' * 1000, '"' + "x" * 300 + '"']
)
def test_nonsense_closes_the_connection_and_nothing_else(guest: Guest, nonsense: bytes | str) -> None:
    with guest.connect() as socket:
        told(socket, "hello")
        socket.send(nonsense)
        assert told(socket, "refused")["reason"] == "bad_sound"
        closed(socket)
    with guest.connect() as socket:
        told(socket, "hello")
    assert guest.events("dialogue_ended") == []


def test_a_message_that_is_far_too_long_is_not_even_read(guest: Guest) -> None:
    with guest.connect() as socket:
        told(socket, "hello")
        socket.send(bytes(1_000_000))
        closed(socket)


def test_who_says_goodbye_ends_the_talk_but_not_the_dialogue(guest: Guest) -> None:
    with guest.connect() as socket:
        told(socket, "hello")
        page = Page()
        for _ in range(10):
            socket.send(page.frame())
        socket.send('{"kind": "bye"}')
        closed(socket)
    eventually(lambda: guest.events("microphone_closed"), "the talk was never ended")
    (ended,) = guest.events("microphone_closed")
    assert ended.reason == "left"
    assert ended.duration_s == pytest.approx(0.2)
    assert guest.events("dialogue_ended") == []
