"""The verb `recordings`: count, check and erase."""

import json
from collections import defaultdict
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Study_, note

if TYPE_CHECKING:
    from vivavoce.log.models import Recording
    from vivavoce.log.retention import Keeping
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study


def recordings(
    study: Study_,
    verify: Annotated[bool, typer.Option("--verify", help="Read every file and compare its hash.")] = False,
    erase: Annotated[
        str | None,
        typer.Option("--erase", metavar="PARTICIPANT", help="Delete all recordings of this participant."),
    ] = None,
    expire: Annotated[
        bool, typer.Option("--expire", help="Delete recordings past their retention period.")
    ] = False,
    make_key: Annotated[
        bool, typer.Option("--new-key", help="Print a new encryption key for recordings and exit.")
    ] = False,
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Count and check a study's recordings; erase a participant's, or old ones."""
    if make_key:
        _print_key()
        return
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.core.errors import InputError, UnknownName
    from vivavoce.log.recordings import check_recordings, erase_recordings
    from vivavoce.log.retention import due
    from vivavoce.log.spool import tapes_of

    plan = read_study(study)
    with open_log(plan, log) as opened:
        if erase is not None:
            tapes = tapes_of(opened, plan.name)
            people = sorted(
                {recording.participant_id for recording in opened.recordings(plan.name)} | tapes.keys()
            )
            if erase not in people:
                raise UnknownName("participant with recordings", erase, people, place=f"study {plan.name}")
            own = [
                recording for recording in opened.recordings(plan.name) if recording.participant_id == erase
            ]
            for tape in tapes.get(erase, []):
                tape.unlink(missing_ok=True)
            note(
                f"erased {erase_recordings(opened, own)} recordings of {erase}; the log keeps a record of "
                "the deletion"
            )
        kept_for = keeping(plan)
        if expire:
            if kept_for is None:
                raise InputError(
                    "no retention period for recordings is set",
                    place=f"{plan.name} recordings",
                    hint="Add recordings: {keep_days: N} or {keep_until: transcribed} to the study file",
                )
            _expire(opened, plan.name, kept_for)
        overdue = len(due(opened, plan.name, kept_for)) if kept_for is not None else 0
        counted = counts(opened.recordings(plan.name))
        problems = check_recordings(opened, content=verify)
    if as_json:
        facts = {"recordings": counted, "due": overdue, "problems": asdict(problems)}
        typer.echo(json.dumps(facts, indent=2, allow_nan=False))
    else:
        for one in counted:
            typer.echo(told(one))
        if not counted:
            typer.echo("no recordings")
        if overdue:
            typer.echo(f"{overdue} recordings are past their retention period; delete them with --expire")
        for line in problems.lines():
            typer.echo(line)
    if problems.lines():
        raise typer.Exit(1)


def keeping(plan: "Study") -> "Keeping | None":
    """Retention period of recordings; None if they are kept."""
    from vivavoce.log.retention import Keeping

    written = plan.recordings
    if written is None or not written.expires:
        return None
    return Keeping(written.keep_days, written.keep_until == "transcribed")


def _expire(log: "Log", study: str, kept_for: "Keeping") -> None:
    from vivavoce.log.retention import expire

    for one in expire(log, study, kept_for):
        note(f"deleted {one.file}, sha256 {one.sha256}, of {one.participant_id}")


def _print_key() -> None:
    from vivavoce.log.encryption import KEY, new_key

    typer.echo(new_key())
    note(f"export it as {KEY}, and keep a copy away from the recordings: without the key they are lost")


def counts(recorded: "list[Recording]") -> list[dict[str, Any]]:
    """Recordings by kind: number, duration and participants; units as named.

    Empty  no recording: []; durations are null if all recordings of a kind were removed
    """
    by_content: dict[tuple[str, bool], list[Recording]] = defaultdict(list)
    for one in recorded:
        by_content[one.content, one.simulated].append(one)
    return [_counted(content, simulated, found) for (content, simulated), found in sorted(by_content.items())]


def _counted(content: str, simulated: bool, found: "list[Recording]") -> dict[str, Any]:
    kept = [one for one in found if one.removed_at is None]
    durations = [one.duration_s for one in kept]
    return {
        "content": content,
        "simulated": simulated,
        "recordings": len(kept),
        "removed": len(found) - len(kept),
        "participants": len({one.participant_id for one in kept}),
        "total_s": sum(durations) if durations else None,
        "median_s": median(durations) if durations else None,
        "shortest_s": min(durations, default=None),
        "longest_s": max(durations, default=None),
    }


def told(one: dict[str, Any]) -> str:
    """Line for the terminal."""
    line = f"{one['content']}: {one['recordings']} recordings of {one['participants']} participants"
    if one["total_s"] is not None:
        line += f", {one['total_s']:.1f} s in all, median {one['median_s']:.2f} s"
        line += f" ({one['shortest_s']:.2f} to {one['longest_s']:.2f} s)"
    line += f", {one['removed']} removed" if one["removed"] else ""
    return line + (", SIMULATED" if one["simulated"] else "")
