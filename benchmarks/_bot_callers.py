"""Callers of the bundled bots: valid answers by the ontology of a bot file, noise, adversarial inputs."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from vivavoce_bots.engine.bot_file import BotFile, Slot

LANGUAGES: Final = ("en", "it")
MARKUP: Final = (
    "<script>alert('%')</script>",
    "**%** [link](http://example.org)",
    "{%} ${%} {0} {name}",
    "</p><!-- % -->",
    '{"text": "%"}',
    "<speak><break time='9s'/>%</speak>",
    "%'; DROP TABLE venues; --",
    "' OR '1'='1",
    "%\\' AND SLEEP(5)#",
)
ODDITIES: Final = ("", " ", "\x00", "{}", "%s", "\u202e", "🙂" * 50, "9" * 500, "null", "call_back")
SCRIPTS: Final = ((0x0000, 0x1F), (0x0400, 0x52F), (0x0590, 0x6FF), (0x4E00, 0x4FFF), (0x1F300, 0x1F64F))
LONG: Final = 10_000
TYPED: Final = {
    "number": ("{}", "{}"),
    "date": ("4 May 1980", "4 maggio 1980"),
    "time": ("at {}:30", "alle {}:30"),
    "name": ("Maria", "Maria"),
}


class Caller:
    """Somebody who knows what a bot can do and answers its questions with valid values."""

    def __init__(self, bot: BotFile, random: Random) -> None:
        self.bot = bot
        self.random = random

    def wish(self) -> str:
        """Example sentence of a task, or a value of a slot."""
        examples = [example for task in self.bot.tasks.values() for example in task.examples]
        slot = self.bot.slots[self.random.choice(list(self.bot.slots))] if self.bot.slots else None
        return self.value(slot) if slot and self.random.random() < 0.5 else self.random.choice(examples)

    def answer(self, name: str) -> str:
        """Value of a requested slot; for an open request anything that the bot can do."""
        if name == "quantity":
            return self.random.choice(["80 g", "2", self.say("dontcare")])
        if name in self.bot.slots:
            return self.value(self.bot.slots[name])
        return self.wish()

    def value(self, slot: Slot) -> str:
        if slot.values:
            name = self.random.choice(self.random.choice(list(slot.values.values())))
            return f"80 g {name}" if slot.type == "list" else name
        if slot.type not in TYPED:
            return slot.example or self.wish()
        low, high = slot.range or (1, 9)
        return TYPED[slot.type][self.bot.language == "it"].format(self.random.randint(int(low), int(high)))

    def say(self, intent: str) -> str:
        return self.random.choice(self.bot.intents[intent])

    def anything(self) -> str:
        """A wish, or an example of any intent or small talk."""
        talk = [*self.bot.intents.values(), *(entry["examples"] for entry in self.bot.chat.values())]
        return self.random.choice([self.wish(), self.random.choice(self.random.choice(talk))])


def noise(random: Random) -> str:
    """Characters of any script, controls included."""
    low, high = random.choice(SCRIPTS)
    return "".join(chr(random.randint(low, high)) for _ in range(random.randrange(1, 60)))


def random_text(caller: Caller) -> str:
    """Noise, an oddity, one phrase over and over, or phrases in any order."""
    random = caller.random
    kind = random.randrange(6)
    if kind == 0:
        return noise(random)
    if kind == 1:
        return random.choice(ODDITIES)
    if kind == 2:
        return f"{caller.anything()} " * random.randrange(400)
    return " ".join(caller.anything() for _ in range(random.randrange(1, 8)))


def random_turn(caller: Caller) -> list[tuple[str, Any]]:
    """Up to three hypotheses of a turn, with scores that may be none or no probabilities."""
    scores = [None, 0.5, -1.0, float("nan"), 1e308]
    return [(random_text(caller), caller.random.choice(scores)) for _ in range(caller.random.randrange(4))]


ADVERSARIAL: Final[dict[str, Callable[[Caller, Caller], list[str]]]] = {
    "scripts": lambda caller, foreigner: [
        f"{noise(caller.random)} {caller.wish()}",
        f"\u202e{caller.wish()}",
    ],
    "accents": lambda caller, foreigner: ["".join(f"{letter}\u0301" for letter in caller.wish())],
    "long": lambda caller, foreigner: [f"{caller.anything()}, " * LONG, caller.random.choice("a(9,[") * LONG],
    "markup": lambda caller, foreigner: [caller.random.choice(MARKUP).replace("%", caller.wish())],
    "punctuation": lambda caller, foreigner: ["".join(caller.random.choices("?!.,;:-()[]{}'\"*#/\\", k=30))],
    "languages": lambda caller, foreigner: [f"{caller.wish()}, {foreigner.wish()}", foreigner.anything()],
    "repetition": lambda caller, foreigner: [caller.wish()] * 30,
    "contradiction": lambda caller, foreigner: [
        f"{caller.wish()}, no, {caller.wish()}",
        f"not {caller.wish()}",
        f"{caller.say('affirm')} {caller.say('negate')} {caller.wish()}",
    ],
}


def adversarial(bots: dict[str, BotFile], inputs: int, seed: str) -> Iterator[tuple[str, list[str]]]:
    """Conversations of as many turns in all: language and what is said; every kind alike often."""
    random = Random(f"adversarial:{seed}")
    callers = {language: Caller(bot, random) for language, bot in bots.items()}
    left = dict.fromkeys(ADVERSARIAL, -(-inputs // len(ADVERSARIAL)))
    while any(left.values()):
        for kind, attack in ADVERSARIAL.items():
            language, other = random.sample(LANGUAGES, 2)
            said = attack(callers[language], callers[other])[: left[kind]]
            left[kind] -= len(said)
            if said:
                yield language, said
