"""What the command line prints, as text of a terminal and as a notebook shows it."""

import io
import shutil
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.console import RenderableType

_TABLE: Final = "border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0"
_CELL: Final = "padding:.2em .7em .2em 0;vertical-align:top;text-align:{};border:0"
_RULED: Final = "border-top:1px solid #8888"


def printed(parts: "Iterable[RenderableType]", warnings: Iterable[str]) -> str:
    """Tables and sentences as a terminal of this width shows them, without colours."""
    from rich.console import Console
    from rich.text import Text

    width = shutil.get_terminal_size((110, 24)).columns
    console = Console(file=io.StringIO(), width=width, color_system=None, force_jupyter=False)
    for part in (*parts, *(Text(line) for line in warnings)):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())


def as_html(parts: "Iterable[RenderableType]", warnings: Iterable[str]) -> str:
    """The same tables and sentences for a notebook; every word is escaped."""
    from rich.table import Table

    drawn = [_html_table(part) if isinstance(part, Table) else _paragraph(part) for part in parts]
    told = [f'<p style="margin:.4em 0"><b>{escape(line)}</b></p>' for line in warnings]
    return f'<div class="vivavoce">{"".join([*drawn, *told])}</div>'


def _paragraph(part: Any) -> str:
    dim = ";opacity:.7" if "dim" in str(getattr(part, "style", "")) else ""
    return f'<p style="margin:.4em 0{dim}">{_words(part)}</p>'


def _html_table(table: Any) -> str:
    ways = ["right;white-space:nowrap" if column.justify == "right" else "left" for column in table.columns]

    def row(tag: str, cells: Iterable[Any], more: str = "") -> str:
        made = (
            f'<{tag} style="{_CELL.format(way)};{more}">{_words(cell)}</{tag}>'
            for way, cell in zip(ways, cells, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    columns = [list(column.cells) for column in table.columns]
    body, ruled = [], True
    for place, cells in enumerate(zip(*columns, strict=True)):
        body.append(row("td", cells, _RULED if ruled else ""))
        ruled = table.rows[place].end_section
    title = f"<caption>{_words(table.title)}</caption>" if table.title else ""
    below = f'<p style="margin:.4em 0;opacity:.7">{_words(table.caption)}</p>' if table.caption else ""
    head = row("th", (column.header for column in table.columns))
    inside = f"{title}<thead>{head}</thead><tbody>{''.join(body)}</tbody>"
    return f'<div style="overflow-x:auto"><table style="{_TABLE}">{inside}</table></div>{below}'


def _words(cell: Any) -> str:
    plain = escape(cell.plain if hasattr(cell, "plain") else str(cell)).replace("\n", "<br>")
    return f"<b>{plain}</b>" if "bold" in str(getattr(cell, "style", "")) else plain
