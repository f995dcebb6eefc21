"""The verb `erase`: a participant's data leaves the log."""

import getpass
import sys
from typing import Annotated

import typer

from vivavoce.cli.arguments import Study_
from vivavoce.cli.progress import note


def erase(
    study: Study_,
    participant: Annotated[
        str, typer.Argument(metavar="PARTICIPANT", help="The participant_id, or the identifier of a link.")
    ],
    log: Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether it is meant.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Erase everything of a participant from the log; the trial must not be served meanwhile."""
    from vivavoce.api.studies import log_url, open_log, read_study
    from vivavoce.cli.service_lock import alone
    from vivavoce.core.errors import InputError
    from vivavoce.core.statement import Counted
    from vivavoce.log.erasure import erase_participant
    from vivavoce.log.scope import team_study

    plan = read_study(study)
    asked = f"Erase everything of {participant} from the log? It cannot be undone."
    if not yes and not (sys.stdin.isatty() and typer.confirm(asked, err=True)):
        hint = "answer y on a terminal, or add --yes"
        raise InputError(f"{participant} was not erased", place=f"study {plan.name}", hint=hint)
    with alone(log_url(plan, log)), open_log(plan, log) as opened:
        tried = team_study(plan.name)  # whoever is of the team is known there alone
        of_team = any(visit.participant_id == participant for visit in opened.visits(tried))
        of = tried if of_team else plan.name
        tombstone = erase_participant(opened, of, participant, by=getpass.getuser())
    if as_json:
        typer.echo(tombstone.model_dump_json(indent=2))
        return
    gone = f"{Counted(tombstone.visits, 'visit')}, {Counted(tombstone.events, 'event')}"
    typer.echo(f"erased {tombstone.participant_id}: {gone}")
    if tombstone.mended:
        typer.echo(f"in {Counted(tombstone.mended, 'event')} of others there is nothing of theirs any more")
    for sentence in tombstone.kept:
        typer.echo(sentence)
    note("datasets, reports and backups made before still hold them: make these anew, or delete them")
