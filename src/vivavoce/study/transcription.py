"""Recordings to write down: a CSV file of items, some of them with a known transcript (gold)."""

from pathlib import Path
from typing import Final

from vivavoce.audio.files import SOUND_TYPES
from vivavoce.core.yaml_source import KeyPath, Problem
from vivavoce.study.csv_lines import csv_lines
from vivavoce.study.file import StudyFile
from vivavoce.study.materials import Entries, Materials
from vivavoce.study.steps_file import TranscribeSettings
from vivavoce.study.transcription_items import TranscriptionItem

COLUMNS: Final = ("audio", "dialogue_id", "turn_index", "gold", "hypothesis")


def read_transcription(
    materials: Materials, file: StudyFile, entries: Entries
) -> tuple[TranscriptionItem, ...]:
    """The items of the study's step `transcribe`; () where there is none."""
    for index, entry in entries:
        if entry.transcribe is not None:
            return _items(materials, entry.transcribe, ("visit", index, "transcribe"))
    return ()


def _items(materials: Materials, step: TranscribeSettings, at: KeyPath) -> tuple[TranscriptionItem, ...]:
    report = materials.source.report
    audio = materials.folder / step.audio
    if not audio.is_dir():
        report((*at, "audio"), f"no folder {step.audio!r}", "make it, and put the recordings into it")
        return ()
    hint = "write it with `vivavoce annotate items`"
    path = materials.file(step.items, (*at, "items"), hint)
    if path is None:
        return ()
    materials.keep(path, "transcription", (*at, "items"))
    items, problems = read_items(path, audio)
    materials.source.problems += problems
    known = sum(item.gold is not None for item in items)
    if not problems and len(items) == known:
        report((*at, "items"), "every item has a known transcript", "leave `gold` empty where it is unknown")
    if not problems and known < step.least_gold:
        problem = f"{known} items have a known transcript, but {step.least_gold} are needed to judge somebody"
        report((*at, "least_gold"), problem, "fill the column `gold` of more items, or lower least_gold")
    return items


def read_items(path: Path, audio: Path) -> tuple[tuple[TranscriptionItem, ...], list[Problem]]:
    """The items of a CSV file, and what is wrong with it."""
    read = csv_lines(path)
    if isinstance(read, Problem):
        return (), [read]
    names, lines = read
    if "audio" not in names:
        return (), [Problem(path.name, "no column 'audio'", f"known: {', '.join(COLUMNS)}")]
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
            audio=name, dialogue_id=cells["dialogue_id"], turn_index=int(turn) if turn else None,
            gold=cells["gold"], hypothesis=cells["hypothesis"],
        )  # fmt: skip
    if not items and not problems:
        problems.append(Problem(path.name, "holds no items", "write a line for every recording"))
    return tuple(items.values()), problems


def _wrong(
    name: str, turn: str | None, dialogue_id: str | None, audio: Path, twice: bool
) -> tuple[str, str] | None:
    path = audio / name
    if not name or path.suffix.lower() not in SOUND_TYPES:
        return f"{name!r} is no recording", "name a .wav or .flac file"
    if path.resolve().parent != audio.resolve():
        return f"{name!r} is not in the folder of recordings", "name a file that lies in it"
    if not path.is_file():
        return f"no file {name!r} in {audio.name}", "put it there, or remove the line"
    if twice:
        return f"{name!r} is listed twice", "keep one of the lines"
    if turn is not None and not turn.isdigit():
        return f"{turn!r} is no turn", "write the turn's number, from 0"
    if (turn is None) != (dialogue_id is None):
        return "a dialogue without turn, or a turn without dialogue", "write both, or neither"
    return None
