"""Results of the functions of the API: frozen, typed, and shown as the command line prints them."""

import io
import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from html import escape
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self, TypeVar, get_args, get_type_hints

from vivavoce.api.wording import in_python
from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl  # pyright: ignore[reportMissingImports]
    import pyarrow as pa
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
    """Tables and sentences as HTML for a notebook; every word is escaped."""
    from rich.table import Table

    blocks = [_html_table(part) if isinstance(part, Table) else _paragraph(part) for part in parts]
    notes = [f'<p style="margin:.4em 0"><b>{escape(line)}</b></p>' for line in warnings]
    return f'<div class="vivavoce">{"".join([*blocks, *notes])}</div>'


def _paragraph(part: Any) -> str:
    dim = ";opacity:.7" if "dim" in str(getattr(part, "style", "")) else ""
    return f'<p style="margin:.4em 0{dim}">{_words(part)}</p>'


def _html_table(table: Any) -> str:
    ways = ["right;white-space:nowrap" if column.justify == "right" else "left" for column in table.columns]

    def row(tag: str, cells: Iterable[Any], more: str = "") -> str:
        html_cells = (
            f'<{tag} style="{_CELL.format(way)};{more}">{_words(cell)}</{tag}>'
            for way, cell in zip(ways, cells, strict=True)
        )
        return f"<tr>{''.join(html_cells)}</tr>"

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
    text = escape(cell.plain if hasattr(cell, "plain") else str(cell)).replace("\n", "<br>")
    return f"<b>{text}</b>" if "bold" in str(getattr(cell, "style", "")) else text


Row = TypeVar("Row")
Found = TypeVar("Found")


@dataclass(frozen=True, eq=False, repr=False)
class Result(ABC, Generic[Row, Found]):
    """Numbers of one question.

    rows      one frozen object a number, with its unit of analysis, n, interval and signature
    facts     the same and all that stands behind it; `to_dict()` gives it as `--json` prints it
    warnings  what the numbers must not be read without, in sentences
    """

    rows: tuple[Row, ...]
    facts: Found = field(repr=False)
    warnings: tuple[str, ...] = ()

    row: ClassVar[type]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as the command line's `--json` prints it."""
        return json.loads(json.dumps(as_json(self.facts), allow_nan=False))

    def to_arrow(self) -> "pa.Table":
        """The rows as an Arrow table; what is missing is null."""
        import pyarrow as pa

        kinds = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
        hints = get_type_hints(self.row)
        schema = pa.schema([(field.name, kinds[_plain(hints[field.name])]) for field in fields(self.row)])
        return pa.Table.from_pylist([asdict(row) for row in self.rows], schema=schema)  # type: ignore[call-overload]

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a pandas data frame; what is missing is NaN or None."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """The rows as a polars data frame; what is missing is null.

        Raises  InputError: polars is not installed
        """
        try:
            import polars  # pyright: ignore[reportMissingImports]
        except ImportError:
            raise InputError(
                "polars is not installed", place="to_polars()", hint="pip install polars"
            ) from None
        return polars.DataFrame(polars.from_arrow(self.to_arrow()))

    @abstractmethod
    def shown(self) -> "Iterable[RenderableType]":
        """Tables that the command line prints."""

    def in_python(self) -> Self:
        """Results with warnings that name arguments in the place of options."""
        return replace(self, warnings=tuple(map(in_python, self.warnings)))

    def __repr__(self) -> str:
        return printed(self.shown(), self.warnings)

    def _repr_html_(self) -> str:
        return as_html(self.shown(), self.warnings)


def _plain(hint: Any) -> type:
    """The type of a column that may be missing."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return next(kind for kind in kinds if kind is not type(None))
