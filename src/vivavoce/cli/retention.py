"""The verb `retention`: data past its retention period, and its erasure."""

import getpass
import json
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Study_, note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.log.expiry import DuePart, Loss
    from vivavoce.study.model import Study
    from vivavoce.study.retention import Part

_NOUNS = {
    "identifiers": "identifiers and links",
    "free_text": "free-text answers",
    "visits": "visits with all their data",
}


def retention(
    study: Study_,
    confirm: Annotated[bool, typer.Option("--confirm", help="Erase data past its retention period.")] = False,
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Show data past the study's retention period and the effect on analyses; erase it with --confirm.

    You can run it while the study is served: visits in progress are kept.
    """
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.cli.recordings import keeping
    from vivavoce.log.expiry import expire_due, find_due, losses
    from vivavoce.log.models import team_study
    from vivavoce.log.retention import due as due_recordings
    from vivavoce.log.retention import expire

    plan = read_study(study)
    days, sound = _rules(plan), keeping(plan)
    idle = timedelta(minutes=plan.limits.visit_minutes)
    with open_log(plan, log) as opened:
        studies = (plan.name, team_study(plan.name))  # what the team tried out is kept no longer
        due = [one for of in studies for one in find_due(opened, of, days, idle)]
        lost = losses(opened, plan.name, due)
        recordings = due_recordings(opened, plan.name, sound) if sound is not None else []
        erased = 0
        if confirm:
            if sound is not None:
                recordings = expire(opened, plan.name, sound)
            erased = sum(len(expire_due(opened, of, days, idle, by=getpass.getuser())) for of in studies)
    if as_json:
        facts = {
            "due": [asdict(one) for one in due],
            "recordings": len(recordings),
            "losses": asdict(lost),
            "confirmed": confirm,
            "erased": erased,
        }
        typer.echo(json.dumps(facts, indent=2, default=lambda at: at.isoformat(), allow_nan=False))
        return
    for line in _lines(due, len(recordings), lost):
        typer.echo(line)
    if not due and not recordings:
        note("nothing is due")
    elif not confirm:
        note("Nothing was erased. Add --confirm to erase this data; it cannot be undone")
    else:
        note(f"erased: {erased} of {len(due)}, and {len(recordings)} recordings")
        note("earlier datasets, reports and backups still contain the data: create them again or delete them")


def _rules(plan: "Study") -> "dict[Part, int]":
    from vivavoce.core.errors import InputError

    rules = plan.retention
    if rules is None and (plan.recordings is None or not plan.recordings.expires):
        raise InputError(
            "no retention period is set",
            place=f"study {plan.name}",
            hint="Add, for example, retention: {identifiers_days: 90, visits_days: 3650} to the study file",
        )
    return rules.days() if rules is not None else {}


def _lines(due: "Sequence[DuePart]", recordings: int, lost: "Loss") -> list[str]:
    """Data to erase, reasons for waiting and the effect on analyses, one line each."""
    found = []
    for one in due:
        line = f"{one.participant_id}  {one.pieces} {_NOUNS[one.part]}  last visit {one.begun_at:%Y-%m-%d}"
        found.append(f"{line}  waits: {'; '.join(one.waits)}" if one.waits else line)
    found += [f"{recordings} recordings"] if recordings else []
    going = {one.part for one in due if not one.waits}
    if "visits" in going:
        found.append(f"analyses lose participants: {lost.participants} now, {lost.left} remain")
        found += [
            f"analyses lose dialogues of {system}: {number} now, {lost.dialogues_left[system]} remain"
            for system, number in sorted(lost.dialogues.items())
            if number != lost.dialogues_left[system]
        ]
    found += [
        f"analyses lose answers to {item}: {number} now, {lost.answers_left[item]} remain"
        for item, number in sorted(lost.answers.items())
        if number != lost.answers_left[item]
    ]
    if "identifiers" in going:
        found.append("a participant who returns counts as a new participant")
    if recordings:
        found.append("measures of the sound itself can no longer be computed")
    return found
