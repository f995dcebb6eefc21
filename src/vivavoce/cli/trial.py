"""Verbs on a study, and for a package of one's own: init, check, serve, new."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.arguments import Study_, offered
from vivavoce.cli.progress import note

LogUrl = Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")]
PagesPort = Annotated[int, typer.Option("--port", min=1, max=65535, help="Port of the participants' pages.")]
DeskPort = Annotated[int, typer.Option("--desk-port", min=1, max=65535, help="Port of the dashboard.")]
FreePagesPort = Annotated[
    int | None,
    typer.Option(
        "--port", min=1, max=65535, help="Port of the participants' pages; without it 8000, or a free one."
    ),
]
FreeDeskPort = Annotated[
    int | None,
    typer.Option(
        "--desk-port", min=1, max=65535, help="Port of the dashboard; without it 8001, or a free one."
    ),
]
DOUBTED = "would run, but nothing that is said seems to reach"
UNCOUNTED = "would run, but could not count what its analysis declares; see above"
USUAL_PORTS = (8000, 8001)
Host = Annotated[str, typer.Option("--host", help="Address to listen on.")]


def chosen_ports(port: int | None, desk_port: int | None) -> tuple[int, int]:
    """The ports of pages and dashboard; where nobody asked for one it may be another, which is said."""
    from vivavoce.core.ports import choose_port

    pages = choose_port(port, USUAL_PORTS[0], "--port")
    dashboard = choose_port(desk_port, USUAL_PORTS[1], "--desk-port")
    for asked, usual, one in zip((port, desk_port), USUAL_PORTS, (pages, dashboard), strict=True):
        if asked is None and one != usual:
            note(f"note          {usual} is taken: {one} instead, and perhaps another after the next start")
    return pages, dashboard


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the study into.")],
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="Preset to start from: {vivavoce.protocols}.",
            autocompletion=offered("vivavoce.protocols"),
        ),
    ] = "cambridge-2011",
    name: Annotated[str | None, typer.Option("--name", help="Name of the study.")] = None,
) -> None:
    """Write a study that runs as it stands, to be edited."""
    from vivavoce.study.scaffold import write_study

    for path in write_study(folder, protocol, name=name):
        note(f"wrote {path}")
    note(f"next: vivavoce check {folder}")


def check(
    study: Study_,
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Say hello to every system.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Look for problems in a study file, and say hello to its systems."""
    from vivavoce.cli.check import (
        check_bots,
        check_evidence,
        check_file,
        missing_for_channels,
        told,
        warnings_of,
    )

    read, problems = check_file(study, secrets=not bots)
    sound = read if not problems else None
    greetings = check_bots(sound) if bots and sound is not None else []
    failed = [one for one in greetings if not one["ok"]]
    warnings = [] if sound is None else warnings_of(sound)
    missing = [] if sound is None else missing_for_channels(sound)
    uncounted = [] if sound is None else check_evidence(sound, greetings)
    facts = {
        "problems": problems, "missing": missing, "warnings": warnings, "uncounted": uncounted,
        "systems": greetings,
    }  # fmt: skip
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        for line in (*problems, *missing, *warnings):
            typer.echo(line)
        for one in greetings:
            for line in told(one):
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
        str | None, typer.Option("--log", "--database", help="Log: sqlite:/// or postgresql://.")
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", help="Processes that serve the pages; more than 1 need PostgreSQL.")
    ] = 1,
    secure_cookies: Annotated[
        bool, typer.Option("--secure-cookies", help="Cookies by https only: behind a proxy with TLS.")
    ] = False,
    proxy: Annotated[
        str | None,
        typer.Option("--proxy", help="Proxies whose X-Forwarded-For is believed. [default: 127.0.0.1]"),
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
    """Run the dashboard alone; `serve` starts it by itself."""
    from vivavoce.cli.servers import serve_desk

    serve_desk(
        study, log, host=host, port=port, participant_url=participant_url, secure_cookies=secure_cookies,
        account_optional=account_optional,
    )  # fmt: skip


def new(
    kind: Annotated[
        str,
        typer.Argument(
            help="connector, importer, language, measure, questionnaire, section, step, stress-test or verb."
        ),
    ],
    name: Annotated[str, typer.Argument(help="By which studies and verbs will know it.")],
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where to write it; vivavoce-NAME if not given.")
    ] = None,
) -> None:
    """Write a package that offers a connector, measure, step, ..., with a contract test that fails so far."""
    from vivavoce.api.new_package import write_package

    written = write_package(kind, name, folder)
    for path in written:
        note(f"wrote {path}")
    place = next(path.parent for path in written if path.name == "pyproject.toml")
    note(f"next: cd {place} && pip install -e '.[test]' && pytest, then write what is marked TODO")
