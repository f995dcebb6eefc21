"""Annotated commands out to files and in again: the notation, one file a speaker, and CSV."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from vivavoce.core.errors import InputError, nearest
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell, safe_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.log.annotation_events import AnnotationAssigned
from vivavoce.log.annotation_state import AnnotationState
from vivavoce.log.event import Event
from vivavoce_commands.annotation.drafts import TimedCommand
from vivavoce_commands.annotation.standing import (
    SCHEME,
    CommandSequence,
    StandingAnnotation,
    chosen,
    standing,
    with_standing,
)
from vivavoce_commands.annotation.workplace import CommandWorkplace
from vivavoce_commands.command_file import command_files, read_command_file
from vivavoce_commands.notation import NotationError, read_predicates, write_predicates

COLUMNS: Final = (
    "command_id",
    "participant_id",
    "recipe",
    "utterance",
    "text",
    "annotator_id",
    "annotation",
    "stands",
    "seconds",
    "draft",
)


class GivenAnnotation(NamedTuple):
    """One annotation of a file: where it stands there, the command, and what it says of it."""

    place: str
    key: str
    number: int
    annotation: str | None


def write_commands(workplace: CommandWorkplace, into: Path) -> dict[str, int]:
    """Write `commands.csv` with everybody's annotations and `notation/` with those that stand.

    Output  how many commands there are, and of how many an annotation stands
    """
    state, sequences = workplace.see(), workplace.sequences()
    stands, times = standing(state, sequences), {time[:3]: time for time in workplace.times()}
    into.mkdir(parents=True, exist_ok=True)
    with (into / "commands.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for sequence in sequences.values():
            for row in _rows(sequence, state, stands, times):
                writer.writerow([safe_csv_cell(cell) if isinstance(cell, str) else cell for cell in row])
    _write_notation(sequences, stands, into / "notation")
    return {
        "commands": sum(len(sequence.commands) for sequence in sequences.values()),
        "standing": len(stands),
    }


def _rows(
    sequence: CommandSequence,
    state: AnnotationState,
    stands: Mapping[str, StandingAnnotation],
    times: Mapping[tuple[str, str, int], TimedCommand],
) -> Iterator[tuple[Any, ...]]:
    annotated = state.dialogues.get(sequence.key)
    places = {place.turn_index: place for place in annotated.places(SCHEME)} if annotated else {}
    for number, command in enumerate(sequence.commands):
        facts = (
            command.command_id,
            sequence.participant_id,
            sequence.recipe,
            command.utterance,
            command.text,
        )
        place = places.get(number)
        for who, choice in sorted(annotated.choices(place).items()) if annotated and place else ():
            took = times.get((who, sequence.key, number))
            effort = (f"{took.seconds:.1f}", took.draft) if took is not None else (None, None)
            yield (*facts, who, chosen(choice), None, *effort)
        annotation = stands.get(command.command_id)
        if annotation is not None:
            yield (*facts, annotation.annotator_id, annotation.annotation, "yes", None, None)


def _write_notation(
    sequences: Mapping[str, CommandSequence], stands: Mapping[str, StandingAnnotation], folder: Path
) -> None:
    """One file a speaker, recipes separated; a command without a standing annotation has no line."""
    folder.mkdir(exist_ok=True)
    files: dict[str, list[str]] = {}
    for sequence in sequences.values():
        lines = files.setdefault(sequence.participant_id, [])
        lines += ["---"] if lines else []
        for command in sequence.commands:
            annotated = stands.get(command.command_id)
            if annotated is not None and annotated.annotation is not None:
                lines.append(f"{command.utterance}; {annotated.annotation}")
    for speaker, lines in files.items():
        (folder / f"{speaker}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def with_commands(workplace: CommandWorkplace, dataset: Dataset, into: Path) -> Dataset:
    """A copy of a dataset whose commands have the annotations that stand, and who gave them.

    Raises  InputError: the copy would be written over the dataset
    """
    annotations = standing(workplace.see(), workplace.sequences())
    return copy_dataset(dataset, into, {"commands": lambda rows: with_standing(rows, annotations)})


# --- reading ----------------------------------------------------------------------------------------


def take_in(workplace: CommandWorkplace, path: Path, annotator_id: str) -> int:
    """Take the annotations of a CSV file, or of notation files, as this annotator's work; how many there are.

    Note    a recipe counts as finished once every command in it has an annotation
    Raises  InputError: names the file, the line and what is wrong there; nothing is written then
    """
    sequences = workplace.sequences()
    annotations = (
        _read_csv(path, sequences, annotator_id) if _is_csv(path) else _read_notation(path, sequences)
    )
    by_key: dict[str, list[GivenAnnotation]] = {}
    for annotation in annotations:
        by_key.setdefault(annotation.key, []).append(annotation)
    _refuse_finished(workplace, annotator_id, by_key)
    for key, mine in by_key.items():
        _assign(workplace, annotator_id, key)
        for annotation in mine:
            workplace.annotate(annotator_id, key, annotation.number, annotation.annotation, origin="file")
        if len({item.number for item in mine}) == len(sequences[key].commands):
            workplace.finish(annotator_id, key, origin="file")
    return len(annotations)


def _refuse_finished(
    workplace: CommandWorkplace, who: str, by_key: Mapping[str, list[GivenAnnotation]]
) -> None:
    mine = workplace.see().of_annotator(who)
    for key, annotations in by_key.items():
        if key in mine and mine[key].finished_at is not None:
            hint = "finished work cannot be changed; resolve disagreements on the dashboard"
            raise InputError(f"{who} has already finished {key}", place=annotations[0].place, hint=hint)


def _assign(workplace: CommandWorkplace, who: str, key: str) -> None:
    def decide(state: AnnotationState) -> list[Event]:
        if key in state.of_annotator(who):
            return []
        return [AnnotationAssigned(dialogue_id=key, annotator_id=who)]

    workplace.write(decide)


def _is_csv(path: Path) -> bool:
    """True if it is a table with a header: notation files end in .csv too, but begin with a number."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.readline().startswith("command_id")


def _read_csv(
    path: Path, sequences_by_key: Mapping[str, CommandSequence], annotator_id: str
) -> list[GivenAnnotation]:
    """The lines of this annotator, or all where the file names none."""
    numbers = {
        command.command_id: (key, number)
        for key, sequence in sequences_by_key.items()
        for number, command in enumerate(sequence.commands)
    }
    annotations = []
    with opened_csv(path) as file:
        reader = csv.DictReader(file)
        if "annotation" not in (reader.fieldnames or ()):
            raise InputError("column 'annotation' is missing", place=str(path), hint="add the column")
        for row in reader:
            place = f"{path.name}:{reader.line_num}"
            if row.get("annotator_id") not in (None, "", annotator_id) or row.get("stands"):
                continue
            command = str(read_csv_cell(row["command_id"] or ""))
            if command not in numbers:
                raise InputError(
                    f"unknown command {command!r}", place=place, hint=nearest(command, list(numbers))
                )
            annotations.append(
                GivenAnnotation(place, *numbers[command], _readable(row["annotation"] or "", place))
            )
    return annotations


def _readable(cell: str, place: str) -> str | None:
    text = str(read_csv_cell(cell.strip()) or "").strip()
    if not text:
        return None
    try:
        read_predicates(text)
    except NotationError as mistake:
        raise mistake.at(place) from None
    return text


def _read_notation(path: Path, sequences: Mapping[str, CommandSequence]) -> list[GivenAnnotation]:
    speakers: dict[str, list[CommandSequence]] = {}
    for sequence in sequences.values():
        speakers.setdefault(sequence.participant_id, []).append(sequence)
    annotations = []
    for speaker, file in command_files(path).items():
        if speaker not in speakers:
            hint = nearest(speaker, list(speakers))
            raise InputError(f"no commands of speaker {speaker!r}", place=str(file), hint=hint)
        annotations += _of_speaker(file, speakers[speaker])
    return annotations


def _of_speaker(file: Path, recipes: list[CommandSequence]) -> Iterable[GivenAnnotation]:
    for command in read_command_file(file, stop_at_first_problem=True).commands:
        place = f"{file.name}:{command.line}"
        if command.recipe >= len(recipes):
            hint = "separate recipes with ---, in the order of the dataset"
            raise InputError(
                f"this speaker has {len(recipes)} recipes in the dataset", place=place, hint=hint
            )
        sequence = recipes[command.recipe]
        number = next(
            (
                at
                for at, candidate in enumerate(sequence.commands)
                if candidate.utterance == command.utterance
            ),
            None,
        )
        if number is None:
            utterances = ", ".join(str(candidate.utterance) for candidate in sequence.commands[:20])
            raise InputError(
                f"no command {command.utterance} in {sequence.key}",
                place=place,
                hint=f"available utterances: {utterances}",
            )
        yield GivenAnnotation(place, sequence.key, number, write_predicates(command.predicates or ()))
