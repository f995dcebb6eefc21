"""The report on a terminal of any width: the same blocks as on the page, figures in words."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from vivavoce.core.terminal import FittedTable
from vivavoce.reports.blocks import (
    Block,
    Bullets,
    Cell,
    Definition,
    Document,
    FactList,
    Fold,
    Heading,
    Paragraph,
    Row,
    TableOfText,
    Transcript,
)
from vivavoce.reports.drawing import Figure
from vivavoce.reports.pdf import condensed

Lines = Iterator[RenderableType]
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def terminal_lines(document: Document) -> Lines:
    """A document as what rich prints.

    Note    signatures of all tables stand together at the end, as in print; what users wrote is never read as
            markup, and moves neither cursor nor colours
    """
    words, mark = document.words, document.mark
    yield _marked(document.title, mark, "dim")
    yield _text(document.study, "bold")
    yield _text(document.lead)
    if mark:
        yield _text(f"{mark}: {words['programs']}.", "bold black on yellow")
    if document.question:
        yield from ("", _text(words["question"], "bold"), _text(document.question))
    if document.answer:
        yield from ("", _text(words["answer"], "bold"), *map(_text, document.answer))
    if document.figure:
        yield from ("", *_figure(document.figure))
    if document.meanings:
        yield from ("", _text(words["meanings"], "bold"), *_bullets(Bullets(document.meanings)))
    if document.before:
        yield from ("", _text(words["before"], "bold"), *_bullets(Bullets(document.before)))
    for section in document.sections:
        yield from ("", Rule(_marked(section.title, mark, "bold"), align="left", characters="─"))
        for block in section.blocks:
            yield ""
            yield from _shown(block)
    yield from _signatures(document)
    yield from ("", _text(_made(document), "dim"))


def _shown(block: Block) -> Lines:
    return _SHOWN[type(block)](block)


def _text(words: str, style: str = "") -> Text:
    """Words as they are: no markup, and no control characters but ends of lines."""
    return Text(_CONTROL.sub("\ufffd", words), style=style)


def _marked(words: str, mark: str, style: str) -> Text:
    text = _text(words, style)
    return text.append(f"  {mark}", style="bold") if mark else text


def _paragraph(block: Paragraph) -> Lines:
    yield _text(block.text, "dim" if block.small else "")


def _heading(block: Heading) -> Lines:
    yield _text(block.text, "bold")


def _bullets(block: Bullets) -> Lines:
    for item in block.items:
        table = FittedTable.grid(padding=(0, 1, 0, 0))
        table.add_row("•", _text(item))
        yield table


def _facts(block: FactList) -> Lines:
    for term, words in block.pairs:
        yield _text(f"{term}: ", "bold").append(_text(words, "not bold"))


def _definition(block: Definition) -> Lines:
    yield _text(f"{block.title} {block.symbol}".strip(), "bold")
    yield _text(block.meaning)
    yield _text(" · ".join(f"{term}: {words}" for term, words in block.facts), "dim")


def _transcript(block: Transcript) -> Lines:
    yield _text(block.title, "bold")
    yield _text(f"{block.why} {block.goal}".strip(), "dim")
    for party, who, words in block.turns:
        yield Padding(
            _text(f"{who}: ", "dim").append(_text(words, "not dim")), (0, 0, 0, 4 * (party != "system"))
        )


def _fold(block: Fold) -> Lines:
    yield _text(block.summary, "bold")
    for inner in block.blocks:
        yield ""
        yield from _shown(inner)


def _figure(block: Figure) -> Lines:
    yield _text(block.title, "bold")
    yield _text(block.alternative)
    if block.caption:
        yield _text(block.caption, "dim")


def _table(block: TableOfText) -> Lines:
    yield _text(block.caption, "bold")
    table = FittedTable(header_style="bold", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    wordy = {place for row in block.rows for place, cell in enumerate(row.cells, start=1) if cell.words}
    for place, column in enumerate(block.columns):
        right = place > 0 and block.numeric and place not in wordy
        table.add_column(_cell(column), justify="right" if right else "left", overflow="fold")
    for group, rows in block.groups():
        if group:
            table.add_row(_text(group, "bold italic"))
        for row in rows:
            table.add_row(_row_head(row), *map(_cell, row.cells))
    yield table
    if block.note:
        yield _text(block.note, "dim")


def _row_head(row: Row) -> Text:
    return _cell(Cell(row.heading, row.under, strong=row.total))


def _cell(cell: Cell) -> Text:
    text = _text(cell.main, "bold" if cell.strong else "")
    for line in cell.under:
        text.append("\n").append(_text(line, "not bold dim"))
    return text


def _signatures(document: Document) -> Lines:
    signed = [table for table in document.blocks(TableOfText) if table.signatures]
    if signed:
        yield from ("", Rule(_text(document.words["all_signatures"], "bold"), align="left", characters="─"))
        yield _text(document.words["signatures_note"], "dim")
    for table in signed:
        yield from ("", _text(table.caption, "bold"))
        for where, line in condensed(table.signatures):
            yield _text(f"{where}  ").append(_text(line, "dim"))


def _made(document: Document) -> str:
    generated = document.words["made"].format(version=document.version, data=document.data)
    again = f" {document.words['again']} {document.command}" if document.command else ""
    return f"{generated}.{again}"


_SHOWN: Final[dict[type, Callable[[Any], Lines]]] = {
    TableOfText: _table,
    Figure: _figure,
    Paragraph: _paragraph,
    Heading: _heading,
    Bullets: _bullets,
    FactList: _facts,
    Definition: _definition,
    Transcript: _transcript,
    Fold: _fold,
}
