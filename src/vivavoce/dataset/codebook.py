"""The reference page of the dataset, made from its schema: `python -m vivavoce.dataset.codebook`."""

from typing import Final

from vivavoce.core.reference import markdown_table
from vivavoce.dataset.columns import HOLDS, TREATMENTS, Column, Content, Level, Table
from vivavoce.dataset.schema import TABLES

_HEAD: Final = """# The dataset

<!-- Made by `python -m vivavoce.dataset.codebook`; edit the schema, not this page. -->

A dataset is a folder with one Parquet file per table and `dataset.json`, which names the study, the
level and the [fingerprint of the log](../explanation/log.md#one-tree-over-all-events).
`vivavoce export` writes it from a log, `vivavoce import` from other logs; `export --csv` writes the same
tables with a codebook.

- The factors of a study are extra columns `factor_<name>` of `dialogues`.
- Column names end in `_id` for keys, in `_at` for instants (UTC timestamps) and in their unit for amounts.
- A column without a type is a string; without a content it is a `fact`. Missing values are null.
- Above 20,000 dialogues the dataset is split into buckets:
  [analyse in Python](../how-to/analyse-in-python.md).

## Levels

The content of a column decides what each level of `vivavoce export --level` does with it:
[pass on a dataset](../how-to/pass-on-a-dataset.md).

"""


def levels_table() -> str:
    """A Markdown table of what each level keeps."""
    rows = (
        (f"`{content}`" if content else "", holds, *(treatment.value for treatment in TREATMENTS[content]))
        for content, holds in HOLDS.items()
    )
    return markdown_table(("holds", "which are", *(f"`{level}`" for level in Level)), rows)


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD + levels_table(), *map(_table, TABLES.values())])


def _table(table: Table) -> str:
    rows = ((f"`{column.name}`{_kind(column)}", column.meaning) for column in table.columns)
    return f"## `{table.name}`\n\nA row is {table.row}.\n\n{markdown_table(('column', 'meaning'), rows)}"


def _kind(column: Column) -> str:
    """Type and content of a column, unless they are the usual ones."""
    name = str(column.type)
    words = [] if name == "string" or column.content is Content.instant else [name]
    words += [] if column.content is Content.fact else [str(column.content)]
    return f" ({', '.join(words)})" if words else ""


if __name__ == "__main__":
    print(page(), end="")
