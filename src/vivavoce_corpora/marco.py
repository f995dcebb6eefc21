"""Import of MarCo's human evaluation: pairs of system answers, judged by three raters, to the dataset."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.validation import shown_value
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce.importers.items import check_rows
from vivavoce.importers.log_files import one_line

LAYOUT: Final = "human_annotation.json, or a folder with it"
FILE: Final = "human_annotation.json"
OURS: Final = "MarCo"
AGAINST: Final = " vs. "
QUESTIONS: Final = {"Completion": "service", "Readability": "experience"}
LARGEST_BYTES: Final = 64 * 2**20

NOTES: Final = (
    "The source does not identify raters; judgements are grouped by item.",
    "The side of each answer is not recorded.",
    "Pairs compare single answers to the same user message, not whole dialogues.",
)

Row = dict[str, Any]


def import_marco(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of judged pairs: each judgement one row of `preferences`.

    Input   the JSON file, or folders with it; `venues` is of no use here
    Output  dataset, number of items, and one line for each one left out
    Note    variable: whom MarCo is compared with; `experimental` is MarCo, `control` the other one;
            pair_id and visit_id name the item (dialogue and turn)
    Raises  InputError: no such file, or, when `strict`, the first broken item
    """
    if venues is not None:
        raise InputError("MarCo has no venue database", place="--venues", hint="leave it out")
    items = [item for path in paths for item in _items(_file(Path(path)))]
    with DatasetWriter(into, study={"name": "marco"}, source={"kind": "marco"}) as writer:
        skipped: list[str] = []
        keys: set[str] = set()
        for number, (place, dialogue, item) in enumerate(items, start=1):
            try:
                key, rows = _judgements(place, dialogue, item)
                if key in keys:
                    raise InputError(f"item {one_line(key)} appears twice", place=place)
                keys.add(key)
                writer.add("preferences", rows)
            except InputError as problem:
                if strict:
                    raise
                skipped.append(str(problem))
            if progress is not None:
                progress(number, len(items))
        if not keys:
            raise InputError(f"none of {len(items)} items could be read", place=skipped[0])
        writer.notes.extend(NOTES)
        return ImportResult(writer.close(), len(keys), skipped)


def _file(path: Path) -> Path:
    candidates = [path] if path.is_file() else sorted(path.rglob(FILE)) if path.is_dir() else []
    if not candidates:
        problem = f"no {FILE} in this folder" if path.is_dir() else "no such file or folder"
        raise InputError(problem, place=str(path), hint=f"expected {LAYOUT}")
    if candidates[0].stat().st_size > LARGEST_BYTES:
        raise InputError("larger than 64 MiB", place=str(candidates[0]), hint=f"expected {LAYOUT}")
    return candidates[0]


def _items(file: Path) -> Iterator[tuple[str, str, Any]]:
    """Every judged turn with its place and dialogue."""
    try:
        dialogues = json.loads(file.read_bytes())
    except ValueError as error:
        raise InputError(f"not JSON: {error}", place=str(file)) from None
    if not isinstance(dialogues, list) or not dialogues:
        raise InputError("not a list of dialogues", place=str(file), hint=f"expected {LAYOUT}")
    for position, dialogue in enumerate(dialogues):
        place = f"{file}[{position}]"
        if not isinstance(dialogue, dict) or not isinstance(dialogue.get("info"), list):
            yield place, "", None
            continue
        for turn, item in enumerate(dialogue["info"]):
            yield f"{place}.info[{turn}]", str(dialogue.get("file", "")), item


def _judgements(place: str, dialogue: str, item: Any) -> tuple[str, list[Row]]:
    """An item's key, and a row for each judgement of it."""
    if not isinstance(item, dict) or "turn_num" not in item or not dialogue:
        raise InputError("not a judged turn", place=place, hint="expected file, turn_num and judgements")
    key = f"{dialogue}-{item['turn_num']}"
    rows: list[Row] = []
    for name, answers in item.items():
        first, separator, opponent = str(name).partition(AGAINST)
        if first != OURS or not separator:
            continue
        if not isinstance(answers, dict):
            raise InputError(f"{one_line(name)} contains no judgements", place=place)
        for question, answer in answers.items():
            outcomes = answer if isinstance(answer, list) else [answer]
            lengths = {side: _tokens(item.get(side)) for side in (OURS, opponent)}
            rows += [_row(place, key, opponent, str(question), outcome, lengths) for outcome in outcomes]
    if not rows:
        raise InputError("no judgement", place=place, hint=f"expected keys such as {OURS}{AGAINST}HDSA")
    try:
        check_rows("preferences", rows)
    except (TypeError, ValueError) as error:
        raise InputError(f"unexpected content: {error}", place=place) from None
    return key, rows


def _row(
    place: str, key: str, opponent: str, question: str, outcome: Any, lengths: dict[str, int | None]
) -> Row:
    choices = {OURS.casefold(): "experimental", "tie": "tie", opponent.casefold(): "control"}
    choice = choices.get(str(outcome).casefold())
    if choice is None:
        options = ", ".join((OURS, "Tie", opponent))
        raise InputError(
            f"{one_line(question)}: unknown judgement {shown_value(outcome)}",
            place=place,
            hint=f"known: {one_line(options)}",
        )
    return {
        "visit_id": key,
        "role": "main",
        "pair_id": key,
        "variable": f"{OURS} against {'people' if opponent == 'system' else opponent}",
        "change": "substitution",
        "control_level": "people" if opponent == "system" else opponent,
        "experimental_level": OURS,
        "question": question.lower(),
        "quality": QUESTIONS.get(question),
        "choice": choice,
        "language": "en",
        "control_tokens": lengths[opponent],
        "experimental_tokens": lengths[OURS],
        "simulated": False,
    }


def _tokens(text: Any) -> int | None:
    return len(text.split()) if isinstance(text, str) else None


MARCO: Final = Importer(
    name="marco",
    title="MarCo, pairs of system answers judged by three raters",
    layout=LAYOUT,
    read=import_marco,
    unit="judged turns",
)
