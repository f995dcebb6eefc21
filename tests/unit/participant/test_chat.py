"""The conversation as the page's script holds it: keys, news, refusals, tabs."""

import asyncio
import re
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from scenes.browsing import Visitor, events_of, serve, study_with_texts
from scenes.patience import PATIENCE_S, eventually
from scenes.visits import Parrot
from vivavoce.connectors.base import Choice, Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import LogError
from vivavoce.log.store import Log
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import Limits

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> & "quoted" {{ 7*7 }} \''


class Menu(Parrot):
    """Offers two buttons and a picture, and answers nothing but hostile text."""

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        buttons = (Choice("Thai", "/food{thai}"), Choice(HOSTILE, "/evil"))
        pictures = ("https://pictures.example/a.png", "javascript:alert(3)")
        yield SystemOutput(kind="message", text=HOSTILE, choices=buttons, images=pictures)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.sent.append(turn)
        yield SystemOutput(kind="message", text=f"{turn.message}!")


def turn(dialogue_id: str, text: str, key: str = "key-00000001", **facts: Any) -> dict[str, Any]:
    return {"key": key, "dialogue_id": dialogue_id, "text": text, **facts}


def tab_of(visitor: Visitor) -> str:
    found = re.search(r'"tab": "([0-9a-f]+)"', visitor.look())
    assert found
    return found[1]


def test_a_turn_is_taken_once_and_its_repetition_gives_the_same_answer(visitor: Visitor, log: Log) -> None:
    dialogue_id = visitor.into_dialogue()
    sent = turn(dialogue_id, "hello", response_delay_s=1.25, first_key_delay_s=0.5)
    first = visitor.client.post("/turns", json=sent)
    second = visitor.client.post("/turns", json={**sent, "text": "hello again"})
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    stored = events_of(log, "user_turn_sent")
    assert [one.event.text for one in stored] == ["hello"]
    assert stored[0].seq == first.json()["seq"]
    assert (stored[0].event.response_delay_s, stored[0].event.first_key_delay_s) == (1.25, 0.5)


@pytest.mark.parametrize("measured", [-1, 1e9])
def test_an_impossible_measurement_is_kept_as_missing(visitor: Visitor, log: Log, measured: float) -> None:
    sent = turn(visitor.into_dialogue(), "hello", response_delay_s=measured)
    assert visitor.client.post("/turns", json=sent).status_code == 200
    assert events_of(log, "user_turn_sent")[0].event.response_delay_s is None


def test_news_come_in_order_and_only_what_is_new(visitor: Visitor) -> None:
    dialogue_id = visitor.into_dialogue()
    visitor.client.post("/turns", json=turn(dialogue_id, "hello"))
    visitor.settled()
    everything = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()
    assert [one["kind"] for one in everything["events"]] == ["system", "user", "system"]
    assert [one["seq"] for one in everything["events"]] == sorted(one["seq"] for one in everything["events"])
    said = {"text": "You said: hello", "html": "<p>You said: hello</p>", "images": [], "choices": []}
    assert everything["events"][2]["messages"] == [said]
    assert (everything["running"], everything["waiting"], everything["too_short"]) == (True, False, True)
    later = visitor.client.get(
        "/events", params={"dialogue_id": dialogue_id, "after": everything["seq"]}
    ).json()
    assert later["events"] == []
    assert later["seq"] == everything["seq"]


def test_news_are_waited_for(visitor: Visitor, parrot: Parrot) -> None:
    dialogue_id = visitor.into_dialogue()
    parrot.gate = asyncio.Event()
    said = visitor.client.post("/turns", json=turn(dialogue_id, "hello")).json()

    async def open_soon() -> None:
        asyncio.get_running_loop().call_later(0.2, parrot.gate.set)

    visitor.server.call(open_soon())
    news = visitor.client.get(
        "/events", params={"dialogue_id": dialogue_id, "after": said["seq"], "wait": 25}
    ).json()
    assert [one["kind"] for one in news["events"]] == ["system"]


def test_who_waits_gets_the_turn_that_the_page_posted_together_with_its_answer(
    visitor: Visitor, parrot: Parrot
) -> None:
    dialogue_id = visitor.into_dialogue()
    seq = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()["seq"]
    parrot.gate = asyncio.Event()
    with ThreadPoolExecutor(1) as others:
        query = {"dialogue_id": dialogue_id, "after": seq, "wait": 25}
        polled = others.submit(visitor.client.get, "/events", params=query, timeout=PATIENCE_S)
        visitor.client.post("/turns", json=turn(dialogue_id, "hello")).raise_for_status()
        answered = visitor.client.get("/events", params={**query, "wait": 0}).json()
        assert [one["kind"] for one in answered["events"]] == ["user"]
        visitor.server.call(opened(parrot))
        assert [one["kind"] for one in polled.result().json()["events"]] == ["user", "system"]


async def opened(parrot: Parrot) -> None:
    assert parrot.gate is not None
    parrot.gate.set()


def test_news_say_nothing_about_the_system_behind(visitor: Visitor) -> None:
    dialogue_id = visitor.into_dialogue()
    visitor.client.post("/turns", json=turn(dialogue_id, "break"))
    visitor.settled()
    news = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).text
    assert "parrot" not in news + visitor.html
    assert "no answer within" not in news + visitor.html
    assert "The program did not answer." in visitor.html


def test_what_was_not_answered_is_kept_and_a_button_sends_it_again(visitor: Visitor) -> None:
    dialogue_id = visitor.into_dialogue()
    visitor.client.post("/turns", json=turn(dialogue_id, "break"))
    visitor.settled()
    page = visitor.html
    assert re.search(r"<textarea[^>]*>break</textarea>", page)
    button = '<button name="text" value="break" data-again="break">Send it again</button>'
    assert button in page
    visitor.client.post("/turns", json=turn(dialogue_id, "hello", "key-00000002"))
    visitor.settled()
    assert "Send it again</button>" not in visitor.html and "></textarea>" in visitor.html


def test_what_cannot_be_said_now_is_refused_with_a_word(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    with serve(study_with_texts(tmp_path, limits=Limits(max_chars=10)), log, parrot) as open_browser:
        visitor = open_browser()
        dialogue_id = visitor.into_dialogue()

        def refusal(**changes: Any) -> tuple[int, str]:
            response = visitor.client.post("/turns", json={**turn(dialogue_id, "hello"), **changes})
            return response.status_code, response.json()["error"]

        assert refusal(text="  ") == (422, "empty")
        assert refusal(text="x" * 11) == (422, "too_long")
        assert refusal(dialogue_id="dialogue-other") == (409, "not_running")
        assert refusal(payload="/never/offered") == (422, "bad_request")
        assert refusal(key="short") == (422, "bad_request")
        assert refusal(text=None) == (422, "bad_request")
        parrot.gate = asyncio.Event()
        assert visitor.client.post("/turns", json=turn(dialogue_id, "hello")).status_code == 200
        assert refusal(key="key-00000002") == (409, "busy")
        visitor.server.loop.call_soon_threadsafe(parrot.gate.set)
    assert len(events_of(log, "user_turn_sent")) == 1


def test_turns_that_come_too_fast_are_asked_to_wait_and_nothing_is_stored(
    tmp_path: Path, log: Log, parrot: Parrot
) -> None:
    rates = RateLimits(turns_per_minute=2)
    with serve(study_with_texts(tmp_path), log, parrot, rates=rates) as open_browser:
        visitor = open_browser()
        dialogue_id = visitor.into_dialogue()
        sent = turn(dialogue_id, "hello")
        statuses = [visitor.client.post("/turns", json=sent).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        refused = visitor.client.post("/turns", json=sent)
        assert refused.json() == {"error": "too_fast"}
        assert int(refused.headers["Retry-After"]) > 0


def test_visits_from_one_address_are_limited(tmp_path: Path, log: Log, parrot: Parrot) -> None:
    rates = RateLimits(visits_per_hour=2)
    with serve(study_with_texts(tmp_path), log, parrot, rates=rates) as open_browser:
        for status in (200, 200, 429):
            visitor = open_browser()
            visitor.look("/")
            visitor.press("/start", status=status)
    assert len(log.visits("city")) == 2


def test_a_log_that_cannot_be_written_acknowledges_nothing(visitor: Visitor, log: Log, monkeypatch) -> None:
    dialogue_id = visitor.into_dialogue()

    async def broken(fn) -> None:
        raise LogError("disk full at /var/lib/secret")

    with monkeypatch.context() as patch:
        patch.setattr(log, "transact", broken)
        answer = visitor.client.post("/turns", json=turn(dialogue_id, "hello"))
        assert (answer.status_code, answer.json()) == (503, {"error": "not_saved"})
        eventually(lambda: visitor.client.get("/healthz").status_code == 503)
        page = visitor.client.post("/withdraw")
        assert page.status_code == 503 and "We cannot save" in page.text and "secret" not in page.text
    assert visitor.client.post("/turns", json=turn(dialogue_id, "hello")).status_code == 200
    assert visitor.client.get("/healthz").status_code == 200


def test_the_dialogue_ends_only_when_every_turn_of_the_page_has_arrived(visitor: Visitor, log: Log) -> None:
    dialogue_id = visitor.into_dialogue()
    visitor.say("a thai place")
    visitor.say("its phone number")
    wish = {"dialogue_id": dialogue_id, "user_turns": 3}
    refused = visitor.client.post("/dialogue/end", json=wish)
    assert (refused.status_code, refused.json()) == (409, {"error": "unsent_turns"})
    assert events_of(log, "dialogue_ended") == []
    wish["user_turns"] = 2
    assert visitor.client.post("/dialogue/end", json=wish).json() == {"ended": True}
    assert visitor.client.post("/dialogue/end", json=wish).json() == {"ended": True}
    assert len(events_of(log, "dialogue_ended")) == 1
    news = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()
    assert (news["running"], news["phase"]) == (False, "code")


def test_ending_too_early_wants_to_be_confirmed(visitor: Visitor, log: Log) -> None:
    wish = {"dialogue_id": visitor.into_dialogue(), "user_turns": 0}
    assert visitor.client.post("/dialogue/end", json=wish).json() == {"error": "too_short"}
    assert visitor.client.post("/dialogue/end", json={**wish, "confirmed": True}).json() == {"ended": True}


def test_the_tab_that_was_opened_last_goes_on_and_the_older_is_told(visitor: Visitor, log: Log) -> None:
    dialogue_id = visitor.into_dialogue()
    older, newer = tab_of(visitor), tab_of(visitor)
    old_news = visitor.client.get("/events", params={"dialogue_id": dialogue_id, "tab": older})
    assert old_news.json() == {"superseded": True}
    refused = visitor.client.post("/turns", json=turn(dialogue_id, "from the old tab", tab=older))
    assert refused.json() == {"error": "superseded"}
    accepted = visitor.client.post("/turns", json=turn(dialogue_id, "from the new tab", tab=newer))
    assert accepted.status_code == 200
    assert [one.event.text for one in events_of(log, "user_turn_sent")] == ["from the new tab"]


def test_hostile_text_from_either_side_stays_text(tmp_path: Path, log: Log) -> None:
    study = study_with_texts(tmp_path, title={"en": HOSTILE, "it": HOSTILE})
    with serve(study, log, Menu(), notice=HOSTILE) as open_browser:
        visitor = open_browser()
        dialogue_id = visitor.into_dialogue()
        visitor.client.post("/turns", json=turn(dialogue_id, HOSTILE))
        visitor.settled()
        assert "<script>alert" not in visitor.html and "<img" not in visitor.html
        assert "{{ 7*7 }}" in visitor.html
        assert 'href="picture/' in visitor.html and "javascript:" not in visitor.html
        visitor.say("two")
        visitor.press("/dialogue/end/form")
        visitor.press("/code")
        visitor.press("/answers", **{"item-comment": HOSTILE})
        assert "<script>alert" not in visitor.html and "<img" not in visitor.html
        news = visitor.client.get("/events", params={"dialogue_id": dialogue_id})
        assert news.headers["content-type"] == "application/json"


def test_a_button_sends_its_payload_and_shows_its_title(tmp_path: Path, log: Log) -> None:
    with serve(study_with_texts(tmp_path), log, Menu()) as open_browser:
        visitor = open_browser()
        visitor.into_dialogue()
        visitor.press("/turns/form", choice="0")
        visitor.settled()
        sent = events_of(log, "user_turn_sent")[0].event
        assert (sent.text, sent.payload) == ("Thai", "/food{thai}")
        assert "/food{thai}!" in visitor.html


def test_half_a_character_that_a_browser_sends_costs_nothing_but_itself(visitor: Visitor, log: Log) -> None:
    dialogue = visitor.into_dialogue()
    body = f'{{"key": "key-half-0001", "dialogue_id": "{dialogue}", "text": "thai \\ud83d food"}}'
    headers = {"Content-Type": "application/json"}
    response = visitor.client.post("/turns", content=body, headers=headers)
    assert response.status_code == 200
    assert [one.event.text for one in events_of(log, "user_turn_sent")] == ["thai \ufffd food"]
