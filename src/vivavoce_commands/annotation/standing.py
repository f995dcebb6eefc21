"""Annotated commands of a study: who gave which annotation, and which one stands.

The commands that one speaker gave for one recipe are annotated together, in order: earlier ones are context.
They stand in a stream of their own with the events of other annotation: such a sequence
in the place of a dialogue, a command in that of a turn, its annotation as the value of the label `command`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from vivavoce.dataset.annotation_layers import ADJUDICATED
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Annotated, AnnotationState, Choice, Place
from vivavoce.log.models import StoredEvent

SCHEME: Final = "command"
Row = dict[str, Any]


class CommandSaid(NamedTuple):
    """One command: its key, its number within the recipe, its words, and their language.

    text       "" where it was spoken and nobody has written it down yet
    recording  its file, relative to the dataset or to the log's folder of recordings; None for typed ones
    pointed    what was pointed at meanwhile, as the dataset has it; "" for nothing
    """

    command_id: str
    utterance: int
    text: str
    language: str
    recording: str | None = None
    pointed: str = ""


class CommandSequence(NamedTuple):
    """The commands that one speaker gave for one recipe, in order."""

    key: str
    participant_id: str
    recipe: str
    commands: tuple[CommandSaid, ...]


class StandingAnnotation(NamedTuple):
    """The annotation that stands, None where it means no command, and who gave it."""

    annotation: str | None
    annotator_id: str


def sequences(rows: Iterable[Mapping[str, Any]]) -> dict[str, CommandSequence]:
    """Rows of the table `commands` as sequences by key.

    Note    a spoken command keeps its place whether it was transcribed, or its recording removed, or not:
            annotations hold its number. A recipe of which nothing can be read or heard is left out
    """
    commands_of: dict[str, list[CommandSaid]] = {}
    names: dict[str, tuple[str, str]] = {}
    for number, row in enumerate(rows, 1):
        text, recording = str(row.get("text") or "").strip(), row.get("recording")
        if not (text or recording or row.get("duration_s")):
            continue
        speaker, recipe = row.get("participant_id") or "nobody", row.get("recipe") or f"command {number}"
        key = f"{speaker}/{recipe}"
        names[key] = speaker, recipe
        language = row.get("language") or ""
        command = CommandSaid(
            row["command_id"],
            row.get("utterance") or number,
            text,
            language,
            recording,
            row.get("pointed") or "",
        )
        commands_of.setdefault(key, []).append(command)
    return {
        key: CommandSequence(key, *names[key], tuple(sorted(commands, key=lambda command: command.utterance)))
        for key, commands in commands_of.items()
        if any(item.text or item.recording for item in commands)
    }


def place_of(number: int) -> Place:
    """The place of a command by its number in the sequence, from 0."""
    return Place(SCHEME, number)


def labels_of(annotation: str | None) -> list[LoggedLabel]:
    return [] if annotation is None else [LoggedLabel(label=SCHEME, value=annotation)]


def annotation_of(labels: Iterable[LoggedLabel]) -> str | None:
    return next((label.value for label in labels), None)


def chosen(choice: Choice) -> str | None:
    """The annotation that a choice holds; None for no command."""
    return next((value for _, value in choice), None)


def standing(
    state: AnnotationState, sequences: Mapping[str, CommandSequence]
) -> dict[str, StandingAnnotation]:
    """By command: what was decided, else what everybody who finished said.

    Empty  a command that nobody has finished, or over which annotators differ undecided, is left out
    """
    return {
        sequence.commands[number].command_id: annotation
        for key, sequence in sequences.items()
        if key in state.dialogues
        for number, annotation in _of_sequence(state.dialogues[key])
        if number < len(sequence.commands)
    }


def _of_sequence(annotated: Annotated) -> Iterator[tuple[int, StandingAnnotation]]:
    for place in annotated.places(SCHEME):
        number = place.turn_index or 0
        if place in annotated.adjudicated:
            yield number, StandingAnnotation(annotation_of(annotated.adjudicated[place].labels), ADJUDICATED)
            continue
        choices = annotated.choices(place)
        if len(set(choices.values())) == 1:
            yield number, StandingAnnotation(chosen(next(iter(choices.values()))), " ".join(sorted(choices)))


def with_standing(rows: Iterable[Row], annotations: Mapping[str, StandingAnnotation]) -> Iterator[Row]:
    """Rows of the table `commands` with what stands; a row without it keeps what it had."""
    for row in rows:
        stands = annotations.get(row["command_id"])
        yield row if stands is None else row | stands._asdict()


def annotated(rows: Sequence[Row], events: Iterable[StoredEvent]) -> Iterable[Row]:
    """All commands of a study with what stands after these events of its stream."""
    state = AnnotationState.after(events)
    return with_standing(rows, standing(state, sequences(rows))) if state.dialogues else rows
