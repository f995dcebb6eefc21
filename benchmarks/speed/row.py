"""What a row of the table is, and what its measuring gives."""

import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

Direction = Literal["at least", "at most"]
Points = list[dict[str, float]]
ROUNDS, QUICK_ROUNDS = 5, 2


@dataclass(frozen=True)
class Figure:
    """One ratio: ours against a peer, or against a limit that is a number.

    ratio    where more is better ("at least"), how many times as good as the other; else ours over the other
    low      least and most of the rounds' ratios; None where there was one round
    aim      None: told for orientation only
    """

    what: str
    against: str
    ours: float
    other: float
    unit: str
    ratio: float
    n: int
    low: float | None = None
    high: float | None = None
    aim: float | None = None
    direction: Direction = "at most"
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return self.ratio >= self.aim if self.direction == "at least" else self.ratio <= self.aim

    def facts(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met}


@dataclass
class Measured:
    """All that a row found; `growth`: name of a size -> points of `size`, `cpu_s`, `peak_mb`."""

    figures: list[Figure] = field(default_factory=list)
    growth: dict[str, Points] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        grown = {
            what: {"points": points, "exponent": exponent(points)} for what, points in self.growth.items()
        }
        return {"figures": [one.facts() for one in self.figures], "growth": grown, "notes": self.notes}


@dataclass(frozen=True)
class Row:
    """A row of the table.

    measure  does the work; its argument: whether it is to be quick, for a look at whether all goes
    peers    names of the environments that it needs
    limit_s  after which it is stopped; a row that is stopped has failed
    why      it misses an aim, where it does, for the page
    apart    it takes long: it runs where it is named alone, and keeps what it had
    skipped  reason why the row cannot be loaded, such as a missing library; "" otherwise
    """

    name: str
    work: str
    peer: str
    measure: Callable[[bool], Measured]
    peers: tuple[str, ...] = ()
    limit_s: float = 240.0
    why: str = ""
    apart: bool = False
    skipped: str = ""


class Cost(NamedTuple):
    """What a process took: by the clock, of the processor, at most in memory; what it printed."""

    seconds: float
    cpu_s: float
    peak_mb: float
    stdout: str


def cost_of(command: Sequence[str | Path], *, cwd: Path | None = None) -> Cost:
    """Run a process to its end, children that it waits for included.

    Raises  RuntimeError: it failed; with its last line
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        process = subprocess.Popen([str(one) for one in command], cwd=cwd, stdout=out, stderr=err)
        peak, over = [0.0], threading.Event()
        watching = threading.Thread(target=_watch, args=(process.pid, peak, over))
        watching.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        over.set()
        watching.join()
        process.returncode = os.waitstatus_to_exitcode(status)
        said, told = (_text(file) for file in (out, err))
    if process.returncode:
        last = (told or said).strip().splitlines()[-1:] or ["nothing was said"]
        raise RuntimeError(f"{Path(command[0]).name} ended with {process.returncode}: {last[0]}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, peak[0], said)


def _watch(pid: int, peak: list[float], over: threading.Event) -> None:
    """The most memory that a process has held; what `wait4` tells is at least what this process holds."""
    while not over.wait(0.02):
        with suppress(OSError, StopIteration):
            peak[0] = peak_mb(pid)


def peak_mb(pid: int) -> float:
    """The most memory that a process that runs has held so far."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _text(file: Any) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def vivavoce(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "vivavoce", *map(str, words)]


def in_turns(works: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """What each work gives, round by round, in turns: a machine that gets slower is slower for all."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds):
        for name in list(works)[:: 1 if number % 2 == 0 else -1]:
            found[name].append(works[name]())
    return found


def compared(
    what: str,
    ours: Sequence[float],
    other: Sequence[float],
    *,
    against: str,
    unit: str,
    aim: float | None = None,
    direction: Direction = "at most",
    rate: bool = False,
    note: str = "",
) -> Figure:
    """Ours and a peer's, round by round: the median of the rounds' ratios.

    rate  the numbers say how much was done, not what it cost
    """
    pairs = list(zip(ours, other, strict=True))
    better_is_more = direction == "at least"
    ratios = sorted(b / a if better_is_more and not rate else a / b for a, b in pairs)
    several = len(ratios) > 1
    return Figure(
        what,
        against,
        statistics.median(ours),
        statistics.median(other),
        unit,
        statistics.median(ratios),
        len(pairs),
        ratios[0] if several else None,
        ratios[-1] if several else None,
        aim,
        direction,
        note,
    )


def limited(
    what: str,
    ours: Sequence[float],
    limit: float,
    *,
    unit: str,
    aim: float | None = 1.0,
    note: str = "",
    against: str = "the limit",
) -> Figure:
    """Ours over a limit that is a number."""
    return compared(what, ours, [limit] * len(ours), against=against, unit=unit, aim=aim, note=note)


def exponent(points: Points) -> float | None:
    """With what power of the size the cost grows, by the last three sizes, each as many times the one before.

    Of costs a + b n^k the differences are free of a, what a start takes: their ratio is the sizes' to the k.
    None for fewer than three sizes, or where a larger one cost no more.
    """
    if len(points) < 3:
        return None
    (size, less), (times, middle), (_, much) = ((one["size"], one["cpu_s"]) for one in points[-3:])
    if not less < middle < much:
        return None
    return math.log((much - middle) / (middle - less)) / math.log(times / size)


def point(size: float, cost: Cost) -> dict[str, float]:
    return {"size": size, "cpu_s": cost.cpu_s, "seconds": cost.seconds, "peak_mb": cost.peak_mb}


@contextmanager
def workplace():
    """A folder for a row's files, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="vivavoce-speed-") as folder:
        yield Path(folder)
