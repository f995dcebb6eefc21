"""The verbs on the log itself: verify."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from vivavoce.cli.trial import LogUrl, Study_

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look after the log of a study.")


@app.callback()
def _verbs() -> None:
    """Look after the log of a study."""


@app.command("verify")
def verify(
    study: Study_,
    url: LogUrl = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Check that no event was altered or removed since it was logged; exit code 1 where one was."""
    from vivavoce.cli.service_lock import served_file
    from vivavoce.cli.studies import open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.log.verification import verify as verify_log

    plan = read_study(study)
    if (file := served_file(plan, url)) is not None and not file.is_file():
        raise InputError(
            "no log here", place=str(file), hint="serve the study first, or name another with --log"
        )
    with open_log(plan, url) as log:
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
