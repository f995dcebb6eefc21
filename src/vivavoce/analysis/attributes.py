"""Attributes of participants, one value each: columns, attributes, or answers about themselves."""

import json
from collections.abc import Mapping
from typing import Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce.dataset.populations import POPULATION, populations
from vivavoce.dataset.reader import Dataset

PLAIN: Final = ("language", "pool")


def attribute_names(dataset: Dataset) -> list[str]:
    """Names of groupings of participants: language, pool, population, attributes, answers about the visit.

    Note  an item of a questionnaire is `item`, or `instrument.item` where two instruments have one so named
    """
    return sorted(_values(dataset))


def attribute(dataset: Dataset, name: str) -> dict[str, str]:
    """One attribute by participant; people without it are left out.

    Raises  UnknownName: nothing of this name is known of any participant
    """
    values = _values(dataset)
    if name not in values:
        raise UnknownName("attribute of participants", name, sorted(values), place=str(dataset.folder))
    return dict(values[name])


def _values(dataset: Dataset) -> Mapping[str, dict[str, str]]:
    values_by_name: dict[str, dict[str, str]] = {}
    for row in dataset.read("participants").to_pylist():
        attributes: dict[str, Any] = json.loads(row["attributes"]) if row["attributes"] else {}
        for key, value in {**{name: row[name] for name in PLAIN}, **attributes}.items():
            if value is not None and not isinstance(value, dict | list):
                values_by_name.setdefault(key, {})[row["participant_id"]] = str(value)
    if known_populations := populations(dataset):
        values_by_name[POPULATION] = known_populations
    return values_by_name | _answers(dataset)


def _answers(dataset: Dataset) -> dict[str, dict[str, str]]:
    """The labels chosen in questionnaires about the whole visit, by item.

    Note  who chose the same in another language is of the same group, called as in the language of most
    """
    about_visit = [
        row
        for row in dataset.read("ratings").to_pylist()
        if row["dialogue_id"] is None and row["participant_id"] and row["value"] is not None
    ]
    languages = [row["language"] for row in about_visit]
    most = max(dict.fromkeys(languages), key=languages.count, default=None)
    called = {
        (row["instrument"], row["item_id"], row["value"]): row["answer"]
        for row in about_visit
        if row["language"] == most
    }
    by_item: dict[tuple[str, str], dict[str, str]] = {}
    for row in about_visit:
        item, label = (row["instrument"], row["item_id"]), row["answer"]
        if row["language"] != most:
            label = called.get((*item, row["value"])) or label
        by_item.setdefault(item, {})[row["participant_id"]] = label or f"{row['value']:g}"
    items = [item for _, item in by_item]
    return {
        item if items.count(item) == 1 else f"{instrument}.{item}": values
        for (instrument, item), values in by_item.items()
    }
