"""Tables for terminals of any width."""

from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

WIDE = 10_000


class FittedTable(Table):
    """A table that never breaks a word: where the terminal is too narrow, one row stands below the other.

    Then each row is a block: its first cell, and below it every other cell that holds something, with the
    head of its column. Thousands have no separator, at which a line could break. A cell is never read as
    markup: it may hold what users wrote.
    """

    def add_row(self, *cells: Any, **settings: Any) -> None:
        super().add_row(*(_without_separators(cell) for cell in cells), **settings)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [self._measured(console, options.update(width=WIDE), column) for column in self.columns]
        padding = sum(self._get_padding_width(place) for place in range(len(widths)))
        spare = options.max_width - self._extra_width - padding - sum(width.minimum for width in widths)
        if spare < 0:
            yield from self._stacked(console)
            return
        flexible = sum(width.maximum - width.minimum for width in widths)
        for column, measured in zip(self.columns, widths, strict=True):
            share = (measured.maximum - measured.minimum) / flexible if flexible else 0
            column.width = min(measured.maximum, measured.minimum + int(spare * share))
        yield from super().__rich_console__(console, options)

    def _measured(self, console: Console, wide: ConsoleOptions, column: Column) -> Measurement:
        """The width of a column's longest word, and of its longest line."""
        cells = (_text(console, cell) for cell in (column.header, *column.cells))
        cell_widths = [Measurement.get(console, wide, cell) for cell in cells]
        longest = max(width.maximum for width in cell_widths)
        return Measurement(
            longest if column.no_wrap else max(width.minimum for width in cell_widths), longest
        )

    def _stacked(self, console: Console) -> RenderResult:
        if self.title:
            yield _text(console, self.title)
        heads = [_text(console, column.header).plain.replace("\n", " ") for column in self.columns]
        for first, *cells in zip(*([*column.cells] for column in self.columns), strict=True):
            yield Text(_line(console, first), style="bold")
            for head, cell in zip(heads[1:], cells, strict=True):
                if words := _line(console, cell):
                    yield Padding(Text(f"{head}: {words}" if head else words), (0, 0, 0, 2))
        if self.caption:
            yield _text(console, self.caption)


def _text(console: Console, cell: Any) -> Text:
    return cell if isinstance(cell, Text) else console.render_str(str(cell))


def _line(console: Console, cell: Any) -> str:
    return ", ".join(line.strip() for line in _text(console, cell).plain.splitlines() if line.strip())


def _without_separators(cell: Any) -> Any:
    if isinstance(cell, str):
        return Text(cell.replace("\u202f", ""))
    if isinstance(cell, Text) and "\u202f" in cell.plain:
        return Text("").join(cell.split("\u202f"))
    return cell
