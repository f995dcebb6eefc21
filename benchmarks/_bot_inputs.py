"""What nobody would say to a bot on purpose, and what somebody would say to break it; seeded."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

from ruamel.yaml import YAML

LANGUAGES: Final = ("en", "it")
COURTESIES: Final = (
    "yes",
    "no",
    "any",
    "help",
    "repeat",
    "start over",
    "go back",
    "goodbye",
    "thanks",
    "you idiot",
    "hello",
    "what?",
    "aiuto",
    "ripeta",
    "ricominciamo",
    "indietro",
    "grazie",
    "sì",
    "non importa",
    "altro",
    "1",
    "2000",
)
_MARKUP: Final = (
    "<script>alert('{}')</script>",
    "<b>{}</b> &amp; &#x0;",
    "**{}** [link](http://example.org)",
    "{{{}}}",
    "${{{}}} %s %n",
    "</p><!-- {} -->",
    '{{"text": "{}"}}',
    "<speak><break time='9s'/>{}</speak>",
)
_SQL: Final = (
    "{}'; DROP TABLE venues; --",
    "' OR '1'='1",
    '" UNION SELECT * FROM users --',
    "{} WHERE 1=1;",
    "Robert'); DELETE FROM calls;--",
    "{}\\' AND SLEEP(5)#",
)
_SCRIPTS: Final = ((0x0400, 0x52F), (0x0590, 0x6FF), (0x4E00, 0x4FFF), (0x1F300, 0x1F64F), (0x2000, 0x206F))
_REPEATS: Final = 30
_LONG: Final = 20_000


@cache
def callers() -> dict[str, dict[str, dict[str, list[str]]]]:
    """What callers say, by bot, language, and what was asked for."""
    return YAML(typ="safe", pure=True).load(Path(__file__).with_name("bot_callers.yaml").read_text("utf-8"))


def wishes(name: str, language: str) -> list[str]:
    """What callers want of a bot; courtesies where nobody has said."""
    return callers().get(name, {}).get(language, {}).get("wishes") or list(COURTESIES)


def random_text(random: Random, name: str) -> str:
    """Noise, controls, one phrase over and over, or phrases in any order, of either language."""
    kind = random.randrange(6)
    if kind == 0:
        return "".join(
            chr(random.choice((random.randrange(32), random.randrange(0x2FFF)))) for _ in range(30)
        )
    said = [*COURTESIES, *wishes(name, random.choice(LANGUAGES))]
    if kind == 1:
        return f"{random.choice(said)} " * random.randrange(400)
    if kind == 2:
        return random.choice(["", " ", "\x00", "{}", "{name}", "%s", "\u202e", "🙂" * 50, "9" * 500, "null"])
    return " ".join(random.choice(said) for _ in range(random.randrange(1, 8)))


def _in_scripts(random: Random, one: str, other: str) -> list[str]:
    low, high = random.choice(_SCRIPTS)
    noise = "".join(chr(random.randrange(low, high)) for _ in range(random.randrange(1, 60)))
    return [f"{noise} {one}", "".join(f"{letter}\u0301" for letter in one), f"\u202e{one}\u202c"]


def _very_long(random: Random, one: str, other: str) -> list[str]:
    return [f"{one} and {other}, " * (_LONG // (len(one) + len(other))), random.choice("a(9,[") * _LONG]


def _filled(form: str, text: str) -> str:
    return form.replace("{}", text)


ADVERSARIAL: Final[dict[str, Callable[[Random, str, str], list[str]]]] = {
    "unicode": _in_scripts,
    "very_long": _very_long,
    "markup": lambda random, one, other: [_filled(random.choice(_MARKUP), one)],
    "sql": lambda random, one, other: [_filled(random.choice(_SQL), one)],
    "punctuation": lambda random, one, other: [
        "".join(random.choice("?!.,;:-()[]{}'\"*#/\\") for _ in range(random.randrange(1, 40)))
    ],
    "mixed_languages": lambda random, one, other: [f"{one}, {other}", f"no {other} please, anzi {one}"],
    "repeated_wish": lambda random, one, other: [one] * _REPEATS,
    "contradictions": lambda random, one, other: [
        f"{one}, no, not {one}, {other}",
        f"no, {one}",
        f"not {one}",
        f"{other}, but not {other}",
        f"yes no {one}",
    ],
}


def adversarial(name: str, inputs: int, seed: int) -> Iterator[tuple[str, str, list[str]]]:
    """Conversations of as many turns in all: kind, language, what is said in it; every kind alike often."""
    random = Random(f"adversarial:{name}:{seed}")
    left = {kind: inputs // len(ADVERSARIAL) for kind in ADVERSARIAL}
    while any(left.values()):
        for kind, made in ADVERSARIAL.items():
            language = random.choice(LANGUAGES)
            elsewhere = LANGUAGES[LANGUAGES[0] == language]
            one = random.choice(wishes(name, language))
            other = random.choice(wishes(name, elsewhere if kind == "mixed_languages" else language))
            said = made(random, one, other)[: left[kind]]
            left[kind] -= len(said)
            if said:
                yield kind, language, said


def random_turns(name: str, random: Random) -> list[tuple[str, Any]]:
    """Up to three hypotheses of a turn, with scores that may be none."""
    scores = [None, 0.5, -1.0, float("nan"), 1e308]
    return [(random_text(random, name), random.choice(scores)) for _ in range(random.randrange(4))]
