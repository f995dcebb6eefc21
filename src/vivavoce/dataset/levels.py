"""Levels of an export: what becomes of each kind of column when a dataset leaves the laboratory.

`reduction` applies them; `publication` adds the scan that `public` requires.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.columns import Content, Table


class Level(StrEnum):
    """For whom a dataset is: those of the laboratory, colleagues who are bound to keep it, everybody."""

    internal = "internal"
    shareable = "shareable"
    public = "public"


class Treatment(StrEnum):
    """Treatment of a column; the value is the text of codebook and documentation."""

    kept = "kept"
    scanned = "kept after a scan"
    moved = "counted from the study's first participant"
    apart = "counted from each participant's own beginning"
    left_out = "left out"


_KEPT, _OUT = Treatment.kept, Treatment.left_out
TREATMENTS: Final[Mapping[Content | None, tuple[Treatment, Treatment, Treatment]]] = {
    Content.fact: (_KEPT, _KEPT, _KEPT),
    Content.key: (_KEPT, _KEPT, _KEPT),
    Content.words: (_KEPT, _KEPT, Treatment.scanned),
    Content.instant: (_KEPT, Treatment.moved, Treatment.apart),
    Content.sound: (_KEPT, _OUT, _OUT),
    Content.trace: (_KEPT, _OUT, _OUT),
    None: (_KEPT, _OUT, _OUT),
}
"""By level, in their order; null: of a column of which its package does not say what it holds."""
HOLDS: Final[Mapping[Content | None, str]] = {
    Content.fact: "measured values, categories and the study's own words",
    Content.key: "keys of rows, and pseudonyms of people",
    Content.words: "what people typed or said, and what was made of it",
    Content.instant: "instants",
    Content.sound: "recordings: their files and hashes",
    Content.trace: "error messages of machines, with addresses and paths perhaps",
    None: "columns of which a package does not say what they hold",
}
_LEVELS: Final = list(Level)
ORIGIN: Final = "2000-01-01T00:00:00+00:00"
"""Where instants begin that are counted from somebody's beginning."""


def read_level(name: str) -> Level:
    """A level by its name. Raises  UnknownName: there is none of this name"""
    if name not in _LEVELS:
        raise UnknownName("level of export", name, list(_LEVELS), place="--level")
    return Level(name)


def level_of(manifest: Mapping[str, Any]) -> Level:
    """The level of a dataset; imported ones, and those of before there were levels, are internal."""
    level = manifest.get("source", {}).get("level")
    return Level(level) if level in _LEVELS else Level.internal


def treatment(content: Content | None, level: Level) -> Treatment:
    """Treatment of a column at a level."""
    return TREATMENTS[content][_LEVELS.index(level)]


def columns_left_out(table: Table, level: Level) -> list[str]:
    """The columns of a table that are null at a level, in their order."""
    return [column.name for column in table.columns if treatment(column.content, level) is Treatment.left_out]


def what_is_lost(level: Level, masked: int = 0) -> list[LocalizedText]:
    """Analyses that a dataset of this level does not allow, and why, a sentence each.

    masked  how many finds of the scan were replaced in texts
    """
    if level is Level.internal:
        return []
    losses = [
        statement(
            "This dataset has the level {level}: it contains no dates, recordings or failure details.",
            level=level.value,
        )
    ]
    if level is Level.public:
        losses.append(
            statement(
                "It has no order of participants, so interim analyses and copied answers cannot be computed."
            )
        )
    if masked:
        losses.append(
            statement(
                "{n} personal data items in its texts were masked; word counts include the masks.",
                n=masked,
            )
        )
    return losses
