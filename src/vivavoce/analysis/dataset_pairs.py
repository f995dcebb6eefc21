"""Two datasets that somebody compares: what makes a difference between them doubtful."""

from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components


def doubts(a: Dataset, b: Dataset) -> list[LocalizedText]:
    """Reasons why the two may not be comparable, one sentence each.

    Empty   nothing is doubtful: []
    """
    if a.hash == b.hash:
        return [statement("Both datasets have the same rows: this compares a dataset with itself.")]
    warnings: list[LocalizedText | None] = [
        _programs(a, b),
        None
        if a.study == b.study
        else statement("The datasets come from different studies: {a} and {b}.", a=a.study, b=b.study),
        None if _systems(a) & _systems(b) else statement("The datasets have no systems in common."),
        None if _measures(a) & _measures(b) else statement("No measure has values in both datasets."),
    ]
    return [warning for warning in warnings if warning]


def _programs(a: Dataset, b: Dataset) -> LocalizedText | None:
    if a.simulated == b.simulated:
        return None
    programs, people = (a, b) if a.simulated else (b, a)
    return statement(
        "SIMULATED against real: dataset {programs} is simulated, dataset {people} is real.",
        programs=_short(programs),
        people=_short(people),
    )


def _short(dataset: Dataset) -> str:
    """The digits of a dataset, without the rules of exclusion."""
    return dataset.hash.split("|")[0]


def _systems(dataset: Dataset) -> set[str]:
    return set(dataset.read("dialogues").column("system").to_pylist())


def _measures(dataset: Dataset) -> set[str]:
    parts = components(dataset)
    return set(parts.loc[parts["denominator"] > 0, "measure"])
