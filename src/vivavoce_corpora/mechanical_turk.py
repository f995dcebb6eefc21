"""Import of old results of Mechanical Turk: the CSV files of a batch, to participants and what they answered.

The service closed in September 2026; what it left are files of one row an assignment.

Source  columns of batch results: the requester's guide of Mechanical Turk (read November 2026)
"""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.validation import shown_value
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress

LAYOUT: Final = "Batch_NUMBER_batch_results.csv, or a folder with such files"
NEEDED: Final = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime")
ANSWER: Final = "Answer."
OUTCOMES: Final = {"Approved": "completed", "Submitted": "completed", "Rejected": "not_accepted"}
ZONES: Final = {"PST": -8, "PDT": -7, "UTC": 0, "GMT": 0}
_TIME: Final = re.compile(r"\w{3} (\w{3} \d{1,2} \d\d:\d\d:\d\d) (\w{3}) (\d{4})")
NOTES: Final = (
    "Worker IDs are not stored; pseudonyms are numbered in file order.",
    "Answers come from the original task page, not from a Vivavoce questionnaire.",
)

Row = dict[str, Any]


def import_mechanical_turk(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of assignments: each worker a participant, each answer a row of `ratings`.

    Input   result files, or folders with them; `venues` is of no use here
    Output  dataset, number of assignments, and one line for each one left out
    Note    visit_id names the assignment; its step lasts from accepting to submitting it
    Raises  InputError: no such file or column, or, when `strict`, the first broken row
    """
    if venues is not None:
        raise InputError("results of tasks have no venue database", place="--venues", hint="leave it out")
    rows = [row for path in paths for file in _files(Path(path)) for row in _rows(file)]
    with DatasetWriter(into, study={"name": "mturk"}, source={"kind": "mturk"}) as writer:
        workers: dict[str, Row] = {}
        seen: set[str] = set()
        skipped: list[str] = []
        for number, (place, row) in enumerate(rows, start=1):
            try:
                if row["AssignmentId"] in seen:
                    raise InputError(f"assignment {row['AssignmentId']} appears twice", place=place)
                _add(writer, place, row, workers, visit_id=f"assignment-{len(seen) + 1}")
                seen.add(row["AssignmentId"])
            except InputError as problem:
                if strict:
                    raise
                skipped.append(str(problem))
            if progress is not None:
                progress(number, len(rows))
        if not seen:
            hint = skipped[0] if skipped else "the files have no rows"
            raise InputError("no assignment could be read", place=str(paths[0]), hint=hint)
        writer.add("participants", list(workers.values()))
        writer.notes.extend(NOTES)
        return ImportResult(writer.close(), len(seen), skipped)


def _files(path: Path) -> list[Path]:
    tables = [path] if path.is_file() else sorted(path.rglob("*.csv")) if path.is_dir() else []
    if not tables:
        raise InputError("no results in this folder", place=str(path), hint=f"expected {LAYOUT}")
    return tables


def _rows(file: Path) -> Iterator[tuple[str, Row]]:
    """Each row with its place."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            table = csv.DictReader(opened)
            if missing := [name for name in NEEDED if name not in (table.fieldnames or ())]:
                raise InputError(
                    f"column {missing[0]!r} is missing", place=str(file), hint=f"expected {LAYOUT}"
                )
            for row in table:
                yield f"{file}:{table.line_num}", row
    except (UnicodeDecodeError, csv.Error) as broken:
        raise InputError(
            f"not a CSV file in UTF-8: {broken}", place=str(file), hint=f"expected {LAYOUT}"
        ) from None


def _add(writer: DatasetWriter, place: str, row: Row, workers: dict[str, Row], visit_id: str) -> None:
    outcome = OUTCOMES.get(row["AssignmentStatus"])
    if outcome is None:
        outcomes = ", ".join(OUTCOMES)
        raise InputError(
            f"unknown AssignmentStatus {shown_value(row['AssignmentStatus'])}",
            place=place,
            hint=f"known: {outcomes}",
        )
    began, ended_at = _instant(place, row["AcceptTime"]), _instant(place, row["SubmitTime"])
    worker = workers.setdefault(
        row["WorkerId"],
        {
            "participant_id": f"worker-{len(workers) + 1}",
            "pool": "mturk",
            "first_seen_at": began,
            "simulated": False,
        },
    )
    worker["first_seen_at"] = min(began, worker["first_seen_at"])
    worker["outcome"] = outcome
    key = {"visit_id": visit_id, "participant_id": worker["participant_id"]}
    step = {"number": 1, "kind": "task", "name": row["HITId"], "began_at": began, "ended_at": ended_at}
    writer.add("steps", [{**key, **step, "duration_s": (ended_at - began).total_seconds()}])
    answers = [
        {
            **key,
            "instrument": "mturk",
            "item_id": name.removeprefix(ANSWER),
            "value": _number(answer),
            "answer": answer,
            "answered_at": ended_at,
        }
        for name, answer in row.items()
        if name is not None and name.startswith(ANSWER) and answer
    ]
    writer.add("ratings", answers)


def _instant(place: str, time_text: str | None) -> datetime:
    match = _TIME.fullmatch((time_text or "").strip())
    hours = ZONES.get(match[2]) if match is not None else None
    if match is None or hours is None:
        hint = "expected such as Tue Mar 10 12:34:56 PDT 2015"
        raise InputError(f"{shown_value(time_text)} is not a time of Mechanical Turk", place=place, hint=hint)
    try:
        local = datetime.strptime(f"{match[1]} {match[3]} {hours:+03d}00", "%b %d %H:%M:%S %Y %z")
    except ValueError:
        raise InputError(f"{shown_value(time_text)} is not a valid time", place=place) from None
    return local.astimezone(UTC)


def _number(answer: str) -> float | None:
    try:
        value = float(answer)
    except ValueError:
        return None
    return value if abs(value) < 1e12 else None  # neither nan nor an identifier in digits


MECHANICAL_TURK: Final = Importer(
    name="mturk",
    title="Mechanical Turk, old results of batches",
    layout=LAYOUT,
    read=import_mechanical_turk,
    unit="assignments",
)
