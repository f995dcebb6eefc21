"""Verbs for studies and packages: init, check, serve, new."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.api.new_package import kinds, write_package
from vivavoce.cli.arguments import Study_, note, offered, printable

LogUrl = Annotated[str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")]
PagesPort = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the participants' pages.")]
DeskPort = Annotated[int, typer.Option("--desk-port", min=1, max=65535, help="Port of the dashboard.")]
FreePagesPort = Annotated[
    int | None,
    typer.Option(
        "--port", min=1, max=65535, help="Port of the participants' pages (default 8000, or a free port)."
    ),
]
FreeDeskPort = Annotated[
    int | None,
    typer.Option(
        "--desk-port", min=1, max=65535, help="Port of the dashboard (default 8001, or a free port)."
    ),
]
DOUBTED = "would run, but no message seems to reach"
UNCOUNTED = "would run, but could not compute measures that its analysis declares; see above"
USUAL_PORTS = (8000, 8001)
Host = Annotated[str, typer.Option("--host", help="Address to listen on.")]


def chosen_ports(port: int | None, desk_port: int | None) -> tuple[int, int]:
    """Ports of pages and dashboard; a default port in use is replaced and reported."""
    from vivavoce.core.ports import choose_port

    pages = choose_port(port, USUAL_PORTS[0], "--port")
    dashboard = choose_port(desk_port, USUAL_PORTS[1], "--desk-port")
    for asked, usual, one in zip((port, desk_port), USUAL_PORTS, (pages, dashboard), strict=True):
        if asked is None and one != usual:
            note(f"note          {usual} is in use: using {one}; it may change at the next start")
    return pages, dashboard


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder of the study.")],
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="Preset to start from: {vivavoce.protocols}.",
            autocompletion=offered("vivavoce.protocols"),
        ),
    ] = "cambridge-2011",
    name: Annotated[str | None, typer.Option("--name", help="Study name.")] = None,
) -> None:
    """Create a runnable study to edit."""
    from vivavoce.study.scaffold import write_study

    for path in write_study(folder, protocol, name=name):
        note(f"wrote {path}")
    note(f"next: start the bots (first lines of study.yaml) or name yours, then vivavoce check {folder}")


def check(
    study: Study_,
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Send each system a test message.")] = True,
    programs: Annotated[
        bool | None,
        typer.Option(
            "--programs/--no-programs",
            help="Run programs that the study names: its bots and extension files (default: ask).",
            show_default=False,
        ),
    ] = None,
    fix: Annotated[bool, typer.Option("--fix", help="Rename old keys in the study file first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Check a study file and send its systems a test message."""
    from vivavoce.api.studies import study_path
    from vivavoce.cli.check import (
        UNREAD_FILE,
        agree_to_run,
        check_bots,
        check_evidence,
        check_file,
        check_secrets,
        missing_here,
        programs_of,
        told,
        warnings_of,
    )
    from vivavoce.study.renamed_keys import rewrite_old_keys

    fixed = rewrite_old_keys(study_path(study)) if fix else []
    starts = programs_of(study, bots=bots)
    left_out = [] if agree_to_run(study, starts, programs) else starts
    systems = {program.system for program in left_out if program.system is not None}
    problems = [f"{study}: {UNREAD_FILE.format(file=each.command)}" for each in left_out if not each.system]
    read = None
    if not problems:
        read, problems = check_file(study, secrets=not bots, left_out=systems)
    sound = read if not problems else None
    greetings = check_bots(sound, left_out=systems) if bots and sound is not None else []
    failed = [one for one in greetings if not one["ok"]]
    warnings = [*check_secrets(study), *([] if sound is None else warnings_of(sound))]
    missing = [] if sound is None else [str(problem) for problem in missing_here(sound)]
    uncounted = [] if sound is None else check_evidence(sound, greetings)
    facts = {
        "fixed": fixed,
        "problems": problems,
        "missing": missing,
        "warnings": warnings,
        "uncounted": uncounted,
        "systems": greetings,
    }
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        for line in (*fixed, *problems, *missing, *warnings):
            typer.echo(printable(line))
        for greeting in greetings:
            for line in told(greeting):
                typer.echo(line)
        for line in uncounted:
            typer.echo(line)
        if not problems and not missing and not failed:
            deaf = [one["system"] for one in greetings if one["swapped"] or one["heeds"] is False]
            doubted = f"{DOUBTED}: {', '.join(deaf)}" if deaf else ""
            typer.echo(f"{study}: {doubted or ('ready' if not uncounted else UNCOUNTED)}")
    if problems:
        raise typer.Exit(2)
    if failed or missing:
        raise typer.Exit(1)


def serve(
    study: Study_,
    host: Host = "127.0.0.1",
    port: PagesPort = 8000,
    desk_port: DeskPort = 8001,
    log: Annotated[
        str | None, typer.Option("--log", "--database", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes that serve the pages; more than 1 require PostgreSQL.")
    ] = 1,
    secure_cookies: Annotated[
        bool,
        typer.Option("--secure-cookies", help=("Send cookies over HTTPS only: for use behind a TLS proxy.")),
    ] = False,
    proxy: Annotated[
        str | None,
        typer.Option("--proxy", help="Trusted proxies for X-Forwarded-For. [default: 127.0.0.1]"),
    ] = None,
) -> None:
    """Run the trial: the participants' pages and the researcher's dashboard."""
    if proxy is not None:
        os.environ["FORWARDED_ALLOW_IPS"] = proxy  # uvicorn's, here and in the dashboard's process
    from vivavoce.cli.servers import serve_study

    serve_study(
        study, log, host=host, port=port, desk_port=desk_port, secure_cookies=secure_cookies, workers=workers
    )


def desk(
    study: Study_,
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8001,
    log: LogUrl = None,
    participant_url: Annotated[str | None, typer.Option("--participant-url")] = None,
    secure_cookies: Annotated[bool, typer.Option("--secure-cookies")] = False,
    account_optional: Annotated[bool, typer.Option("--account-optional")] = False,
) -> None:
    """Run the dashboard alone; `serve` starts it automatically."""
    from vivavoce.cli.servers import serve_desk

    serve_desk(
        study,
        log,
        host=host,
        port=port,
        participant_url=participant_url,
        secure_cookies=secure_cookies,
        account_optional=account_optional,
    )


def new(
    kind: Annotated[
        str,
        typer.Argument(help=f"{', '.join(kinds())}."),
    ],
    name: Annotated[str, typer.Argument(help="Name for use in studies and on the command line.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Output folder (default vivavoce-NAME).")
    ] = None,
) -> None:
    """Create a package with a connector, measure, step, ... and a contract test that fails until you
    complete it.
    """
    package = write_package(kind, name, folder)
    for path in package:
        note(f"wrote {path}")
    place = next(path.parent for path in package if path.name == "pyproject.toml")
    note(f"next: cd {place} && pip install -e '.[test]' && pytest, then fill in the TODOs")
