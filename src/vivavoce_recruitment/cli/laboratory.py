"""`recruit slots`: the sessions of a laboratory, and addresses that are needed no more."""

import json
from typing import Annotated

import typer

from vivavoce.cli.arguments import note
from vivavoce.core.errors import InputError
from vivavoce_recruitment.cli.options import DRY, Confirm, Json, LogUrl, StudyFile


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

    study_file = read_study(study)
    settings = study_file.recruitment.get("laboratory")
    if not isinstance(settings, LaboratorySettings):
        hint = "add `laboratory: {room: ..., slots: [...], ...}` under `recruitment`"
        raise InputError("this study has no laboratory", place=f"{study} recruitment", hint=hint)
    with open_log(study_file, log) as opened:
        bookings = Bookings(opened, study_file.name)
        over = opened.clock.now() - max(session.length for session in settings.sessions)
        if forget_emails and confirm:
            note(f"deleted {bookings.forget_emails(over)} e-mail addresses")
        elif forget_emails:
            emails = bookings.emails()
            late = [
                booking for booking in bookings.all() if booking.number in emails and booking.start < over
            ]
            typer.echo(f"{len(late)} e-mail addresses belong to past sessions; {DRY}")
        booked = seats_by_start(bookings.all())
        completed = {
            visit.visit_id
            for visit in opened.visits(study_file.name, running=False)
            if visit.outcome == "completed"
        }
    rows = [
        {
            "session": settings.told(start),
            "seats": settings.session_at(start).seats,
            "booked": len(theirs),
            "came": sum(booking.visit_id is not None for booking in theirs),
            "completed": sum(booking.visit_id in completed for booking in theirs),
        }
        for start in sorted({*(session.start for session in settings.sessions), *booked})
        for theirs in [booked.get(start, [])]
    ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        seats_line = f"{row['booked']} of {row['seats']} seats booked"
        typer.echo(f"{row['session']}  {seats_line}, {row['came']} came, {row['completed']} completed")
