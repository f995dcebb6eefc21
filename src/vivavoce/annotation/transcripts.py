"""Recordings to transcribe, accepted transcripts, and what they become: references, a training manifest."""

import csv
import json
import re
import wave
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from vivavoce.audio.files import SOUND_TYPES
from vivavoce.core.errors import InputError
from vivavoce.core.paths import resolve_path
from vivavoce.dataset.copying import Change, copy_dataset
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell, safe_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.log.queries import Reader
from vivavoce.log.stimulus_rows import transcriptions
from vivavoce.steps.transcription.items import COLUMNS as ITEM_COLUMNS

Row = dict[str, Any]
COLUMNS: Final = (
    "audio",
    "dialogue_id",
    "turn_index",
    "transcript",
    "transcriber",
    "language",
    "transcribed_at",
)
_NAME: Final = re.compile(r"(?P<dialogue>.+)_(?P<turn>\d{1,6})")


def item_rows(dataset: Dataset, audio: Path) -> list[Row]:
    """One item for every recording `<dialogue_id>_<turn_index>.wav` (or .flac) of a user turn.

    Raises  InputError: there is no such recording
    """
    hypotheses = {
        (row["dialogue_id"], row["turn_index"]): row["text"]
        for row in dataset.read("turns").to_pylist()
        if row["party"] == "user"
    }
    rows: list[Row] = []
    audio = resolve_path(audio)
    for path in sorted(audio.iterdir()) if audio.is_dir() else []:
        match = _NAME.fullmatch(path.stem)
        if path.suffix.lower() not in SOUND_TYPES or match is None:
            continue
        place = match["dialogue"], int(match["turn"])
        if place in hypotheses:
            rows.append(
                {
                    "audio": path.name,
                    "dialogue_id": place[0],
                    "turn_index": place[1],
                    "gold": None,
                    "hypothesis": hypotheses[place],
                }
            )
    if not rows:
        hint = "name the recordings of user turns <dialogue_id>_<turn_index>.wav or .flac"
        raise InputError("no recordings of user turns in this dataset", place=str(audio), hint=hint)
    return rows


def accepted_rows(log: Reader, study: str) -> list[Row]:
    """Every accepted transcript of a study, in the order of its recordings; unclear ones are left out."""
    with log.reading() as connection:
        accepted = transcriptions(connection, study).accepted()
    return [
        {
            "audio": transcript.item.audio,
            "dialogue_id": transcript.item.dialogue_id,
            "turn_index": transcript.item.turn_index,
            "transcript": transcript.text,
            "transcriber": transcript.participant_id,
            "language": transcript.language,
            "transcribed_at": transcript.at,
        }
        for transcript in sorted(accepted, key=lambda accepted_text: accepted_text.item.audio)
        if transcript.text is not None
    ]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = COLUMNS) -> Path:
    """Rows as CSV, safe to open in a spreadsheet."""
    names, path = list(columns), resolve_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rows:
            writer.writerow([_cell(row.get(name)) for name in names])
    return path


def write_items(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """The CSV file of a step `transcribe`; its column `gold` is to be filled in.

    Note  what somebody filled in there before is kept
    """
    path = resolve_path(path)
    gold_texts = _filled_in(path) if path.is_file() else {}
    return write_rows(path, [{**row, "gold": gold_texts.get(row["audio"])} for row in rows], ITEM_COLUMNS)


def _filled_in(path: Path) -> dict[str, str]:
    """The known transcripts that a file of items holds, by recording."""
    with opened_csv(path) as file:
        lines = [
            (line.get("audio") or "", read_csv_cell(line.get("gold") or "")) for line in csv.DictReader(file)
        ]
    return {audio: gold for audio, gold in lines if gold}


def _cell(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("+00:00", "Z")
    return safe_csv_cell(value) if isinstance(value, str) else "" if value is None else str(value)


def write_manifest(path: Path, rows: Iterable[Row], audio: Path) -> int:
    """A recogniser's training manifest, one JSON object a line: `audio_filepath`, `duration`, `text`.

    Source  Jurčíček et al. 2011, footnote 3: transcribed trials train the next recogniser
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            recording = (audio / row["audio"]).resolve()
            line = {
                "audio_filepath": str(recording),
                "duration": duration_s(recording),
                "text": row["transcript"],
                "language": row["language"],
                "dialogue_id": row["dialogue_id"],
                "turn_index": row["turn_index"],
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    return count


def duration_s(path: Path) -> float | None:
    """Duration of a WAV or FLAC recording; None if its header does not give it."""
    try:
        if path.suffix.lower() == ".flac":
            return _flac_duration_s(path)
        with wave.open(str(path), "rb") as file:
            return round(file.getnframes() / file.getframerate(), 6)
    except (OSError, EOFError, wave.Error, ZeroDivisionError):
        return None


def _flac_duration_s(path: Path) -> float | None:
    """From the first block: 20 bits of sample rate, 36 bits of samples (RFC 9639, STREAMINFO)."""
    with path.open("rb") as file:
        head = file.read(26)
    if len(head) < 26 or head[:4] != b"fLaC" or head[4] & 0x7F:
        return None
    packed = int.from_bytes(head[18:26], "big")
    rate, samples = packed >> 44, packed & (2**36 - 1)
    return round(samples / rate, 6) if rate and samples else None


# --- into a dataset -----------------------------------------------------------------------------------


def is_transcripts(path: Path) -> bool:
    """True for a file of transcripts, False for annotations."""
    path = resolve_path(path)
    if path.suffix != ".csv" or not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return "transcript" in next(csv.reader(file), [])


class TranscriptSaid(NamedTuple):
    """Transcripts: by dialogue and turn, and by file for other recordings, such as a command's."""

    turns: dict[tuple[str, int], str]
    recordings: dict[str, str]

    def __or__(self, other: "TranscriptSaid") -> "TranscriptSaid":
        return TranscriptSaid(self.turns | other.turns, self.recordings | other.recordings)

    def __len__(self) -> int:
        return len(self.turns) + len(self.recordings)


def read_transcripts(path: Path, dataset: Dataset) -> TranscriptSaid:
    """The transcript of every turn that a file names, and of every other recording, such as a command's.

    Raises  InputError: names the line and what is wrong there
    """
    item_keys = {
        (row["dialogue_id"], row["turn_index"])
        for row in dataset.read("turns").select(["dialogue_id", "turn_index", "party"]).to_pylist()
        if row["party"] == "user"
    }
    path, spoken = resolve_path(path), _recorded(dataset)
    transcripts = TranscriptSaid({}, {})
    with opened_csv(path) as file:
        reader = csv.DictReader(file)
        for line in reader:
            place = f"{path.name}:{reader.line_num}"
            cells = {name: read_csv_cell(cell or "") for name, cell in line.items() if name in COLUMNS}
            turn, text, audio = (
                cells.get("turn_index") or "",
                cells.get("transcript"),
                cells.get("audio") or "",
            )
            key = (cells.get("dialogue_id") or "", int(turn) if turn.isdecimal() else -1)
            if not key[0] and Path(audio).stem in spoken:
                transcripts.recordings.update({} if text is None else {Path(audio).stem: text})
                continue
            if key not in item_keys:
                problem = f"dialogue {key[0]!r} has no user turn {turn or '(none)'}"
                hint = "use a user turn, or the recording of a response, of this dataset"
                raise InputError(problem, place=place, hint=hint)
            if text is not None:
                transcripts.turns[key] = text
    return transcripts


def _recorded(dataset: Dataset) -> set[str]:
    """Names of recorded responses' files, without ending: it changes where sound is converted."""
    tables = [name for name, table in TABLES.items() if table.spoken]
    files = (file for name in tables for file in dataset.read(name).column("recording").to_pylist())
    return {Path(file).stem for file in files if file}


def with_transcripts(dataset: Dataset, said: TranscriptSaid, into: Path) -> Dataset:
    """A copy of a dataset with transcripts: the `reference` of turns, and `text` of other recordings."""

    def turn(row: Row) -> Row:
        return row | {"reference": said.turns.get((row["dialogue_id"], row["turn_index"]), row["reference"])}

    def recorded(row: Row) -> Row:
        return row | {"text": said.recordings.get(Path(row["recording"] or "").stem, row["text"])}

    changed: dict[str, Change] = {
        name: partial(map, recorded) for name, table in TABLES.items() if table.spoken
    }
    return copy_dataset(dataset, into, {"turns": partial(map, turn), **changed})
