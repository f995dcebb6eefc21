"""Import of STAR: written Wizard-of-Oz dialogues with times, workers and questionnaires, to the dataset."""

import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce.importers.items import check_rows
from vivavoce.importers.sources import first_line
from vivavoce.importers.star_dialogue import StarDialogueRows
from vivavoce.log.dataset import DatasetWriter

ARCHIVES: Final = (".tar", ".tar.gz", ".tgz")
FACTORS: Final = ("domain", "path", "tasks", "wizard")
LAYOUT: Final = "dialogues/<number>.json, in folders or tar archives"
LARGEST_BYTES: Final = 64 * 2**20

NOTES: Final = (
    "The system under test is a person, the wizard, who picked a suggested answer or wrote one.",
    "Messages of one party in a row are one turn; times are whole seconds.",
    "How long people typed and how long a message was shown is not logged: turn durations are missing.",
    "Questions and error messages are told from the label of the answer picked; others have no flag.",
)


def import_star(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of STAR dialogues.

    Input   folders or tar archives with one JSON file a dialogue; `venues` is of no use here
    Output  dataset, number of dialogues, and one line for each one left out
    Raises  InputError: no dialogue found, or, when `strict`, the first broken one
    """
    if venues is not None:
        raise InputError("STAR has no venue database", place="--venues", hint="leave it out")
    files = [found for path in paths for found in _files(Path(path))]
    if not files:
        raise InputError("no dialogue found", place=", ".join(map(str, paths)), hint=f"expected {LAYOUT}")
    source = {"kind": "star"}
    with DatasetWriter(into, study={"name": "star"}, source=source, factors=FACTORS) as writer:
        skipped: list[str] = []
        kept: dict[str, StarDialogueRows] = {}
        for number, (place, content) in enumerate(files, start=1):
            try:
                rows = _dialogue(place, content, kept)
                kept[rows.dialogue_id] = rows
            except InputError as problem:
                if strict:
                    raise
                skipped.append(str(problem))
            if progress is not None:
                progress(number, len(files))
        if not kept:
            raise InputError(f"none of {len(files)} dialogues could be read", place=skipped[0])
        _write(writer, kept)
        return ImportResult(writer.close(), len(kept), skipped)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every JSON file, with its place."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and file.suffix == ".json" and file.name != "dataset.json":
                yield str(file), file.read_bytes()
            elif file.is_file() and file.name.endswith(ARCHIVES):
                yield from _files(file)
    elif path.is_file() and path.name.endswith(ARCHIVES):
        try:
            with tarfile.open(path, "r:*") as archive:
                for member in archive:
                    wanted = member.isfile() and PurePosixPath(member.name).suffix == ".json"
                    stream = archive.extractfile(member) if wanted and member.size <= LARGEST_BYTES else None
                    if stream is not None:
                        yield f"{path}:{member.name}", stream.read()
        except (tarfile.TarError, OSError, EOFError) as error:
            raise InputError(f"the archive is broken: {first_line(error)}", place=str(path)) from None
    else:
        problem = "neither a folder nor a tar archive" if path.exists() else "no such file or folder"
        raise InputError(problem, place=str(path), hint="give a folder, or an archive " + ", ".join(ARCHIVES))


def _dialogue(place: str, content: bytes, kept: dict[str, StarDialogueRows]) -> StarDialogueRows:
    try:
        rows = StarDialogueRows(json.loads(content))
        for name in ("turns", "acts", "ratings", "annotations"):
            check_rows(name, getattr(rows, name))
        check_rows("dialogues", [rows.dialogue])
    except KeyError as error:
        raise InputError(f"no key {error}", place=place) from None
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, OSError) as error:
        raise InputError(f"not as expected: {error}", place=place) from None
    if rows.dialogue_id in kept:
        raise InputError(f"dialogue {rows.dialogue_id} was there before", place=place)
    return rows


def _order(rows: StarDialogueRows) -> tuple[bool, datetime, str]:
    """By time; dialogues that never began come last."""
    never = datetime.max.replace(tzinfo=UTC)
    return rows.started_at is None, rows.started_at or never, rows.dialogue_id


def _write(writer: DatasetWriter, kept: dict[str, StarDialogueRows]) -> None:
    """Number each participant's dialogues in order of time, and write everything."""
    numbers: Counter[str] = Counter()
    participants: dict[str, dict[str, Any]] = {}
    for rows in sorted(kept.values(), key=_order):
        worker = rows.dialogue["participant_id"]
        numbers[worker] += 1
        participants.setdefault(worker, {
            "participant_id": worker, "pool": "corpus", "language": "en", "first_seen_at": rows.started_at,
            "simulated": False,
        })  # fmt: skip
        writer.add("dialogues", [{**rows.dialogue, "dialogue_number": numbers[worker]}])
        writer.add("turns", rows.turns)
        writer.add("acts", rows.acts)
        writer.add("ratings", rows.ratings)
        writer.add("annotations", rows.annotations)
    writer.add("participants", participants.values())
    writer.notes.extend(NOTES)


STAR: Final = Importer(
    name="star",
    title="STAR, written Wizard-of-Oz dialogues with times",
    layout=LAYOUT,
    read=import_star,
)
