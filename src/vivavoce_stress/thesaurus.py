"""Words of about the same meaning, from a MyThes thesaurus that the system has: LibreOffice's, by apt.

The files are data that is read where it lies; none of it is part of this project (Italian: GPL-3).
"""

import re
from functools import cached_property
from pathlib import Path
from typing import Final

from vivavoce_stress.resources import SYSTEM_FILES

PACKAGES: Final = {"it": "mythes-it", "en": "mythes-en-us"}
_PARTS: Final = {
    "n": ("s.", "sm", "sf", "noun"),
    "a": ("agg", "adj"),
    "v": ("v", "verb"),
    "r": ("avv", "adv"),
}
_REMARK: Final = re.compile(r"\s*\(([^)]*)\)")


def thesaurus_file(language: str) -> Path | None:
    """Path of the language's thesaurus; None if it is not installed."""
    path = SYSTEM_FILES[PACKAGES[language]] if language in PACKAGES else None
    return path if path is not None and path.is_file() else None


class Thesaurus:
    """Senses of words, each with its synonyms; kinds of it, related words and opposites are left out."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _entries(self) -> dict[str, list[str]]:
        """The lines of senses by word: `word|count`, then as many lines."""
        first, *lines = self._path.read_bytes().split(b"\n")
        encoding = first.decode("ascii", errors="replace").strip() or "utf-8"
        entries: dict[str, list[str]] = {}
        place = 0
        while place < len(lines):
            word, _, count = lines[place].decode(encoding, errors="replace").partition("|")
            senses = int(count) if count.strip().isdigit() else 0
            rows = lines[place + 1 : place + 1 + senses]
            entries.setdefault(word, []).extend(row.decode(encoding, errors="replace") for row in rows)
            place += 1 + senses
        return entries

    def senses(self, word: str, part: str) -> list[list[str]]:
        """Synonyms by sense, of one part of speech: n, v, a, r."""
        sense_list: list[list[str]] = []
        for line in self._entries.get(word, ()):
            label, *entries = line.split("|")
            if label.strip("()").lower().startswith(_PARTS[part]):
                sense_list.append([synonym for entry in entries if (synonym := _synonym(entry))])
        return [sense for sense in sense_list if sense]


def _synonym(text: str) -> str | None:
    remark = _REMARK.search(text)
    if remark and remark.group(1).endswith(("term", "antonym")) and not remark.group(1).startswith("similar"):
        return None
    return _REMARK.sub("", text).strip() or None
