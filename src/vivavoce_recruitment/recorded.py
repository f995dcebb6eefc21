"""Payments due by our own record alone, for recruiters without a platform: sheets, and credit."""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from sqlalchemy import select

from vivavoce.dataset.csv_files import safe_csv_cell
from vivavoce.log.store import Log
from vivavoce.log.tables import people
from vivavoce_recruitment.ledger import OPEN, Ledger, Payment
from vivavoce_recruitment.money import Money
from vivavoce_recruitment.platform import NotDone, Terms, Unknown

SHEET: Final = "sheet-"
"""Prefix of the references on a sheet; `recruit settle` accepts it for all of them."""


@dataclass(frozen=True, slots=True)
class RecordedVisit:
    """A visit that has ended, of somebody whom a recruiter sent.

    person     the recruiter's key for them; participant_id: ours
    dialogues  that were completed in it
    """

    person: str
    participant_id: str
    outcome: str
    dialogues: int


def recorded_visits(log: Log, study: str, recruiter: str) -> list[RecordedVisit]:
    """The visits that have ended, in their order."""
    keys = select(people.c.participant_id, people.c.person_key)
    with log.reading() as connection:
        rows = connection.execute(keys.where(people.c.study == study, people.c.pool == recruiter))
        persons = {row.participant_id: row.person_key for row in rows}
    dialogue_counts = Counter(
        dialogue.visit_id for dialogue in log.dialogues(study) if dialogue.status == "completed"
    )
    return [
        RecordedVisit(
            persons[visit.participant_id],
            visit.participant_id,
            visit.outcome,
            dialogue_counts[visit.visit_id],
        )
        for visit in log.visits(study, running=False)
        if visit.participant_id in persons and visit.outcome is not None and not visit.simulated
    ]


def plan_due(ledger: Ledger, recruiter: str, terms: Terms, visits: Sequence[RecordedVisit]) -> None:
    """Note what completed visits have earned; what is noted already is not noted again."""
    done = [visit for visit in visits if visit.outcome == "completed"]
    kind = "credit" if terms.is_credit else "reward"
    ledger.plan(recruiter, "", kind, [(recorded_visit.person, kind, terms.reward) for recorded_visit in done])
    bonuses = [
        (recorded_visit.person, name, pay)
        for recorded_visit in done
        for name, pay in terms.earned(recorded_visit.dialogues)
    ]
    ledger.plan(recruiter, "", "bonus", bonuses)


def write_sheet(
    ledger: Ledger, recruiter: str, columns: Sequence[str], visits: Sequence[RecordedVisit]
) -> tuple[str, str]:
    """Planned payments as CSV, under a name to settle them by; they are `sent` on disk on return.

    Output  the name, and one row a person: outcome, and what is paid on top in major units
    Empty   nobody is due anything: two empty texts
    """
    planned = ledger.payments("planned", recruiter=recruiter)
    if not planned:
        return "", ""
    name = f"{SHEET}{uuid4().hex[:8]}"
    sent = ledger.move(planned, "sent", reference=name, note=f"on {name}")
    outcomes = {visit.person: visit.outcome for visit in visits}
    extra: defaultdict[str, int] = defaultdict(int)
    for payment in sent:
        extra[payment.ticket] += payment.minor if payment.kind == "bonus" else 0
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(columns)
    for person in [outcome for outcome in outcomes if outcome in extra]:
        minor = extra[person]
        bonus = f"{Money(minor, sent[0].currency).major:f}" if minor else ""
        table.writerow([safe_csv_cell(person), outcomes[person], bonus])  # who came said who they are
    return name, buffer.getvalue()


def grant_credit(ledger: Ledger, recruiter: str, grant: Callable[[str], None]) -> list[Payment]:
    """Grant what is planned, and again what may have got lost: credit is a state. What came of each."""
    ready = [
        payment
        for payment in ledger.payments(recruiter=recruiter)
        if payment.kind == "credit" and (payment.state == "planned" or payment.state in OPEN)
    ]
    moved: list[Payment] = []
    for credit in ready:
        sent = ledger.move([credit], "sent")
        try:
            grant(credit.ticket)
        except NotDone as error:
            moved += ledger.move(sent, "planned" if error.passing else "refused", note=str(error))
        except Unknown as error:
            moved += ledger.move(sent, "unknown", note=str(error))
        else:
            moved += ledger.move(sent, "confirmed")
    return moved
