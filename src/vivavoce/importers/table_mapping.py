"""The mapping file of a table: what its columns are, as a person says, and a draft of it."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.validation import mistake, shown_value
from vivavoce.languages.data import Column, TableWords

Party = Literal["user", "system"]
TimeUnit = Literal["iso", "s", "ms"]
MOST_SHOWN: Final = 8
TRUTH: Final = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MappedColumns(_Part):
    """Names of the file's columns."""

    dialogue: str | None = None
    speaker: str | None = None
    text: str | None = None
    messages: str | None = None
    time: str | None = None
    system: str | None = None
    participant: str | None = None
    language: str | None = None
    task: str | None = None
    reward: str | None = None
    subjective_success: str | None = None
    ratings: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()

    @cached_property
    def named(self) -> list[str]:
        """All columns that are named, whatever for."""
        several = (*self.ratings, *self.comments, *self.conditions, *self.leave_out)
        return [*(name for name in self.model_dump().values() if isinstance(name, str)), *several]

    def numbers(self) -> list[str]:
        """Those whose cells are numbers, or words that stand for one."""
        single = (column for column in (self.reward, self.subjective_success) if column is not None)
        return [*single, *self.ratings]


class FixedFacts(_Part):
    """What holds for the whole file, where no column says it."""

    system: str | None = None
    language: str | None = None
    simulated: bool = False


class TableMapping(_Part):
    """What the columns of a table are.

    answers  by column, the number that each word stands for; null: no answer
    decimal  the sign before the fraction of a number
    """

    rows: Literal["turn", "dialogue"]
    columns: MappedColumns
    fixed: FixedFacts = FixedFacts()
    parties: dict[str, Party | None] = Field(min_length=1)
    time_unit: TimeUnit = "iso"
    answers: dict[str, dict[str, float | None]] = Field(default_factory=dict)
    decimal: Literal[".", ","] = "."
    instrument: str = "table"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needed = ("dialogue", "speaker", "text") if self.rows == "turn" else ("messages",)
        for name in needed:
            if getattr(self.columns, name) is None:
                raise mistake(f"columns.{name} is missing", f"with `rows: {self.rows}` name its column")
        if self.columns.system is None and self.fixed.system is None:
            raise mistake("the system is not specified", "set columns.system or fixed.system")
        twice = [name for name, many in Counter(self.columns.named).items() if many > 1]
        if twice:
            raise mistake(f"column {twice[0]!r} is mapped twice", "keep one of the mappings")
        if strange := [name for name in self.answers if name not in self.columns.numbers()]:
            raise mistake(
                f"answers.{strange[0]} does not refer to a numeric column",
                "add it to columns.ratings, columns.subjective_success or columns.reward",
            )
        return self

    def number(self, column: str, written: str) -> float:
        """The number that a cell holds or stands for; NaN: no answer.

        Raises  ValueError: it is no number, and nothing says which one it stands for
        """
        column_answers = self.answers.get(column, {})
        if written in column_answers:
            value = column_answers[written]
            return math.nan if value is None else value
        normalised = written.strip().lower()
        if (truth_value := TRUTH.get(normalised)) is not None:
            return truth_value
        point = normalised.replace(",", ".") if self.decimal == "," and "." not in normalised else normalised
        try:
            if math.isfinite(value := float(point)):
                return value
        except ValueError:
            pass
        raise ValueError(f"{shown_value(written)} in column {column!r} is not a number, yes or no")


class _Words(NamedTuple):
    """Words for tables in all installed languages.

    columns  patterns of names, by what a column holds, in the order in which columns are taken
    parties  who speaks, by what stands for the speaker
    answers  1 or 0, by the word for yes or no; what `TRUTH` knows is left out
    """

    columns: dict[str, list[str]]
    parties: dict[str, Party]
    answers: dict[str, int]


def _installed_words() -> _Words:
    Words = _Words({name: [] for name in get_args(Column)}, {}, {})
    for words in filter(None, map(TableWords.of, sorted(TableWords.languages()))):
        for name, pattern in words.columns.items():
            Words.columns[name].append(pattern)
        sides: tuple[tuple[Party, list[str]], ...] = (("system", words.systems), ("user", words.users))
        for party, names in sides:
            Words.parties.update((name, party) for name in names)
        truth = dict.fromkeys(words.affirmed, 1) | dict.fromkeys(words.denied, 0)
        Words.answers.update({word: value for word, value in truth.items() if word not in TRUTH})
    return Words


def draft_mapping(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], file_names: str) -> str:
    """A mapping file, YAML, of columns and first rows; what these do not tell stands in comments."""
    lists = [name for name in columns if any(isinstance(row.get(name), list) for row in rows)]
    by_turn = not lists
    words = _installed_words()
    columns_of = _matched(columns, lists, rows, words)
    lines = [
        f"# Drafted from the columns of {file_names}. Check every line before you import.",
        (
            f"rows: {('turn' if by_turn else 'dialogue')}  # turn: one row per turn; dialogue: "
            "one row per dialogue"
        ),
        "columns:",
    ]
    for name in _wanted(by_turn):
        lines.append(
            _column_line(
                name, columns_of.get(name), needed=name in ("dialogue", "speaker", "text", "messages")
            )
        )
    for name in ("ratings", "conditions"):
        lines.append(f"  {name}: {_listed(columns_of.get(name, []))}")
    unmatched = [
        name for name in columns if name not in {name for names in columns_of.values() for name in names}
    ]
    lines.append(f"  leave_out: {_listed(unmatched)}  # unknown column names; these are not imported")
    lines.append("fixed:")
    if "system" not in columns_of:
        lines.append("  system:  # no system column recognised: write the system's name here")
    if "language" not in columns_of:
        lines.append(
            "  language:  # no language column recognised: write a language such as en (default `und`)"
        )
    lines.append("  simulated: false  # true if programs played the users")
    lines += _party_lines(_speakers(columns_of, rows, by_turn), words)
    return "\n".join([*lines, *_time_lines(columns_of, rows), *_answer_lines(columns_of, rows, words)]) + "\n"


def _wanted(by_turn: bool) -> list[str]:
    inside = ("dialogue", "speaker", "text", "time") if by_turn else ("dialogue", "messages")
    return [*inside, "system", "participant", "language", "task", "reward"]


def _matched(
    columns: Sequence[str], lists: Sequence[str], rows: Sequence[Mapping[str, Any]], words: _Words
) -> dict[str, list[str]]:
    """Columns by what they look like; each once, those of lists as messages.

    A column whose cells name users and systems is the speaker's, whatever it is called.
    """
    by_turn = not lists
    matched: dict[str, list[str]] = {} if by_turn else {"messages": list(lists[:1])}
    remaining = [name for name in columns if name not in lists]
    if by_turn and (speakers := [name for name in remaining if _names_parties(name, rows, words)]):
        matched["speaker"] = speakers[:1]
        remaining.remove(speakers[0])
    for what, patterns in words.columns.items():
        if what in matched or (not by_turn and what in ("speaker", "text", "time")):
            continue
        matching = [
            name for name in remaining if any(re.fullmatch(pattern, _plain(name)) for pattern in patterns)
        ]
        if matching:
            matched[what] = matching if what in ("ratings", "conditions") else matching[:1]
            remaining = [name for name in remaining if name not in matched[what]]
    return matched


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def _names_parties(column: str, rows: Sequence[Mapping[str, Any]], words: _Words) -> bool:
    """True if a column names both a user and a system, and nobody else."""
    cells = {str(row[column]).strip().lower() for row in rows if row.get(column) not in (None, "")}
    return {words.parties.get(cell) for cell in cells} == {"user", "system"}


def _answer_lines(
    columns_of: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]], words: _Words
) -> Iterable[str]:
    """Values of words in numeric columns, and the decimal separator."""
    numbers = [*columns_of.get("reward", []), *columns_of.get("ratings", [])]
    cells = {name: list(dict.fromkeys(str(row.get(name)).strip() for row in rows)) for name in numbers}
    answer_words = {
        name: [cell for cell in column_cells if cell.lower() in words.answers]
        for name, column_cells in cells.items()
    }
    if any(answer_words.values()):
        yield "answers:  # numeric value of each word; please check"
    for name, column_words in answer_words.items():
        if column_words:
            pairs = ", ".join(f"{_quoted(word)}: {words.answers[word.lower()]}" for word in column_words)
            yield f"  {_quoted(name)}: {{{pairs}}}"
    if any(re.fullmatch(r"-?\d+,\d+", text) for cell in cells.values() for text in cell):
        yield 'decimal: ","  # decimal separator'


def _column_line(name: str, columns: Sequence[str] | None, *, needed: bool) -> str:
    if columns:
        return f"  {name}: {_quoted(columns[0])}"
    return f"  {name}:  # {'required: ' if needed else ''}no matching column recognised"


def _party_lines(speakers: Sequence[str], words: _Words) -> Iterable[str]:
    yield "parties:  # speaker labels: user, system, or null to skip the messages"
    for speaker in speakers:
        party = words.parties.get(speaker.strip().lower()) or "null  # unknown speaker: set a party"
        yield f"  {_quoted(speaker)}: {party}"
    if not speakers:
        yield "  user: user  # no speaker labels recognised: write the labels of the file"
        yield "  assistant: system"


def _speakers(
    columns_of: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]], by_turn: bool
) -> list[str]:
    if by_turn:
        column = (columns_of.get("speaker") or [""])[0]
        speakers = [row.get(column) for row in rows]
    else:
        column = (columns_of.get("messages") or [""])[0]
        messages = [
            message for row in rows for message in row.get(column) or [] if isinstance(message, Mapping)
        ]
        speakers = [
            next((message[key] for key in SPEAKER_KEYS if key in message), None) for message in messages
        ]
    return list(dict.fromkeys(str(speaker) for speaker in speakers if speaker not in (None, "")))[:MOST_SHOWN]


SPEAKER_KEYS: Final = ("role", "speaker", "from", "sender", "author", "party")
TEXT_KEYS: Final = ("content", "text", "value", "message", "utterance", "body")
TIME_KEYS: Final = ("time", "timestamp", "created_at", "ts", "sent_at", "at")


def _time_lines(columns_of: Mapping[str, Sequence[str]], rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    if not (column := columns_of.get("time")):
        return
    times = [str(row[column[0]]) for row in rows if row.get(column[0]) not in (None, "")]
    if times and all(re.fullmatch(r"\d{4}-\d\d-\d\d.*", time) for time in times):
        yield "time_unit: iso"
        return
    numbers = [float(time) for time in times if re.fullmatch(r"-?\d+(\.\d+)?", time)]
    unit = "ms" if numbers and min(numbers) > 1e11 else "s"
    yield (
        f"time_unit: {unit}  # iso, s or ms; example value {_quoted(times[0] if times else '')}; please check"
    )


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _quoted(text: str) -> str:
    """Text as YAML takes it, whatever is in it."""
    unquoted = re.fullmatch(r"[A-Za-z_][\w.-]*", text) and text.lower() not in (
        "null",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "y",
        "n",
    )
    if unquoted:
        return text
    return json.dumps(text, ensure_ascii=True)
