"""Cooperativity: contextual appropriateness of what the system says, judged by Grice's maxims."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Final

from vivavoce.measures.base import Direction, Measure, Pairs, Tables
from vivavoce.measures.counting import label_counts, labels, over, turns_of

SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), cooperativity-related parameters"
EMPTY: Final = "not annotated in layer `context`: missing"
KINDS: Final[tuple[tuple[str, str, str, Direction], ...]] = (
    ("AP", "contextually_appropriate", "are appropriate: they violate no maxim, do not stand out", "higher"),
    ("IA", "contextually_inappropriate", "are inappropriate: they violate one maxim or several", "lower"),
    ("TF", "contextual_failures", "fail totally: there is no linguistic response", "lower"),
    ("IC", "contextually_incomprehensible", "are incomprehensible: their content cannot be told", "lower"),
)

_cooperative = partial(Measure, family="cooperativity", origin="expert", needs=(("layer:context",),))


def squared_runs(inappropriate: Iterable[bool]) -> int:
    """Sum of the squared lengths of runs of inappropriate turns.

    Input   one flag for each system turn, in order
    Source  golden/parameters.json#weighted_inappropriateness: runs of 3, 2, 1, 1, 1 give 16
    """
    return sum(len(list(run)) ** 2 for wrong, run in groupby(inappropriate) if wrong)


def _weighted(tables: Tables) -> Pairs:
    """Neighbours are system turns that follow each other; user turns between them do not break a run."""
    turns = turns_of(tables, "system")
    weighted: dict[str, tuple[float, float]] = {}
    for dialogue_id, judged in labels(tables).of("context").items():
        wrong = {judgement.turn_index for judgement in judged if judgement.label == "IA"}
        indices = turns.get(dialogue_id) or sorted(judgement.turn_index or 0 for judgement in judged)
        weighted[dialogue_id] = (squared_runs(index in wrong for index in indices), 1)
    return weighted


def _judged(tables: Tables, dialogue_id: str) -> float:
    return len(labels(tables).of("context")[dialogue_id])


def _measures() -> Iterator[Measure]:
    for label, name, meaning, direction in KINDS:
        count: Callable[[Tables], Pairs] = label_counts("context", label)
        common = partial(_cooperative, direction=direction, source=SOURCE, empty=EMPTY)
        title = name.replace("_", " ").capitalize()
        yield common(
            name=name,
            title=title,
            symbol=f"CA:{label}",
            unit="turns",
            level="dialogue",
            analysis_unit="dialogue",
            meaning=f"System turns that {meaning}.",
            components=count,
        )
        yield common(
            name=f"{name}_rate",
            title=f"{title}, rate",
            symbol=f"CA:{label} rate",
            unit="ratio",
            level="turn",
            analysis_unit="turn",
            meaning=f"Share of the judged system turns that {meaning}.",
            components=over(count, _judged),
        )
    yield _cooperative(
        name="weighted_inappropriateness",
        title="Weighted inappropriateness",
        symbol="wCA:IA",
        unit="turns squared",
        level="dialogue",
        analysis_unit="dialogue",
        direction="lower",
        empty=EMPTY,
        source="a later addition to contextual appropriateness; not an ITU parameter",
        meaning=("Inappropriate system turns; each run of successive ones counts with its squared length."),
        components=_weighted,
    )


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
