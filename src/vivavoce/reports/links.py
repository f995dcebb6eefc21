"""Links from numbers to the dialogues they count: addresses that a dashboard gives."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from vivavoce.reports.blocks import Block, Cell, Document, DocumentSection, Fold, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.drawing import Figure
from vivavoce.stats.declared_results import is_rate
from vivavoce.stats.summary_results import GroupSummary, Summary

CASES: Final = ("cases",)
SUCCESSES: Final = ("successes",)
AddressOf: TypeAlias = Callable[[CountedDialogues], str]


def cases_of(summary: Summary, row: GroupSummary, measure: str = "") -> CountedDialogues | None:
    """The dialogues of a group, or of all, in which a measure has cases; without one: all of the group.

    Empty   the group is that of what is not known: None
    """
    return cases_between(summary, () if row is summary.all else (row.key,), measure)


def cases_between(summary: Summary, keys: Iterable[str | None], measure: str = "") -> CountedDialogues | None:
    """Cases of several groups together; no group: of all dialogues."""
    requested = tuple(keys)
    present = tuple(key for key in requested if key is not None)
    if len(present) < len(requested):
        return None
    measures = ((measure, CASES if is_rate(measure) else ()),) if measure else ()
    return CountedDialogues(measures, summary.by_what, present)


def successes_of(summary: Summary, row: GroupSummary, measure: str) -> CountedDialogues | None:
    """The dialogues of a group in which a success rate has its successes; where it has none, its cases."""
    rate = row.rates[measure]
    cases = cases_of(summary, row, measure)
    if cases is None or not rate.successes:
        return cases
    return replace(cases, measures=((measure, SUCCESSES),))


def linked(document: Document, address_of: AddressOf) -> Document:
    """The document with an address for each number whose dialogues can be found."""
    figure = linked_figure(document.figure, address_of) if document.figure else None
    return replace(document, figure=figure, sections=linked_sections(document.sections, address_of))


def linked_sections(
    sections: Iterable[DocumentSection], address_of: AddressOf
) -> tuple[DocumentSection, ...]:
    """The sections, with links."""
    return tuple(
        replace(section, blocks=tuple(_block(block, address_of) for block in section.blocks))
        for section in sections
    )


def linked_table(table: TableOfText, address_of: AddressOf) -> TableOfText:
    """The table, with links."""
    rows = tuple(
        replace(row, cells=tuple(_cell(cell, address_of) for cell in row.cells)) for row in table.rows
    )
    return replace(table, rows=rows)


def _block(block: Block, address_of: AddressOf) -> Block:
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(_block(part, address_of) for part in block.blocks))
    if isinstance(block, Figure):
        return linked_figure(block, address_of)
    return linked_table(block, address_of) if isinstance(block, TableOfText) else block


def linked_figure(figure: Figure, address_of: AddressOf) -> Figure:
    """The figure, with links at its marks."""
    return replace(figure, addresses=tuple(address_of(count) if count else "" for count in figure.counts))


def _cell(cell: Cell, address_of: AddressOf) -> Cell:
    return replace(cell, address=address_of(cell.counts)) if cell.counts else cell
