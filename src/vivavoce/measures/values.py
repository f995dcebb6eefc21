"""Values of chosen measures with their facts: one table for notebooks and files, one mapping for JSON."""

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce.core.signature import signature
from vivavoce.measures.base import MEASURES
from vivavoce.measures.compute import group_keys, pool, sums

if TYPE_CHECKING:
    import pandas as pd

    from vivavoce.log.dataset import Dataset

EVERYTHING: Final = "all"


def chosen(words: Iterable[str], place: str = "--only") -> list[str]:
    """Names of the measures that words stand for: families, origins, names, symbols, or `all`.

    Raises  UnknownName: a word that stands for none
    """
    found: list[str] = []
    for word in words:
        own = [
            name for name, one in MEASURES if word in (EVERYTHING, one.family, one.origin, name, one.symbol)
        ]
        if not own:
            families = sorted({one.family for _, one in MEASURES})
            known = [*families, "instrumental", "expert", EVERYTHING]
            raise UnknownName("family or measure", word, known, place=place)
        found += own
    return list(dict.fromkeys(found))


def values(
    dataset: "Dataset",
    names: Iterable[str] | None = None,
    by: str = "system",
    *,
    keywords: Collection[str] | None = None,
) -> "pd.DataFrame":
    """What `compute` gives by group and then over the whole dataset, with the measures' facts.

    Output  the columns of `compute` and symbol, family, origin, unit (`1` or `s`), whole (true in the rows of
            the whole dataset, whose key is `all`)
    Raises  UnknownName: an unknown measure or grouping
    """
    import pandas as pd

    keys = group_keys(dataset, by)
    parts = sums(dataset, names, keywords=keywords)
    both = [
        pool(parts, keys).assign(whole=False),
        pool(parts, group_keys(dataset, None)).assign(whole=True),
    ]
    found = pd.concat(both, ignore_index=True)
    measures = [MEASURES.get(name) for name in found["measure"]]
    found.insert(2, "symbol", [one.symbol for one in measures])
    found.insert(3, "family", [one.family for one in measures])
    found.insert(4, "origin", [one.origin for one in measures])
    found.insert(5, "unit", [one.unit_symbol for one in measures])
    return found


def records(found: "pd.DataFrame") -> list[dict[str, Any]]:
    """The rows of `values` as mappings; what is missing is None."""
    rows = [{str(name): value for name, value in row.items()} for row in found.to_dict("records")]
    return [{name: None if value != value else value for name, value in row.items()} for row in rows]


def as_json(
    dataset: "Dataset", found: "pd.DataFrame", by: str, *, keywords: Collection[str] | None = None
) -> dict[str, Any]:
    """The groups of `vivavoce measure --json`, with the measures asked for and nothing else."""
    entries: list[dict[str, Any]] = []
    for row in records(found):
        last = entries[-1] if entries else None
        if last is None or last["key"] != row["key"] or row["measure"] in last["measures"]:
            entries.append(last := {"key": row["key"], "measures": {}})
        last["measures"][row["measure"]] = _figures(dataset, row, by, keywords)
    return {
        "study": dataset.study,
        "simulated": dataset.simulated,
        "by_what": by,
        "data": dataset.hash,
        "by": entries[:-1],
        "all": entries[-1] if entries else {},
    }


def _figures(
    dataset: "Dataset", row: Mapping[str, Any], by: str, keywords: Collection[str] | None
) -> dict[str, Any]:
    one, n = MEASURES.get(row["measure"]), row["denominator"]
    facts = {name: text for name, text in one.parameters.items() if name != "unit"}
    if keywords is not None and "keywords" in facts:
        facts["keywords"] = f"{len(keywords)} given"
    if not row["whole"]:
        facts[by] = row["key"]
    line = signature(one.name, unit=one.analysis_unit, n=round(n), data=dataset.hash, **facts)
    figures = ("value", "macro", "numerator", "denominator", "dialogues")
    return {**{name: row[name] for name in figures}, "unit": one.unit_symbol, "signature": line}
