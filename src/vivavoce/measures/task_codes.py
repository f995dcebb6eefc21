"""Task success by codes: what became of each sub-task, and weighted task success."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.measures.base import Measure, Pair, Pairs, Tables
from vivavoce.measures.counting import labels, scored
from vivavoce.measures.success import CODES, FAILURES, call_code

SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), task-related parameters; codes after Fraser (1997)"
EMPTY: Final = "neither layer `subtask` is annotated nor can the goals be scored: missing"
DERIVED: Final = "layer subtask, else acts against goals, one sub-task a dialogue"
Codes = Mapping[str, Counter[str]]


def task_codes(tables: Tables) -> Codes:
    """Codes of the sub-tasks by dialogue: the experts' where annotated, else from the goals."""

    def make() -> Codes:
        outcomes = scored(tables)
        codes_of: dict[str, Counter[str]] = {}
        for key, goals in outcomes.inferred.items():
            assigned = outcomes.assigned.get(key)
            code = call_code(goals, assigned=None if assigned is None else bool(assigned.score()))
            if code is not None:
                codes_of[key] = Counter([code])
        judged = labels(tables).of("subtask").items()
        return codes_of | {
            key: Counter(standing.label for standing in standing_labels) for key, standing_labels in judged
        }

    return tables.remember(task_codes, make)


def weighted_task_success(codes: Counter[str]) -> Pair:
    """Sub-tasks that succeeded in whatever way, over all."""
    return sum(count for code, count in codes.items() if code not in FAILURES), codes.total()


def _from(figure: Callable[[Counter[str]], Pair]) -> Callable[[Tables], Pairs]:
    return lambda tables: {key: figure(codes) for key, codes in task_codes(tables).items()}


def _measures() -> Iterator[Measure]:
    common = partial(
        Measure,
        family="task_success",
        origin="expert",
        source=SOURCE,
        level="dialogue",
        empty=EMPTY,
        parameters={"codes": DERIVED},
    )
    yield common(
        name="weighted_task_success",
        title="Weighted task success",
        symbol="TSw",
        unit="ratio",
        direction="higher",
        analysis_unit="sub-task",
        meaning="Mean over sub-tasks of 1 for S, SCs, SCu, SCsCu and SN, and 0 for Fs and Fu.",
        components=_from(weighted_task_success),
    )
    for code in CODES:
        yield common(
            name=f"subtasks_{code}",
            title=f"Sub-tasks {code}",
            symbol=f"TS:{code}",
            unit="sub-tasks",
            direction="lower" if code in FAILURES else None,
            analysis_unit="dialogue",
            meaning=f"Sub-tasks that {LAYERS['subtask'].labels[code]}.",
            components=_from(lambda codes, code=code: (codes[code], 1)),
        )


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
