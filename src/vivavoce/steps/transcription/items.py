"""Recordings to write down: a CSV file of items, some of them with a known transcript (gold)."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.audio.files import SOUND_TYPES
from vivavoce.core.yaml_source import Problem
from vivavoce.steps.base import StepFiles
from vivavoce.study.csv_lines import csv_lines
from vivavoce.study.settings import Flag, Number, Settings, Whole

COLUMNS: Final = ("audio", "dialogue_id", "turn_index", "gold", "hypothesis")


class TranscribeSettings(Settings):
    """Recordings to transcribe; some have a known transcript for quality checks."""

    items: str = Field(description="CSV file: audio, dialogue_id, turn_index, gold, hypothesis")
    audio: str = Field(description="folder of the recordings, .wav or .flac")
    per_participant: Whole = Field(
        20, ge=1, le=1000, description=("recordings per visit, including those with a known transcript")
    )
    gold: Number = Field(0.2, ge=0, le=1, description="share of recordings with a known transcript")
    min_gold: Whole = Field(3, ge=0, le=100, description="known recordings needed to judge a participant")
    accuracy: Number = Field(0.8, ge=0, le=1, description="minimum word accuracy on the known recordings")
    code_if_not_accepted: Flag = Field(
        False, description="give a completion code to participants below this accuracy"
    )
    prefill: Flag = Field(False, description="prefill the recogniser's hypothesis (biases the transcript)")


class TranscriptionItem(BaseModel):
    """One recording to write down.

    audio       file in the step's folder of recordings; it is the item's key
    gold        the known transcript; None where it is to be found out
    hypothesis  what the recogniser made of it, shown only where the step fills in beforehand
    """

    model_config = ConfigDict(frozen=True)

    audio: str
    dialogue_id: str | None = None
    turn_index: int | None = None
    gold: str | None = None
    hypothesis: str | None = None


def items_of(settings: TranscribeSettings, files: StepFiles) -> tuple[TranscriptionItem, ...]:
    """The items of a step; what is wrong with them is reported."""
    audio = files.folder / settings.audio
    if not audio.is_dir():
        hint = "create it with the recordings"
        files.report("audio", f"no folder {settings.audio!r}", hint)
        return ()
    hint = "write it with `vivavoce annotate items`"
    path = files.path(settings.items, "items", hint=hint, known_as="transcription")
    if path is None:
        return ()
    items, problems = read_items(path, audio)
    for item_problem in problems:
        files.report("", item_problem.problem, item_problem.hint, file=item_problem.place)
    gold_count = sum(item.gold is not None for item in items)
    if not problems and len(items) == gold_count:
        hint = "leave `gold` empty for unknown recordings"
        files.report("items", "every item has a known transcript", hint)
    if not problems and gold_count < settings.min_gold:
        problem = (
            f"{gold_count} items have a known transcript, but {settings.min_gold} are needed to judge a "
            "participant"
        )
        hint = "fill the column `gold` of more items, or lower min_gold"
        files.report("min_gold", problem, hint)
    return items


def read_items(path: Path, audio: Path) -> tuple[tuple[TranscriptionItem, ...], list[Problem]]:
    """The items of a CSV file, and what is wrong with it."""
    read = csv_lines(path)
    if isinstance(read, Problem):
        return (), [read]
    names, lines = read
    if "audio" not in names:
        return (), [Problem(path.name, "column 'audio' is missing", f"columns: {', '.join(COLUMNS)}")]
    items: dict[str, TranscriptionItem] = {}
    problems: list[Problem] = []
    for place, line in lines:
        cells = {name: (line.get(name) or "").strip() or None for name in COLUMNS}
        name, turn = cells["audio"] or "", cells["turn_index"]
        wrong = _wrong(name, turn, cells["dialogue_id"], audio, name in items)
        if wrong is not None:
            problems.append(Problem(place, *wrong))
            continue
        items[name] = TranscriptionItem(
            audio=name,
            dialogue_id=cells["dialogue_id"],
            turn_index=int(turn) if turn else None,
            gold=cells["gold"],
            hypothesis=cells["hypothesis"],
        )
    if not items and not problems:
        problems.append(Problem(path.name, "contains no items", "write a line for every recording"))
    return tuple(items.values()), problems


def _wrong(
    name: str, turn: str | None, dialogue_id: str | None, audio: Path, twice: bool
) -> tuple[str, str] | None:
    path = audio / name
    if not name or path.suffix.lower() not in SOUND_TYPES:
        return f"{name!r} is not a recording", "name a .wav or .flac file"
    if path.resolve().parent != audio.resolve():
        return f"{name!r} is not in the folder of recordings", "name a file in the folder"
    if not path.is_file():
        return f"no file {name!r} in {audio.name}", "add the file, or remove the line"
    if twice:
        return f"{name!r} is listed twice", "keep one of the lines"
    if turn is not None and not turn.isdigit():
        return f"{turn!r} is not a turn number", "write a number from 0"
    if (turn is None) != (dialogue_id is None):
        return "a dialogue without turn, or a turn without dialogue", "write both, or neither"
    return None
