"""Whatever is said to a bot, it answers in words and lives on."""

from random import Random

import pytest

from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.damage import Damage, damaged

SAID = [
    "yes", "no", "any", "a pub", "Italian", "north", "cheap", "anything else", "goodbye", "repeat", "help",
    "the phone number", "80 g of rice", "tofu", "1", "ho mangiato una mela", "non importa", "sì", "altro",
    "2000", "lamp on", "€ 10", "rossi", "1 gennaio 1980",
]  # fmt: skip
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
def test_a_bot_survives_500_inputs(name: str, variant: str) -> None:
    bombard(BOTS[name].make(variant, 1, None), 500 // len(BOTS[name].variants) + 100, seed=1)


@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_damaged_bot_survives_too(name: str) -> None:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    bombard(damaged(bot, Damage(wer=0.3, forget=0.1, repeat=0.1)), 300, seed=2)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(BOTS))
def test_a_bot_survives_10000_inputs(name: str) -> None:
    variants = BOTS[name].variants
    for variant in variants:
        bombard(BOTS[name].make(variant, 1, None), -(-10_000 // len(variants)), seed=3)
