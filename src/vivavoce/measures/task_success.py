"""Task success: what participants say, and what the acts show against assigned and inferred goals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from vivavoce.core.extras import later
from vivavoce.measures.base import Components, Measure, Pairs, Tables, field_of
from vivavoce.measures.columns import Places, dialogue_places, number_column, places_of, sum_rows
from vivavoce.measures.counting import scored
from vivavoce.measures.success import (
    NO_MATCH_POLICIES,
    OFFER_RULES,
    UNITS,
    InferredOutcome,
    NoMatchPolicy,
    OfferRule,
    Unit,
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
    "credit": "Rightly saying that nothing matches is a success.",
    "drop": "A goal about which the system rightly said that nothing matches does not count.",
    "fail": "A goal that nothing matches is a failure whatever the system said.",
}
_OFFER: Final[dict[OfferRule, str]] = {
    "last": "The venue offered last decides.",
    "any": "Any venue offered will do.",
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
        meaning="The participant says that all the information was found.",
        level="dialogue",
        analysis_unit="dialogue",
        empty="the question was not answered: missing",
        needs=((f"answer:{ROLE}",),),
        components=subjective_success,
    )
    for kind, meaning in (
        ("no_match", "Inferred goals that no venue meets, whatever the system said of them."),
        ("void", "Goals without constraint and request: the user named nothing in the domain."),
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
