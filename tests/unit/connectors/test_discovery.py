"""How a bot is asked and read is found by saying hello, and what was found is a connector that works."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scenes.strange_bots import service_desk
from vivavoce.connectors import discovery, interfaces
from vivavoce.connectors.discovery import discover, names_told
from vivavoce.connectors.exchange import exchange
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.input_dependence import Discovery, mapping, text_path
from vivavoce.connectors.probe import Hello, hello
from vivavoce.core.errors import InputError

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


@contextmanager
def bot(answer: Answer, method: str = "POST") -> Iterator[str]:
    """A server that answers bodies, or queries, of JSON."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            if method == "GET":
                asked = {key: one[0] for key, one in parse_qs(urlsplit(self.path).query).items()}
            else:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, told = answer(asked)
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    setattr(Handler, f"do_{method}", Handler._answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/talk"
    finally:
        server.shutdown()
        server.server_close()


def found(url: str) -> Discovery:
    return asyncio.run(discover(url, private=True))


def greeted(found: Discovery, *, words: bool = False) -> Hello:
    async def run() -> Hello:
        connector = make_connector(found.settings)
        try:
            return await hello(connector, reset=True, words=words)
        finally:
            await connector.shut_down()

    return asyncio.run(run())


def strict(asked: dict[str, Any]) -> tuple[int, Any]:
    """Takes two keys and no more."""
    if set(asked) != {"question", "session_id"}:
        return 422, {"detail": "question and session_id are wanted"}
    return 200, {"result": {"answers": [{"say": f"You said {asked['question']}, did you?"}]}, "ended": False}


def lenient(asked: dict[str, Any]) -> tuple[int, Any]:
    """Overlooks what it does not know, and greets who says nothing."""
    said = asked.get("utterance", "")
    id_ = asked.get("sender", "nobody")
    return 200, {
        "id": id_,
        "status": "all is well here",
        "reply": f"On {said} I am not sure." if said else "Hi there!",
    }


def echoing(asked: dict[str, Any]) -> tuple[int, Any]:
    """Tells what it heard beside what it says."""
    return 200, {
        "query": asked.get("query", ""),
        "output": "Which one do you mean: " + str(asked.get("query")),
    }


@pytest.mark.parametrize(
    ("answer", "text", "path"),
    [
        (strict, "question", "result.answers[].say"),
        (lenient, "utterance", "reply"),
        (echoing, "query", "output"),
    ],
)
def test_request_and_answer_are_found_and_work(answer: Answer, text: str, path: str) -> None:
    with bot(answer) as url:
        came = found(url)
        assert came.settings["body"][text] == "{{ text }}"
        assert came.settings["response"]["text"] == path
        assert came.doubts == ([discovery.MANY_NAMES] if answer is echoing else [])
        told = greeted(came)
    assert told.ok and told.resets and came.said


def test_the_one_name_of_the_conversation_that_a_bot_reads_is_kept_where_it_tells() -> None:
    with bot(lenient) as url:  # says it in its answer
        assert found(url).settings["body"] == {"utterance": "{{ text }}", "sender": "{{ conversation }}"}

    def wanting(asked: dict[str, Any]) -> tuple[int, Any]:
        if "chat_id" not in asked:
            return 400, {"error": "no chat"}
        return 200, {"text": f"Of {asked.get('message', '')} I know nothing.", "end": False}

    with bot(wanting) as url:
        came = found(url)
        assert came.settings["body"] == {"message": "{{ text }}", "chat_id": "{{ conversation }}"}
        assert "response" not in came.settings, "it stands where it is looked for anyway"
        assert greeted(came).ok and came.doubts == []
    with bot(echoing) as url:
        assert len(found(url).settings["body"]) > 8


def test_the_end_of_a_dialogue_is_found_too() -> None:
    with bot(strict) as url:
        assert found(url).settings["response"]["end"] == "ended"
    with bot(lenient) as url:
        assert "end" not in found(url).settings["response"]


def test_a_bot_that_is_asked_by_its_address() -> None:
    def told(asked: dict[str, Any]) -> tuple[int, Any]:
        return (200, {"answer": f"About {asked['q']} I know much."}) if asked.get("q") else (400, {})

    with bot(told, "GET") as url:
        came = found(url)
        assert came.settings["method"] == "GET" and came.settings["query"]["q"] == "{{ text }}"
        assert greeted(came).ok


def test_a_bot_that_takes_one_text_key_alone_is_not_doubted_for_answering_alike() -> None:
    def told(asked: dict[str, Any]) -> tuple[int, Any]:
        return (200, {"text": "What would you like?"}) if "message" in asked else (400, {"error": "bad"})

    with bot(told) as url:
        came = found(url)
    assert came.settings["body"]["message"] == "{{ text }}" and came.doubts == []


def test_a_bot_that_answers_everything_alike_is_doubted() -> None:
    with bot(lambda _: (200, {"text": "We are closed today."})) as url:
        came = found(url)
    assert came.said == "We are closed today."
    assert "same reply" in came.doubts[0]


def test_fields_are_tried_both_ways_until_answers_follow_the_words() -> None:
    with service_desk() as url:
        came = found(url)
    assert came.settings["body"] == {"parole": "{{ text }}", "pratica": "{{ conversation }}"}
    assert came.settings["response"] == {"text": "banco.risposta_banco", "end": "banco.chiusa"}


def test_words_in_the_field_of_the_conversation_are_found_out() -> None:
    with service_desk() as url:
        wrong = {
            "connect": "http",
            "url": url,
            "allow_private": True,
            "body": {"pratica": "{{ text }}", "parole": "{{ conversation }}"},
        }
        right = {**wrong, "body": {"parole": "{{ text }}", "pratica": "{{ conversation }}"}}
        bad, good = (asyncio.run(exchange(one)) for one in (wrong, right))
        assert bad.swapped and not good.swapped
        assert good.found is not None and good.found.doubts == []
        assert good.found.settings["response"]["end"] == "banco.chiusa", "it turned true at a goodbye"
        read = {"response": {"text": "banco.risposta_banco"}}
        told = [greeted(Discovery({**one, **read}, ""), words=True).heeds for one in (wrong, right)]
    assert told == [None, True], "it says the words back in the place of a number"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("bot.example/chat", "not a bot's address"),
        ("http:///chat", "not a bot's address"),
        ("ftp://bot.example/chat", "not a bot's address"),
        ("http://127.0.0.1:9/chat", "127.0.0.1"),
    ],
)
def test_what_is_no_address_or_not_there_is_told_with_the_next_step(url: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        found(url)
    assert caught.value.hint


def test_a_server_without_words_is_told() -> None:
    with bot(lambda _: (200, {"ok": True})) as url, pytest.raises(InputError, match="text reply"):
        found(url)


def test_an_echo_is_not_taken_for_the_answer() -> None:
    greeting = {"heard": "hello", "answer": "good day to you"}
    nonsense = {"heard": "zxq vlomp 417", "answer": "what do you mean?"}
    assert text_path(greeting, nonsense) == ("answer", True)


@pytest.mark.parametrize(
    ("answer", "other", "path", "depends"),
    [
        ({"reply": "hi there", "id": "x y"}, {"reply": "no idea", "id": "x y"}, "reply", True),
        ({"id": "a b c d e", "status": "all fine"}, {"id": "f g h i j", "status": "all fine"}, "id", True),
        ({"reply": "hi there"}, {"reply": "hi there"}, "reply", False),
        ({"reply": "hi there"}, {}, "reply", True),
        ({"reply": "hi"}, {"reply": "no"}, "reply", True),
        ({"reply": "hi", "other": "two words"}, {"reply": "no", "other": "three other words"}, "other", True),
        ({"zz": "short one", "yy": "a longer one"}, {"zz": "b c", "yy": "d e"}, "yy", True),
        ({"output": "a longer one", "text": "short one"}, {"output": "b c", "text": "d e"}, "text", True),
        ({"a": [{"text": "one"}, {"text": "two"}]}, {"a": []}, "a[].text", True),
        ({"my key": {"x": "hi there"}}, {}, '"my key".x', True),
        ({"n": 3, "t": " "}, {"n": 3}, None, False),
        ("hi there", "no", None, False),
        ({"query": "good day"}, {"query": "zxq vlomp 417"}, None, False),
    ],
)
def test_words_that_depend_on_what_was_said_are_the_answer(
    answer: Any, other: Any, path: str | None, depends: bool
) -> None:
    assert text_path(answer, other) == (path, depends)


@pytest.mark.parametrize(
    ("shape", "key"),
    [
        ({}, "text"),
        ({"body": {"msg": "{{ text }}", "id": "{{ conversation }}"}}, "msg"),
        ({"body": {"id": "{{ conversation }}", "msg": "{{ text }}"}}, "msg"),
        ({"method": "GET", "body": None, "query": {"q": "{{ text }}"}}, "q"),
    ],
)
def test_the_key_of_the_text_is_that_which_holds_it(shape: dict[str, Any], key: str) -> None:
    assert discovery._text_key(shape) == key


@pytest.mark.parametrize(
    ("answer", "more"),
    [
        ({"text": "hi", "done": False}, {"end": "done"}),
        ({"text": "hi", "done": "no"}, {}),
        ({"text": "hi"}, {}),
        ([{"text": "hi", "end": True}], {}),
    ],
)
def test_an_end_is_said_by_yes_or_no(answer: Any, more: dict[str, str]) -> None:
    assert mapping("said", answer) == {"response": {"text": "said", **more}}


@pytest.mark.parametrize(
    ("listed", "model"),
    [
        ([{"id": "m"}, {"id": "n"}], "m"),
        (["x", {"id": 3}, {"id": "n"}], "n"),
        ([], None),
        ("m", None),
        ({"id": "m"}, None),
        (None, None),
    ],
)
def test_the_first_model_that_is_named_is_proposed(
    listed: Any, model: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def told(_: Any, url: str) -> dict[str, Any]:
        return {"data": listed} if url == "https://bot.example/v1/models" else {}

    monkeypatch.setattr(interfaces, "_told", told)
    found = asyncio.run(interfaces._models(None, "https://bot.example"))  # type: ignore[arg-type]
    proposed = {"connect": "openai", "url": "https://bot.example/v1", "model": model}
    assert found == ([] if model is None else [proposed])


@pytest.mark.parametrize(
    ("version", "url", "paths"),
    [
        ("3.1.0", "https://bot.example/", ["/chat", "/v1/ask"]),
        ("3.1.0", "https://bot.example/v1/ask", ["/v1/ask", "/chat"]),
        ("3.1.0", "https://bot.example/notes", ["/notes", "/chat", "/v1/ask"]),
        (None, "https://bot.example/", []),
    ],
)
def test_what_stands_at_the_address_comes_before_what_else_talks(
    version: str | None, url: str, paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = [described(path, "message")["paths"] for path in ("/notes", "/chat", "/v1/ask")]
    whole = {"openapi": version, "paths": {path: one for part in operations for path, one in part.items()}}

    async def told(_: Any, asked: str) -> dict[str, Any]:
        return whole if asked == "https://bot.example/openapi.json" else {}

    monkeypatch.setattr(interfaces, "_told", told)
    found = asyncio.run(interfaces._described(None, url))  # type: ignore[arg-type]
    assert [urlsplit(one["url"]).path for one in found] == paths


def described(path: str, *names: str, ref: bool = False) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {name: {"type": "string"} for name in names}}
    held = {"$ref": "#/components/schemas/Turn"} if ref else schema
    body = {"requestBody": {"content": {"application/json": {"schema": held}}}}
    return {"paths": {path: {"post": body}}, "components": {"schemas": {"Turn": schema}}}


@pytest.mark.parametrize(
    ("description", "body"),
    [
        (described("/chat", "message"), {"message": "{{ text }}"}),
        (described("/chat", "message", ref=True), {"message": "{{ text }}"}),
        (
            described("/chat", "input", "text", "session_id", "mood"),
            {"text": "{{ text }}", "session_id": "{{ conversation }}"},
        ),
        (described("/chat", "name"), None),
        (described("/chat/{id}", "message"), None),
        ({"paths": {"/chat": {"get": {}}}}, None),
        ({"paths": ["/chat"]}, None),
        ({}, None),
    ],
)
def test_an_operation_that_takes_a_text_is_a_way_to_ask(
    description: dict[str, Any], body: dict[str, str] | None
) -> None:
    found = list(interfaces._operations(description, "https://bot.example/v1"))
    assert [one["body"] for one in found] == ([] if body is None else [body])
    assert all(one["url"] == "https://bot.example/chat" for one in found)


@pytest.mark.parametrize(
    ("name", "talks"),
    [
        ("https://x.example/askBot", True),
        ("/v1/Chat", True),
        ("/tasks", False),
        ("/query?x=1", True),
        ("https://chat.example/orders", False),
        ("send_message", True),
        ("", False),
    ],
)
def test_a_path_talks_by_whole_words(name: str, talks: bool) -> None:
    assert interfaces._talks(name) == talks


@pytest.mark.parametrize(
    ("refusal", "names"),
    [
        ("string indices must be integers, not 'str'", []),
        ("'pratica' is missing; wanted: pratica, richiesta.frase", ["pratica", "richiesta.frase"]),
        ("see docs.example.com: 'order' and 'order.text'", ["order.text"]),
        ("manca messaggio", ["messaggio"]),
        ("missing: sessione", ["sessione"]),
        ("text is required", ["text"]),
        ("the user sent a message that nobody reads", []),
        ("missing: customer, line", ["customer", "line"]),
        ("missing fields: text and user.", ["text", "user"]),
        ("mancano: testo e utente", ["testo", "utente"]),
        ("text is required", ["text"]),
        ("unauthorized: bad token", []),
    ],
)
def test_a_refusal_tells_fields_by_their_paths_and_no_types(refusal: str, names: list[str]) -> None:
    assert names_told(f"HTTP 422: {refusal}") == names
    assert names_told("HTTP 422: " + json.dumps({"error": refusal})) == names


def test_the_place_of_an_error_is_a_path() -> None:
    told = json.dumps({"detail": [{"loc": ["body", "order", "text"], "msg": "Field required"}]})
    assert names_told("HTTP 422: " + told) == ["order.text"]


def test_another_version_of_a_known_system_is_asked_as_that_is() -> None:
    def answer(asked: dict[str, Any]) -> tuple[int, Any]:
        if not {"zeile", "gast"} <= asked.keys():
            return 422, {"wrong": "no"}
        return 200, {"out": f"You said: {asked['zeile'][::-1]}"}

    body = {"zeile": "{{ text }}", "gast": "{{ conversation }}"}
    known = {"connect": "http", "url": "http://127.0.0.1:9/", "body": body}
    with bot(answer) as url:
        with pytest.raises(InputError):
            found(url)
        second = asyncio.run(discover(url, private=True, like=[{"connect": "python"}, known]))
    assert (second.settings["url"], second.settings["body"]) == (url, body)
    assert second.settings["response"] == {"text": "out"}
