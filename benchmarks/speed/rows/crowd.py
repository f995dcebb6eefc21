"""A thousand participants at once, a turn every ten seconds each; bot and people on the service's cores."""

import asyncio

from benchmarks.speed.row import Measured, Row, limited, peak_mb, workplace
from benchmarks.speed.servers import Server, cpu_s
from benchmarks.speed.talking import Times, arrived, bare, in_tens, ours, percentile, talk

SIZES, PAUSE_S, SECONDS = (10, 100, 1000), 10.0, {10: 20.0, 100: 20.0, 1000: 60.0}
LIMIT_MS = 150.0


async def _talk(pages: Server, number: int, seconds: float) -> tuple[Times, float]:
    people = await in_tens([arrived(pages.address) for _ in range(number)])
    before = cpu_s(pages.pid)
    times = await talk(people, seconds, PAUSE_S)
    spent = cpu_s(pages.pid) - before
    await asyncio.gather(*(person.leave() for person in people))
    return times, spent


def measure(quick: bool) -> Measured:
    points, times, number = [], Times(), 0
    with (
        workplace() as folder,
        bare("bot") as bot,
        ours(folder / "study", bot) as pages,
    ):
        for number in SIZES[:2] if quick else SIZES:
            times, spent = asyncio.run(_talk(pages, number, SECONDS[number]))
            minute = 60 * spent / SECONDS[number]
            points.append({"size": number, "cpu_s": minute, "peak_mb": peak_mb(pages.pid)})
    p50, p95, p99 = (1000 * percentile(times.acknowledged, share) for share in (0.5, 0.95, 0.99))
    told = f"{number} participants, {len(times.acknowledged)} turns, {times.lost} without an answer"
    return Measured(
        [limited("p99, sent to acknowledged", [p99], LIMIT_MS, unit="ms", note=told)],
        {"participants, a minute of talk": points},
        [f"{told}; acknowledged after p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f} ms"],
    )


ROW = Row(
    "crowd",
    "1,000 participants at once, a turn every 10 s each",
    "limit: p99 of 150 ms",
    measure,
    ("starlette",),
    limit_s=300,
    why="participants and bot share the cores of the service",
)
