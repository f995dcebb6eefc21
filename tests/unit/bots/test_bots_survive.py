"""Any input gets a sensible answer, and valid answers lead on: short runs of `python -m benchmarks bots`."""

import json
import re
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from benchmarks._bot_callers import ADVERSARIAL, LANGUAGES, Caller, adversarial, noise, random_text
from benchmarks._bot_walks import MOST_IN_VAIN, walk
from benchmarks.bots import INTERNAL, P99_MS, examine, file_bots, files_of, internal_names

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.bot import Texts
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.damage import Damage, damaged
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.server import Server

made = cache(file_bots)


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_stays_within_the_limits(name: str) -> None:
    row = examine(name, inputs=50, attacks=24, walks_of=20)
    assert row["failures"] == 0, row["first_failures"]
    assert row["dead_ends"] == 0, row["first_dead_end"]
    assert row["without_result"] == 0, row["first_without_result"]
    assert row["median_ms"] < P99_MS


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_stays_within_the_limits_for_long(name: str) -> None:
    row = examine(name, inputs=5_000, attacks=500, walks_of=500)
    assert row["failures"] == row["dead_ends"] == row["without_result"] == 0, row
    assert row["p99_ms"] < P99_MS


@pytest.mark.parametrize("name", sorted(BOTS))
@given(data=st.data())
def test_internal_tokens_never_reach_a_participant(name: str, data: st.DataObject) -> None:
    bot: FileBot = data.draw(st.sampled_from(made(name)))
    language = data.draw(st.sampled_from(LANGUAGES))
    bot_file = bot.engine(language).bot
    names = internal_names(bot_file)
    caller = Caller(bot_file, data.draw(st.randoms(use_true_random=False)))
    session = bot.session("c", language)
    texts = [bot.greet(session).text]
    for _ in range(data.draw(st.integers(1, 8))):
        text = data.draw(st.text(max_size=60) | st.builds(caller.anything) | st.builds(caller.wish))
        texts.append(bot.reply(session, [(text, None)]).text)
        words = set(re.findall(r"\w+", texts[-1])) - set(re.findall(r"\w+", text))
        assert texts[-1].strip() and not INTERNAL.search(texts[-1]) and not words & names, texts


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_damaged_bot_survives_too(name: str) -> None:
    bot = made(name)[0]
    caller = Caller(files_of(bot)["en"], Random(name))
    damaged_bot = damaged(bot, Damage(wer=0.3, forget=0.1, repeat=0.1))
    session = damaged_bot.session("c", "en")
    damaged_bot.greet(session)
    assert all(damaged_bot.reply(session, [(random_text(caller), None)]).text.strip() for _ in range(50))


class Deaf:
    """A bot that asks the same for ever."""

    name = "deaf"

    def session(self, conversation: str, language: str = "en") -> None:
        return None

    def greet(self, session: None) -> Reply:
        return Reply("Which?", (Act("request", "task"),), (), False)

    def reply(self, session: None, texts: Texts) -> Reply:
        return self.greet(session)


def test_a_bot_that_asks_the_same_for_ever_is_a_dead_end() -> None:
    walks = [walk(Deaf(), files_of(made("carbs")[0])["en"], str(seed)) for seed in range(10)]
    assert not any(conversation.reached for conversation in walks)
    assert sum(conversation.in_vain > MOST_IN_VAIN for conversation in walks) >= 9


def test_adversarial_inputs_are_as_many_as_asked_and_the_same_for_the_same_seed() -> None:
    files = files_of(made("carbs")[0])
    said = list(adversarial(files, 160, "1"))
    assert sum(len(texts) for _, texts in said) == 160 == 20 * len(ADVERSARIAL)
    assert said == list(adversarial(files, 160, "1"))


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
    usual = {"conversation": "c", "sender": "s", "message": noise(random), "text": noise(random)}
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
            json.dumps({"messages": [{"role": "user", "content": noise(random)}]}).encode(),
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
