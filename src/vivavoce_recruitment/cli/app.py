"""`vivavoce recruit`: what a trial costs, offering it, paying people, and what became of each payment."""

import typer

from vivavoce_recruitment.cli.approve import ask_back, reject, screen_out, workers
from vivavoce_recruitment.cli.import_results import returning
from vivavoce_recruitment.cli.laboratory import slots
from vivavoce_recruitment.cli.paying import approve, bonus, compare, settle
from vivavoce_recruitment.cli.publish import (
    invite,
    pause,
    places,
    plan,
    publish,
    resume,
    status,
    stop,
    subscribe,
)
from vivavoce_recruitment.cli.recording import credit, receipts, sheet

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _recruit() -> None:
    """Manage recruitment and payments of participants."""


app.command("plan", short_help="Estimate the cost of the trial.")(plan)
app.command("publish", short_help="Publish the study.")(publish)
app.command("invite", short_help="Create invite links.")(invite)
app.command("subscribe", short_help="Subscribe to notices of the platform.")(subscribe)
app.command("status", short_help="Show participants and payments.")(status)
app.command("returns", short_help="Show participants who are due for a later session.")(returning)
app.command("slots", short_help="Show sessions of the laboratory.")(slots)
app.command("pause", short_help="Pause recruitment.")(pause)
app.command("resume", short_help="Resume recruitment.")(resume)
app.command("stop", short_help="Close recruitment.")(stop)
app.command("places", short_help="Add places.")(places)
app.command("workers", short_help="Show quality signals of participants.")(workers)
app.command("approve", short_help="Pay rewards.")(approve)
app.command("bonus", short_help="Pay bonuses.")(bonus)
app.command("reject", short_help="Reject a submission.")(reject)
app.command("ask-back", short_help="Request the return of a submission.")(ask_back)
app.command("screen-out", short_help="Pay screened-out participants.")(screen_out)
app.command("sheet", short_help="Write a payment sheet.")(sheet)
app.command("credit", short_help="Grant credit to students.")(credit)
app.command("receipts", short_help="Write a list of payments.")(receipts)
app.command("reconcile", short_help="Compare ledger, platform and log.")(compare)
app.command("settle", short_help="Record the result of a payment.")(settle)
