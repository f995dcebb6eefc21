"""The verbs on the log itself: verify, rebuild."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vivavoce.cli.trial import LogUrl

if TYPE_CHECKING:
    from vivavoce.log.store import Log

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look after the log of a study.")
SQLITE: Final = b"SQLite format 3\0"
Target = Annotated[
    str, typer.Argument(metavar="STUDY|LOG", help="Study file or its folder; or a log: FILE, or its address.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


@app.callback()
def _verbs() -> None:
    """Look after the log of a study."""


@app.command("verify")
def verify(target: Target, url: LogUrl = None, as_json: AsJson = False) -> None:
    """Check that no event was altered or removed since it was logged; exit code 1 where one was."""
    from vivavoce.log.verification import verify as verify_log

    with _open(_address(target, url)) as log:
        found = verify_log(log)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    elif found.broken is not None:
        typer.echo(f"broken at {found.broken}")
    else:
        typer.echo(f"{found.events} events, each as it was logged; fingerprint {found.fingerprint}")
    if not as_json and found.unchained:
        typer.echo(f"the first {found.unchained} were logged before events had a hash, and were not checked")
    if found.broken is not None:
        raise typer.Exit(1)


@app.command("rebuild")
def rebuild(
    target: Target,
    url: LogUrl = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Also where events were altered or are gone.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the tables that are derived from the events anew; the trial must not be served meanwhile."""
    from vivavoce.cli.service_lock import alone
    from vivavoce.core.errors import InputError
    from vivavoce.log.rebuild import rebuild as rebuild_log
    from vivavoce.log.verification import verify as verify_log

    address = _address(target, url)
    with alone(address), _open(address) as log:
        # a derived table may be all that still tells of events which are gone
        if not anyway and (broken := verify_log(log).broken) is not None:
            raise InputError(
                f"not rebuilt: {broken}", place=target,
                hint="make a copy of the log first, then add --anyway to go by the events that are there",
            )  # fmt: skip
        done = rebuild_log(log)
    if as_json:
        typer.echo(json.dumps(asdict(done), indent=2))
        return
    mended = ", ".join(f"{name}: {count} row{'s'[: count != 1]}" for name, count in done.mended.items())
    told = f"mended {mended}" if mended else "all derived tables were right"
    typer.echo(f"{done.events} events read; {told}; nothing else changed")


def _address(target: str, url: str | None) -> str:
    """The address of the log that is named, or that a study is served from.

    Raises  InputError: there is none
    """
    from vivavoce.api.studies import log_url, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.log.engine import missing_file

    path = Path(target)
    if "://" in target:
        address = target
    elif _is_sqlite(path):
        address = f"sqlite:///{path.resolve()}"
    else:
        address = log_url(read_study(path), url)
    if (file := missing_file(address)) is not None:
        raise InputError(
            "no log here", place=str(file), hint="serve the study first, or name another with --log"
        )
    return address


def _is_sqlite(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _open(address: str) -> "Log":
    from vivavoce.api.studies import report_to_stderr
    from vivavoce.log.store import Log

    report_to_stderr()
    return Log.open(address)
