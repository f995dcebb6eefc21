"""The http connector against a real bot and a server that does everything wrong."""

import asyncio
import secrets
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from scenes.connecting import PATIENT
from vivavoce.connectors.base import Conversation, Heard, PastTurn, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

SECRETS = {"KEY": "hunter2secret"}


def turn(text: str = "hello", number: int = 1, **more: Any) -> UserTurn:
    return UserTurn(key=f"k{number}", number=number, text=text, **more)


def ask(url: str, *turns: UserTurn, **settings: Any) -> list[list[SystemOutput]]:
    """The outputs of each turn of one conversation."""

    async def run() -> list[list[SystemOutput]]:
        connector = make_connector(
            {"connect": "http", "url": url, "allow_private": True, **PATIENT, **settings}, SECRETS
        )
        conversation = Conversation(secrets.token_hex(8))
        try:
            return [
                [output async for output in connector.send(conversation, one)] for one in turns or (turn(),)
            ]
        finally:
            await connector.close(conversation)
            await connector.shut_down()

    return asyncio.run(run())


def failure(url: str, **settings: Any) -> SystemUnderTestError:
    with pytest.raises(SystemUnderTestError) as caught:
        ask(url, **settings)
    return caught.value


def test_a_turn_of_the_bundled_bot_arrives_with_text_acts_and_what_was_understood(
    restaurant_bot: str,
) -> None:
    (outputs,) = ask(f"{restaurant_bot}/chat", turn("a cheap pub in the centre"))
    assert [output.kind for output in outputs] == ["message", "extras"]
    assert outputs[0].text
    assert {act.slot for act in outputs[1].understood[0].acts} == {"type", "pricerange", "area"}
    assert outputs[1].acts


def test_hypotheses_are_sent_only_when_there_are_some(restaurant_bot: str) -> None:
    heard = (Heard("a pub", 0.6), Heard("a restaurant", 0.4))
    ((_, extras),) = ask(f"{restaurant_bot}/chat", turn("a restaurant", heard=heard))
    assert [hypothesis.score for hypothesis in extras.understood] == [0.6, 0.4]


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("error500", "bad_answer", "HTTP 500"),
        ("error401", "refused", "HTTP 401"),
        ("html", "bad_answer", "not JSON"),
        ("empty", "bad_answer", "not JSON"),
        ("notext", "bad_answer", "no text"),
        ("wrongtype", "bad_answer", "42"),
        ("wronglist", "bad_answer", "'b': 1"),
        ("notutf8", "bad_answer", "UTF-8"),
        ("deep", "bad_answer", "not JSON"),
        ("redirect", "refused", "redirect"),
        ("huge", "bad_answer", "larger than 1000000 bytes"),
        ("half", "closed", "closed"),
        ("garbage", "closed", ""),
        ("closed", "closed", "disconnected"),
    ],
)
def test_a_wrong_answer_ends_in_a_named_failure(faulty: str, path: str, kind: str, words: str) -> None:
    error = failure(f"{faulty}/{path}")
    assert (error.failure, error.reached) == (kind, True)
    assert words in error.detail


def test_text_that_no_database_can_store_is_mended(faulty: str) -> None:
    ((message, extras),) = ask(f"{faulty}/nul")
    assert message.text == "ab\ufffdc"
    assert extras.raw["score"] is None


def test_a_silent_bot_times_out_before_its_first_output(faulty: str) -> None:
    error = failure(f"{faulty}/silent", first_output_timeout_s=0.2)
    assert (error.failure, error.reached, "no output after 0.2 s" in error.detail) == ("timeout", True, True)


def test_a_dripping_bot_times_out_for_the_whole_turn(faulty: str) -> None:
    error = failure(f"{faulty}/slow", turn_timeout_s=0.5)
    assert error.failure == "timeout"
    assert "0.5 s" in error.detail


def test_nobody_at_the_port_is_unreachable_and_was_not_reached(closed_port: Callable[[], int]) -> None:
    error = failure(f"http://127.0.0.1:{closed_port()}/chat")
    assert (error.failure, error.reached) == ("unreachable", False)


def test_a_closed_connection_is_tried_again_only_when_the_bot_is_idempotent(faulty: str) -> None:
    ((message, _),) = ask(f"{faulty}/once", idempotent=True)
    assert message.text == "second time"
    failure(f"{faulty}/closed")
    ((count, _),) = ask(f"{faulty}/count/closed")
    before = int(count.text)
    failure(f"{faulty}/closed")
    ((count, _),) = ask(f"{faulty}/count/closed")
    assert int(count.text) == before + 1


def test_secrets_appear_neither_in_errors_nor_in_what_is_kept(faulty: str) -> None:
    headers = {"Authorization": "Bearer ${KEY}"}
    error = failure(f"{faulty}/error401", headers=headers)
    assert "hunter2" not in str(error)
    assert "${KEY}" in error.detail
    ((message, extras),) = ask(f"{faulty}/echokey", headers=headers)
    assert "hunter2" not in str(extras.raw) + message.text


def test_unreadable_extras_spoil_a_turn_only_when_the_study_asked_for_them(faulty: str) -> None:
    ((message, extras),) = ask(f"{faulty}/badextras")
    assert (message.text, message.choices, extras.acts) == ("fine", (), ())
    for name in ("acts", "understood", "choices", "end"):
        assert failure(f"{faulty}/badextras", response={name: name}).failure == "bad_answer"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ulr": "http://x"}, "Did you mean 'url'"),
        ({"url": "ftp://x"}, "not a web address"),
        ({"url": "http://me:pass@x/"}, "password"),
        ({"url": "http://{{ text }}/"}, "host"),
        ({"url": "http://x", "response": {"text": "a["}}, "expression"),
        ({"url": "http://x", "body": {"q": "{{ txt }}"}}, "Did you mean 'text'"),
        ({"url": "http://x", "body": {"q": "{{ text"}}, "template"),
        ({"url": "http://x", "headers": {"A": "${NOT_SET}"}}, "NOT_SET"),
        ({"url": "http://x", "headers": {"A": "{{ text }}"}}, "unknown variable 'text'"),
        ({"url": "http://localhost:1/"}, "allow_private: true"),
        ({"url": "http://10.0.0.1/"}, "allow_private: true"),
        ({"url": "http://[::1]/"}, "allow_private: true"),
        ({"url": "http://169.254.169.254/", "allow_private": True}, "private network"),
    ],
)
def test_a_wrong_setting_is_named_with_its_cure(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        make_connector({"connect": "http", **settings}, {}, place="systems.mine")
    assert words in str(caught.value)
    assert str(caught.value).startswith("systems.mine")


def test_an_unknown_connector_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'http'"):
        make_connector({"connect": "htp"}, {})


def sessions(server: str) -> dict[str, Any]:
    """Settings for an interface that mints its own session and speaks of replies."""
    return {
        "connect": "http",
        "allow_private": True,
        "url": f"{server}/sessions/{{{{ state.id }}}}/messages",
        **PATIENT,
        "headers": {"X-Key": "${KEY}"},
        "body": {"q": "{{ text }}"},
        "keep": {"id": "id"},
        "response": {"text": "replies[].say", "end": "over", "choices": "buttons"},
        "open": {"url": f"{server}/sessions"},
        "close": {"url": f"{server}/sessions/{{{{ state.id }}}}", "method": "DELETE", "body": None},
    }


BY_JSONPATH = {
    "keep": {"id": "$.id"},
    "response": {"text": "$.replies[*].say", "end": "$.over", "choices": "$.buttons"},
}


@pytest.mark.parametrize("paths", [{}, BY_JSONPATH])
def test_an_interface_with_sessions_of_its_own_is_opened_used_and_closed(
    chat_server: str, paths: dict[str, Any]
) -> None:
    async def run() -> None:
        connector = make_connector({**sessions(chat_server), **paths}, SECRETS)
        conversation = Conversation("c")
        greeting = [output async for output in connector.open(conversation)]
        assert [output.text for output in greeting if output.kind == "message"] == ["hi"]
        assert greeting[-1].raw["key"] == "${KEY}"
        outputs = [output async for output in connector.send(conversation, turn("a"))]
        assert [output.text for output in outputs if output.kind == "message"] == ["so far:", "a"]
        assert [len(output.choices) for output in outputs] == [0, 1, 0]
        outputs = [output async for output in connector.send(conversation, turn("bye", 2))]
        assert outputs[-1].kind == "end"
        await connector.close(conversation)
        with pytest.raises(SystemUnderTestError, match="no such session"):
            _ = [output async for output in connector.send(conversation, turn("a", 3))]
        await connector.close(conversation)
        await connector.shut_down()

    asyncio.run(run())


def test_a_greeting_may_stand_elsewhere_than_answers(chat_server: str) -> None:
    async def run(**response: Any) -> list[str]:
        opening = {"url": f"{chat_server}/sessions", "response": {"text": "replies[0].say", **response}}
        settings = sessions(chat_server) | {"open": opening, "response": {"text": "elsewhere"}}
        connector = make_connector(settings, SECRETS)
        try:
            return [one.text async for one in connector.open(Conversation("c")) if one.kind == "message"]
        finally:
            await connector.shut_down()

    assert asyncio.run(run()) == ["hi"]
    assert asyncio.run(run(text="elsewhere")) == []


@pytest.fixture
def asked() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """A server that answers everything with "ok", and what it was asked: method, path with query, body."""
    found: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            found.append((self.command, self.path, body.decode()))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"text": "ok"}')

        do_GET = do_POST = do_PUT = _answer

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/chat", found
        server.shutdown()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"method": "GET", "query": {"q": "{{ text }}"}}, ("GET", "/chat?q=hello+you", "")),
        ({"method": "PUT", "body": {"q": "{{ text }}"}}, ("PUT", "/chat", '{"q":"hello you"}')),
        ({"body": None}, ("POST", "/chat", "")),
    ],
)
def test_a_request_has_the_body_that_its_method_and_settings_give_it(
    asked: tuple[str, list[tuple[str, str, str]]], settings: dict[str, Any], expected: tuple[str, str, str]
) -> None:
    address, found = asked
    ((output, *_),) = ask(address, turn("hello you"), **settings)
    assert output.text == "ok"
    method, path, body = found[0]
    assert (method, path.replace("%20", "+"), body.replace(": ", ":")) == expected


def test_a_list_without_texts_is_silence_and_no_failure(chat_server: str) -> None:
    async def run() -> list[str]:
        settings = {**sessions(chat_server), "response": {"text": "replies[].say"}}
        connector = make_connector(settings, SECRETS)
        conversation = Conversation("c")
        _ = [output async for output in connector.open(conversation)]
        kinds = [output.kind async for output in connector.send(conversation, turn("be quiet"))]
        await connector.shut_down()
        return kinds

    assert asyncio.run(run()) == ["extras"]


def test_a_conversation_taken_up_again_gets_a_session_but_no_second_greeting(chat_server: str) -> None:
    async def run() -> list[SystemOutput]:
        connector = make_connector(sessions(chat_server), SECRETS)
        conversation = Conversation("c", history=(PastTurn("system", "hi"), PastTurn("user", "a")))
        outputs = [output async for output in connector.open(conversation)]
        kept = conversation.state["id"]
        assert kept.startswith("s")
        assert [output async for output in connector.open(conversation)] == []
        assert conversation.state["id"] == kept
        await connector.shut_down()
        return outputs

    assert asyncio.run(run()) == []


def test_two_hundred_conversations_at_once_are_all_answered(chat_server: str) -> None:
    async def run() -> list[str]:
        raw = {"connect": "http", "url": f"{chat_server}/chat", "allow_private": True, **PATIENT}
        connector = make_connector(raw, {})

        async def one(number: int) -> str:
            outputs = [one async for one in connector.send(Conversation(f"load-{number}"), turn())]
            return outputs[0].text

        answers = await asyncio.gather(*(one(number) for number in range(200)))
        await connector.shut_down()
        return answers

    assert asyncio.run(run()) == [f"first was {turn().text}"] * 200
