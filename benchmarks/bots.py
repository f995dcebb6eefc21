"""What the bundled bots stand: random and adversarial inputs, and callers who walk through them at random.

    python -m benchmarks bots [--bot NAME...] [--random N] [--adversarial N] [--walks N] [--boris N] [--write]

For each bot, over its variants and both languages: inputs at which it crashed or answered nothing, random
walks that ended in a dead end (more than three answers in a row that do not lead on, to valid answers) or in
which nothing was offered, told or done, and the processor time of an answer. Exit status 1 where there is any
of these, or where half of the answers take 20 ms or more. `--write` keeps the rows of the named bots in
`benchmarks/results/bots.json`.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from random import Random
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks._bot_inputs import LANGUAGES, adversarial, callers, random_turns
from benchmarks._bot_walks import walks

from vivavoce_bots.bot import Bot
from vivavoce_bots.catalogue import BOTS

ENOUGH_MS: Final = 20.0
KEPT: Final = Path(__file__).parent / "results" / "bots.json"
_CONVERSATION: Final = 25


class Tally:
    """What was answered to some inputs: times in ms, and the inputs at which a bot failed."""

    def __init__(self) -> None:
        self.times_ms: list[float] = []
        self.failures: list[str] = []

    def ask(self, bot: Bot, session: Any, texts: list[tuple[str, Any]]) -> None:
        began = time.thread_time()
        try:
            reply = bot.reply(session, texts)
            problem = None if reply.text.strip() else "said nothing"
        except Exception as error:
            problem = repr(error)
        self.times_ms.append(1_000 * (time.thread_time() - began))
        if problem:
            self.failures.append(f"{problem}: {texts!r:.200}")


def bombard(bots: list[Bot], name: str, inputs: int, seed: int = 1) -> Tally:
    """Random inputs in conversations of 25 turns, in both languages and in tags that no bot knows."""
    tally, random = Tally(), Random(f"random:{name}:{seed}")
    bot, session = bots[0], bots[0].session("c")
    for number in range(inputs):
        if number % _CONVERSATION == 0:
            bot = bots[number // _CONVERSATION % len(bots)]
            session = bot.session(str(number), random.choice([*LANGUAGES, "xx", ""]))
            bot.greet(session)
        tally.ask(bot, session, random_turns(name, random))
    return tally


def attack(bots: list[Bot], name: str, inputs: int, seed: int = 1) -> Tally:
    """Adversarial inputs, each kind in conversations of its own."""
    tally = Tally()
    for number, (_, language, said) in enumerate(adversarial(name, inputs, seed)):
        bot = bots[number % len(bots)]
        session = bot.session(str(number), language)
        bot.greet(session)
        for text in said:
            tally.ask(bot, session, [(text, None)])
    return tally


def examine(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """What one bot stands."""
    entry = BOTS[name]
    bots = [entry.make(variant, 1, None) for variant in entry.variants]
    tallies = [bombard(bots, name, options.random), attack(bots, name, options.adversarial)]
    times = sorted(one for tally in tallies for one in tally.times_ms)
    failures = [one for tally in tallies for one in tally.failures]
    count = options.boris if name == "boris" else options.walks
    return {
        "bot": name,
        "inputs": len(times),
        "failures": len(failures),
        "first_failures": failures[:3],
        "median_ms": round(statistics.median(times), 3),
        "p99_ms": round(times[int(0.99 * (len(times) - 1))], 3),
        "longest_ms": round(times[-1], 3),
        **(walks(bots, name, count) if name in callers() else {"walks": 0}),
    }


def stands(row: dict[str, Any]) -> bool:
    """Whether nothing failed, nothing led nowhere, and the answers came in time."""
    vain = row.get("dead_ends", 0) + row.get("came_to_nothing", 0)
    return not row["failures"] and not vain and row["median_ms"] < ENOUGH_MS


def keep(row: dict[str, Any]) -> None:
    """Put a row in the place of the bot's last one."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else []
    rows = {one["bot"]: one for one in [*kept, row]}
    KEPT.write_text(json.dumps([rows[name] for name in sorted(rows)], indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bot", nargs="+", choices=sorted(BOTS), default=sorted(BOTS))
    parser.add_argument("--random", type=int, default=10_000)
    parser.add_argument("--adversarial", type=int, default=1_000)
    parser.add_argument("--walks", type=int, default=1_000, help="random walks through each bot but boris")
    parser.add_argument("--boris", type=int, default=10_000, help="random walks through boris")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.bot:
        rows.append(examine(name, options))
        print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
        if options.write:
            keep(rows[-1])
    return 0 if all(map(stands, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
