"""Transcripts rated one at a time: does a version get better ratings from the same people?

Source  third-party rating as in Jurcicek et al. 2011 and Yang et al. 2010
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import installed_version, signature, unless_none
from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.multiple_testing import with_holm
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
    """Readers of a broken transcript, and those who rated it no lower than the others on average."""

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
    """True if anybody rated transcripts."""
    return dataset.read("readings").num_rows > 0


def rated_transcripts(dataset: Dataset, level: float = 0.95) -> TranscriptRatings:
    """Means of both versions and their difference within people, by variable and item.

    Note    broken transcripts are in no mean, and who rates them well stays in
    Raises  InputError: nothing was rated
    """
    all_rows = [_turned(row) for row in dataset.read("readings").to_pylist() if row["value"] is not None]
    rows = [row for row in all_rows if row.get("role") != "attention"]
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
        items=with_holm(by_item),
        variables=with_holm(by_variable),
        attention=attention_passed(all_rows),
        signature=signature(
            "transcript_rating",
            unit="participant",
            n=len(set(people_of(rows))),
            data=dataset.hash,
            interval=f"permutation_of_participants {level}",
        ),
    )


def attention_passed(rows: Sequence[Row]) -> AttentionCheck | None:
    """Number of readers who told a broken transcript from the others.

    Empty   no broken transcript was read: None
    """
    parts: dict[tuple[str, bool], list[float]] = {}
    for person, row in zip(people_of(rows), rows, strict=True):
        parts.setdefault((str(person), row.get("role") == "attention"), []).append(row["value"])
    readers = [person for person, broken in parts if broken and (person, False) in parts]
    if not readers:
        return None
    means = {key: float(np.mean(values)) for key, values in parts.items()}
    failed = sum(means[reader, True] >= means[reader, False] for reader in readers)
    return AttentionCheck(participants=len(readers), failed=failed)


def _names(rows: Sequence[Row]) -> list[str]:
    return sorted({row["instrument"] for row in rows})


def _turned(row: Row) -> Row:
    """The rating with a reversed item's code turned round, so that more is better."""
    if row["instrument"] not in INSTRUMENTS:
        return row
    instrument = INSTRUMENTS.get(row["instrument"])
    item = next((candidate for candidate in instrument.items if candidate.item_id == row["item_id"]), None)
    scale = instrument.scale_of(item) if item is not None and item.reverse else None
    return {**row, "value": scale.low + scale.high - row["value"]} if scale else row


def _versions(rows: Sequence[Row], variable: str, item: str | None, level: float) -> RatedVersions:
    """Both means and their difference, the same people in both where they read both."""
    parts = {name: [row for row in rows if row["version"] == name] for name in ("control", "experimental")}
    means = {
        name: float(np.mean([row["value"] for row in version_rows])) if version_rows else None
        for name, version_rows in parts.items()
    }
    versions = RatedVersions(
        variable=variable,
        item=item,
        control=means["control"],
        experimental=means["experimental"],
        ratings=len(rows),
        participants=len(set(people_of(rows))),
    )
    if means["control"] is None or means["experimental"] is None:
        return versions
    new, old = parts["experimental"], parts["control"]
    _, codes = np.unique(np.concatenate([people_of(new), people_of(old)]), return_inverse=True)
    values = [np.array([row["value"] for row in version_rows], dtype=float) for version_rows in (new, old)]
    comparison = compare_clusters(
        codes[: len(new)],
        codes[len(new) :],
        (values[0], np.ones(len(new))),
        (values[1], np.ones(len(old))),
        level=level,
        most=_width(rows),
    )
    return replace(
        versions, difference=means["experimental"] - means["control"], **interval_facts(comparison)
    )


def _width(rows: Sequence[Row]) -> float:
    """The largest difference that two ratings can have; of an unknown form, that its ratings do have."""
    widths, values = [], [row["value"] for row in rows]
    for name, item_id in {(row["instrument"], row["item_id"]) for row in rows}:
        instrument = INSTRUMENTS.get(name) if name in INSTRUMENTS else None
        item = (
            next((candidate for candidate in instrument.items if candidate.item_id == item_id), None)
            if instrument
            else None
        )
        scale = instrument.scale_of(item) if instrument and item else None
        if scale is not None:
            widths.append(scale.high - scale.low)
    return float(max(widths, default=max(values) - min(values)))
