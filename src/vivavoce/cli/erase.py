"""The verb `erase`: a participant's data leaves the log."""

import getpass
import sys
from typing import Annotated

import typer

from vivavoce.cli.arguments import Study_, note


def erase(
    study: Study_,
    participant: Annotated[
        str,
        typer.Argument(metavar="PARTICIPANT", help=("Participant ID, or the identifier of an invite link.")),
    ],
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without confirmation.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Erase all data of a participant from the log; stop the trial first."""
    from vivavoce.api.studies import log_url, open_log, read_study
    from vivavoce.cli.service_lock import alone
    from vivavoce.core.errors import InputError
    from vivavoce.core.statement import PluralCount
    from vivavoce.log.erasure import erase_participant
    from vivavoce.log.models import team_study

    plan = read_study(study)
    asked = f"Erase all data of {participant} from the log? This cannot be undone."
    if not yes and not (sys.stdin.isatty() and typer.confirm(asked, err=True)):
        hint = "Answer y on a terminal, or add --yes"
        raise InputError(f"{participant} was not erased", place=f"study {plan.name}", hint=hint)
    with alone(log_url(plan, log)), open_log(plan, log) as opened:
        tried = team_study(plan.name)  # whoever is of the team is known there alone
        of_team = any(visit.participant_id == participant for visit in opened.visits(tried))
        of = tried if of_team else plan.name
        tombstone = erase_participant(opened, of, participant, by=getpass.getuser())
    if as_json:
        typer.echo(tombstone.model_dump_json(indent=2))
        return
    gone = f"{PluralCount(tombstone.visits, 'visit')}, {PluralCount(tombstone.events, 'event')}"
    typer.echo(f"erased {tombstone.participant_id}: {gone}")
    if tombstone.mended:
        typer.echo(f"removed their data from {PluralCount(tombstone.mended, 'event')} of other participants")
    for sentence in tombstone.kept:
        typer.echo(sentence)
    note("earlier datasets, reports and backups still contain the data: create them again or delete them")
