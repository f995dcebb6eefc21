"""Task success: participants' ratings, assigned and inferred goals, and codes of sub-tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from vivavoce.core.extras import later
from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.measures.base import (
    Components,
    Measure,
    Pair,
    Pairs,
    Places,
    Tables,
    dialogue_places,
    field_of,
    number_column,
    places_of,
    sum_rows,
)
from vivavoce.measures.counting import labels, scored
from vivavoce.measures.success import (
    CODES,
    FAILURES,
    NO_MATCH_POLICIES,
    OFFER_RULES,
    UNITS,
    InferredOutcome,
    NoMatchPolicy,
    OfferRule,
    Unit,
    call_code,
)

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")


SOURCE: Final = "Jurčíček et al. 2011, Real user evaluation of spoken dialogue systems, section 4"
ROLE: Final = "subjective_success"


def subjective_success(tables: Tables) -> Pairs:
    """Components of what participants say of their success."""
    rated = tables.read("ratings").filter(field_of("role") == ROLE).select(["dialogue_id", "value"])
    rated = rated.drop_null()
    return sum_rows(tables, dialogue_places(tables, rated), number_column(rated, "value"))


def _assigned(offer_rule: OfferRule) -> Components:
    def components(tables: Tables) -> Pairs:
        assigned = scored(tables).assigned
        scores = [outcome.score(offer_rule) for outcome in assigned.values()]
        places, _ = places_of(tables, dict.fromkeys(assigned, ()))
        return sum_rows(tables, places, np.array(scores, dtype=float))

    return components


@dataclass(frozen=True, slots=True)
class InferredGoals:
    """The goals of all dialogues, one entry a goal, dialogue by dialogue in order.

    known     the dialogues that have some
    dialogue  its place among those of the tables
    """

    tables: Tables
    known: Places
    dialogue: Places
    goals: Sequence[InferredOutcome]

    def count(self, kind: str) -> Pairs:
        marked = np.array([bool(getattr(goal, kind)) for goal in self.goals], dtype=float)
        return sum_rows(self.tables, self.dialogue, marked, also=self.known).over_dialogues()

    def success(self, unit: Unit, policy: NoMatchPolicy, offer_rule: OfferRule) -> Pairs:
        """Figures of `inferred_components` by dialogue."""
        scores = np.array([goal.score(policy, offer_rule) for goal in self.goals], dtype=float)
        counts = ~np.isnan(scores)
        dialogue, scores = self.dialogue[counts], scores[counts]
        if unit == "goal" or not len(scores):
            return sum_rows(self.tables, dialogue, scores)
        ends = np.append(np.flatnonzero(np.diff(dialogue)), len(dialogue) - 1)
        if unit == "call_last":
            return sum_rows(self.tables, dialogue[ends], scores[ends])
        return sum_rows(self.tables, dialogue[ends], np.minimum.reduceat(scores, np.append(0, ends[:-1] + 1)))


def _inferred_goals(tables: Tables) -> InferredGoals:
    def make() -> InferredGoals:
        inferred = scored(tables).inferred
        return InferredGoals(
            tables, *places_of(tables, inferred), list(chain.from_iterable(inferred.values()))
        )

    return tables.remember(_inferred_goals, make)


def _inferred(unit: Unit, policy: NoMatchPolicy, offer_rule: OfferRule) -> Components:
    return lambda tables: _inferred_goals(tables).success(unit, policy, offer_rule)


objective_success: Final = _assigned("last")
"""Components of objective success against the goal as it was assigned."""


def _goal_count(kind: str) -> Components:
    return lambda tables: _inferred_goals(tables).count(kind)


_success = partial(
    Measure, family="task_success", source=SOURCE, origin="expert", direction="higher", unit="ratio"
)

MEANT: Final = (("acts", "meant", "venues"),)
_NEEDS = "venues and acts of the system; a dialogue without them is missing"


def _assigned_measures() -> Iterator[Measure]:
    for rule in OFFER_RULES:
        yield _success(
            name="objective_success_assigned" + _suffix(offer=rule),
            title="Objective success, assigned goal",
            symbol="ObjSucc AG",
            meaning="The system offered a venue that meets the task as assigned, and told all that the "
            f"task asks for. {_OFFER[rule]}",
            level="dialogue",
            analysis_unit="dialogue",
            empty=f"needs a task, {_NEEDS}",
            needs=(("acts", "tasks", "venues"),),
            parameters={"offer": rule},
            components=_assigned(rule),
        )


def _inferred_measures() -> Iterator[Measure]:
    for unit in UNITS:
        for policy in NO_MATCH_POLICIES:
            for rule in OFFER_RULES:
                yield _success(
                    name="objective_success_inferred" + _suffix(unit, policy, rule),
                    title="Objective success, inferred goal",
                    symbol="ObjSucc IG",
                    meaning="The system offered a venue that meets what the user really asked for, and told "
                    f"all that the user requested. {_UNIT[unit]} {_POLICY[policy]} {_OFFER[rule]}",
                    level="goal" if unit == "goal" else "dialogue",
                    analysis_unit="goal" if unit == "goal" else "dialogue",
                    empty=f"needs labels of what the user meant, {_NEEDS}; void goals do not count",
                    needs=MEANT,
                    parameters={"unit": unit, "no_match": policy, "offer": rule},
                    components=_inferred(unit, policy, rule),
                )


_UNIT: Final[dict[Unit, str]] = {
    "goal": "Counted by goal.",
    "call_all": "Counted by dialogue: all its goals must succeed.",
    "call_last": "Counted by dialogue: its last goal must succeed.",
}
_POLICY: Final[dict[NoMatchPolicy, str]] = {
    "credit": "Correctly saying that nothing matches counts as success.",
    "drop": "A goal does not count if the system correctly said that nothing matches.",
    "fail": "A goal without a match is a failure, whatever the system said.",
}
_OFFER: Final[dict[OfferRule, str]] = {
    "last": "The venue offered last counts.",
    "any": "Any offered venue counts.",
}


def _suffix(unit: Unit = "goal", policy: NoMatchPolicy = "credit", offer: OfferRule = "last") -> str:
    """Unit, policy, offer rule, each left out at its default."""
    parts = [part for part, usual in ((unit, "goal"), (policy, "credit"), (offer, "last")) if part != usual]
    return "".join(f"_{part}" for part in parts)


def _others() -> Iterator[Measure]:
    yield _success(
        name="subjective_success",
        origin="participant",
        title="Subjective success",
        symbol="SubSucc",
        meaning="The participant says that all information was found.",
        level="dialogue",
        analysis_unit="dialogue",
        empty="the question was not answered: missing",
        needs=((f"answer:{ROLE}",),),
        components=subjective_success,
    )
    for kind, meaning in (
        ("no_match", "Inferred goals without a matching venue, whatever the system said about them."),
        ("void", "Goals without constraints and requests: the user named nothing in the domain."),
    ):
        yield Measure(
            name=f"{kind}_goals",
            title=f"{kind.capitalize().replace('_', '-')} goals",
            meaning=meaning,
            unit="goals",
            level="dialogue",
            family="task_success",
            origin="expert",
            source=SOURCE,
            analysis_unit="dialogue",
            empty=f"needs labels of what the user meant, {_NEEDS}",
            needs=MEANT,
            components=_goal_count(kind),
        )


FAMILY: Final[tuple[Measure, ...]] = (*_others(), *_assigned_measures(), *_inferred_measures())


CODE_SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), task-related parameters; codes after Fraser (1997)"
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


def _from_codes(figure: Callable[[Counter[str]], Pair]) -> Callable[[Tables], Pairs]:
    return lambda tables: {key: figure(codes) for key, codes in task_codes(tables).items()}


def _code_measures() -> Iterator[Measure]:
    common = partial(
        Measure,
        family="task_success",
        origin="expert",
        source=CODE_SOURCE,
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
        components=_from_codes(weighted_task_success),
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
            components=_from_codes(lambda codes, code=code: (codes[code], 1)),
        )


CODE_FAMILY: Final[tuple[Measure, ...]] = tuple(_code_measures())
