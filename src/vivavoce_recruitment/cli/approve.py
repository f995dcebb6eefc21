"""`recruit workers`, `reject`, `ask-back` and `screen-out`: what a person sees of work, and decides of who
is not approved."""

import json
from getpass import getuser
from typing import Annotated

import typer

from vivavoce.cli.arguments import note
from vivavoce.core.errors import InputError
from vivavoce_recruitment.cli.options import (
    DRY,
    Confirm,
    Json,
    LogUrl,
    Recruiter_,
    StudyFile,
    Submission,
    found_signs_of,
    paid_study,
    sign_lines,
)
from vivavoce_recruitment.cli.paying import report


def workers(study: StudyFile, log: LogUrl = None, as_json: Json = False) -> None:
    """Signs of the quality of everybody's work, marked where the study file says so. They decide nothing."""
    from vivavoce.api.studies import open_log, read_study

    read = read_study(study)
    with open_log(read, log) as opened:
        signs = found_signs_of(read, opened)
    people = list(signs.by_person) if signs is not None else []
    if as_json:
        rows = (
            [
                {"participant_id": person}
                | {name: sign._asdict() for name, sign in signs.judged(person).items()}
                for person in people
            ]
            if signs is not None
            else []
        )
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    for person in people:
        typer.echo(person)
        for line in sign_lines(signs, person):
            typer.echo(line)
    if not people:
        note("no participants yet")


def reject(
    study: StudyFile,
    submission: Submission,
    category: Annotated[
        str, typer.Option("--category", help="Rejection category of the platform, such as NO_DATA.")
    ],
    message: Annotated[str, typer.Option("--message", help="Message to the participant.")],
    confirm: Confirm = False,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
) -> None:
    """Refuse a submission: its participant is not paid. Nothing proposes this; you decide it."""
    with paid_study(study, log, recruiter) as paid:
        platform = paid.platform()
        matching = [
            recorded_work
            for recorded_work in paid.work(platform)
            if recorded_work.submission.ticket == submission
        ]
        if not matching:
            problem = f"this study has no submission {submission!r}"
            raise InputError(
                problem, place=paid.recruiter.place, hint="choose a submission listed by `approve`"
            )
        if not confirm:
            typer.echo(
                f"{submission}  {matching[0].submission.status}  our record: {matching[0].outcome}  {DRY}"
            )
            return
        platform.reject(submission, category, message)
        typer.echo(f"{submission}  rejected")


def ask_back(
    study: StudyFile,
    submission: Submission,
    reason: Annotated[str, typer.Option("--reason", help="Message to the participant.")],
    confirm: Confirm = False,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
) -> None:
    """Ask a participant to give a submission back; unlike a rejection it does not harm them there."""
    with paid_study(study, log, recruiter) as paid:
        identifier = paid.listing
        if not confirm:
            typer.echo(f"{submission} of study {identifier}: {reason}; {DRY}")
            return
        paid.platform().ask_back(submission, reason)
        typer.echo(f"{submission}  return requested")


def screen_out(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Pay those whom the visit screened out what the study file says, and open their places again."""
    from vivavoce_recruitment.payment import pay_screen_outs, screen_outs_due

    with paid_study(study, log, recruiter) as paid:
        pay = getattr(paid.settings, "screen_out_pay", None)
        if pay is None:
            hint = "add `screen_out_pay: 0.20 GBP` (or another amount) before you publish"
            raise InputError(
                "no pay is set for screened-out participants", place=f"recruitment.{paid.name}", hint=hint
            )
        platform, listing = paid.platform(), paid.listing
        due = screen_outs_due(paid.work(platform), pay)
        if confirm:
            planned = paid.ledger.plan(paid.name, listing, "screen_out", due)
            tickets = {ticket for ticket, _, _ in due}
            pay_screen_outs(
                paid.ledger,
                platform,
                listing,
                [payment for payment in planned if payment.ticket in tickets],
                by=getuser(),
            )
        report(paid, "screen_out", due, confirm)
