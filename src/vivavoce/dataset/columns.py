"""Columns of the dataset's tables, with type, unit and meaning, and what each export level keeps of them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.errors import UnknownName
from vivavoce.core.extras import later
from vivavoce.core.statement import LocalizedText, statement

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
VISIT = Column("visit_id", KEY, "visit", True)
ANSWERED_AT = Column("answered_at", INSTANT, "UTC")
PARTICIPANT = Column("participant_id", KEY, "pseudonymous key of the participant; null when unknown")


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
