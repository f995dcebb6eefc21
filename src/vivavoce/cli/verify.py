"""The verbs of `log`: verify, rebuild."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vivavoce.cli.trial import LogUrl

if TYPE_CHECKING:
    from vivavoce.log.store import Log

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Verify and repair the log of a study.")
SQLITE: Final = b"SQLite format 3\0"
Target = Annotated[
    str, typer.Argument(metavar="STUDY|LOG", help="Study file or its folder, a log file, or a log address.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]


@app.callback()
def _verbs() -> None:
    """Verify and repair the log of a study."""


@app.command("verify")
def verify(target: Target, url: LogUrl = None, as_json: AsJson = False) -> None:
    """Check that no logged event was altered or removed; exit code 1 if one was."""
    from vivavoce.log.verification import verify as verify_log

    with _open(_address(target, url)) as log:
        found = verify_log(log)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    elif found.broken is not None:
        typer.echo(f"broken at {found.broken}")
    else:
        typer.echo(f"{found.events} events unchanged since logging; fingerprint {found.fingerprint}")
    if not as_json and found.unchained:
        typer.echo(f"the first {found.unchained} were logged before events had a hash and were not checked")
    if found.broken is not None:
        raise typer.Exit(1)


@app.command("rebuild")
def rebuild(
    target: Target,
    url: LogUrl = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Rebuild even if events were altered or are missing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Rebuild the derived tables from the events; stop the trial first."""
    from vivavoce.cli.service_lock import alone
    from vivavoce.core.errors import InputError
    from vivavoce.log.verification import rebuild as rebuild_log
    from vivavoce.log.verification import verify as verify_log

    address = _address(target, url)
    with alone(address), _open(address) as log:
        # a derived table may be all that still tells of events which are gone
        if not anyway and (broken := verify_log(log).broken) is not None:
            raise InputError(
                f"not rebuilt: {broken}",
                place=target,
                hint="Copy the log first, then add --anyway to rebuild from the remaining events",
            )
        done = rebuild_log(log)
    if as_json:
        typer.echo(json.dumps(asdict(done), indent=2))
        return
    mended = ", ".join(f"{name}: {count} row{'s'[: count != 1]}" for name, count in done.mended.items())
    told = f"mended {mended}" if mended else "all derived tables were correct"
    typer.echo(f"{done.events} events read; {told}; nothing else changed")


def _address(target: str, url: str | None) -> str:
    """Address of the log given, or of the study's log.

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
            "log not found", place=str(file), hint="Serve the study first, or name another log with --log"
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
