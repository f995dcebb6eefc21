"""Options, opening of the study with its recruiter, and output, shared by the recruitment commands."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vivavoce.cli.arguments import Study_, note

if TYPE_CHECKING:
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study
    from vivavoce_recruitment.ledger import Payment
    from vivavoce_recruitment.paid_study import PaidStudy
    from vivavoce_recruitment.platform import PricedRecruiter
    from vivavoce_recruitment.workers import FoundSigns

StudyFile = Study_
LogUrl = Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")]
Recruiter_ = Annotated[
    str | None,
    typer.Option("--recruiter", metavar="NAME", help="Recruiter that pays, if the study has several."),
]
Confirm = Annotated[bool, typer.Option("--confirm", help="Carry out the action (default: dry run).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Submission = Annotated[str, typer.Argument(metavar="SUBMISSION", help="Name on the platform.")]
DRY: Final = "dry run: add --confirm to carry it out"


@contextmanager
def paid_study(
    path: Path, url: str | None, name: str | None, *, kind: "type[PricedRecruiter] | None" = None
) -> "Iterator[PaidStudy]":
    """A study with the recruiter that is named, or its only one, while the block lasts.

    Input   kind: of recruiters that will do; None: those that pay by their interface
    Raises  InputError: there is none, or several; also in the place of what a platform did not do
    """
    from vivavoce.api.studies import open_log, read_study
    from vivavoce_recruitment.paid_study import choose_recruiter, opened
    from vivavoce_recruitment.platform import PaidRecruiter

    study = read_study(path)
    recruiter = choose_recruiter(study, kind or PaidRecruiter, name, place=f"{path} recruitment")
    with open_log(study, url) as log, opened(study, recruiter, log) as paid:
        yield paid


def tell(rows: dict[str, Any], as_json: bool) -> None:
    """Facts on stdout: as JSON, or one a line."""
    printable = {key: str(value) if isinstance(value, tuple) else value for key, value in rows.items()}
    if as_json:
        typer.echo(json.dumps(printable, ensure_ascii=False))
        return
    for key, printed in printable.items():
        cell = "none yet" if printed is None else f"{printed:.1f}" if isinstance(printed, float) else printed
        typer.echo(f"{key:24}{cell}")


def found_signs_of(study: "Study", log: "Log") -> "FoundSigns | None":
    """Signs of the quality of people's work, with a note where they were declared late; None: nobody came."""
    from vivavoce.api.studies import export_study
    from vivavoce_recruitment.workers import CHANGED, found_signs

    if not any(not visit.simulated for visit in log.visits(study.name)):
        return None
    with TemporaryDirectory() as folder:
        signs = found_signs(export_study(study, log, Path(folder) / "data", scope="people"), study)
    if signs.changed:
        note(CHANGED)
    return signs


def sign_lines(found: "FoundSigns | None", participant_id: str | None) -> list[str]:
    """Lines on a participant's work, one sign each, marked if outside the declared criteria."""
    from vivavoce_recruitment.workers import MARKED, english

    if found is None or participant_id is None:
        return []
    return [
        f"    {sign.words}" + (f"  {english(MARKED, condition=sign.marked)}" if sign.marked else "")
        for sign in found.told(participant_id, english)
    ]


def warn_of_open(perhaps: "list[Payment]") -> None:
    """List what is perhaps paid."""
    for payment in perhaps:
        paid_for = f"{payment.kind} {payment.reason}  {payment.amount}  {payment.ticket}"
        why = "the program stopped while sending it" if payment.state == "sent" else "unknown"
        reason = f"{why}; {payment.note}" if payment.note else why
        note(f"uncertain payment: {payment.payment_id}  {paid_for}  ({reason})")
    if perhaps:
        note("none of these is sent again: run `reconcile`, check the platform, then `settle` each one")
