"""The lines of a CSV file that belongs to a study."""

import csv
from pathlib import Path

from vivavoce.core.yaml_source import Problem

Lines = tuple[list[str], list[tuple[str, dict[str, str]]]]


def csv_lines(path: Path) -> Lines | Problem:
    """Names of the columns, and every line with its place; the problem of a file that cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            names = list(reader.fieldnames or ())
            return names, [(f"{path.name}:{reader.line_num}", line) for line in reader]
    except (OSError, UnicodeDecodeError, csv.Error):
        return Problem(path.name, "cannot be read as a CSV file in UTF-8", "save it so")
