"""Flow of visits through the study's steps: started, finished, dropped out, and times."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from vivavoce.dashboard.board import Board, VisitCard
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.study.model import Step
from vivavoce.study.step_kind import consent_of, dialogues_of, kind_of

LISTED: Final = 50  # most participants in one address


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFlow:
    """Visits in one step; `begun` is the sum of `ended`, `left` and `here`.

    number    from 1; step: its kind; forms: questionnaires that are asked in it
    left      visits that ended in the step without being completed; outcomes: by how they ended
    here      visits that stand in it now, whether somebody is there or not
    median_s  seconds from its beginning to its end, of those who ended it; None: nobody has
    dialogues  the part of an address behind the question mark that lists the dialogues of who left; "": none
    """

    number: int
    step: str
    forms: tuple[str, ...]
    begun: int
    ended: int
    left: int
    outcomes: dict[str, int]
    here: int
    median_s: float | None
    dialogues: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitFlow:
    """Visits from arrival (pressing Start) to completion.

    consented   visits in which the first step that asks for consent was ended; None: no step does
    after       visits that came through all steps and count as something else than completed, by outcome
    unplaced    visits of a study file whose steps were others; they are in no other number
    """

    arrived: int
    consented: int | None
    completed: int
    after: dict[str, int]
    unplaced: int
    steps: list[StepFlow]


class _Counts:
    """Counters of one step during the pass over all visits."""

    def __init__(self) -> None:
        self.begun = self.here = 0
        self.left: list[VisitCard] = []
        self.took_s: list[float] = []


def visit_flow(board: Board) -> VisitFlow:
    """Flow of the visits on a board; the unit is the visit.

    Empty  no visit: every count is 0, and no step has a median
    """
    visits, steps = (
        [visit for visit in board.visits.values() if visit.placed and visit.same_steps],
        board.study.visit,
    )
    counts = [_Counts() for _ in range(len(steps) + 1)]  # the last: past all steps
    for visit in visits:
        _count(visit, counts)
    talked = {dialogue.visit_id for dialogue in board.dialogues.values()}
    flow_steps = [_step(step, number, counts[number], talked) for number, step in enumerate(steps)]
    consents = [flow_step for flow_step, step in zip(flow_steps, steps, strict=True) if consent_of(step)]
    return VisitFlow(
        arrived=len(visits),
        consented=consents[0].ended if consents else None,
        completed=sum(visit.outcome == "completed" for visit in visits),
        after=_outcomes(counts[-1].left),
        unplaced=len(board.visits) - len(visits),
        steps=flow_steps,
    )


def _count(visit: VisitCard, counts: Sequence[_Counts]) -> None:
    reached = min(max(visit.entered, default=0), len(counts) - 1)
    entered = visit.entered
    for number in range(reached + 1):
        counts[number].begun += 1
        if number in entered and number + 1 in entered:
            counts[number].took_s.append((entered[number + 1] - entered[number]).total_seconds())
    if visit.outcome is None:
        counts[reached].here += 1
    elif visit.outcome != "completed":
        counts[reached].left.append(visit)


def _step(step: Step, number: int, counts: _Counts, talked: set[str]) -> StepFlow:
    dropped_out = len(counts.left)
    return StepFlow(
        number=number + 1,
        step=step.kind,
        forms=_forms(step),
        begun=counts.begun,
        ended=counts.begun - counts.here - dropped_out,
        left=dropped_out,
        outcomes=_outcomes(counts.left),
        here=counts.here,
        median_s=median(counts.took_s) if counts.took_s else None,
        dialogues=_dialogues(counts.left, talked),
    )


def _forms(step: Step) -> tuple[str, ...]:
    plan = dialogues_of(step)
    about = [feedback.name for feedback in plan.feedback] if plan is not None else []
    return tuple(dict.fromkeys([*kind_of(step).forms(step), *about]))


def _outcomes(visits: Sequence[VisitCard]) -> dict[str, int]:
    return dict(Counter(visit.outcome or "" for visit in visits).most_common())


def _dialogues(cards: Sequence[VisitCard], talked: set[str]) -> str:
    people = dict.fromkeys(visit.participant_id for visit in cards if visit.visit_id in talked)
    return DialogueQuery({"participant": tuple(people)}).address if 0 < len(people) <= LISTED else ""
