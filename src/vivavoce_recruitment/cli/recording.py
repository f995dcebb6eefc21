"""`recruit sheet`, `credit` and `receipts`: paying by our own record, and what was paid for the accounts."""

from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.arguments import note
from vivavoce.core.errors import InputError
from vivavoce_recruitment.cli.options import (
    DRY,
    Confirm,
    LogUrl,
    Recruiter_,
    StudyFile,
    found_signs_of,
    paid_study,
    sign_lines,
    warn_of_open,
)


def sheet(
    study: StudyFile,
    out: Annotated[Path, typer.Option("--out", help="CSV file to write; must not exist.")],
    confirm: Confirm = False,
    recruiter: Recruiter_ = None,
    log: LogUrl = None,
) -> None:
    """Write what is to be paid on the platform's pages; everybody stands on one sheet only."""
    from vivavoce_recruitment.platform import SheetRecruiter
    from vivavoce_recruitment.recorded import plan_due, recorded_visits, write_sheet

    if out.exists():
        raise InputError("already exists", place=str(out), hint="choose another file")
    with paid_study(study, log, recruiter, kind=SheetRecruiter) as paid:
        visits = recorded_visits(paid.ledger.log, paid.study.name, paid.name)
        plan_due(paid.ledger, paid.name, paid.terms, visits)
        due = paid.ledger.payments("planned", recruiter=paid.name)
        signs = found_signs_of(paid.study, paid.ledger.log) if due and not confirm else None
        whose = {visit.person: visit.participant_id for visit in visits}
        for due_payment in due:
            typer.echo(f"{due_payment.ticket}  {due_payment.reason}  {due_payment.amount}  due")
            for line in (
                sign_lines(signs, whose.get(due_payment.ticket)) if due_payment.kind != "bonus" else ()
            ):
                typer.echo(line)
        if not due:
            note("nothing is due")
        elif not confirm:
            typer.echo(DRY)
        else:
            assert isinstance(paid.recruiter, SheetRecruiter)
            name, text = write_sheet(paid.ledger, paid.name, paid.recruiter.columns, visits)
            out.write_text(text, encoding="utf-8")
            place = paid.recruiter.place
            note(f"{name}: pay it at {place}, then run `vivavoce recruit settle STUDY {name} --paid`")


def credit(
    study: StudyFile, confirm: Confirm = False, recruiter: Recruiter_ = None, log: LogUrl = None
) -> None:
    """Grant completed visits their credit; what may have got lost is granted again, which grants it once."""
    from vivavoce_recruitment.platform import CreditRecruiter
    from vivavoce_recruitment.recorded import grant_credit, plan_due, recorded_visits

    with paid_study(study, log, recruiter, kind=CreditRecruiter) as paid:
        assert isinstance(paid.recruiter, CreditRecruiter)
        visits = recorded_visits(paid.ledger.log, paid.study.name, paid.name)
        plan_due(paid.ledger, paid.name, paid.terms, visits)
        if not confirm:
            due = paid.ledger.payments("planned", "sent", "unknown", recruiter=paid.name)
            signs = found_signs_of(paid.study, paid.ledger.log) if due else None
            whose = {visit.person: visit.participant_id for visit in visits}
            for payment in due:
                typer.echo(f"{payment.ticket}  {payment.amount}  due")
                for line in sign_lines(signs, whose.get(payment.ticket)):
                    typer.echo(line)
            typer.echo(DRY)
            return
        grantor, settings = paid.recruiter, paid.settings
        payments = grant_credit(paid.ledger, paid.name, lambda person: grantor.grant(settings, person))
        for payment in payments:
            remark = f"  {payment.note}" if payment.note else ""
            typer.echo(f"{payment.ticket}  {payment.amount}  {payment.state}{remark}")
        if any(granted.state != "confirmed" for granted in payments):
            note("some credit was not granted: run this again; no credit is granted twice")
            raise typer.Exit(1)


def receipts(
    study: StudyFile,
    out: Annotated[Path, typer.Option("--out", help="CSV file to write; must not exist.")],
    log: LogUrl = None,
) -> None:
    """Write for the accounts what was paid and to whom, as the platforms know them."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment.ledger import OPEN, Ledger
    from vivavoce_recruitment.receipts import receipts_of, totals

    if out.exists():
        raise InputError("already exists", place=str(out), hint="choose another file")
    study_file = read_study(study)
    with open_log(study_file, log) as opened:
        payments = Ledger(opened, study_file.name).payments()
    out.write_text(receipts_of(payments), encoding="utf-8")
    for recruiter, kind, perhaps, number, amount in totals(payments):
        typer.echo(f"{recruiter}  {kind}  {number}  {amount}{'  uncertain' if perhaps else ''}")
    warn_of_open([payment for payment in payments if payment.state in OPEN])
    note(f"wrote {out}; it identifies paid participants: keep it with the accounts only")
