"""Real dialogues with the restaurant bot, over HTTP."""

import json
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.patience import PATIENCE_S
from scenes.processes import free_port, wait_for_port


def post(url: str, body: Any) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


class Bot:
    """One conversation with a bot."""

    def __init__(self, address: str, language: str = "en") -> None:
        self.address, self.language = address, language
        self.conversation, self.number = secrets.token_hex(8), 0

    def say(self, text: str, **more: Any) -> dict[str, Any]:
        self.number += 1
        body = {
            "conversation": self.conversation,
            "turn": f"t{self.number}",
            "text": text,
            "language": self.language,
        }
        status, answer = post(f"{self.address}/chat", {**body, **more})
        assert status == 200
        return answer


def start(*options: str) -> tuple["subprocess.Popen[bytes]", str]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce_bots", "restaurant", "--port", str(port), *options]
    )
    wait_for_port(port, process)
    return process, f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    process, address = start()
    yield address
    process.kill()
    process.wait()


def kinds(answer: dict[str, Any]) -> set[str]:
    return {act["act"] for act in answer["acts"]}


def values(answer: dict[str, Any], act: str) -> dict[str, str]:
    return {item["slot"]: item["value"] for item in answer["acts"] if item["act"] == act}


def test_it_greets_finds_a_venue_tells_what_is_asked_and_says_goodbye(address: str) -> None:
    bot = Bot(address)
    assert kinds(bot.say("")) == {"hello"}
    offered = bot.say("I want a cheap Indian restaurant in the east of town")
    venue = values(offered, "offer")["name"]
    assert values(offered, "inform") == {
        "type": "restaurant",
        "food": "indian",
        "pricerange": "cheap",
        "area": "east",
    }
    told = bot.say("what is the phone number and the address?")
    assert values(told, "inform")["name"] == venue
    assert set(values(told, "inform")) == {"name", "phone", "address"}
    assert values(told, "inform")["phone"] in told["text"]
    end = bot.say("thank you, goodbye")
    assert (kinds(end), end["end"]) == ({"bye"}, True)


def test_it_says_that_nothing_matches_and_helps_with_less(address: str) -> None:
    bot = Bot(address)
    nothing = bot.say("an expensive Indian restaurant in the north")
    assert values(nothing, "canthelp") == {
        "type": "restaurant",
        "food": "indian",
        "pricerange": "expensive",
        "area": "north",
    }
    assert "no restaurant" in nothing["text"]
    offered = bot.say("how about cheap and any area then")
    assert values(offered, "inform")["food"] == "indian"
    assert values(offered, "inform")["pricerange"] == "cheap"


def test_it_asks_for_what_it_misses_and_takes_indifference_for_an_answer(address: str) -> None:
    bot = Bot(address)
    asked: list[str] = []
    answer = bot.say("I need a restaurant")
    while "request" in kinds(answer):
        asked += values(answer, "request")
        answer = bot.say("I don't care")
    assert asked == ["food", "area", "pricerange"]
    assert "offer" in kinds(answer)


def test_alternatives_are_other_venues_until_there_is_none(address: str) -> None:
    bot = Bot(address)
    answer = bot.say("an Italian restaurant, any area, any price range")
    names: list[str] = []
    while "offer" in kinds(answer):
        names.append(values(answer, "offer")["name"])
        answer = bot.say("anything else?")
    assert len(names) == len(set(names)) == 4
    assert "canthelp" in kinds(answer)
    assert "no other" in answer["text"]
    assert values(bot.say("the phone number of the last one"), "inform")["name"] == names[-1]


def test_a_correction_and_a_denial_change_the_goal(address: str) -> None:
    bot = Bot(address)
    bot.say("a cheap pub in the north")
    assert values(bot.say("sorry, I meant expensive"), "inform")["pricerange"] == "expensive"
    elsewhere = bot.say("not in the north")
    assert values(elsewhere, "inform").get("area") != "north"


def test_italian_is_understood_and_spoken(address: str) -> None:
    bot = Bot(address, "it-IT")
    assert "cerca" in bot.say("")["text"] or "trovo" in bot.say("")["text"]
    offered = bot.say("cerco un ristorante indiano economico")
    assert values(offered, "inform")["food"] == "indian"
    assert "di cucina indiana" in offered["text"]
    told = bot.say("qual è il numero di telefono?")
    assert "Numero di telefono" in told["text"]
    assert bot.say("grazie, arrivederci")["end"] is True


def test_a_repeated_turn_key_gets_the_same_answer_and_changes_nothing(address: str) -> None:
    bot = Bot(address)
    bot.say("an Italian restaurant, any area, any price range")
    first = bot.say("anything else?", turn="again")
    assert bot.say("anything else?", turn="again") == first
    assert values(bot.say("anything else?", turn="next"), "offer") != values(first, "offer")


def test_conversations_do_not_mix_and_a_reset_forgets(address: str) -> None:
    one, two = Bot(address), Bot(address)
    one.say("a cheap pub in the north")
    assert "request" in kinds(two.say("I need a restaurant"))
    post(f"{address}/reset", {"conversation": one.conversation})
    assert values(one.say("what is the phone number"), "inform") == {}


def test_weak_evidence_is_gathered_over_hypotheses_and_turns(address: str) -> None:
    bot = Bot(address)
    heard = [{"text": "a pub", "score": 0.5}, {"text": "a coffee shop", "score": 0.3}]
    again = [{"text": "a pup", "score": 0.6}, {"text": "a coffee shop", "score": 0.4}]
    assert len(bot.say("", hypotheses=heard)["understood"]) == 2
    assert bot.say("", hypotheses=again)["understood"][0]["score"] == 0.6


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        {},
        {"conversation": 3},
        {"conversation": "c", "text": 4},
        b"[" * 100_000,
        {"conversation": "c", "text": "x", "hypotheses": "y"},
        {"conversation": "c", "hypotheses": [{}]},
    ],
)
def test_a_malformed_request_is_refused_with_a_reason(address: str, body: Any) -> None:
    status, answer = post(f"{address}/chat", body)
    assert status == 400
    assert answer["error"]


def test_it_fails_and_waits_as_told() -> None:
    process, address = start("--delay", "0.05", "--fail-rate", "0.5", "--variant", "onebest")
    try:
        begin = time.monotonic()
        body = {"conversation": "c", "text": "a pub"}
        codes = [post(f"{address}/chat", {**body, "turn": str(number)})[0] for number in range(20)]
        assert time.monotonic() - begin > 20 * 0.05
        assert 3 <= codes.count(500) <= 17
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--variant", "best"], "Known: nbest, onebest"), (["--domain", "/no/file"], "cannot be read")],
)
def test_wrong_options_are_explained_in_one_line(options: list[str], words: str) -> None:
    command = [sys.executable, "-m", "vivavoce_bots", "restaurant", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
