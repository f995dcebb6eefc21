"""Verdicts by file: a CSV of every case of the last runs for a linguist's spreadsheet, read back."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.log.export_csv import safe_csv_cell
from vivavoce.log.stress_events import ReplayFinished, VerdictGiven
from vivavoce_stress.review_file import new_file, read_cell, read_rows
from vivavoce_stress.verdict_queue import JudgedCase, VerdictQueue, given

JUDGED: Final[tuple[str, ...]] = ("verdict", "instead", "remark")
COLUMNS: Final[tuple[str, ...]] = (
    "run_id", "case_id", "number", "test", "language", "original", "variant", "with_original", "with_variant",
    "counts_now", *JUDGED,
)  # fmt: skip


def write_verdicts(queue: VerdictQueue, path: Path) -> int:
    """Write the cases that can be judged, numbered as in reports; gives back how many.

    Of one that is drawn for a double check the rules' verdict does not stand there before it is judged.
    """
    written, numbers = 0, dict[str, int]()
    with new_file(path) as file:
        writer: csv.DictWriter[str] = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        for one in queue.cases.values():
            numbers[one.run_id] = numbers.get(one.run_id, 0) + 1
            if one.decided:
                facts = _facts(one, numbers[one.run_id])
                writer.writerow({name: safe_csv_cell(value) for name, value in facts.items()})
                written += 1
    return written


def _facts(one: JudgedCase, number: int) -> dict[str, str | None]:
    blind = one.asked is not None and not one.people
    return {
        "run_id": one.run_id, "case_id": one.case.case_id, "number": str(number), "test": one.case.test,
        "language": one.case.language, "original": one.case.original, "variant": one.case.variant,
        "with_original": _said(one.clean), "with_variant": _said(one.variant),
        "counts_now": None if blind else one.verdict,
    }  # fmt: skip


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
        one = queue.cases.get(key)
        if one is None or not one.decided:
            hint = "keep the columns run_id and case_id; cases are of the last runs"
            raise InputError(f"unknown case {row['case_id']!r}", place=place, hint=hint)
        try:
            yield given(one, judge, verdict.lower(), remark, instead.lower())
        except InputError as error:
            raise InputError(error.problem, place=place, hint=error.hint) from None
