"""Utterances of a file or of standard input: JSONL, CSV, or one a line."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.csv_files import read_csv_cell
from vivavoce_stress.base import Utterance

STANDARD_INPUT: Final = Path("-")
_TEXT: Final = ("utterance", "text")
_PREVIOUS: Final = ("previous", "previous_system_turn")
_KNOWN: Final = (*_TEXT, *_PREVIOUS, "language", "protect", "id")


def read_utterances(path: Path, language: str) -> Iterator[tuple[str, Utterance]]:
    """(key, utterance) of each row, as they are read; the key is the row's `id`, else its line.

    JSONL   objects with `utterance`, and `language`, `previous`, `protect`, `id` where they have them
    CSV     the same columns; words to protect are parted by `;`
    else    one utterance a line; empty lines are left out
    Raises  InputError: a file that cannot be read, or a row that is wrong, with its line
    """
    try:
        if path == STANDARD_INPUT:
            yield from _read(sys.stdin, "standard input", language)
        else:
            with path.open(encoding="utf-8-sig", newline="") as file:
                yield from _read(file, path.name, language)
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or "file not found") if isinstance(error, OSError) else "not UTF-8"
        raise InputError(
            f"cannot read the file: {why}", place=str(path), hint="use a text file in UTF-8"
        ) from None


def _read(lines: Iterable[str], name: str, language: str) -> Iterator[tuple[str, Utterance]]:
    rows = iter(lines)
    first = next(rows, "")
    all_lines = chain([first], rows)
    columns = [cell.strip().lower() for cell in next(csv.reader([first], delimiter=_delimiter(first)), [])]
    if first.lstrip().startswith("{"):
        read = _of_json(all_lines, name)
    elif not set(_TEXT).isdisjoint(columns) and set(columns) <= {*_KNOWN, *columns[1:]}:
        read = _of_csv(all_lines, first)
    else:
        read = ((number, {"utterance": line}) for number, line in enumerate(all_lines, 1) if line.strip())
    for number, row in read:
        yield str(row.get("id") or number), _utterance(row, language, f"{name}:{number}")


def _delimiter(line: str) -> str:
    return ";" if line.count(";") > line.count(",") else ","


def _of_json(lines: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise InputError("not a JSON object", place=f"{name}:{number}", hint='write {"utterance": "..."}')
        yield number, row


def _of_csv(lines: Iterable[str], first: str) -> Iterator[tuple[int, dict[str, Any]]]:
    read = csv.DictReader(lines, delimiter=_delimiter(first))
    read.fieldnames = [name.strip().lower() for name in read.fieldnames or []]
    for row in read:
        cells = {key: read_csv_cell(cell or "") for key, cell in row.items() if key and isinstance(cell, str)}
        protect = [phrase.strip() for phrase in (cells.get("protect") or "").split(";") if phrase.strip()]
        yield read.line_num, {key: cell for key, cell in cells.items() if cell} | {"protect": protect}


def _utterance(row: dict[str, Any], language: str, place: str) -> Utterance:
    raw_text = next((row[name] for name in _TEXT if row.get(name)), None)
    if not isinstance(raw_text, str) or not raw_text.strip():
        raise InputError("the utterance is missing", place=place, hint="add it as `utterance`")
    spoken = row.get("language") or language
    if not isinstance(spoken, str) or not spoken:
        raise InputError("the language is missing", place=place, hint="add `language`, or --language it")
    previous = next((row[name] for name in _PREVIOUS if row.get(name)), None)
    text = " ".join(raw_text.split())
    words = row.get("protect") or []
    listed = words if isinstance(words, list) else [words]
    return Utterance(
        text=text,
        language=spoken,
        previous=previous if isinstance(previous, str) else None,
        protected=protected_spans(text, [str(phrase) for phrase in listed], place),
    )


def protected_spans(text: str, words: Iterable[str], place: str) -> tuple[tuple[int, int], ...]:
    """Spans of words that must not change.

    Raises  InputError: a word that is not in the utterance
    """
    from vivavoce_stress.words import places_of

    spans: list[tuple[int, int]] = []
    for word in words:
        places = list(places_of(word, text)) if word.strip() else []
        if not places:
            hint = "copy the word from the utterance"
            raise InputError(f"{word!r} is not in the utterance", place=place, hint=hint)
        spans += places
    return tuple(sorted(spans))
