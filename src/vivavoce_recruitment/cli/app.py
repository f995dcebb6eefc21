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
    """Where participants come from, what they are paid, and what became of every payment."""


app.command("plan", short_help="What the trial costs.")(plan)
app.command("publish", short_help="Offer the study to people.")(publish)
app.command("invite", short_help="Make invitations.")(invite)
app.command("subscribe", short_help="Have the platform tell what changes.")(subscribe)
app.command("status", short_help="Who came, and what was paid.")(status)
app.command("returns", short_help="Who comes again to a later session.")(returning)
app.command("slots", short_help="Sessions of the laboratory.")(slots)
app.command("pause", short_help="Let nobody new in.")(pause)
app.command("resume", short_help="Let people in again.")(resume)
app.command("stop", short_help="End the offer.")(stop)
app.command("places", short_help="Offer more places.")(places)
app.command("workers", short_help="Signs of the quality of people's work.")(workers)
app.command("approve", short_help="Pay the rewards.")(approve)
app.command("bonus", short_help="Pay the bonuses.")(bonus)
app.command("reject", short_help="Refuse a submission.")(reject)
app.command("ask-back", short_help="Ask for a submission back.")(ask_back)
app.command("screen-out", short_help="Pay who did not fit.")(screen_out)
app.command("sheet", short_help="Write what to pay by hand.")(sheet)
app.command("credit", short_help="Grant students credit.")(credit)
app.command("receipts", short_help="Write what was paid.")(receipts)
app.command("reconcile", short_help="Compare ledger, platform and log.")(compare)
app.command("settle", short_help="Say what became of a payment.")(settle)
