"""Misspellings that people really made, from the list of codespell (CC BY-SA 3.0) in reverse."""

from collections import defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

PACKAGE: Final = "codespell"
_MODULE: Final = "codespell_lib"


def misspellings_file() -> Path | None:
    """Path of the list; None if the package is not installed. The package itself is not imported."""
    spec = find_spec(_MODULE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(folders[0]) / "data" / "dictionary.txt" if folders else None
    return path if path is not None and path.is_file() else None


def known_misspellings(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Wrong spellings by the right one, of those that have one right spelling only."""
    wrong: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        misspelling, _, correct = line.partition("->")
        if correct and "," not in correct and misspelling.isalpha() and correct.isalpha():
            wrong[correct.lower()].append(misspelling.lower())
    return {right: tuple(misspellings) for right, misspellings in wrong.items()}
