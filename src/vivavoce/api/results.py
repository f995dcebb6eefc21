"""What the functions of the API return: frozen, typed, and shown as the command line prints it."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from types import UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, get_args, get_type_hints

from vivavoce.api.printing import as_html, printed
from vivavoce.api.wording import in_python
from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl  # pyright: ignore[reportMissingImports]
    import pyarrow as pa
    from rich.console import RenderableType

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
        schema = pa.schema([(one.name, kinds[_plain(hints[one.name])]) for one in fields(self.row)])
        return pa.Table.from_pylist([asdict(one) for one in self.rows], schema=schema)  # type: ignore[call-overload]

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
        """What the command line prints of it."""

    def in_python(self) -> Self:
        """The same with warnings that name arguments in the place of options."""
        return replace(self, warnings=tuple(map(in_python, self.warnings)))

    def __repr__(self) -> str:
        return printed(self.shown(), self.warnings)

    def _repr_html_(self) -> str:
        return as_html(self.shown(), self.warnings)


def _plain(hint: Any) -> type:
    """The type of a column that may be missing."""
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    return next(one for one in kinds if one is not type(None))
