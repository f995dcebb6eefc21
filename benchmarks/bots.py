"""Limits of the bundled bots, measured with random and adversarial inputs and with valid answers.

    python -m benchmarks bots [--bot NAME...] [--random N] [--adversarial N] [--walks N] [--write]

For each bot, over its variants and both languages: inputs at which it crashed, answered nothing or let out an
internal token; walks that ended in more than three answers in a row that do not lead on, or without a
result; processor time of an answer. Exit status 1 where there is any of these, or where the 99th percentile
of the time is 50 ms or more. `--write` keeps the rows of the named bots in `benchmarks/results/bots.json`.
"""

import argparse
import json
import re
import statistics
import sys
import time
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks._bot_callers import LANGUAGES, Caller, adversarial, random_turn
from benchmarks._bot_walks import walks

from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.file_bot import FileBot

P99_MS: Final = 50.0
CONVERSATION: Final = 25  # turns
KEPT: Final = Path(__file__).parent / "results" / "bots.json"
INTERNAL: Final = re.compile(r"[{}_]|\b(?:None|nan|inf|dontcare)\b|<\w+>")


class Tally:
    """Times in ms, and the inputs at which a bot failed."""

    def __init__(self) -> None:
        self.times_ms: list[float] = []
        self.failures: list[str] = []

    def ask(self, bot: Bot, session: Any, texts: list[tuple[str, Any]]) -> None:
        began = time.thread_time()
        try:
            reply = bot.reply(session, texts)
            problem = "" if reply.text.strip() and reply.acts else "no answer"
            problem = problem or (reply.text if INTERNAL.search(reply.text) else "")
        except Exception as error:
            problem = repr(error)
        self.times_ms.append(1_000 * (time.thread_time() - began))
        if problem:
            self.failures.append(f"{problem}: {texts!r:.200}")


def file_bots(name: str) -> list[FileBot]:
    """A bot in each of its variants."""
    entry = BOTS[name]
    bots = [entry.make(variant, 1, None) for variant in entry.variants]
    return [bot for bot in bots if isinstance(bot, FileBot)]


def files_of(bot: FileBot) -> dict[str, BotFile]:
    return {language: bot.engine(language).bot for language in LANGUAGES}


def internal_names(bot: BotFile) -> set[str]:
    """Names of slots, values and tasks that are no words of the language in the bot file."""
    slots = bot.slots.values()
    names = {*bot.slots, *bot.tasks, *bot.table, *(value for slot in slots for value in slot.values)}
    wordings = [
        (*slot.values.values(), slot.names, slot.nouns, slot.ask, slot.say, slot.hint) for slot in slots
    ]
    outcomes = [(task.label, task.confirm, task.outcomes) for task in bot.tasks.values()]
    shown = repr((wordings, outcomes, bot.prompts, bot.chat, bot.words, *bot.table.values()))
    return names - set(re.findall(r"\w+", shown))


def bombard(bots: list[FileBot], inputs: int) -> Tally:
    """Random inputs in conversations of 25 turns, in both languages and in tags that no bot knows."""
    tally, random = Tally(), Random(f"random:{bots[0].name}")
    for number in range(-(-inputs // CONVERSATION)):
        bot = bots[number % len(bots)]
        language = random.choice([*LANGUAGES, "it-IT", "xx", ""])
        caller = Caller(bot.engine(language).bot, random)
        session = bot.session(str(number), language)
        bot.greet(session)
        for _ in range(CONVERSATION):
            tally.ask(bot, session, random_turn(caller))
    return tally


def attack(bots: list[FileBot], inputs: int) -> Tally:
    """Adversarial inputs, each kind in conversations of its own."""
    tally = Tally()
    for number, (language, said) in enumerate(adversarial(files_of(bots[0]), inputs, bots[0].name)):
        bot = bots[number % len(bots)]
        session = bot.session(str(number), language)
        bot.greet(session)
        for text in said:
            tally.ask(bot, session, [(text, None)])
    return tally


def examine(name: str, inputs: int, attacks: int, walks_of: int) -> dict[str, Any]:
    """Measure one bot; the walks are shared among its variants."""
    bots = file_bots(name)
    tallies = [bombard(bots, inputs), attack(bots, attacks)]
    times = sorted(time_ms for tally in tallies for time_ms in tally.times_ms)
    failures = [failure for tally in tallies for failure in tally.failures]
    rows = [walks(bot, files_of(bot), -(-walks_of // len(bots))) for bot in bots]
    return {
        "bot": name,
        "inputs": len(times),
        "failures": len(failures),
        "first_failures": failures[:3],
        "median_ms": round(statistics.median(times), 3),
        "p99_ms": round(times[int(0.99 * (len(times) - 1))], 3),
        "longest_ms": round(times[-1], 3),
        **{key: sum((row[key] for row in rows), start=type(rows[0][key])()) for key in rows[0]},
    }


def stands(row: dict[str, Any]) -> bool:
    """True if nothing failed, every walk led on to a result, and the answers came in time."""
    return not (row["failures"] or row["dead_ends"] or row["without_result"]) and row["p99_ms"] < P99_MS


def keep(row: dict[str, Any]) -> None:
    """Put a row in the place of the bot's last one."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else []
    rows = {earlier["bot"]: earlier for earlier in [*kept, row]}
    KEPT.write_text(json.dumps([rows[name] for name in sorted(rows)], indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bot", nargs="+", choices=sorted(BOTS), default=sorted(BOTS))
    parser.add_argument("--random", type=int, default=5_000)
    parser.add_argument("--adversarial", type=int, default=500)
    parser.add_argument("--walks", type=int, default=1_000)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.bot:
        rows.append(examine(name, options.random, options.adversarial, options.walks))
        print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
        if options.write:
            keep(rows[-1])
    return 0 if all(map(stands, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
