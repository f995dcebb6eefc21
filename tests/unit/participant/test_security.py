"""What a stranger, another participant or another site can get at: nothing."""

import asyncio
import http.client
import json
import re
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from urllib.parse import urlsplit

import pytest
from fastapi import APIRouter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from scenes.browsing import Forms, Visitor, events_of, serve, study_with_texts
from scenes.patience import PATIENCE_S
from scenes.visits import Parrot
from vivavoce import participant as web
from vivavoce.log.store import Log
from vivavoce.participant.security import HEADERS, BodyCap
from vivavoce.participant.sign_in import HOME

SECRET = "the secret of B"
PLACES = (
    "chat",
    "code",
    *(pytest.param(one, marks=pytest.mark.long) for one in ("consent", "feedback", "ready")),
)


def bring_to(visitor: Visitor, place: str) -> dict[str, str]:
    """Walk to a place; every hidden field that its page and the pages before it carried."""
    visitor.look("/")
    visitor.press("/start")
    fields: dict[str, str] = {}
    if place == "consent":
        return collect(visitor, fields)
    visitor.press("/consent", answer="agree")
    visitor.press("/read")
    visitor.settled()
    collect(visitor, fields)
    visitor.say(SECRET)
    collect(visitor, fields)
    if place == "chat":
        return fields
    visitor.say("and its phone number")
    visitor.press("/dialogue/end/form")
    collect(visitor, fields)
    if place == "code":
        return fields
    visitor.press("/code")
    collect(visitor, fields)
    if place == "ready":
        visitor.give_feedback()
    return collect(visitor, fields)


def collect(visitor: Visitor, fields: dict[str, str]) -> dict[str, str]:
    for form in Forms(visitor.html).forms.values():
        fields |= form
    return fields


def participant_routes(app) -> list[tuple[str, str]]:
    """Every method and path of the application but its files and its pulse."""
    from vivavoce.participant import chat_routes, visit_routes

    routes = [*visit_routes.router.routes, *chat_routes.router.routes]
    return sorted((method, route.path) for route in routes for method in route.methods)


def everything_of(log: Log, visit_id: str) -> list[str]:
    return [f"{one.seq} {one.event!r}" for one in log.events(visit_id)]


def shows(page: str, value: str) -> bool:
    """Whether a value stands in a page by itself: four digits may well be part of a random key."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", page) is not None


@pytest.mark.reliability
@pytest.mark.parametrize("place", PLACES)
def test_nothing_of_one_participant_is_readable_or_writable_with_the_token_of_another(
    place: str, browsers, log: Log, note_figures: Callable[..., None]
) -> None:
    b = browsers()
    of_b = bring_to(b, place)
    visit_of_b = log.visits("city")[0].visit_id
    before = everything_of(log, visit_of_b)
    hostile = {
        **of_b,
        "entered": of_b.get("entered", "1234"),
        "text": "written by A",
        "answer": "decline",
        "confirmed": "yes",
        "language": "it",
        "visit_id": visit_of_b,
        "item-found_all": "0",
        "key": "key-of-a-0001",
    }
    hidden = {value for name, value in of_b.items() if name in ("dialogue_id", "entered")} | {
        SECRET,
        visit_of_b,
    }
    for method, path in participant_routes(b.server.config.app):
        for place_of_a in ("consent", "chat", None):
            a = browsers()
            if place_of_a:
                bring_to_without_secret(a, place_of_a)
            kwargs = {"params": {**hostile, "after": "0"}} if method == "GET" else {"data": hostile}
            responses = [a.client.request(method, path, **kwargs)]
            if method == "POST":
                responses.append(a.client.post(path, json={**hostile, "user_turns": 9, "confirmed": True}))
            for response in responses:
                seen = response.text.replace(json.dumps(hostile["text"]), "")
                assert not any(value and shows(seen, value) for value in hidden), (method, path)
                assert response.status_code < 500
            assert everything_of(log, visit_of_b) == before, (method, path)
    routes = len(participant_routes(b.server.config.app))
    note_figures("one participant with another's token", page_of_the_other=place, endpoints=routes, crossed=0)


def bring_to_without_secret(visitor: Visitor, place: str) -> None:
    visitor.look("/")
    visitor.press("/start")
    if place == "chat":
        visitor.press("/consent", answer="agree")
        visitor.press("/read")


def test_without_a_token_pages_lead_to_the_first_one_and_scripts_are_told(visitor: Visitor) -> None:
    assert "/start" in visitor.client.get("/visit").text
    assert visitor.client.get("/events").status_code == 401
    turn = {"key": "key-00000001", "dialogue_id": "d", "text": "hello"}
    assert visitor.client.post("/turns", json=turn).json() == {"error": "no_visit"}
    visitor.client.cookies.set("vivavoce-city", "A" * 43)
    assert visitor.client.get("/events").status_code == 401
    assert "/start" in visitor.client.get("/visit").text


def test_the_token_is_out_of_reach_of_scripts_and_other_sites(
    visitor: Visitor, tmp_path, parrot, log
) -> None:
    response = visitor.client.post("/start", data={"language": "en"}, follow_redirects=False)
    cookie = response.headers["set-cookie"]
    assert response.status_code == 303
    assert cookie.startswith("vivavoce-city=") and "HttpOnly" in cookie and "SameSite=lax" in cookie
    assert "Secure" not in cookie
    token = cookie.split("=")[1].split(";")[0]
    assert len(token) >= 43
    assert (
        token.encode()
        not in (tmp_path / "log.sqlite").read_bytes() + (tmp_path / "log.sqlite-wal").read_bytes()
    )


def test_over_https_the_cookie_is_secure(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    with serve(study_with_texts(tmp_path), log, parrot, secure_cookies=True) as open_browser:
        response = open_browser().client.post("/start", data={"language": "en"}, follow_redirects=False)
        assert response.headers["set-cookie"].startswith("__Secure-vivavoce-city=")
        assert "Secure" in response.headers["set-cookie"]
        assert "Strict-Transport-Security" in response.headers


def test_every_answer_carries_the_security_headers(visitor: Visitor) -> None:
    for path in ("/", "/visit", "/nowhere", "/static/chat.js", "/favicon.ico", "/events", "/healthz"):
        response = visitor.client.get(path, follow_redirects=False)
        for name, value in HEADERS.items():
            assert response.headers[name] == value, path
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy


def test_no_page_carries_a_script_or_style_of_its_own() -> None:
    import re

    from vivavoce.participant.site import TEMPLATES

    for template in TEMPLATES.glob("*.html"):
        html = template.read_text()
        assert "<style" not in html and not re.search(r"\s(style|on[a-z]+)=", html), template.name
        for script in re.findall(r"<script[^>]*>", html):
            assert "src=" in script or 'type="application/json"' in script, template.name


def test_posts_from_other_sites_are_refused(browsers: Callable[[], Visitor], log: Log) -> None:
    visitor = browsers()
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ):
        assert started(visitor, headers) == 403, headers
    assert log.visits("city") == []
    for number, headers in enumerate(
        ({"Sec-Fetch-Site": "same-origin"}, {}, {"Origin": visitor.server.url}), start=1
    ):
        assert started(browsers(), headers) == 303, headers
        assert len(log.visits("city")) == number


def started(visitor: Visitor, headers: dict[str, str]) -> int:
    form = {"language": "en"}
    return visitor.client.post("/start", data=form, headers=headers, follow_redirects=False).status_code


def test_a_body_of_more_than_a_mebibyte_is_refused_announced_or_not(visitor: Visitor) -> None:
    large = b"x" * (1024 * 1024 + 1)

    def drops():
        for start in range(0, len(large), 65536):
            yield large[start : start + 65536]

    assert visitor.client.post("/turns", content=large).status_code == 413
    assert visitor.client.post("/turns", content=drops()).status_code == 413


def send_announced(visitor: Visitor, path: str, length: int) -> int:
    """The answer to a request that announces a body and sends nothing of it."""
    address = urlsplit(visitor.server.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE_S)
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(length))
    connection.putheader("Cookie", "; ".join(f"{k}={v}" for k, v in visitor.client.cookies.items()))
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_what_a_stranger_sends_in_bulk_is_refused_before_it_is_read(visitor: Visitor) -> None:
    for path in ("/voice/turn", "/respond/recording", "/elicit/whole", "/turns", "/start"):
        assert send_announced(visitor, path, 30 * 1024 * 1024) == 413
        assert send_announced(visitor, path, 65 * 1024) == 413
        pieces = (b"x" * 1024 for _ in range(65))
        assert visitor.client.post(path, content=pieces).status_code == 413


def test_a_participant_may_send_a_mebibyte_and_no_recording_to_a_study_without_voice(
    visitor: Visitor,
) -> None:
    visitor.look("/")
    visitor.press("/start")
    assert visitor.client.post("/turns", content=b"x" * 1024 * 1024).status_code == 422
    assert send_announced(visitor, "/voice/turn", 30 * 1024 * 1024) == 413


def test_a_page_that_does_not_exist_says_so_kindly(visitor: Visitor) -> None:
    response = visitor.client.get("/../../etc/passwd/nowhere")
    assert response.status_code == 404
    assert "This page does not exist" in response.text
    assert visitor.client.get("/static/../app.py").status_code == 404


def test_a_defect_shows_a_kind_page_and_no_trace(visitor: Visitor, monkeypatch, caplog) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("the inner workings")

    visitor.look("/")
    visitor.press("/start")
    monkeypatch.setattr(visitor.engine, "state", broken)
    response = visitor.client.get("/visit")
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.text
    assert "ZeroDivisionError" not in response.text and "inner workings" not in response.text
    assert response.headers["X-Content-Type-Options"] == "nosniff"


FIELDS = [
    "step",
    "round",
    "position",
    "language",
    "entered",
    "answer",
    "document",
    "key",
    "dialogue_id",
    "text",
    "choice",
    "item-found_all",
    "item-comment",
]
PATHS = [
    "/start",
    "/consent",
    "/read",
    "/answers",
    "/code",
    "/dialogue/next",
    "/dialogue/finish",
    "/language",
    "/turns/form",
    "/dialogue/end/form",
    "/turns",
    "/dialogue/end",
]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fields=st.dictionaries(st.sampled_from(FIELDS), st.text(max_size=30), max_size=8),
    path=st.sampled_from(PATHS),
)
def test_no_form_however_strange_breaks_a_page(visitor: Visitor, log: Log, fields, path) -> None:
    for response in (visitor.client.post(path, data=fields), visitor.client.post(path, json=fields)):
        assert response.status_code < 500
    assert len(events_of(log, "visit_ended")) == 0


@pytest.mark.parametrize("button", ["9" * 5000 + ".0", "0." + "9" * 5000, "²", "1.²"])
def test_a_button_that_nobody_offered_breaks_nothing(visitor: Visitor, button: str) -> None:
    dialogue = visitor.into_dialogue()
    turn = {"key": "key-00000001", "dialogue_id": dialogue, "text": "x", "payload": button}
    assert visitor.client.post("/turns", json=turn).status_code == 422


class Upstream:
    """An application behind a cap on bodies: the sizes of the bodies that it was given."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        assert not message["more_body"]
        self.sizes.append(len(message["body"]))
        await PlainTextResponse("taken")(scope, receive, send)


async def post(app: BodyCap, pieces: list[bytes], path: str = "/turns") -> int:
    """What a body that comes in pieces is answered with."""
    coming, statuses = iter(pieces), list[int]()
    left = len(pieces)

    async def receive() -> Message:
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": next(coming), "more_body": left > 0}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app({"type": "http", "method": "POST", "path": path, "headers": []}, receive, send)
    return statuses[0]


def test_a_body_in_many_pieces_is_handed_on_whole_and_the_cap_counts_all_of_them() -> None:
    upstream = Upstream()
    app = BodyCap(upstream, most=5000, larger={"/large": 9000})
    assert asyncio.run(post(app, [b"x"] * 5000)) == 200
    assert asyncio.run(post(app, [b"x"] * 5001)) == 413
    assert asyncio.run(post(app, [b"x"] * 9000, "/large")) == 200
    assert upstream.sizes == [5000, 9000]


def test_bodies_that_come_at_once_are_capped_together_and_may_come_again_later() -> None:
    upstream = Upstream()
    app = BodyCap(upstream, most=1000, at_once=1500)

    async def both() -> tuple[int, int, int]:
        going = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await going.wait()
            await upstream(scope, receive, send)

        app.app = slow
        first = asyncio.create_task(post(app, [b"x" * 1000]))
        await asyncio.sleep(0)
        second = await post(app, [b"x" * 600, b"x" * 300])
        going.set()
        return await first, second, await post(app, [b"x" * 600, b"x" * 300])

    assert asyncio.run(both()) == (200, 503, 200)
    assert upstream.sizes == [1000, 900]


def test_no_two_pages_have_one_address() -> None:
    rooms = [import_module(f"{web.__name__}.{one.name}") for one in iter_modules(web.__path__)]
    places = Counter(
        (method, re.sub(r"{[^}]*}", "{}", route.path))
        for room in rooms
        if isinstance(getattr(room, "router", None), APIRouter)
        for route in room.router.routes
        for method in getattr(route, "methods", None) or ()
    )
    assert len(places) > 30
    first_page_of_annotators = ("GET", HOME)  # of labels, or it leads to the first kind of judgement
    assert [place for place, times in places.items() if times > 1] == [first_page_of_annotators]
