"""Transcripts rated one at a time: does a version get better ratings from the same people?

Source  third-party rating as in Jurcicek et al. 2011 and Yang et al. 2010
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import unless_none
from vivavoce.core.signature import installed_version, signature
from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.preference_models import people_of

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedVersions:
    """Means of codes of both versions (reversed items turned round), and their difference within people.

    item    None: over all items of the variable
    p_holm  over all items, and apart from them over the variables
    Empty   a version that nobody rated: its mean, difference, limits and p are None
    """

    variable: str
    item: str | None = unless_none()
    control: float | None
    experimental: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    ratings: int
    participants: int
    p_holm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCheck:
    """Who read a broken transcript, and whose mean rating of it is not below their mean of the others."""

    participants: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptRatings:
    """Transcripts rated one at a time, by item and by variable; attention: see `attention_passed`."""

    study: str
    data: str
    vivavoce: str
    level: float
    simulated: bool
    instruments: Sequence[str]
    participants: int
    ratings: int
    transcripts: int
    items: Sequence[RatedVersions]
    variables: Sequence[RatedVersions]
    attention: AttentionCheck | None
    signature: str


def has_readings(dataset: Dataset) -> bool:
    """Whether anybody rated transcripts."""
    return dataset.read("readings").num_rows > 0


def rated_transcripts(dataset: Dataset, level: float = 0.95) -> TranscriptRatings:
    """Means of both versions and their difference within people, by variable and item.

    Note    broken transcripts are in no mean, and who rates them well stays in
    Raises  InputError: nothing was rated
    """
    every = [_turned(row) for row in dataset.read("readings").to_pylist() if row["value"] is not None]
    rows = [row for row in every if row.get("role") != "attention"]
    if not rows:
        raise InputError(
            "no rated transcripts", place=str(dataset.folder), hint="export a study with a step `rate`"
        )
    variables = sorted({row["variable"] for row in rows})
    items = list(dict.fromkeys((row["variable"], row["item_id"]) for row in rows))
    by_item = [
        _versions(
            [row for row in rows if (row["variable"], row["item_id"]) == (variable, item)],
            variable,
            item,
            level,
        )
        for variable, item in sorted(items)
    ]
    by_variable = [
        _versions([row for row in rows if row["variable"] == variable], variable, None, level)
        for variable in variables
    ]
    return TranscriptRatings(
        study=dataset.study,
        data=dataset.hash,
        vivavoce=installed_version(),
        level=level,
        simulated=any(row["simulated"] for row in rows),
        instruments=_names(rows),
        participants=len(set(people_of(rows))),
        ratings=len(rows),
        transcripts=len({(row["pair_id"], row["version"]) for row in rows}),
        items=_adjusted(by_item),
        variables=_adjusted(by_variable),
        attention=attention_passed(every),
        signature=signature(
            "transcript_rating",
            unit="participant",
            n=len(set(people_of(rows))),
            data=dataset.hash,
            interval=f"permutation_of_participants {level}",
        ),
    )


def _adjusted(found: Sequence[RatedVersions]) -> list[RatedVersions]:
    return [replace(one, p_holm=p) for one, p in zip(found, holm([one.p for one in found]), strict=True)]


def attention_passed(rows: Sequence[Row]) -> AttentionCheck | None:
    """How many readers told a broken transcript from the others.

    Empty   no broken transcript was read: None
    """
    parts: dict[tuple[str, bool], list[float]] = {}
    for person, row in zip(people_of(rows), rows, strict=True):
        parts.setdefault((str(person), row.get("role") == "attention"), []).append(row["value"])
    asked = [person for person, broken in parts if broken and (person, False) in parts]
    if not asked:
        return None
    means = {key: float(np.mean(values)) for key, values in parts.items()}
    failed = sum(means[one, True] >= means[one, False] for one in asked)
    return AttentionCheck(participants=len(asked), failed=failed)


def _names(rows: Sequence[Row]) -> list[str]:
    return sorted({row["instrument"] for row in rows})


def _turned(row: Row) -> Row:
    """The rating with a reversed item's code turned round, so that more is better."""
    if row["instrument"] not in INSTRUMENTS:
        return row
    instrument = INSTRUMENTS.get(row["instrument"])
    item = next((one for one in instrument.items if one.item_id == row["item_id"]), None)
    scale = instrument.scale_of(item) if item is not None and item.reverse else None
    return {**row, "value": scale.low + scale.high - row["value"]} if scale else row


def _versions(rows: Sequence[Row], variable: str, item: str | None, level: float) -> RatedVersions:
    """Both means and their difference, the same people in both where they read both."""
    parts = {name: [row for row in rows if row["version"] == name] for name in ("control", "experimental")}
    means = {
        name: float(np.mean([row["value"] for row in own])) if own else None for name, own in parts.items()
    }
    told = RatedVersions(
        variable=variable,
        item=item,
        control=means["control"],
        experimental=means["experimental"],
        ratings=len(rows),
        participants=len(set(people_of(rows))),
    )
    if means["control"] is None or means["experimental"] is None:
        return told
    new, old = parts["experimental"], parts["control"]
    _, codes = np.unique(np.concatenate([people_of(new), people_of(old)]), return_inverse=True)
    values = [np.array([row["value"] for row in own], dtype=float) for own in (new, old)]
    found = compare_clusters(
        codes[: len(new)],
        codes[len(new) :],
        (values[0], np.ones(len(new))),
        (values[1], np.ones(len(old))),
        level=level,
        most=_width(rows),
    )
    return replace(told, difference=means["experimental"] - means["control"], **interval_facts(found))


def _width(rows: Sequence[Row]) -> float:
    """The largest difference that two ratings can have; of an unknown form, that its ratings do have."""
    widths, values = [], [row["value"] for row in rows]
    for name, item_id in {(row["instrument"], row["item_id"]) for row in rows}:
        instrument = INSTRUMENTS.get(name) if name in INSTRUMENTS else None
        item = next((one for one in instrument.items if one.item_id == item_id), None) if instrument else None
        scale = instrument.scale_of(item) if instrument and item else None
        if scale is not None:
            widths.append(scale.high - scale.low)
    return float(max(widths, default=max(values) - min(values)))
