"""`recruit slots`: the sessions of a laboratory, and addresses that are needed no more."""

import json
from typing import Annotated

import typer

from vivavoce.cli.progress import note
from vivavoce.core.errors import InputError
from vivavoce_recruitment.cli.opening import DRY, Confirm, Json, LogUrl, StudyFile


def slots(
    study: StudyFile,
    forget_emails: Annotated[
        bool, typer.Option("--forget-emails", help="Delete the addresses of sessions that are over.")
    ] = False,
    confirm: Confirm = False,
    log: LogUrl = None,
    as_json: Json = False,
) -> None:
    """Sessions of the laboratory with who booked, came and completed their visit; asks nobody."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment.laboratory.bookings import Bookings, seats_by_start
    from vivavoce_recruitment.laboratory.settings import LaboratorySettings

    found = read_study(study)
    settings = found.recruitment.get("laboratory")
    if not isinstance(settings, LaboratorySettings):
        hint = "add `laboratory: {room: ..., slots: [...], ...}` under it"
        raise InputError("this study has no laboratory", place=f"{study} recruitment", hint=hint)
    with open_log(found, log) as opened:
        bookings = Bookings(opened, found.name)
        over = opened.clock.now() - max(one.length for one in settings.sessions)
        if forget_emails and confirm:
            note(f"{bookings.forget_emails(over)} addresses were deleted")
        elif forget_emails:
            known = bookings.emails()
            late = [one for one in bookings.all() if one.number in known and one.start < over]
            typer.echo(f"{len(late)} addresses are of sessions that are over; {DRY}")
        booked = seats_by_start(bookings.all())
        completed = {
            one.visit_id for one in opened.visits(found.name, running=False) if one.outcome == "completed"
        }
    rows = [
        {
            "session": settings.told(start),
            "seats": settings.session_at(start).seats,
            "booked": len(theirs),
            "came": sum(one.visit_id is not None for one in theirs),
            "completed": sum(one.visit_id in completed for one in theirs),
        }
        for start in sorted({*(one.start for one in settings.sessions), *booked})
        for theirs in [booked.get(start, [])]
    ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for one in rows:
        told = f"{one['booked']} of {one['seats']} seats booked"
        typer.echo(f"{one['session']}  {told}, {one['came']} came, {one['completed']} completed")
