"""`recruit approve`, `bonus`, `reconcile` and `settle`: paying people, and what became of each payment."""

from collections.abc import Mapping
from getpass import getuser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import note
from vivavoce_recruitment.cli.options import (
    DRY,
    Confirm,
    Json,
    LogUrl,
    Recruiter_,
    StudyFile,
    found_signs_of,
    paid_study,
    sign_lines,
    tell,
    warn_of_open,
)

if TYPE_CHECKING:
    from vivavoce_recruitment.paid_study import PaidStudy
    from vivavoce_recruitment.payment import RecordedWork


def approve(
    study: StudyFile,
    confirm: Confirm = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Limit to this submission. Repeatable.")
    ] = None,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
) -> None:
    """Approve the submissions whose visit was completed by our own record, whatever code was entered.

    Without --confirm it tells signs of the quality of each one's work, too. They propose nothing: you decide.
    """
    from vivavoce_recruitment.payment import pay_rewards, rewards_due

    with paid_study(study, log, recruiter) as paid:
        platform = paid.platform()
        work = paid.work(platform)
        due = [reward for reward in rewards_due(work, paid.terms) if not only or reward[0] in only]
        for item in work:
            if item.submission.status == "submitted" and item.outcome != "completed":
                note(f"not proposed: {item.submission.ticket}  our record says {item.outcome}")
        if confirm:
            planned = paid.ledger.plan(paid.name, paid.listing, "reward", due)
            tickets = {ticket for ticket, _, _ in due}
            pay_rewards(
                paid.ledger,
                platform,
                [payment for payment in planned if payment.ticket in tickets],
                by=getuser(),
            )
        signs = {} if confirm else _signs_told(paid, work, {ticket for ticket, _, _ in due})
        report(paid, "reward", due, confirm, signs)


def _signs_told(paid: "PaidStudy", work: "list[RecordedWork]", tickets: set[str]) -> dict[str, list[str]]:
    """Lines to print under each ticket that is to be paid."""
    if not tickets:
        return {}
    signs = found_signs_of(paid.study, paid.ledger.log)
    return {
        recorded_work.submission.ticket: sign_lines(signs, recorded_work.visit.participant_id)
        for recorded_work in work
        if recorded_work.visit is not None and recorded_work.submission.ticket in tickets
    }


def bonus(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Pay what approved participants have earned on top by the study's rules."""
    from vivavoce_recruitment.payment import bonuses_due, pay_bonuses

    with paid_study(study, log, recruiter) as paid:
        platform = paid.platform()
        due = bonuses_due(paid.work(platform), paid.terms)
        if confirm:
            listing = paid.listing
            paid.ledger.plan(paid.name, listing, "bonus", due)
            pay_bonuses(paid.ledger, platform, paid.name, listing, by=getuser())
        report(paid, "bonus", due, confirm)


def report(
    paid: "PaidStudy",
    kind: str,
    due: list[tuple[str, str, Any]],
    confirm: bool,
    beneath: Mapping[str, list[str]] | None = None,
) -> None:
    """What became of what is due; the exit code is 1 where something is perhaps paid, or was refused.

    beneath  further lines by ticket
    """
    from vivavoce_recruitment.ledger import OPEN

    payments = {
        (payment.ticket, payment.reason): payment for payment in paid.ledger.payments(recruiter=paid.name)
    }
    for ticket, reason, amount in due:
        planned = payments.get((ticket, reason))
        typer.echo(f"{ticket}  {reason}  {amount}  {planned.state if planned is not None else 'due'}")
        for line in (beneath or {}).get(ticket, ()):
            typer.echo(line)
    if not confirm:
        typer.echo(DRY)
        return
    mine = [payment for payment in payments.values() if payment.kind == kind]
    warn_of_open([payment for payment in mine if payment.state in OPEN])
    for planned in mine:
        if planned.state == "refused":
            note(f"refused: {planned.payment_id}  {planned.ticket}  {planned.note}")
    if any(payment.state in OPEN or payment.state == "refused" for payment in mine):
        raise typer.Exit(1)


def compare(
    study: StudyFile, recruiter: Recruiter_ = None, log: LogUrl = None, as_json: Json = False
) -> None:
    """Find what was paid of what is perhaps paid, and hold ledger, platform and log against each other."""
    from vivavoce_recruitment.payment import reconcile

    with paid_study(study, log, recruiter) as paid:
        reconciled = reconcile(paid.ledger, paid.name, paid.terms, paid.work(paid.platform()))
    tell(
        {
            "paid by the ledger": reconciled.ledger,
            "paid by the platform": reconciled.platform,
            "accepted, not visible yet": len(reconciled.under_way),
            "uncertain": len(reconciled.open),
            "different amounts": len(reconciled.differences),
            "submitted, no visit": len(reconciled.unvisited),
            "visits, no submission": reconciled.unlisted,
            "erased here": reconciled.erased,
            "agrees": reconciled.agrees,
        },
        as_json,
    )
    for ticket, (ours, theirs) in reconciled.differences.items():
        note(f"different amounts: {ticket}  ledger {ours}  platform {theirs}")
    for ticket in reconciled.unvisited:
        note(f"submitted, no visit: {ticket}")
    warn_of_open(list(reconciled.open))
    if not reconciled.agrees:
        raise typer.Exit(1)


def settle(
    study: StudyFile,
    payment: Annotated[str, typer.Argument(metavar="PAYMENT", help="Payment, as listed by `status`.")],
    paid: Annotated[bool, typer.Option("--paid/--not-paid", help="Result that you saw on the platform.")],
    log: LogUrl = None,
) -> None:
    """Say of a payment that is perhaps paid, or was refused, whether it was; what was not is due again."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment.ledger import Ledger

    study_file = read_study(study)
    with open_log(study_file, log) as opened:
        for settled in Ledger(opened, study_file.name).settle(payment, paid=paid, by=getuser()):
            typer.echo(f"{settled.payment_id}  {settled.state}")
