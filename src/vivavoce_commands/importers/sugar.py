"""Import of annotated spoken commands in the layout of the SUGAR corpus: one file a speaker."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce_commands.command_file import CommandFile, command_files, read_command_file
from vivavoce_commands.notation import write_predicates

LAYOUT: Final = "<speaker>.csv or .txt, one command per line"
NOTES: Final = (
    "Commands were spoken. The files contain annotations but no transcripts.",
    ("The speaker's sex and age come from the file name if it has the form of the corpus, such as AbCdF26."),
    "Unreadable lines become commands without an annotation.",
)
# Initials, sex, age.
_SPEAKER = re.compile(r"(?P<initials>[A-Za-z]+?)(?P<sex>[FM])(?P<age>\d{1,3})")


def import_sugar(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of annotated commands.

    Input   files, or folders of them; `venues` is of no use here
    Output  dataset with the table `commands`, their number, and one line for each line that cannot be read
    Raises  InputError: nothing to read, one speaker twice, or, when `strict`, the first unreadable line
    """
    if venues is not None:
        raise InputError("commands do not use a venue database", place="--venues", hint="remove it")
    files = _files(paths)
    skipped: list[str] = []
    commands = 0
    read = {speaker: read_command_file(path, stop_at_first_problem=strict) for speaker, path in files.items()}
    lines = sum(len(file.commands) + len(file.problems) for file in read.values())
    with DatasetWriter(into, study={"name": "sugar"}, source={"kind": "sugar"}) as writer:
        for speaker, file in read.items():
            skipped += map(str, file.problems)
            commands += len(file.commands)
            writer.add("commands", _rows(file))
            writer.add("participants", [_participant(speaker)])
            if progress is not None:
                progress(commands + len(skipped), lines)
        if skipped and not commands:
            raise InputError(f"cannot read any of {len(skipped)} lines", place=skipped[0])
        writer.notes.extend(NOTES)
        return ImportResult(writer.close(), commands, skipped)


def _files(paths: list[Path]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for path in paths:
        for speaker, file in command_files(Path(path)).items():
            if speaker in files:
                raise InputError(f"two files of speaker {speaker!r}", place=str(file), hint="keep one file")
            files[speaker] = file
    return files


def _rows(file: CommandFile) -> Iterator[dict[str, Any]]:
    for command in file.commands:
        predicates = command.predicates
        yield {
            "command_id": f"{file.speaker}/{command.recipe}/{command.utterance}",
            "participant_id": file.speaker,
            "recipe": str(command.recipe),
            "utterance": command.utterance,
            "language": "it",
            "annotation": None if predicates is None else write_predicates(predicates),
            "annotation_written": command.annotation,
            "simulated": False,
        }


def _participant(speaker: str) -> dict[str, Any]:
    match = _SPEAKER.fullmatch(speaker)
    attributes = f'{{"sex": "{match["sex"]}", "age": {int(match["age"])}}}' if match else None
    return {
        "participant_id": speaker,
        "pool": "corpus",
        "language": "it",
        "attributes": attributes,
        "simulated": False,
    }


SUGAR: Final = Importer(
    name="sugar",
    title="SUGAR, spoken commands to a cooking robot",
    layout=LAYOUT,
    read=import_sugar,
    unit="commands",
)
