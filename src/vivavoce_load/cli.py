"""The verb `load`: a crowd of programs at a service, and how long they wait."""

import asyncio
import ipaddress
import json
import os
import socket
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from vivavoce.cli.arguments import Study_
from vivavoce.cli.progress import note, progress
from vivavoce.core.errors import InputError

NEAR: Final = 1.1  # the most is known as nearly as that


@dataclass(frozen=True)
class _Wish:
    """What was asked for on the command line."""

    study: Path
    minutes: float
    pause_s: float
    url: str | None
    log: str | None
    workers: int
    own_systems: bool
    seed: int


def load(
    study: Study_,
    participants: Annotated[int, typer.Option("--participants", min=1, help="How many at once.")] = 50,
    minutes: Annotated[float, typer.Option("--minutes", min=0.05, help="How long a run lasts.")] = 2.0,
    pause: Annotated[
        float, typer.Option("--pause", min=2.5, help="Seconds between two turns of one, on average.")
    ] = 10.0,
    limit_ms: Annotated[
        float | None,
        typer.Option("--limit-ms", min=1, help="Look for the most whose 99th percentile is within this."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option("--log", "--database", help="An empty log to serve from; with --url, the service's."),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Of the service, as of `serve`.")] = 1,
    own_systems: Annotated[
        bool, typer.Option("--own-systems", help="Talk to the study's systems, not to a stand-in.")
    ] = False,
    url: Annotated[
        str | None,
        typer.Option("--url", help="First page of a running service; {number} is another one each."),
    ] = None,
    elsewhere: Annotated[
        bool, typer.Option("--elsewhere", help="The service may be on another machine.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same pauses.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Let programs take part all at once, and say how long they waited for acknowledgements and answers."""
    from vivavoce.core.result import as_json as as_json_object
    from vivavoce_load.figures import told

    if url is not None:
        require_here(url, elsewhere=elsewhere)
        note("note: who comes to a running service counts as people there; use a copy of the study")
    wish = _Wish(study, minutes, pause, url, log, workers, own_systems, seed)
    if limit_ms is None:
        found = run = _run(wish, participants)
        lines = told(run)
    else:
        found = _most(wish, participants, limit_ms)
        lines = [line for run in found.runs for line in (*told(run), "")]
        lines.append(f"{found.participants} participants at once within {limit_ms:g} ms (99th percentile)")
    if as_json:
        typer.echo(json.dumps(as_json_object(found), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo("\n".join(lines))


def require_here(url: str, *, elsewhere: bool) -> None:
    """Nothing where an address is of this machine, or may be of another.

    Raises  InputError: it is no address of a page; it leads elsewhere, and nobody said that it may
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{url!r} is no address of a page", place="--url", hint="give http://HOST:PORT/")
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(parts.hostname, parts.port or 80)}
    except OSError as error:
        hint = "check its name"
        raise InputError(f"{parts.hostname} is not found ({error})", place="--url", hint=hint) from None
    if not elsewhere and not all(ipaddress.ip_address(one).is_loopback for one in found):
        raise InputError(
            f"{parts.hostname} is not this machine", place="--url",
            hint="add --elsewhere if it is yours, and those who run it know",
        )  # fmt: skip


def _run(wish: _Wish, participants: int):
    """One run against a service of its own, or the one that runs."""
    from vivavoce.api.studies import read_study
    from vivavoce.core.signature import installed_version
    from vivavoce_load.crowd import Plan, let_come
    from vivavoce_load.figures import COUNTED, Load, by_phase, delays, waits
    from vivavoce_load.service import Served, kept, load_before, served

    before = load_before()
    if wish.url is None:
        service = served(wish.study, wish.log, wish.workers, own_systems=wish.own_systems)
    else:
        service = nullcontext(Served(wish.url, wish.log or "", read_study(wish.study).name))
    with service as running:
        plan = Plan(running.link, participants, wish.minutes, wish.pause_s, wish.seed)
        with progress(f"{participants} participants") as moved:
            findings, ends_s = asyncio.run(let_come(plan, moved))
        log = kept(running.log, running.study, findings.said) if running.log else None
    phases = by_phase(findings, ends_s)
    answered = [one for one in findings.said if one.acknowledged_s is not None and one.answered_s is None]
    return Load(
        participants=participants, minutes=wish.minutes, pause_s=wish.pause_s,
        workers=wish.workers if wish.url is None else None,
        database=running.log.partition(":")[0] or None,
        whole=waits(said for phase in COUNTED for said in phases[phase]),
        phases={phase: waits(said) for phase, said in phases.items()},
        arrival_ms=delays(findings.arrivals_s), errors=dict(findings.errors), unanswered=len(answered),
        log=log, cores=os.cpu_count(), load_before=before, version=installed_version(),
    )  # fmt: skip


def _most(wish: _Wish, participants: int, limit_ms: float):
    """Double what is within the limit until something is not, then halve the way between."""
    from vivavoce_load.figures import Most

    runs, within, beyond, tried = [], 0, None, participants
    while True:
        runs.append(_run(wish, tried))
        p99, errors = runs[-1].whole.acknowledged_ms.p99, dict(runs[-1].errors)
        note(f"{tried} participants: 99th percentile {p99} ms, errors {errors or 'none'}")
        if runs[-1].within(limit_ms):
            within = tried
        else:
            beyond = tried
        if beyond is not None and (beyond <= max(within, 1) * NEAR or beyond - within <= 1):
            return Most(limit_ms, within, runs)
        tried = 2 * within if beyond is None else (within + beyond) // 2
