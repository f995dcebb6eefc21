"""From measures to numbers: components of each dialogue, and their exact pooling over any grouping."""

from collections.abc import Collection, Iterable
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import pyarrow as pa

from vivavoce.core.errors import UnknownName
from vivavoce.log.dataset import Dataset
from vivavoce.log.schema import FACTOR_PREFIX
from vivavoce.measures.base import MEASURES, Tables

GROUPS: Final = {
    "system": "system",
    "condition": "condition",
    "participant": "participant_id",
    "task": "task_id",
    "channel": "channel",
    "language": "language",
}
ALL: Final = "all"
_COMPUTED: WeakKeyDictionary[Dataset, pd.DataFrame] = WeakKeyDictionary()


def components(
    dataset: Dataset, names: Iterable[str] | None = None, *, keywords: Collection[str] | None = None
) -> pd.DataFrame:
    """Numerator and denominator of each measure in each dialogue.

    Input   keywords: what the measures of isolated words look at; None: the words of the domain's values

    Output  measure, dialogue_id, numerator, denominator: one row a measure and dialogue, measures in the
            order asked for (all, by name, when `names` is None), dialogues in the dataset's order
    Empty   a measure that is missing in a dialogue has denominator 0; its numerator still counts when pooled
            (words inserted where nothing was said)
    Note    all measures of one opened dataset are computed once; take the frame as it is, never change it
    Raises  UnknownName: a measure that nobody registered
    """
    if names is not None or keywords is not None:
        return _components(dataset, list(MEASURES.names() if names is None else names), keywords)
    if dataset not in _COMPUTED:
        _COMPUTED[dataset] = _components(dataset, MEASURES.names(), None)
    return _COMPUTED[dataset]


def _components(dataset: Dataset, names: list[str], keywords: Collection[str] | None) -> pd.DataFrame:
    measures = [MEASURES.get(name) for name in names]
    known = dataset.read("dialogues").column("dialogue_id").to_pylist()
    places = {dialogue: place for place, dialogue in enumerate(known)}
    sums = np.zeros((2, len(measures), len(known)))
    tables = Tables(dataset, keywords=keywords)
    try:
        for number, measure in enumerate(measures):
            found = tables.rows(measure.components(tables))
            where = [places.get(dialogue, -1) for dialogue in found["dialogue_id"].to_pylist()]
            held = np.array(where, dtype=int)
            for side, column in enumerate(("numerator", "denominator")):
                values = found[column].cast(pa.float64()).to_numpy()
                sums[side, number, held[held >= 0]] = np.nan_to_num(values[held >= 0])
    finally:
        tables.close()
    each: Any = pd.Series([one.name for one in measures], dtype="str").array
    keys: Any = pd.Series(known, dtype="str").array
    return pd.DataFrame({
        "measure": each.take(np.repeat(np.arange(len(measures)), len(known))),
        "dialogue_id": keys.take(np.tile(np.arange(len(known)), len(measures))),
        "numerator": sums[0].ravel(),
        "denominator": sums[1].ravel(),
    })  # fmt: skip


def compute(
    dataset: Dataset,
    names: Iterable[str] | None = None,
    by: str | None = None,
    *,
    keywords: Collection[str] | None = None,
) -> pd.DataFrame:
    """The value of each measure, over the whole dataset or by group.

    Input   by: system, condition, participant, task, channel, language, or the name of a factor
    Output  key, measure, value (sum of numerators over sum of denominators), macro (mean of the values of the
            single dialogues), numerator, denominator, dialogues (those in which it is not missing); keys in
            alphabetical order, null last, `all` without `by`
    Empty   denominator 0: value and macro are missing
    Raises  UnknownName: an unknown measure or grouping
    """
    asked = MEASURES.names() if names is None else list(names)
    return pool(components(dataset, asked, keywords=keywords), groups(dataset, by))


def groups(dataset: Dataset, by: str | None) -> pd.Series:
    """The key of each dialogue under a grouping, indexed by dialogue_id; `all` when `by` is None.

    Raises  UnknownName: names the groupings and factors that there are
    """
    table = dataset.read("dialogues")
    column = GROUPS.get(by, FACTOR_PREFIX + by) if by is not None else None
    if column is not None and column not in table.column_names:
        known = [*GROUPS, *dataset.factors]
        raise UnknownName("grouping", by, known, place=str(dataset.folder))
    dialogues = table.column("dialogue_id").to_pylist()
    keys = [ALL] * len(dialogues) if column is None else table.column(column).to_pylist()
    return pd.Series(keys, index=pd.Index(dialogues, name="dialogue_id"), name="key", dtype=object)


def pool(parts: pd.DataFrame, keys: pd.Series) -> pd.DataFrame:
    """Sum components by key and divide; the shape that `compute` describes."""
    order = {name: position for position, name in enumerate(parts["measure"].unique())}
    key_of: Any = keys
    known = parts["denominator"] > 0
    rows = parts.assign(
        key=parts["dialogue_id"].map(key_of),
        own=(parts["numerator"] / parts["denominator"].where(known)),
        dialogues=known.astype("int64"),
    )
    pooled = (
        rows.groupby(["key", "measure"], dropna=False, sort=True)
        .agg(
            macro=("own", "mean"),
            numerator=("numerator", "sum"),
            denominator=("denominator", "sum"),
            dialogues=("dialogues", "sum"),
        )
        .reset_index()
    )
    pooled["key"] = pooled["key"].astype(object).where(pooled["key"].notna(), None)
    pooled["value"] = pooled["numerator"] / pooled["denominator"].where(pooled["denominator"] > 0)
    pooled["_order"] = [order[name] for name in pooled["measure"]]
    pooled = pooled.sort_values(["key", "_order"], na_position="last", kind="stable", ignore_index=True)
    columns = ["key", "measure", "value", "macro", "numerator", "denominator", "dialogues"]
    return pd.DataFrame(pooled, columns=columns)
