"""A chat turn from a person to the bot and back, on disk before anybody sees it, beside a bare relay.

The same people talk to the same bot, now through a bare relay (one request a turn, which commits the turn and
the answer as ours does, everybody who waits in one transaction, and keeps nothing else), now through
the participants' pages as their script does it: a long poll is open all the time, a turn is posted by its
side. Block by block in turns.
"""

import asyncio

from benchmarks.speed.row import Measured, Row, compared, workplace
from benchmarks.speed.servers import Server, cpu_s
from benchmarks.speed.talking import AtPages, AtRelay, Times, arrived, bare, in_tens, ours, percentile, talk

DIALOGUES, PAUSE_S, SECONDS, ROUNDS = 200, 5.0, 14.0, 4


async def _blocks(relay: Server, pages: Server, quick: bool) -> dict[str, list[tuple[Times, float]]]:
    """Times of every block of both, and the processor seconds of what stood between."""
    number, seconds = (20, 3.0) if quick else (DIALOGUES, SECONDS)
    there: dict[str, list[AtRelay] | list[AtPages]] = {
        "relay": [AtRelay(relay.address) for _ in range(number)],
        "ours": await in_tens([arrived(pages.address) for _ in range(number)]),
    }
    for person in (*there["relay"], *there["ours"]):
        await person.ask(Times())  # connections are made, caches are filled
    found: dict[str, list[tuple[Times, float]]] = {"relay": [], "ours": []}
    for turn in range(1 if quick else ROUNDS):
        for name in ("relay", "ours")[:: 1 if turn % 2 == 0 else -1]:
            pid = (relay if name == "relay" else pages).pid
            before = cpu_s(pid)
            times = await talk(there[name], seconds, PAUSE_S * number / DIALOGUES)
            found[name].append((times, cpu_s(pid) - before))
    for person in (*there["relay"], *there["ours"]):
        await person.leave()
    return found


def measure(quick: bool) -> Measured:
    with (
        workplace() as folder,
        bare("bot") as bot,
        bare("relay", f"{bot.address}/chat", folder / "bare.sqlite") as relay,
        ours(folder / "study", bot) as pages,
    ):
        found = asyncio.run(_blocks(relay, pages, quick))
    spent, late, usual = (
        [[figure(times, cpu) for times, cpu in found[name]] for name in ("ours", "relay")]
        for figure in (
            lambda times, cpu: 1000 * cpu / len(times.answered),
            lambda times, _: 1000 * percentile(times.answered, 0.99),
            lambda times, _: 1000 * percentile(times.answered, 0.5),
        )
    )
    turns = sum(len(times.answered) for times, _ in found["ours"])
    lost = sum(times.lost for times, _ in found["ours"])
    who = "bare relay"
    return Measured(
        [
            compared("processor time of a turn", *spent, against=who, unit="ms", aim=1.5),
            compared("p99 of a turn", *late, against=who, unit="ms", aim=1.5),
            compared("median of a turn", *usual, against=who, unit="ms"),
        ],
        notes=[f"{turns} turns of ours, {lost} without an answer; two requests a turn, of the relay one"],
    )


ROW = Row(
    "relay",
    "durable chat turn, 200 dialogues",
    "bare Starlette relay, same commit",
    measure,
    ("starlette",),
    why="a turn is two requests and a validated event with projections; the relay has one request and a row",
)
