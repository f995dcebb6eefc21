"""Export as a dataset of the Hugging Face Hub: Parquet files, and a card that says what they are.

Source  documentation of the Hub: dataset cards, configurations of data files (read November 2026)
"""

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.dataset.columns import FACTOR_PREFIX
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.exporters.base import Exporter, ExportResult, rows_by_dialogue, yaml_text

CONVERSATIONS: Final = "conversations"
SPLIT: Final = "train"  # there is one, and the library has no better word for all of it
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_MESSAGE: Final = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_KINDS: Final = {"double": "float64", "int32": "int32", "int64": "int64", "bool": "bool", "string": "string"}


def write_huggingface(dataset: Dataset, into: Path) -> ExportResult:
    """A configuration for each table that has rows, and one with the dialogues as lists of messages."""
    data = into / "data"
    data.mkdir()
    tables = {CONVERSATIONS: _conversations(dataset)}
    for name in TABLES:
        table = dataset.read(name)
        if table.num_rows:
            tables[name] = table
    for name, table in tables.items():
        pq.write_table(table.replace_schema_metadata(None), data / f"{name}.parquet")
    return ExportResult(frozenset(TABLES), head=_head(dataset, tables, data))


def _conversations(dataset: Dataset) -> pa.Table:
    """A row a dialogue: its facts, and what was said as messages of user and assistant."""
    turns = rows_by_dialogue(dataset, "turns")
    dialogues = dataset.read("dialogues")
    names = ["dialogue_id", "system", "condition", "language", "task_text", "participant_id", "simulated"]
    names += [name for name in dialogues.column_names if name.startswith(FACTOR_PREFIX)]
    message_lists = [
        [{"role": _role(turn), "content": turn["text"] or ""} for turn in turns.get(key, [])]
        for key in dialogues.column("dialogue_id").to_pylist()
    ]
    return dialogues.select(names).append_column("messages", pa.array(message_lists, _MESSAGE))


def _role(turn: dict[str, Any]) -> str:
    return "user" if turn["party"] == "user" else "assistant"


def _head(dataset: Dataset, tables: dict[str, pa.Table], data: Path) -> str:
    """The YAML at the head of the card, by which the library finds files and features; then the columns."""
    languages = {
        str(language).partition("-")[0]
        for language in dataset.read("dialogues").column("language").to_pylist()
    }
    dialogues = tables[CONVERSATIONS].num_rows
    size = next((word for most, word in _SIZES if dialogues < most), "n>1M")
    card = {
        "pretty_name": dataset.study,
        "language": sorted(languages - {"und"}),
        "tags": ["dialogue", "human-evaluation"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": SPLIT, "path": f"data/{name}.parquet"}],
                **({"default": True} if name == CONVERSATIONS else {}),
            }
            for name in tables
        ],
        "dataset_info": [_info(name, table, data) for name, table in tables.items()],
    }
    return f"---\n{yaml_text(card)}---\n\n{_columns(tables)}"


def _info(name: str, table: pa.Table, data: Path) -> dict[str, Any]:
    stored = (data / f"{name}.parquet").stat().st_size
    split = {"name": SPLIT, "num_bytes": table.nbytes, "num_examples": table.num_rows}
    features = [_feature(field) for field in table.schema]
    sizes = {"download_size": stored, "dataset_size": table.nbytes}
    return {"config_name": name, "features": features, "splits": [split], **sizes}


def _feature(field: pa.Field) -> dict[str, Any]:
    if pa.types.is_list(field.type):
        inside = [
            {"name": subfield.name, "dtype": _KINDS[str(subfield.type)]} for subfield in field.type.value_type
        ]
        return {"name": field.name, "list": inside}
    kind = str(field.type)
    return {"name": field.name, "dtype": _KINDS.get(kind, kind)}


def _columns(tables: dict[str, pa.Table]) -> str:
    """Description of each configuration and column, as Markdown."""
    lines = [
        "A configuration for each table, and `conversations`: a row a dialogue, what was said as messages.",
        f"Nothing is split: the one split is called `{SPLIT}` because the library wants a name.",
        "",
    ]
    for name, table in TABLES.items():
        if name in tables:
            lines += [f"**`{name}`**, a row: {table.row}", "", "| column | meaning |", "| --- | --- |"]
            meanings = {column_info.name: column_info.meaning for column_info in table.columns}
            for column in tables[name].column_names:
                meaning = (
                    meanings.get(column) or f"condition of the study: {column.removeprefix(FACTOR_PREFIX)}"
                )
                lines.append(f"| `{column}` | {meaning.replace('|', chr(92) + '|')} |")
            lines.append("")
    return "\n".join(lines) + "\n"


HUGGINGFACE: Final = Exporter(
    name="huggingface",
    title="a dataset for the Hugging Face Hub",
    layout="Parquet files in data/, a configuration each, and this card",
    write=write_huggingface,
)
