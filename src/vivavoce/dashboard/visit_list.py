"""Visits behind a number of the overview."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from vivavoce.dashboard.board import Board, VisitCard
from vivavoce.dashboard.language import NP_, gettext, step_title, worded

PASSAGES: Final[dict[str, str]] = {
    "begun": NP_("visits at a step", "started"),
    "ended": NP_("visits at a step", "finished"),
    "left": NP_("visits at a step", "dropped out"),
    "here": NP_("visits at a step", "in progress"),
}
OUTCOMES: Final = {
    "running": NP_("visit", "running"),
    "completed": NP_("visit", "completed"),
    "screened_out": NP_("visit", "screened out"),
    "no_consent": NP_("visit", "no consent"),
    "withdrew": NP_("visit", "withdrew"),
    "timed_out": NP_("visit", "timed out"),
    "technical_failure": NP_("visit", "technical failure"),
    "not_accepted": NP_("visit", "not accepted"),
    "no_place": NP_("visit", "study full"),
}
MOST: Final = 200


@dataclass(frozen=True, slots=True)
class VisitQuery:
    """Filters of visits; without any: all.

    outcome      of OUTCOMES
    step, way    number of a step of the study, from 1, and how visits stand to it, of PASSAGES
    placed       those alone whose steps are the study's, as the flow counts them
    system       with a dialogue with it
    held         of participants who held so many dialogues; `5+`: so many or more
    worked       of participants who have begun a dialogue, or done anything else that is counted
    """

    outcome: str = ""
    step: int | None = None
    way: str = ""
    placed: bool = False
    system: str = ""
    held: str = ""
    worked: bool = False

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "VisitQuery":
        """Query from an address; unknown parts are ignored."""
        step, way = parameters.get("step", ""), parameters.get("way", "")
        dialogues, outcome = parameters.get("held", ""), parameters.get("outcome", "")
        number = int(step) if step.isdecimal() and len(step) < 4 and way in PASSAGES else None
        return cls(
            outcome=outcome if outcome in OUTCOMES else "",
            step=number,
            way=way if number is not None else "",
            placed=bool(parameters.get("placed")),
            system=parameters.get("system", ""),
            held=dialogues if dialogues.removesuffix("+").isdecimal() and len(dialogues) < 9 else "",
            worked=bool(parameters.get("worked")),
        )

    @property
    def address(self) -> str:
        """Address of the list of these visits."""
        parameters = {
            "outcome": self.outcome,
            "step": self.step,
            "way": self.way,
            "placed": self.placed and 1,
            "system": self.system,
            "held": self.held,
            "worked": self.worked and 1,
        }
        query = urlencode({name: value for name, value in parameters.items() if value})
        return "/visits/all" + (f"?{query}" if query else "")

    def told(self, steps: list[str]) -> list[str]:
        """Filters in the reader's language."""
        filters = []
        if self.step is not None:
            kind = steps[self.step - 1] if 0 < self.step <= len(steps) else ""
            filters.append(
                f"{self.step}. {step_title(kind)}: {worded(PASSAGES[self.way], 'visits at a step')}"
            )
        if self.outcome:
            filters.append(worded(OUTCOMES[self.outcome], "visit"))
        if self.system:
            filters.append(self.system)
        if self.held:
            filters.append(gettext("participants with %(number)s dialogues", number=self.held))
        return filters


@dataclass(frozen=True, slots=True)
class VisitRow:
    """One visit of the list; step: current or last step, from 1, None if unknown."""

    visit: VisitCard
    outcome: str
    step: int | None
    step_kind: str
    minutes: float
    dialogues: int


@dataclass(frozen=True, slots=True)
class VisitList:
    """Matching visits, latest first and at most MOST, with their total number."""

    rows: list[VisitRow]
    visits: int
    participants: int
    told: list[str]


def make_visit_list(board: Board, query: VisitQuery, now: datetime) -> VisitList:
    visits = sorted(visits_of(board, query), key=lambda visit: visit.opened_at, reverse=True)
    dialogues_per_visit = Counter(dialogue.visit_id for dialogue in board.dialogues.values())
    kinds = [step.kind for step in board.study.visit]
    return VisitList(
        [_row(visit, kinds, dialogues_per_visit[visit.visit_id], now) for visit in visits[:MOST]],
        len(visits),
        len({visit.participant_id for visit in visits}),
        query.told(kinds),
    )


def visits_of(board: Board, query: VisitQuery) -> Iterator[VisitCard]:
    """Visits that match a query."""
    cards = board.dialogues.values()
    with_system = {card.visit_id for card in cards if card.system == query.system}
    dialogues_per_participant = Counter(card.participant_id for card in cards)
    workers = {*dialogues_per_participant, *(deed.participant_id for deed in board.deeds.values())}
    steps = len(board.study.visit)
    for visit in board.visits.values():
        if query.outcome and (visit.outcome or "running") != query.outcome:
            continue
        if (query.placed or query.step is not None) and not (visit.placed and visit.same_steps):
            continue
        if query.step is not None and query.way not in passages(visit, query.step - 1, steps):
            continue
        if query.system and visit.visit_id not in with_system:
            continue
        if query.held and not _holds(dialogues_per_participant[visit.participant_id], query.held):
            continue
        if query.worked and visit.participant_id not in workers:
            continue
        yield visit


def passages(visit: VisitCard, step: int, steps: int) -> set[str]:
    """Relations of a visit to a step (counted from 0); empty if it did not get there."""
    reached = reached_step(visit, steps)
    if step > reached:
        return set()
    if step < reached or visit.outcome == "completed":
        return {"begun", "ended"}
    return {"begun", "here" if visit.outcome is None else "left"}


def reached_step(visit: VisitCard, steps: int) -> int:
    """Current or last step of a visit, from 0; the number of steps if it is past all."""
    return min(max(visit.entered, default=0), steps)


def _holds(number: int, bound: str) -> bool:
    least = int(bound.removesuffix("+"))
    return number >= least if bound.endswith("+") else number == least


def _row(visit: VisitCard, kinds: list[str], dialogues: int, now: datetime) -> VisitRow:
    reached = min(reached_step(visit, len(kinds)), len(kinds) - 1)
    is_placed = visit.placed and visit.same_steps and reached >= 0
    end = visit.ended_at or (now if visit.outcome is None else visit.last_at)
    return VisitRow(
        visit,
        OUTCOMES.get(visit.outcome or "running", visit.outcome or ""),
        reached + 1 if is_placed else None,
        kinds[reached] if is_placed else "",
        (end - visit.opened_at).total_seconds() / 60,
        dialogues,
    )
