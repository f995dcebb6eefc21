"""What a table of the dataset is made of: columns with type, unit and meaning, and those that many share."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

Columns = Callable[[str, Sequence[str]], Iterable[tuple[Any, ...]]]
"""The rows of a table, of these columns alone."""

FACTOR_PREFIX: Final = "factor_"

TEXT, INTEGER, REAL, FLAG = pa.string(), pa.int32(), pa.float64(), pa.bool_()
LONG = pa.int64()
INSTANT = pa.timestamp("us", tz="UTC")


class Column(NamedTuple):
    """One column of a dataset table; `required` columns are never null."""

    name: str
    type: pa.DataType
    meaning: str
    required: bool = False


class Table(NamedTuple):
    """One dataset table: what a row is, and its columns in order.

    counted  what an export says of it, such as `dialogue`; "" for tables that say more of other tables' rows
    unit     the columns that name one of these, where a row is only a part of it
    before   the table before which it stands, where it is not one of ours; "" after them
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    counted: str = ""
    unit: tuple[str, ...] = ()
    before: str = ""

    @property
    def spoken(self) -> bool:
        """Whether its rows have recordings, and as `text` what was said in them."""
        return {"text", "recording"} <= {column.name for column in self.columns}

    def arrow(self, factors: tuple[str, ...] = ()) -> pa.Schema:
        """The Arrow schema; `factors` are names without prefix, for `dialogues` only."""
        fields = [pa.field(c.name, c.type, nullable=not c.required) for c in self.columns]
        fields += [pa.field(FACTOR_PREFIX + name, TEXT) for name in factors]
        return pa.schema(fields)


DIALOGUE = Column("dialogue_id", TEXT, "key of the dialogue", True)
TURN = Column("turn_index", INTEGER, "0-based position over both parties", True)
PARTICIPANT = Column("participant_id", TEXT, "pseudonymous key of the participant; null when unknown")
