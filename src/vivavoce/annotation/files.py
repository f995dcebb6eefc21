"""Annotations out of a dataset and back: CSV, Parquet, ELAN and Praat files.

CSV and Parquet hold the table `annotations` itself. ELAN (`.eaf`) and Praat (`.TextGrid`) hold one dialogue a
file: what was said, and one tier a layer, party and annotator.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, unquote

from vivavoce.annotation.tiers import Timeline, read_eaf, read_textgrid, write_eaf, write_textgrid
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import later
from vivavoce.core.paths import resolve_path
from vivavoce.dataset.annotation_layers import ADJUDICATED, LAYERS, NOTHING, UNDECIDED
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.csv_files import read_csv_cell, safe_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.study.schemes import Scheme

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = later("pyarrow")
    pq = later("pyarrow.parquet")

Row = dict[str, Any]
Moved = Callable[[int, int], None]
FORMATS: Final = ("csv", "parquet", "eaf", "textgrid")
COLUMNS: Final = tuple(column.name for column in TABLES["annotations"].columns)
NEEDED: Final = ("dialogue_id", "layer", "label", "annotator_id")
CONTEXT: Final = ("party", "at_s", "text")
OPEN: Final = "?"  # in a blank form, the label of a dialogue until its annotator replaces it


class Blank(NamedTuple):
    """Blank form: every place of these schemes, for this annotator."""

    schemes: Sequence[Scheme]
    annotator_id: str


def write_annotations(
    dataset: Dataset, into: Path, format: str, *, blank: Blank | None = None, moved: Moved | None = None
) -> list[Path]:
    """Write a dataset's annotations, or blank forms for new ones; the files that were written.

    A blank form has the label OPEN for every dialogue and scheme. The annotator replaces it by a label or by
    `none`, or clears it if the dialogue was not judged. Labels of turns settle it, too.

    Input   blank: for CSV one line a place, for ELAN and Praat empty tiers
    Raises  UnknownName: no such format; InputError: Parquet has no blank form
    """
    if format not in FORMATS:
        raise UnknownName("format", format, list(FORMATS))
    into = resolve_path(into)
    into.mkdir(parents=True, exist_ok=True)
    rows = [] if blank else sorted(dataset.read("annotations").to_pylist(), key=_order)
    if format == "csv":
        return [_write_csv(dataset, into / "annotations.csv", rows, blank)]
    if format == "parquet":
        if blank:
            raise InputError("Parquet files cannot be filled in by hand", place="--blank", hint="use csv")
        path = into / "annotations.parquet"
        with path.open("wb") as file:
            pq.write_table(pa.Table.from_pylist(rows, TABLES["annotations"].arrow()), file)
        return [path]
    return _write_tiers(dataset, into, format, rows, blank, moved)


def _write_csv(dataset: Dataset, path: Path, rows: list[Row], blank: Blank | None) -> Path:
    lines = {line.dialogue_id: line for line in timelines(dataset)}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow((*COLUMNS, *CONTEXT))
        for row in _blank_rows(lines.values(), blank) if blank else rows:
            turn = lines[row["dialogue_id"]].turn(row["turn_index"]) if row["dialogue_id"] in lines else None
            context = (turn["party"], turn["onset_s"], turn["text"]) if turn else (None, None, None)
            writer.writerow([_cell(value) for value in (*(row.get(name) for name in COLUMNS), *context)])
    return path


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return safe_csv_cell(value) if isinstance(value, str) else "" if value is None else repr(value)


def _blank_rows(lines: Iterable[Timeline], blank: Blank) -> Iterable[Row]:
    for line in lines:
        for scheme in blank.schemes:
            yield (row := _open_row(line, scheme, blank))
            for turn in line.turns:
                if scheme.judges(turn["party"]):
                    yield row | {"turn_index": turn["turn_index"], "label": None}


def _open_row(line: Timeline, scheme: Scheme, blank: Blank) -> Row:
    place = {"dialogue_id": line.dialogue_id, "turn_index": None, "layer": scheme.scheme}
    return place | {"label": OPEN, "value": None, "annotator_id": blank.annotator_id}


def _write_tiers(
    dataset: Dataset, into: Path, format: str, rows: list[Row], blank: Blank | None, moved: Moved | None
) -> list[Path]:
    write, ending = (write_eaf, ".eaf") if format == "eaf" else (write_textgrid, ".TextGrid")
    by_dialogue: dict[str, list[Row]] = {}
    for row in rows:
        by_dialogue.setdefault(row["dialogue_id"], []).append(row)
    lines = [line for line in timelines(dataset) if blank or line.dialogue_id in by_dialogue]
    paths = []
    for number, line in enumerate(lines, 1):
        path = into / f"{safe_name(line.dialogue_id)}{ending}"
        empty: list[tuple[Any, str, str]] = []
        open_rows: list[Row] = []
        for scheme in blank.schemes if blank else ():
            assert blank is not None
            parties = [party for party in ("user", "system") if scheme.judges(party)]
            empty += [(scheme.scheme, party, blank.annotator_id) for party in parties]
            open_rows.append(_open_row(line, scheme, blank))
        write(path, line, [*by_dialogue.get(line.dialogue_id, []), *open_rows], empty)
        paths.append(path)
        if moved:
            moved(number, len(lines))
    return paths


def safe_name(dialogue_id: str) -> str:
    """A dialogue's key as the name of a file."""
    return quote(dialogue_id, safe="")


def timelines(dataset: Dataset) -> list[Timeline]:
    """Every dialogue with its turns in order."""
    turns: dict[str, list[Row]] = {}
    columns = ["dialogue_id", "turn_index", "party", "text", "onset_s", "offset_s"]
    for row in dataset.read("turns").select(columns).to_pylist():
        turns.setdefault(row["dialogue_id"], []).append(row)
    keys = dataset.read("dialogues").column("dialogue_id").to_pylist()
    return [Timeline(key, sorted(turns.get(key, []), key=lambda turn: turn["turn_index"])) for key in keys]


# --- reading ----------------------------------------------------------------------------------------


def read_annotations(paths: Iterable[Path], dataset: Dataset) -> list[Row]:
    """The annotations of files in any of the formats, checked against the dataset's dialogues and turns.

    Raises  InputError: names the file, the line or tier, and what is wrong there
    """
    lines = {line.dialogue_id: line for line in timelines(dataset)}
    rows: list[Row] = []
    open_rows: dict[tuple[str, str, str], str] = {}
    for path in _files(paths):
        if path.suffix == ".csv":
            labelled_rows = _read_csv(path)
        elif path.suffix == ".parquet":
            labelled_rows = _read_parquet(path)
        else:
            read = read_eaf if path.suffix == ".eaf" else read_textgrid
            line = lines.get(unquote(path.stem))
            if line is None:
                hint = "keep the original file name"
                raise InputError(f"no dialogue {path.stem!r} in the dataset", place=str(path), hint=hint)
            labelled_rows = [(f"{path.name} {place}", row) for place, row in read(path, line)]
        for place, row in labelled_rows:
            if row["label"] == OPEN and row["dialogue_id"] in lines:
                open_rows[_coverage(row)] = place
                continue
            _check(place, row, lines)
            rows.append(row)
    _check_coverage(open_rows, rows)
    return [
        row
        for _, row in sorted({_identity(row): row for row in rows}.items(), key=lambda pair: _order(pair[1]))
    ]


def _coverage(row: Row) -> tuple[str, str, str]:
    return row["dialogue_id"], row["layer"], row["annotator_id"]


def _check_coverage(open_rows: Mapping[tuple[str, str, str], str], rows: Iterable[Row]) -> None:
    labelled = {_coverage(row) for row in rows}
    places = [place for coverage, place in open_rows.items() if coverage not in labelled]
    if places:
        raise InputError(
            f"{OPEN!r} is not a label; {len(places)} such rows need a label",
            place=places[0],
            hint=f"replace it by {NOTHING!r} if no label applies, or clear it if you did not judge",
        )


def _files(paths: Iterable[Path]) -> list[Path]:
    files = []
    for path in map(resolve_path, paths):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        supported = [file for file in inside if file.suffix in (".csv", ".parquet", ".eaf", ".TextGrid")]
        if not supported or not supported[0].is_file():
            hint = "use a .csv, .parquet, .eaf or .TextGrid file, or a folder of them"
            raise InputError("contains no annotations", place=str(path), hint=hint)
        files += supported
    return files


def _read_csv(path: Path) -> list[tuple[str, Row]]:
    """Labelled lines of a file, each with its place."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            _check_columns(path, reader.fieldnames or ())
            lines = [(f"{path.name}:{reader.line_num}", dict(line)) for line in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"is not a UTF-8 CSV file ({error})", place=str(path), hint="save it as UTF-8"
        ) from None
    return [(place, _row(place, line)) for place, line in lines if (line.get("label") or "").strip()]


def _row(place: str, line: Mapping[str, Any]) -> Row:
    cells = {name: read_csv_cell((line.get(name) or "").strip()) for name in COLUMNS}
    turn = cells["turn_index"]
    if turn is not None and not turn.isdecimal():
        raise InputError(
            f"{turn!r} is not a turn number", place=f"{place} turn_index", hint="write a number from 0"
        )
    try:
        at = datetime.fromisoformat(cells["annotated_at"]) if cells["annotated_at"] else None
    except ValueError:
        hint = "write, for example, 2026-11-21T14:00:00Z, or leave it empty"
        raise InputError("is not a time", place=f"{place} annotated_at", hint=hint) from None
    return cells | {"turn_index": int(turn) if turn else None, "annotated_at": at}


def _read_parquet(path: Path) -> list[tuple[str, Row]]:
    try:
        with path.open("rb") as file:
            table = pq.read_table(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"is not a Parquet file ({error})", place=str(path), hint="export it again"
        ) from None
    _check_columns(path, table.column_names)
    return [
        (f"{path.name} row {number}", {name: row.get(name) for name in COLUMNS})
        for number, row in enumerate(table.to_pylist(), 1)
    ]


def _check_columns(path: Path, names: Iterable[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        hint = f"required: {', '.join(NEEDED)}, and turn_index for labels of turns"
        raise InputError(f"column {missing[0]!r} is missing", place=str(path), hint=hint)


def _check(place: str, row: Row, lines: Mapping[str, Timeline]) -> None:
    for name in NEEDED:
        if not row[name]:
            raise InputError(f"{name} is empty", place=place, hint="fill it in")
    line = lines.get(row["dialogue_id"])
    if line is None:
        hint = "annotate dialogues of this dataset"
        raise InputError(f"unknown dialogue {row['dialogue_id']!r}", place=place, hint=hint)
    turn = line.turn(row["turn_index"])
    if row["turn_index"] is not None and turn is None:
        problem = f"dialogue {row['dialogue_id']!r} has no turn {row['turn_index']}"
        raise InputError(
            problem, place=place, hint=f"use a turn from 0; the dialogue has {len(line.turns)} turns"
        )
    layer = LAYERS.get(row["layer"])
    undecided = row["annotator_id"] == ADJUDICATED and row["label"] == UNDECIDED
    if layer is None or row["label"] == NOTHING or undecided:
        return
    if layer.labels and row["label"] not in layer.labels:
        raise UnknownName(f"label of {layer.name}", row["label"], list(layer.labels), place=place)
    if (turn is None) != (layer.about == "dialogue") or (turn and layer.about not in ("turn", turn["party"])):
        about = (
            "the dialogue: leave turn_index empty" if layer.about == "dialogue" else f"a {layer.about} turn"
        )
        raise InputError(
            f"{layer.name!r} does not apply to this turn", place=place, hint=f"it applies to {about}"
        )


def _identity(row: Row) -> tuple[Any, ...]:
    return tuple(
        row[name] for name in ("dialogue_id", "turn_index", "layer", "label", "value", "annotator_id")
    )


def _order(row: Row) -> tuple[Any, ...]:
    turn = -1 if row["turn_index"] is None else row["turn_index"]
    return row["dialogue_id"], row["layer"], row["annotator_id"], turn, row["label"], row["value"] or ""


# --- into a dataset -----------------------------------------------------------------------------------


def with_annotations(
    dataset: Dataset, rows: Iterable[Row], into: Path, now: datetime, *, lots: Sequence[Row] = ()
) -> Dataset:
    """A copy of a dataset with these annotations; whoever annotated a dialogue's layer anew is replaced.

    Input   lots: of which dialogues annotators were asked, as rows of `label_chances`
    Raises  InputError: a lot for a dialogue that is not there, or one in a layer that has its chances already
    """
    _check_lots(dataset, lots)
    new = [{**row, "annotated_at": row["annotated_at"] or now} for row in rows]
    replaced = {_coverage(row) for row in new}

    def annotated(kept: Iterable[Row]) -> Iterable[Row]:
        remaining = (row for row in kept if _coverage(row) not in replaced)
        return sorted([*remaining, *new], key=_order)

    changes = {"annotations": annotated, "label_chances": lambda rows: [*rows, *lots]}
    return copy_dataset(dataset, into, changes)


def _check_lots(dataset: Dataset, lots: Sequence[Row]) -> None:
    dialogue_ids = set(dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist())
    logged = set(dataset.read("label_chances", ["layer"])["layer"].to_pylist())
    for row in lots:
        if row["dialogue_id"] not in dialogue_ids:
            raise InputError(
                f"unknown dialogue {row['dialogue_id']!r}",
                place=str(dataset.folder),
                hint="use dialogues of this dataset",
            )
        if row["layer"] in logged:
            raise InputError(
                f"layer {row['layer']!r} already has probabilities",
                place=str(dataset.folder),
                hint="logged probabilities cannot change: remove --chances",
            )
