"""Drafts of annotations by a program, and what annotators did with them: files, figures."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell, safe_csv_cell
from vivavoce.log.annotation_events import AnnotationAssigned, Draft, LabelsGiven
from vivavoce.log.models import StoredEvent
from vivavoce_commands.notation import NotationError, read_predicates, write_predicates

if TYPE_CHECKING:
    from vivavoce_commands.learning.examples import Recipe
    from vivavoce_commands.learning.system import Answer

COLUMNS: Final = ("command_id", "annotation", "confidence")


class CommandDraft(NamedTuple):
    """A program's draft of a command; confidence from 0 to 1, or None."""

    annotation: str
    confidence: float | None


def read_drafts(path: Path) -> dict[str, CommandDraft]:
    """Drafts by command_id from a CSV file; a line without an annotation is none.

    Raises  InputError: names the line and what is wrong there
    """
    drafts: dict[str, CommandDraft] = {}
    with opened_csv(path) as file:
        reader = csv.DictReader(file)
        for column in COLUMNS[:2]:
            if column not in (reader.fieldnames or ()):
                raise InputError(f"column {column!r} is missing", place=path.name, hint="add the column")
        for row in reader:
            place = f"{path.name}:{reader.line_num}"
            annotation = str(read_csv_cell((row["annotation"] or "").strip()) or "").strip()
            command = str(read_csv_cell((row["command_id"] or "").strip()) or "")
            if command in drafts:
                raise InputError(f"command {command!r} has two drafts", place=place, hint="keep one draft")
            if annotation:
                try:
                    predicates = write_predicates(read_predicates(annotation))
                except NotationError as mistake:
                    raise mistake.at(place) from None
                drafts[command] = CommandDraft(predicates, _confidence(row.get("confidence") or "", place))
    return drafts


@lru_cache(maxsize=4)
def drafts_at(path: Path, changed_ns: int) -> dict[str, CommandDraft]:
    """The drafts of a file as it was at this change; read once for each.

    Raises  as `read_drafts`
    """
    return read_drafts(path)


def _confidence(cell: str, place: str) -> float | None:
    if not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        hint = "write a number from 0 to 1, or leave the cell empty"
        raise InputError(f"invalid confidence {cell.strip()!r}", place=place, hint=hint)
    return value


def write_drafts(recipes: "Sequence[Recipe]", answers: "Sequence[Sequence[Answer]]", path: Path) -> int:
    """Write the answers of a system as drafts, whole, the least certain first; how many there are."""
    rows = sorted(
        (answer.confidence, command.command_id, write_predicates(answer.whole))
        for recipe, recipe_answers in zip(recipes, answers, strict=True)
        for command, answer in zip(recipe.commands, recipe_answers, strict=True)
        if answer.whole
    )
    beside = path.with_name(f".{path.name}.new")  # whoever reads has the old file or the new one
    with beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for confidence, command, annotation in rows:
            writer.writerow((safe_csv_cell(command), safe_csv_cell(annotation), f"{confidence:.4f}"))
    beside.replace(path)
    return len(rows)


class TimedCommand(NamedTuple):
    """One command as one annotator first judged it on the page: the seconds since what they did before.

    draft  what became of the draft that was shown; None: there was none
    """

    annotator_id: str
    key: str
    number: int
    seconds: float
    draft: Draft | None


class Effort(NamedTuple):
    """Annotation time of commands, with or without drafts.

    seconds     the median, which a pause does not move; None: there are none
    kept        how many drafts stayed as they were
    """

    drafted: bool
    commands: int
    annotators: int
    seconds: float | None
    kept: int
    signature: str


def spent(events: Iterable[StoredEvent]) -> Iterator[TimedCommand]:
    """The time of each command that was annotated on the page; what came from files took none.

    Note  changing an annotation later is no first judgement, and not counted
    """
    since, seen = {}, set()
    for stored in events:
        event = stored.event
        if isinstance(event, AnnotationAssigned):
            since[event.annotator_id, event.dialogue_id] = stored.at
        elif isinstance(event, LabelsGiven) and event.origin == "page" and event.turn_index is not None:
            who, place = (event.annotator_id, event.dialogue_id), event.turn_index
            if who in since and (who, place) not in seen:
                seconds = (stored.at - since[who]).total_seconds()
                yield TimedCommand(*who, place, seconds, event.draft)
            seen.add((who, place))
            since[who] = stored.at


def efforts(times: Iterable[TimedCommand], *, data: str) -> tuple[Effort, Effort]:
    """Annotation times without and with drafts."""
    all_times = list(times)
    return (
        _effort([time for time in all_times if time.draft is None], drafted=False, data=data),
        _effort([time for time in all_times if time.draft is not None], drafted=True, data=data),
    )


def _effort(times: Sequence[TimedCommand], *, drafted: bool, data: str) -> Effort:
    return Effort(
        drafted,
        len(times),
        len({time.annotator_id for time in times}),
        median(time.seconds for time in times) if times else None,
        sum(time.draft == "kept" for time in times),
        signature("seconds_a_command", unit="command", n=len(times), data=data, drafts=drafted),
    )
