"""Blocks of a report, independent of HTML or PDF: sections of plain blocks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Final

from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.drawing import Figure

MOST_FOREMOST: Final = 3


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: the number (or `words`), and in smaller type what stands under it.

    counts   the dialogues that the number counts; `address`: where they are to be read, if anywhere
    """

    main: str
    under: tuple[str, ...] = ()
    strong: bool = False
    words: bool = False
    counts: CountedDialogues | None = None
    address: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: heading, what stands under it, cells; a new `group` starts a block with a heading of its own."""

    heading: str
    cells: tuple[Cell, ...]
    under: tuple[str, ...] = ()
    total: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class TableOfText:
    """A table ready to print, with the signatures of its numbers: (where it stands, signature)."""

    kind: ClassVar[str] = "table"
    name: str
    caption: str
    columns: tuple[Cell, ...]
    rows: tuple[Row, ...]
    note: str = ""
    signatures: tuple[tuple[str, str], ...] = ()
    numeric: bool = True

    def groups(self) -> list[tuple[str, list[Row]]]:
        """Rows in blocks of the same group, in order: the block's heading, empty for none, and its rows."""
        return [(name, list(rows)) for name, rows in groupby(self.rows, key=lambda row: row.group)]


@dataclass(frozen=True, slots=True)
class Paragraph:
    kind: ClassVar[str] = "paragraph"
    text: str
    small: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    kind: ClassVar[str] = "bullets"
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FactList:
    """Terms with their descriptions."""

    kind: ClassVar[str] = "facts"
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """Definition of one measure for readers."""

    kind: ClassVar[str] = "definition"
    name: str
    title: str
    symbol: str
    meaning: str
    facts: tuple[tuple[str, str], ...]
    variant: bool


@dataclass(frozen=True, slots=True)
class Transcript:
    """One dialogue turn by turn: (`user` or `system`, who as written, text)."""

    kind: ClassVar[str] = "transcript"
    title: str
    why: str
    goal: str
    turns: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """Collapsed content of a page; a PDF shows it."""

    kind: ClassVar[str] = "fold"
    summary: str
    blocks: tuple["Block", ...]


Block = TableOfText | Figure | Paragraph | Heading | Bullets | FactList | Definition | Transcript | Fold


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section as it is written, in the report's language; `menu` is what the page's index calls it."""

    name: str
    title: str
    menu: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report.

    mark      empty, or the word that every page and figure must carry
    question  what was asked; `answer`: what came out, in plain words; `meanings`: of the words of the answer
    listed    what stands behind the first sentence of the answer are points of a list, each by itself
    figure    of the measure that the answer speaks of
    before    what to know before trusting the numbers, what limits the answer most first
    foremost  how many of these the first page shows
    words     the frame's own phrases in the report's language
    command   how whoever has the dataset makes the report again; empty where it needs more than a dataset
    """

    language: str
    study: str
    title: str
    mark: str
    lead: str
    answer: tuple[str, ...]
    before: tuple[str, ...]
    cover: tuple[tuple[str, str], ...]
    sections: tuple[DocumentSection, ...]
    data: str
    made: str
    version: str
    words: dict[str, str]
    command: str = ""
    question: str = ""
    meanings: tuple[str, ...] = ()
    figure: Figure | None = None
    listed: bool = False
    foremost: int = MOST_FOREMOST

    def blocks(self, kind: type[Any]) -> list[Any]:
        """All blocks of one kind in order, folded ones included; of figures the one at the front, too."""
        front = (self.figure,) if self.figure else ()
        return [block for block in (*front, *blocks_of(self.sections)) if isinstance(block, kind)]


def blocks_of(sections: Iterable[DocumentSection]) -> Iterator[Block]:
    """All blocks in order; of what is folded those within."""
    for section in sections:
        for block in section.blocks:
            yield from block.blocks if isinstance(block, Fold) else (block,)
