"""The verb `retention`: what the study need not keep of people any more, and its erasure."""

import getpass
import json
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Study_
from vivavoce.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.log.expiry import DuePart, Loss
    from vivavoce.study.model import Study
    from vivavoce.study.retention import Part

_NOUNS = {
    "identifiers": "identifiers and links",
    "free_text": "answers written freely",
    "visits": "visits with all that is in them",
}


def retention(
    study: Study_,
    confirm: Annotated[bool, typer.Option("--confirm", help="Erase what is due.")] = False,
    log: Annotated[str | None, typer.Option("--log", help="Log: sqlite:/// or postgresql://.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
) -> None:
    """Say what is due by the study's rules of retention, and what analyses lose; erase it with --confirm.

    It may run while the study is served: nothing goes of who takes part.
    """
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.cli.recordings import keeping
    from vivavoce.log.expiry import expire_due, find_due, losses
    from vivavoce.log.retention import due as due_recordings
    from vivavoce.log.retention import expire
    from vivavoce.log.scope import team_study

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
            "due": [asdict(one) for one in due], "recordings": len(recordings), "losses": asdict(lost),
            "confirmed": confirm, "erased": erased,
        }  # fmt: skip
        typer.echo(json.dumps(facts, indent=2, default=lambda at: at.isoformat(), allow_nan=False))
        return
    for line in _lines(due, len(recordings), lost):
        typer.echo(line)
    if not due and not recordings:
        note("nothing is due")
    elif not confirm:
        note("nothing was erased: add --confirm to erase what is due; it cannot be undone")
    else:
        note(f"erased: {erased} of {len(due)}, and {len(recordings)} recordings")
        note("datasets, reports and backups made before still hold it: make them anew, or delete them")


def _rules(plan: "Study") -> "dict[Part, int]":
    from vivavoce.core.errors import InputError

    rules = plan.retention
    if rules is None and (plan.recordings is None or not plan.recordings.expires):
        raise InputError(
            "nothing says how long anything is kept", place=f"study {plan.name}",
            hint="add such as retention: {identifiers_days: 90, visits_days: 3650} to the study file",
        )  # fmt: skip
    return rules.days() if rules is not None else {}


def _lines(due: "Sequence[DuePart]", recordings: int, lost: "Loss") -> list[str]:
    """What is due, why some of it waits, and what analyses lose; a line each."""
    found = []
    for one in due:
        line = f"{one.participant_id}  {one.pieces} {_NOUNS[one.part]}  last visit {one.begun_at:%Y-%m-%d}"
        found.append(f"{line}  waits: {'; '.join(one.waits)}" if one.waits else line)
    found += [f"{recordings} recordings"] if recordings else []
    going = {one.part for one in due if not one.waits}
    if "visits" in going:
        found.append(f"analyses lose participants: {lost.participants} now, {lost.left} then")
        found += [
            f"analyses lose dialogues of {system}: {number} now, {lost.dialogues_left[system]} then"
            for system, number in sorted(lost.dialogues.items())
            if number != lost.dialogues_left[system]
        ]
    found += [
        f"analyses lose answers to {item}: {number} now, {lost.answers_left[item]} then"
        for item, number in sorted(lost.answers.items())
        if number != lost.answers_left[item]
    ]
    if "identifiers" in going:
        found.append(
            "who comes again is taken for somebody new, and their visits count as another participant's"
        )
    if recordings:
        found.append("what is measured on the sound itself cannot be measured again")
    return found
