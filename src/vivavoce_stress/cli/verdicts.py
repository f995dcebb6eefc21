"""`stress verdicts`: every case of the last runs as a file to judge, and the verdicts taken from it."""

from pathlib import Path
from typing import Annotated

import typer

from vivavoce.cli.arguments import Study_
from vivavoce.cli.progress import note
from vivavoce_stress.cli.run import Log_


def verdicts(
    study: Study_,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write every case that can be judged.")] = None,
    read: Annotated[Path | None, typer.Option("--read", help="Take the verdicts in this CSV.")] = None,
    judge: Annotated[str | None, typer.Option("--judge", help="Who judged; needed by --read.")] = None,
    log: Log_ = None,
) -> None:
    """Judge cases by file, whoever decided them: a person's verdict takes the place of the rules'."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.log.stress_events import stress_stream
    from vivavoce_stress.verdict_file import read_verdicts, write_verdicts
    from vivavoce_stress.verdict_queue import VerdictQueue

    who = (judge or "").strip()
    if csv is None and read is None:
        raise InputError(
            "nothing is to be done", place="stress verdicts", hint="add --csv FILE, or --read FILE"
        )
    if read is not None and not who:
        raise InputError("who judges?", place="stress verdicts", hint="add --judge NAME")
    plan = read_study(study)
    stream = stress_stream(plan.name)
    with open_log(plan, log) as opened:
        queue = VerdictQueue.of(opened.events(stream))
        if read is not None:
            found = read_verdicts(read, queue, who)
            opened.transact_now(lambda tx: [tx.append(stream, event) for event in found])
            note(f"took {len(found)} verdicts of {who}")
            queue = VerdictQueue.of(opened.events(stream))
        if csv is not None:
            note(f"wrote {write_verdicts(queue, csv)} cases to {csv}")
    counts = queue.counts()
    typer.echo(
        f"{counts.judged} of {sum(one.decided for one in queue.cases.values())} cases judged by people"
    )
