"""What a run of load found, in numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from vivavoce_load.people import Findings, SentTurn

PHASES = ("ramp", "steady", "churn")
COUNTED = ("steady", "churn")  # while as many are there as were asked for


@dataclass(frozen=True)
class Delays:
    """Milliseconds; n: of how many turns. None where there were none."""

    n: int
    p50: float | None
    p95: float | None
    p99: float | None
    longest: float | None


@dataclass(frozen=True)
class Waits:
    """From sending a turn to its acknowledgement, and to the answer on the page."""

    acknowledged_ms: Delays
    answered_ms: Delays


@dataclass(frozen=True)
class Kept:
    """Acknowledged turns by the log: lost, changed or twice in it; whether its hash chain is unbroken."""

    acknowledged: int
    lost: int
    doubled: int
    unbroken: bool


@dataclass(frozen=True)
class Load:
    """One run of load.

    minutes      of the whole run; phases: waits by the phase in which a turn was sent
    whole        waits of the turns sent while all were there (`steady`, `churn`)
    arrival_ms   from asking for the first page to the page of the dialogue; n: of how many who came
    errors       how often, by kind; what was sent again and taken then is an error, too
    unanswered   turns that were acknowledged and had no answer when the run was over
    log          None: no log was at hand
    load_before  of the machine, as `uptime` says it, before the run; None where the system has none
    """

    participants: int
    minutes: float
    pause_s: float
    workers: int | None
    database: str | None
    whole: Waits
    phases: Mapping[str, Waits]
    arrival_ms: Delays
    errors: Mapping[str, int]
    unanswered: int
    log: Kept | None
    cores: int | None
    load_before: float | None
    version: str

    def within(self, limit_ms: float) -> bool:
        """Whether people were served as one wishes: soon enough, nothing lost, nothing refused."""
        p99 = self.whole.acknowledged_ms.p99
        kept = self.log is None or (self.log.lost, self.log.doubled, self.log.unbroken) == (0, 0, True)
        return p99 is not None and p99 <= limit_ms and kept and not self.errors and not self.unanswered


@dataclass(frozen=True)
class Most:
    """The most participants whose 99th percentile was within the limit (ms), and all runs that showed it.

    participants  0 where not even the first run was
    """

    limit_ms: float
    participants: int
    runs: Sequence[Load]


def delays(seconds: Iterable[float]) -> Delays:
    """Percentiles by the nearest rank."""
    found = sorted(1000 * one for one in seconds)
    if not found:
        return Delays(0, None, None, None, None)
    p50, p95, p99 = (round(found[math.ceil(share * len(found)) - 1], 1) for share in (0.5, 0.95, 0.99))
    return Delays(len(found), p50, p95, p99, round(found[-1], 1))


def waits(said: Iterable[SentTurn]) -> Waits:
    """How long people waited for these turns."""
    turns = list(said)
    return Waits(
        delays(one.acknowledged_s - one.sent_s for one in turns if one.acknowledged_s is not None),
        delays(one.answered_s - one.sent_s for one in turns if one.answered_s is not None),
    )


def by_phase(findings: Findings, ends_s: Mapping[str, float]) -> dict[str, list[SentTurn]]:
    """Turns by the phase in which they were sent; ends_s: when each phase was over."""
    found: dict[str, list[SentTurn]] = {phase: [] for phase in PHASES}
    for said in findings.said:
        phase = next((one for one in PHASES if said.sent_s < ends_s[one]), PHASES[-1])
        found[phase].append(said)
    return found


def told(load: Load) -> list[str]:
    """A run as lines for a terminal."""
    lines = [f"{load.participants} participants at once for {load.minutes:g} minutes, {_where(load)}"]
    columns = ("", "turns", "p50", "p95", "p99", "longest")
    lines.append("{:24}{:>8}{:>9}{:>9}{:>9}{:>9}".format(*columns))
    rows = {"sent to acknowledged": load.whole.acknowledged_ms, "sent to answered": load.whole.answered_ms}
    rows |= {f"  in {name}, acknowledged": one.acknowledged_ms for name, one in load.phases.items()}
    rows["coming in (people)"] = load.arrival_ms
    for name, one in rows.items():
        cells = [
            "-" if value is None else f"{value:.0f} ms" for value in (one.p50, one.p95, one.p99, one.longest)
        ]
        lines.append("{:24}{:>8}{:>9}{:>9}{:>9}{:>9}".format(name, one.n, *cells))
    errors = ", ".join(f"{kind} {count}" for kind, count in sorted(load.errors.items()))
    lines.append(f"errors      {errors or 'none'}; unanswered {load.unanswered}")
    if load.log is not None:
        chain = "unbroken" if load.log.unbroken else "BROKEN"
        lines.append(
            f"in the log  {load.log.acknowledged} acknowledged, {load.log.lost} lost, "
            f"{load.log.doubled} doubled, hash chain {chain}"
        )
    return lines


def _where(load: Load) -> str:
    served = "a running service" if load.workers is None else f"{load.workers} worker(s), {load.database}"
    return (
        f"a turn every {load.pause_s:g} s each; {served}; {load.cores} cores, load before {load.load_before}"
    )
