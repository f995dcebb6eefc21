"""python -m vivavoce_bots.pairs NAME --variant V --outcome TEXT --say TEXT...: a pair of transcripts.

The same is said to a bot without and with a strategy; printed is a pair as `pairs.yaml` of a study with the
step `compare` takes it. It is refused where a version does not tell the outcome, or where nothing differs.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import LiteralScalarString

from vivavoce_bots.acts import Act
from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.speech import LANGUAGES


class Version(NamedTuple):
    """One version of a conversation: who said what, and the acts of the system, turn by turn."""

    lines: tuple[tuple[str, str], ...]
    acts: tuple[tuple[Act, ...], ...]

    def told(self) -> str:
        return "\n".join(f"{who}: {text}" for who, text in self.lines) + "\n"


class PairError(ValueError):
    """No pair comes of this; the message says why."""


def hold(bot: Bot, said: Sequence[str], language: str) -> Version:
    """One conversation with a bot, which speaks first; it ends where the bot hangs up."""
    session = bot.session("pair", language)
    reply = bot.greet(session)
    lines, acts = [("System", reply.text)], [reply.acts]
    for text in said:
        if reply.end:
            break
        reply = bot.reply(session, [(text, None)])
        lines += [("User", text), ("System", reply.text)]
        acts.append(reply.acts)
    return Version(tuple(lines), tuple(acts))


def make_pair(
    name: str,
    variant: str,
    said: Sequence[str],
    outcome: str,
    language: str = "en",
    control: str | None = None,
) -> tuple[Version, Version]:
    """The control and the experimental version of a conversation.

    Raises  PairError: a version does not tell the outcome, or the strategy shows in no turn
    """
    entry = BOTS[name]
    names = control or entry.variants[0], variant
    first, second = (hold(entry.make(one, 1, None), said, language) for one in names)
    for one, version in zip(names, (first, second), strict=True):
        if not any(outcome in text for who, text in version.lines if who == "System"):
            raise PairError(f"{name} {one}: {outcome!r} is told in no turn; say what leads to it with --say")
    if first.lines == second.lines:
        raise PairError(
            f"{name}: {names[0]} and {names[1]} say the same; say something that {variant} shows in"
        )
    return first, second


def written(variant: str, name: str, language: str, outcome: str, pair: tuple[Version, Version]) -> str:
    """The pair as YAML."""
    text = {
        "outcome": outcome,
        "control": LiteralScalarString(pair[0].told()),
        "experimental": LiteralScalarString(pair[1].told()),
    }
    one = {
        "id": f"{variant}-{name}",
        "variable": variant,
        "change": "insertion" if variant == "empathy" else "substitution",
        "text": {language: text},
    }
    yaml, lines = YAML(), _Lines()
    yaml.width = 10_000
    yaml.dump({"pairs": [one]}, lines)
    return "".join(lines.parts)


class _Lines:
    """What YAML writes to."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def write(self, data: bytes | str) -> None:
        self.parts.append(data.decode() if isinstance(data, bytes) else data)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m vivavoce_bots.pairs", description="Hold a pair of transcripts."
    )
    parser.add_argument("name", choices=sorted(BOTS))
    parser.add_argument("--variant", required=True, help="the strategy")
    parser.add_argument("--control", help="the variant without it; the bot's first when left out")
    parser.add_argument("--outcome", required=True, help="what the system must tell in both versions")
    parser.add_argument("--say", action="append", required=True, help="a turn of the user; once for each")
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    given = parser.parse_args(arguments)
    known = BOTS[given.name].variants
    strange = [one for one in (given.variant, given.control) if one and one not in known]
    if strange:
        print(f"unknown variant {strange[0]!r} of {given.name}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    try:
        pair = make_pair(given.name, given.variant, given.say, given.outcome, given.language, given.control)
    except PairError as error:
        print(error, file=sys.stderr)
        return 1
    print(written(given.variant, given.name, given.language, given.outcome, pair), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
