"""The verbs of `log`: verify, rebuild."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final
from zipfile import ZipFile, is_zipfile

import typer

from vivavoce.cli.trial import LogUrl

if TYPE_CHECKING:
    from vivavoce.log.store import Log
    from vivavoce.log.verification import Verified

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Verify and repair the log of a study.")
SQLITE: Final = b"SQLite format 3\0"
Target = Annotated[
    str, typer.Argument(metavar="STUDY|LOG", help="Study file or its folder, a log file, or a log address.")
]
SHOWN: Final = 50
FINGERPRINT: Final = re.compile(r"(?<![\w-])[A-Z2-7]{4}-[A-Z2-7]{4}-[A-Z2-7]{4}(?![\w-])")
ROOT: Final = re.compile("[0-9a-f]{64}")
Against = Annotated[
    str | None,
    typer.Option(
        metavar="FINGERPRINT|FILE", help="Compare with a fingerprint, a dataset or a report of this log."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]


@app.callback()
def _verbs() -> None:
    """Verify and repair the log of a study."""


@app.command("verify")
def verify(target: Target, url: LogUrl = None, against: Against = None, as_json: AsJson = False) -> None:
    """Check that no logged event was altered or removed; exit code 1 if one was."""
    from vivavoce.log.verification import verify as verify_log

    fingerprints = _fingerprints(against) if against is not None else []
    with _open(_address(target, url)) as log:
        verified = verify_log(log)
    known = {text: root for root in verified.roots for text in (root.root, root.fingerprint)}
    problems = verified.problems + [
        f"no intact root of this log has the fingerprint {text}" for text in fingerprints if text not in known
    ]
    if as_json:
        facts = {**asdict(verified), "roots": len(verified.roots), "problems": problems}
        typer.echo(json.dumps(facts, indent=2, default=datetime.isoformat))
    else:
        for line in _sentences(verified, problems):
            typer.echo(line)
        for root in (known[text] for text in fingerprints if text in known):
            typer.echo(f"{root.fingerprint} matches: the first {root.size} events, until {_shown(root.at)}")
    if problems:
        raise typer.Exit(1)


def _shown(at: datetime | None) -> str:
    """Instant for people."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _sentences(verified: "Verified", problems: list[str]) -> Iterator[str]:
    for problem in problems[:SHOWN]:
        yield f"broken: {problem}"
    if len(problems) > SHOWN:
        yield f"and {len(problems) - SHOWN} more; --json prints all"
    if not problems:
        yield f"{verified.events} events unchanged since logging"
        yield f"fingerprint {verified.fingerprint} of {verified.size} events, {_shown(verified.recorded_at)}"
    if verified.uncovered:
        yield f"{verified.uncovered} events after it have no root yet: removing them would not show"
    if verified.earlier:
        yield (
            f"the first {verified.earlier} events were logged by an earlier version and are protected since "
            f"{_shown(verified.earlier_until)}; nothing protected {verified.unchained} of them before"
        )
    if verified.erased:
        yield f"{verified.erased} events were erased or shortened by erasure or retention, as logged"


def _fingerprints(against: str) -> list[str]:
    """Fingerprints in a text, or in a file: a dataset's description, a report.

    Raises  InputError: there is none
    """
    from vivavoce.core.errors import InputError

    path = Path(against)
    if path.is_dir():
        path = path / "dataset.json"
    if ROOT.fullmatch(against):
        return [against]
    text = _text_of(path) if path.is_file() else against
    fingerprints = list(dict.fromkeys(FINGERPRINT.findall(text)))
    if not fingerprints:
        raise InputError(
            "no fingerprint of a log",
            place=against,
            hint="Name a dataset, an HTML or Word report, or type a fingerprint such as ABCD-EFGH-IJKL",
        )
    return fingerprints


def _text_of(path: Path) -> str:
    """Text of a file; of a Word report, that of all its parts."""
    if not is_zipfile(path):
        return path.read_bytes().decode(errors="ignore")
    with ZipFile(path) as parts:
        return " ".join(parts.read(name).decode(errors="ignore") for name in parts.namelist())


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
        if not anyway and (problems := verify_log(log).problems):
            raise InputError(
                f"not rebuilt: {problems[0]}",
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
