"""`stress verdicts`: every case of the last runs as a file to judge, and the verdicts taken from it."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from vivavoce.cli.arguments import Study_, note
from vivavoce.core.errors import InputError
from vivavoce.dataset.csv_files import safe_csv_cell
from vivavoce.log.stress_events import ReplayFinished, VerdictGiven
from vivavoce_stress.cli.run import Log_
from vivavoce_stress.review_file import new_file, read_cell, read_rows
from vivavoce_stress.verdict_queue import JudgedCase, VerdictQueue, given

JUDGED: Final[tuple[str, ...]] = ("verdict", "instead", "remark")
COLUMNS: Final[tuple[str, ...]] = (
    "run_id",
    "case_id",
    "number",
    "test",
    "language",
    "original",
    "variant",
    "with_original",
    "with_variant",
    "counts_now",
    *JUDGED,
)


def write_verdicts(queue: VerdictQueue, path: Path) -> int:
    """Write the cases that can be judged, numbered as in reports; gives back how many.

    Of one that is drawn for a double check the rules' verdict does not stand there before it is judged.
    """
    row_count, numbers = 0, dict[str, int]()
    with new_file(path) as file:
        writer: csv.DictWriter[str] = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for case in queue.cases.values():
            numbers[case.run_id] = numbers.get(case.run_id, 0) + 1
            if case.decided:
                facts = _facts(case, numbers[case.run_id])
                writer.writerow({name: safe_csv_cell(value) for name, value in facts.items()})
                row_count += 1
    return row_count


def _facts(one: JudgedCase, number: int) -> dict[str, str | None]:
    blind = one.asked is not None and not one.people
    return {
        "run_id": one.run_id,
        "case_id": one.case.case_id,
        "number": str(number),
        "test": one.case.test,
        "language": one.case.language,
        "original": one.case.original,
        "variant": one.case.variant,
        "with_original": _said(one.clean),
        "with_variant": _said(one.variant),
        "counts_now": None if blind else one.verdict,
    }


def _said(replay: ReplayFinished | None) -> str:
    turns = replay.turns if replay else []
    return "\n".join(f"{'U' if turn['party'] == 'user' else 'S'}: {turn['text'] or ''}" for turn in turns)


def read_verdicts(path: Path, queue: VerdictQueue, judge: str) -> list[VerdictGiven]:
    """The verdicts in a file, in its order; rows without one are left for later.

    Raises  InputError: names the first line that cannot be read, and what it may hold
    """
    return list(_given(path, queue, judge))


def _given(path: Path, queue: VerdictQueue, judge: str) -> Iterator[VerdictGiven]:
    for number, row in enumerate(read_rows(path, ("run_id", "case_id", *JUDGED)), 2):
        verdict, instead, remark = (read_cell(row[name]) for name in JUDGED)
        if not verdict:
            continue
        place, key = f"{path.name}:{number}", (read_cell(row["run_id"]), read_cell(row["case_id"]))
        judged_case = queue.cases.get(key)
        if judged_case is None or not judged_case.decided:
            hint = "keep the columns run_id and case_id; cases must be of the last runs"
            raise InputError(f"unknown case {row['case_id']!r}", place=place, hint=hint)
        try:
            yield given(judged_case, judge, verdict.lower(), remark, instead.lower())
        except InputError as error:
            raise InputError(error.problem, place=place, hint=error.hint) from None


def verdicts(
    study: Study_,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write all cases that can be judged to this CSV file.")
    ] = None,
    read: Annotated[Path | None, typer.Option("--read", help="Import the verdicts of this CSV file.")] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", help="Name of the judge. Required by --read.")
    ] = None,
    log: Log_ = None,
) -> None:
    """Judge cases by file, whoever decided them: a person's verdict takes the place of the rules'."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce.log.stress_events import stress_stream
    from vivavoce_stress.verdict_queue import VerdictQueue

    who = (judge or "").strip()
    if csv is None and read is None:
        raise InputError("no action given", place="stress verdicts", hint="add --csv FILE, or --read FILE")
    if read is not None and not who:
        raise InputError("the judge is missing", place="stress verdicts", hint="add --judge NAME")
    plan = read_study(study)
    stream = stress_stream(plan.name)
    with open_log(plan, log) as opened:
        queue = VerdictQueue.of(opened.events(stream))
        if read is not None:
            events = read_verdicts(read, queue, who)
            opened.transact_now(lambda tx: [tx.append(stream, event) for event in events])
            note(f"imported {len(events)} verdicts by {who}")
            queue = VerdictQueue.of(opened.events(stream))
        if csv is not None:
            note(f"wrote {write_verdicts(queue, csv)} cases to {csv}")
    counts = queue.counts()
    typer.echo(f"people judged {counts.judged} of {sum(case.decided for case in queue.cases.values())} cases")
