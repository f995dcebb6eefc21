"""Review by file: a CSV for a linguist's spreadsheet, and what he wrote into it read back.

Cells that a spreadsheet would run as a formula are disarmed, and read back as they were.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Final, TextIO

from vivavoce.core.errors import InputError
from vivavoce.dataset.csv_files import read_csv_cell, safe_csv_cell
from vivavoce.log.stress_events import VariantReviewed, VariantsProposed
from vivavoce_stress.review import Reviews, reviewed
from vivavoce_stress.sampling import PROPOSALS

DECIDED: Final = ("decision", "choice", "variant")
_ASKED: Final = ("item_id", "test", "language", "previous", "original")
_EACH: Final = ("proposal", "rule")
_LARGEST: Final = 50_000_000


def columns() -> list[str]:
    """The file's columns: what is asked, the proposals, and the three that a reviewer fills in."""
    proposals = [f"{name}_{number}" for number in range(1, PROPOSALS + 1) for name in _EACH]
    return [*_ASKED, *DECIDED, *proposals]


def new_file(path: Path) -> TextIO:
    """A CSV to write, as Excel reads it; what is filled in there already stays.

    Raises  InputError: the file is there, or its folder is not
    """
    try:
        return path.open("x", encoding="utf-8-sig", newline="")  # Excel reads UTF-8 only with its mark
    except FileExistsError:
        hint = "choose a new file, so that existing entries are kept"
        raise InputError("already exists", place=str(path), hint=hint) from None
    except OSError as error:
        raise InputError(error.strerror or str(error), place=str(path), hint="choose another file") from None


def write_review(items: Iterable[VariantsProposed], path: Path) -> int:
    """Write the items; gives back how many."""
    count = 0
    with new_file(path) as file:
        writer = csv.DictWriter(file, columns(), restval="")
        writer.writeheader()
        for item in items:
            facts: dict[str, str | None] = {
                "item_id": item.item_id,
                "test": item.test,
                "language": item.language,
                "previous": item.previous,
                "original": item.original,
            }
            for number, proposal in enumerate(item.proposals[:PROPOSALS], 1):
                facts |= {f"proposal_{number}": proposal.text, f"rule_{number}": proposal.rule}
            writer.writerow({name: safe_csv_cell(value) for name, value in facts.items()})
            count += 1
    return count


def read_review(path: Path, reviews: Reviews, reviewer: str) -> list[VariantReviewed]:
    """The decisions in a file, in its order; rows without one are left for later.

    Raises  InputError: names the first line that cannot be read, and what it may hold
    """
    return list(_decisions(read_rows(path, ("item_id", *DECIDED)), path, reviews, reviewer))


def read_rows(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV that a spreadsheet saved, with commas or semicolons, and the columns that it needs.

    Raises  InputError: it cannot be read, is no CSV, or lacks one of these columns
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError("the file is too large", place=str(path), hint=f"limit it to {_LARGEST} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read the file: {_why(error)}", place=str(path), hint="save it as CSV in UTF-8"
        ) from None
    first = text.partition("\n")[0]
    dialect = ";" if first.count(";") > first.count(",") else ","
    try:
        read = csv.DictReader(StringIO(text, newline=""), delimiter=dialect, strict=True)
        rows, columns = list(read), read.fieldnames or []
    except csv.Error as error:
        raise InputError(
            f"not a CSV file: {error}", place=str(path), hint="save it as CSV in UTF-8"
        ) from None
    missing = [name for name in needed if name not in columns]
    if missing:
        hint = "keep the original columns"
        raise InputError(f"column {missing[0]!r} is missing", place=f"{path.name}:1", hint=hint)
    return rows


def _why(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror or "file not found") if isinstance(error, OSError) else "not UTF-8"


def _decisions(
    rows: Sequence[dict[str, str]], path: Path, reviews: Reviews, reviewer: str
) -> Iterator[VariantReviewed]:
    for number, row in enumerate(rows, 2):
        place = f"{path.name}:{number}"
        decision = read_cell(row["decision"]).lower()
        if not decision:
            continue
        item = reviews.items.get(read_cell(row["item_id"]))
        if item is None:
            raise InputError(
                f"unknown item {row['item_id']!r}", place=place, hint="keep the column item_id unchanged"
            )
        try:
            yield reviewed(
                item, reviewer, decision, read_cell(row["variant"]), _choice(read_cell(row["choice"]))
            )
        except InputError as error:
            raise InputError(error.problem, place=place, hint=error.hint) from None


def read_cell(cell: str | None) -> str:
    """Content of a cell without the protection from spreadsheet formulas."""
    return (read_csv_cell(cell or "") or "").strip()


def _choice(written: str) -> int | None:
    """1 is the first proposal; left out, the first."""
    if not written:
        return 0
    return int(written) - 1 if written.isascii() and written.isdigit() and len(written) < 4 else None
