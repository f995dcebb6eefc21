"""Two datasets that somebody compares: what makes a difference between them doubtful."""

from vivavoce.log.dataset import Dataset
from vivavoce.measures.compute import components


def doubts(a: Dataset, b: Dataset) -> list[str]:
    """Why the two may tell nothing about each other, one sentence each.

    Empty   nothing is doubtful: []
    """
    if a.hash == b.hash:
        return ["The dataset is compared with itself: both hold the same rows."]
    found: list[str | None] = [
        _programs(a, b),
        f"The datasets are of different studies: {a.study} and {b.study}." if a.study != b.study else None,
        None if _systems(a) & _systems(b) else "The datasets have no system in common.",
        None if _measures(a) & _measures(b) else "No measure has values in both datasets.",
    ]
    return [one for one in found if one]


def _programs(a: Dataset, b: Dataset) -> str | None:
    if a.simulated == b.simulated:
        return None
    programs, people = (a, b) if a.simulated else (b, a)
    held = f"dataset {_short(programs)} was held by programs, dataset {_short(people)} by people"
    return f"SIMULATED beside real: {held}."


def _short(dataset: Dataset) -> str:
    """The digits of a dataset, without the rules of exclusion."""
    return dataset.hash.split("|")[0]


def _systems(dataset: Dataset) -> set[str]:
    return set(dataset.read("dialogues").column("system").to_pylist())


def _measures(dataset: Dataset) -> set[str]:
    parts = components(dataset)
    return set(parts.loc[parts["denominator"] > 0, "measure"])
