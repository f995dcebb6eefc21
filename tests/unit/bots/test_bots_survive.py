"""Whatever is said to a bot, it answers in words and lives on."""

import json
from random import Random

import pytest
from starlette.testclient import TestClient

from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.damage import Damage, damaged
from vivavoce_bots.server import Server

SAID = [
    "yes",
    "no",
    "any",
    "a pub",
    "Italian",
    "north",
    "cheap",
    "anything else",
    "goodbye",
    "repeat",
    "help",
    "the phone number",
    "80 g of rice",
    "tofu",
    "1",
    "ho mangiato una mela",
    "non importa",
    "sì",
    "altro",
    "2000",
    "lamp on",
    "prendere(padella)",
    "[mettere(",
    "add salt",
    "accendi la luce",
    "channel two",
    "the other one",
    "€ 10",
    "rossi",
    "1 gennaio 1980",
    "borrow emma",
    "1234",
    "un biglietto",
    "rome",
    "two packs",
    "insulin",
]
VARIANTS = [(name, variant) for name, entry in BOTS.items() for variant in entry.variants]


def anything(random: Random) -> str:
    """Words, noise, controls, surrogates of other scripts, very long or empty."""
    kind = random.randrange(6)
    if kind == 0:
        return "".join(
            chr(random.choice((random.randrange(32), random.randrange(0x2FFF)))) for _ in range(30)
        )
    if kind == 1:
        return random.choice(SAID) * random.randrange(400)
    if kind == 2:
        return random.choice(["", " ", "\x00", "{}", "{name}", "%s", "\u202e", "🙂" * 50, "9" * 500, "null"])
    return " ".join(random.choice(SAID) for _ in range(random.randrange(1, 8)))


def bombard(bot: Bot, inputs: int, seed: int) -> None:
    random = Random(seed)
    session = bot.session("c", "en")
    for number in range(inputs):
        if number % 25 == 0:
            session = bot.session(str(number), random.choice(["en", "it", "xx", ""]))
            bot.greet(session)
        texts = [
            (anything(random), random.choice([None, 0.5, -1.0, float("nan"), 1e308]))
            for _ in range(random.randrange(4))
        ]
        reply = bot.reply(session, texts)
        assert reply.text.strip()
        assert reply.acts
        assert reply.as_json()["text"]


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_a_bot_survives_50_inputs(name: str, variant: str) -> None:
    bombard(BOTS[name].make(variant, 1, None), 50, seed=1)


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_damaged_bot_survives_too(name: str) -> None:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    bombard(damaged(bot, Damage(wer=0.3, forget=0.1, repeat=0.1)), 50, seed=2)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_survives_10000_inputs(name: str) -> None:
    variants = BOTS[name].variants
    for variant in variants:
        bombard(BOTS[name].make(variant, 1, None), -(-10_000 // len(variants)), seed=3)


def malformed(random: Random) -> tuple[str, str, bytes]:
    """A request that no client would send on purpose: method, path, body."""
    path = random.choice(
        ["/chat", "/reset", "/v1/chat/completions", "/webhooks/rest/webhook", "/ws", "/health"]
    )
    value = random.choice(
        [None, 1, [], {}, "x" * 9_000, "\x00", True, [{"text": 3}], [{"text": "a", "score": "b"}]]
    )
    name = random.choice(
        ["conversation", "text", "hypotheses", "messages", "sender", "message", "turn", "language"]
    )
    usual = {"conversation": "c", "sender": "s", "message": anything(random), "text": anything(random)}
    body = random.choice(
        [
            b"",
            b"null",
            b"[]",
            b"{",
            b"\xff\xfe",
            b"[" * 5_000,
            b"9" * 5_000,
            b'{"text": 1e999}',
            json.dumps({**usual, name: value}).encode(),
            json.dumps(usual).encode(),
            json.dumps({"messages": [{"role": "user", "content": anything(random)}]}).encode(),
        ]
    )
    return random.choice(["POST", "POST", "POST", "GET", "DELETE"]), path, body


def bombard_server(name: str, variant: str, requests: int, seed: int) -> None:
    """Malformed requests over the bot's HTTP interfaces; afterwards it answers as ever."""
    random = Random(seed)
    app = Server(BOTS[name].make(variant, 1, None)).app()
    with TestClient(app, raise_server_exceptions=True) as client:
        for _ in range(requests):
            method, path, body = malformed(random)
            answer = client.request(method, path, content=body)
            assert answer.status_code in (200, 400, 404, 405), (path, body[:80])
        good = client.post("/chat", json={"conversation": "last", "text": "hello"})
        assert good.status_code == 200 and good.json()["text"]


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_server_survives_50_malformed_requests(name: str) -> None:
    bombard_server(name, BOTS[name].variants[0], 50, seed=4)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_server_survives_10000_malformed_requests(name: str) -> None:
    bombard_server(name, BOTS[name].variants[0], 10_000, seed=5)
