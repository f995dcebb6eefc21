"""Values of chosen measures with their facts: one table for notebooks and files, one mapping for JSON."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, get_args

from vivavoce.core.errors import UnknownName
from vivavoce.core.result import signature
from vivavoce.measures.base import MEASURES, Measure, Origin
from vivavoce.measures.compute import INVERSE, group_keys, pool, sums

if TYPE_CHECKING:
    import pandas as pd

    from vivavoce.dataset.reader import Dataset

EVERYTHING: Final = "all"


def chosen(words: Iterable[str], place: str = "--only") -> list[str]:
    """Names of the measures that words stand for: families, origins, names, symbols, or `all`.

    Raises  UnknownName: a word that stands for none
    """
    names: list[str] = []
    for word in words:
        matching = [
            name
            for name, measure in MEASURES
            if word in (EVERYTHING, measure.family, measure.origin, name, measure.symbol)
        ]
        if not matching:
            families = sorted({measure.family for _, measure in MEASURES})
            options = [*families, *get_args(Origin), EVERYTHING, *MEASURES.names()]
            raise UnknownName("family or measure", word, options, place=place)
        names += matching
    return list(dict.fromkeys(names))


def values(
    dataset: "Dataset",
    names: Iterable[str] | None = None,
    by: str = "system",
    *,
    keywords: Collection[str] | None = None,
) -> "pd.DataFrame":
    """The result of `compute` by group and then over the whole dataset, with the measures' facts.

    Output  the columns of `compute` and symbol, family, origin, unit (`1` or `s`), analysis_unit (what the
            denominator counts), whole (true in the rows of the whole dataset, whose key is `all`), signature
    Raises  UnknownName: an unknown measure or grouping
    """
    import pandas as pd

    keys = group_keys(dataset, by)
    parts = sums(dataset, names, keywords=keywords)
    frames = [
        pool(parts, keys).assign(whole=False),
        pool(parts, group_keys(dataset, None)).assign(whole=True),
    ]
    frame = pd.concat(frames, ignore_index=True)
    measures = [MEASURES.get(name) for name in frame["measure"]]
    frame.insert(2, "symbol", [measure.symbol for measure in measures])
    frame.insert(3, "family", [measure.family for measure in measures])
    frame.insert(4, "origin", [measure.origin for measure in measures])
    frame.insert(5, "unit", [measure.unit_symbol for measure in measures])
    frame.insert(6, "analysis_unit", [measure.counted for measure in measures])
    rows = zip(measures, frame["key"], frame["denominator"], frame["whole"], frame["open"], strict=True)
    lines = [
        _line(
            dataset,
            measure,
            n,
            None if is_overall else (by, key),
            keywords,
            open_,
            weighed=measure.name in parts.weights,
        )
        for measure, key, n, is_overall, open_ in rows
    ]
    return frame.assign(signature=lines)


def records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """The rows of `values` as mappings; what is missing is None."""
    rows = [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
    return [{name: None if value != value else value for name, value in row.items()} for row in rows]


def as_json(dataset: "Dataset", frame: "pd.DataFrame", by: str) -> dict[str, Any]:
    """The groups of `vivavoce measure --json`, with the measures asked for and nothing else."""
    entries: list[dict[str, Any]] = []
    for row in records(frame):
        last = entries[-1] if entries else None
        if last is None or row["measure"] in last["measures"]:
            entries.append(last := {"key": row["key"], "measures": {}})
        last["measures"][row["measure"]] = _figures(row)
    return {
        "study": dataset.study,
        "simulated": dataset.simulated,
        "by_what": by,
        "data": dataset.hash,
        "excluded": dataset.excluded,
        "by": entries[:-1],
        "all": entries[-1] if entries else {},
    }


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    figures = (
        "value",
        "macro",
        "numerator",
        "denominator",
        "dialogues",
        "open",
        "lowest",
        "highest",
        "unit",
        "signature",
    )
    intervals = ("low", "high", "interval", "participants")
    return {name: row[name] for name in (*figures, *(name for name in intervals if name in row))}


def _line(
    dataset: "Dataset",
    measure: Measure,
    n: float,
    group: tuple[str, Any] | None,
    keywords: Collection[str] | None,
    open_: int,
    *,
    weighed: bool,
) -> str:
    """Signature of one value; given keywords count by their number and a hash."""
    facts: dict[str, Any] = {name: text for name, text in measure.parameters.items() if name != "unit"}
    if keywords is not None and "keywords" in facts:
        keywords_hash = hashlib.sha256("\n".join(sorted(keywords)).encode()).hexdigest()[:8]
        facts["keywords"] = f"{len(keywords)} given, {keywords_hash}"
    if open_:
        facts["open"] = open_
    if weighed:
        facts["weights"] = INVERSE
    if group is not None:
        facts[group[0]] = group[1]
    return signature(measure.name, unit=measure.counted, n=round(n), data=dataset.hash, **facts)
