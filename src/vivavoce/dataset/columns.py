"""Columns of the dataset's tables, with type, unit and meaning, and those that tables share."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = later("pyarrow")

Columns = Callable[[str, Sequence[str]], Iterable[tuple[Any, ...]]]
"""The rows of a table, of these columns alone."""

FACTOR_PREFIX: Final = "factor_"


class Content(StrEnum):
    """Kind of information in a column about people; the export level decides its treatment."""

    fact = "fact"
    key = "key"
    words = "words"
    instant = "instant"
    sound = "sound"
    trace = "trace"


class Kind(NamedTuple):
    """The type of a column's cells, and what they hold of people.

    arrow    Arrow's name of the type
    content  None: nobody said, so that the column leaves the laboratory in no export
    """

    arrow: str
    content: Content | None = None

    @property
    def type(self) -> "pa.DataType":
        return pa.timestamp("us", tz="UTC") if self.arrow == "timestamp" else pa.type_for_alias(self.arrow)


TEXT = Kind("string")
LABEL = Kind("string", Content.fact)
"""Words of the study or of the software: a category, a name, what participants read."""
KEY = Kind("string", Content.key)
"""Made up by the log: a pseudonym, or the key of a row."""
WORDS = Kind("string", Content.words)
"""What somebody typed or said, or what was made of it."""
SOUND = Kind("string", Content.sound)
"""Leads to a recording: its file, its hash."""
TRACE = Kind("string", Content.trace)
"""What machines noted: error messages, with addresses and paths perhaps."""
INTEGER, LONG = Kind("int32", Content.fact), Kind("int64", Content.fact)
REAL, FLAG = Kind("float64", Content.fact), Kind("bool", Content.fact)
INSTANT = Kind("timestamp", Content.instant)


class Column(NamedTuple):
    """One column of a dataset table; `required` columns are never null, unless a level leaves them out."""

    name: str
    kind: Kind
    meaning: str
    required: bool = False

    @property
    def type(self) -> "pa.DataType":
        return self.kind.type

    @property
    def content(self) -> Content | None:
        return self.kind.content


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
        """True if its rows have recordings, with the words as `text`."""
        return {"text", "recording"} <= {column.name for column in self.columns}

    def arrow(self, factors: tuple[str, ...] = (), *, without: Collection[str] = ()) -> "pa.Schema":
        """The Arrow schema; `factors` are names without prefix, for `dialogues` only.

        without  columns that are null, required or not
        """
        fields = [
            pa.field(c.name, c.type, nullable=not c.required or c.name in without) for c in self.columns
        ]
        fields += [pa.field(FACTOR_PREFIX + name, LABEL.type) for name in factors]
        return pa.schema(fields)


DIALOGUE = Column("dialogue_id", KEY, "key of the dialogue", True)
TURN = Column("turn_index", INTEGER, "0-based position over both parties", True)
PARTICIPANT = Column("participant_id", KEY, "pseudonymous key of the participant; null when unknown")
