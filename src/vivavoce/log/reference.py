"""The reference page of the dataset, made from its schema: `python -m vivavoce.log.reference`."""

from typing import Final

from vivavoce.log.columns import Table
from vivavoce.log.levels import HOLDS, TREATMENTS, Level
from vivavoce.log.schema import TABLES

_HEAD: Final = """# The dataset

<!-- Made by `python -m vivavoce.log.reference`; edit the schema, not this page. -->

A dataset is a folder: a Parquet file for each table, and `dataset.json`, which names its study and level.
`vivavoce export` makes it from a log, `vivavoce import` from those of others; `export --csv` writes the same
tables with a codebook. Conditions of a study are extra columns `factor_<name>` of `dialogues`. Keys end in
`_id`, instants in `_at` (UTC), units are suffixes; missing is null.
Datasets above 20,000 dialogues are stored in buckets:
[analyse in Python](../how-to/analyse-in-python.md#use-several-processes-or-a-cluster).

## Levels

Every column says what it holds; by that, the level of an export (`vivavoce export --level`) says what becomes
of it. [Pass on a dataset](../how-to/pass-on-a-dataset.md) says when to take which.

"""


def levels_table() -> str:
    """What each level keeps, as a Markdown table."""
    rows = [
        f"| {'' if content is None else f'`{content}`'} | {holds} | "
        + " | ".join(one.value for one in TREATMENTS[content])
        + " |"
        for content, holds in HOLDS.items()
    ]
    head = f"| holds | which are | {' | '.join(f'`{one}`' for one in Level)} |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *rows])


def page() -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD + levels_table(), *map(_table, TABLES.values())]) + "\n"


def _table(table: Table) -> str:
    rows = (
        f"| `{one.name}` | {one.type} | {one.content or ''} | {_escaped(one.meaning)} |"
        for one in table.columns
    )
    head = ["| column | type | holds | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([f"\n## `{table.name}`\n\nA row is {table.row}.\n", *head, *rows])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    print(page(), end="")
