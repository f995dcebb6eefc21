"""Nothing that a participant's browser gets tells which system is behind, or where it is."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from scenes.browsing import Visitor, events_of, study_with_texts
from scenes.patience import eventually
from scenes.websites import running
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine

PICTURE = b"\x89PNG\r\n\x1a\n and the rest"
KEY = "key-of-the-house"
TELLTALE = [
    "alpha-model",
    "beta-model",
    "factor-of-alpha",
    "factor-of-beta",
    "secret-chat",
    "/inform_kind",
    KEY,
    "engine-9000",
    "OddServer",
    "odd-session",
    "note-of-the-bot",
    "act_of_the_house",
    "parrot",
]


class Bot(BaseHTTPRequestHandler):
    """Tells about itself wherever it can, but in its words."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if asked["text"] == "break":
            self._answer(500, b"Traceback: engine-9000 has stopped", "text/plain")
            return
        host, port = self.server.server_address[:2]
        answer = {
            "text": f"That has {len(asked['text'])} letters.",
            "debug": "engine-9000",
            "note": "note-of-the-bot",
            "choices": [{"title": "Thai", "payload": "/inform_kind{thai}"}],
            "images": [f"http://{host}:{port}/menu.png", "data:image/png;base64,iVBORw0KGgo="],
            "acts": [{"act": "act_of_the_house"}],
        }
        self._answer(200, json.dumps(answer).encode(), "application/json")

    def do_GET(self) -> None:
        self._answer(200, PICTURE, "image/png")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "odd-session=1")
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        return "OddServer/9"

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def bot() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Bot)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@contextmanager
def watched(folder: Path, bot: str, log: Log) -> Iterator[tuple[Visitor, list[str]]]:
    """A visitor, and all that the visitor's browser ever got: heads and bodies."""
    settings: dict[str, Any] = {
        "connect": "http",
        "url": f"http://{bot}/secret-chat",
        "allow_private": True,
        "headers": {"Authorization": "Bearer ${KEY}"},
        "keep": {"note": "note"},
    }
    names = {"alpha-model": "factor-of-alpha", "beta-model": "factor-of-beta"}
    study = study_with_texts(
        folder,
        systems=dict.fromkeys(names, settings),
        factors={name: {"kind": factor} for name, factor in names.items()},
    )
    connectors = {name: make_connector(settings, {"KEY": KEY}) for name in names}
    with running(create_app(SessionEngine(study, log, connectors))) as server:
        visitor, seen = Visitor(server), []

        def keep(response: httpx.Response) -> None:
            response.read()
            seen.append(f"{response.url} {response.headers.raw!r} {response.content!r}")

        visitor.client.event_hooks["response"].append(keep)
        yield visitor, seen
        visitor.client.close()


def test_a_whole_visit_tells_nothing_of_its_systems(tmp_path: Path, bot: str, log: Log) -> None:
    with watched(tmp_path, bot, log) as (visitor, seen):
        for _ in range(2):
            dialogue_id = visitor.into_dialogue() if not seen else visitor.settled()
            visitor.say("hello")
            visitor.press("/turns/form", choice="0")
            visitor.settled()
            visitor.say("break")
            pictures = sorted(set(re.findall(r'href="(picture/[^"]+)"', visitor.html)))
            shown = [visitor.client.get(f"/{address}") for address in pictures]
            assert [one.content for one in shown] == [PICTURE, b"\x89PNG\r\n\x1a\n"] * 2
            assert {one.headers["content-type"] for one in shown} == {"image/png"}
            _press_what_is_wrong(visitor, dialogue_id)
            news = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()
            assert [one["kind"] for one in news["events"]].count("failure") == 1
            visitor.press("/dialogue/end/form")
            visitor.press("/code")
            visitor.give_feedback()
            if "/dialogue/next" in visitor.html and "/dialogue/finish" not in visitor.html:
                visitor.press("/dialogue/next")
    told = [word for word in [*TELLTALE, bot] for one in seen if word in one]
    assert told == []
    logged = "".join(one.event.model_dump_json() for one in events_of(log))
    assert all(word in logged for word in ("alpha-model", "secret-chat", "/inform_kind{thai}", "engine-9000"))
    assert {one.event.system for one in events_of(log, "dialogue_assigned")} == {"alpha-model", "beta-model"}


def _press_what_is_wrong(visitor: Visitor, dialogue_id: str) -> None:
    """What a curious participant tries; each is refused without a word of the system."""
    post, get = visitor.client.post, visitor.client.get
    turn = {"key": "key-00000009", "dialogue_id": dialogue_id, "text": "x"}
    assert post("/turns", json={**turn, "payload": "/inform_kind{indian}"}).status_code == 422
    assert post("/turns", json={**turn, "payload": "0.9"}).status_code == 422
    assert post("/turns", content=b"{").status_code == 422
    assert get("/no/such/page").status_code == 404
    assert get(f"/picture/{dialogue_id}/0/0").status_code == 404
    assert get("/picture/somebody-elses/1/0").status_code == 404
    assert get(f"/picture/{dialogue_id}/one/0").status_code in (404, 422)


def test_a_button_as_the_page_knows_it_sends_what_the_system_wants(
    tmp_path: Path, bot: str, log: Log
) -> None:
    with watched(tmp_path, bot, log) as (visitor, _):
        dialogue_id = visitor.into_dialogue()
        visitor.say("hello")
        news = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()
        (choice,) = news["events"][-1]["messages"][0]["choices"]
        pressed = {"key": "key-00000002", "dialogue_id": dialogue_id, "text": choice["title"]}
        visitor.client.post("/turns", json=pressed | {"payload": choice["payload"]}).raise_for_status()
        eventually(lambda: len(events_of(log, "system_turn_received")) == 2)
    sent = events_of(log, "user_turn_sent")[-1].event
    assert (sent.text, sent.payload) == ("Thai", "/inform_kind{thai}")
    assert events_of(log, "system_turn_received")[-1].event.text == "That has 18 letters."
