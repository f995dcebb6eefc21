"""Numbers of the overview and running visits, computed from the board only."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from babel.dates import format_date

from vivavoce.core.i18n import N_
from vivavoce.dashboard.board import Board, DialogueCard, Incident, VisitCard
from vivavoce.dashboard.language import gettext, language, ngettext, step_noun, step_words, worded
from vivavoce.dashboard.study_size import StudySize, study_size
from vivavoce.dashboard.systems import SystemHealth, healths
from vivavoce.dashboard.visit_flow import VisitFlow, visit_flow
from vivavoce.dashboard.visit_list import OUTCOMES, VisitQuery
from vivavoce.dashboard.work_items import WorkItem, works
from vivavoce.reports.language import count, plural
from vivavoce.stats.usage_skew import concentration
from vivavoce.study.step_kind import StepKind, battles_of, dialogues_of
from vivavoce.trial.state import VisitState

STATUSES: Final = {
    N_("completed"): N_("Completed"),
    N_("excluded"): N_("Excluded"),
    N_("running"): N_("Running"),
    N_("abandoned"): N_("Abandoned"),
    N_("failed"): N_("Failed"),
}
FAILURES: Final = (
    N_("unreachable"),
    N_("timeout"),
    N_("bad answer"),
    N_("refused"),
    N_("closed"),
    N_("interrupted"),
    N_("internal"),
)
PHASES: Final = {
    "page": N_("reading"),
    "ready": N_("between dialogues"),
    "chat": N_("in a dialogue"),
    "code": N_("entering the code"),
    "feedback": N_("questionnaire"),
    "battle": N_("in the arena"),
    "ended": N_("finished"),
}
CHANGED: Final = N_("study changed since")
DAYS: Final = 14
MOST_BARS: Final = 15
MOST_STEPS: Final = 5
RECENT_INCIDENTS: Final = 5
ACTIVE_FOR: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart; `address`: list of the counted items."""

    label: str
    value: int
    address: str = ""


@dataclass(frozen=True, slots=True)
class SystemProgress:
    """Row of one system: dialogues by status, and their spread over participants.

    busiest  the participant who holds most, `largest` dialogues; "": nobody holds any
    """

    system: str
    title: str
    dialogues: int
    today: int
    by_status: dict[str, int]
    participants: int
    mean: float | None
    median: float | None
    largest: int
    busiest: str = ""


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """One kind of work: amount, participants, and spread over its items.

    noun    one piece of it, in English
    pieces_named, item_label  labels of pieces and of what they are about, in the language of the page
    """

    step: str
    noun: str
    pieces_named: str
    pieces: int
    today: int
    participants: int
    mean: float | None
    median: float | None
    largest: int
    item_label: str
    different: int
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class TrialProgress:
    """Contents of the overview.

    talks   dialogues are what the study is about, or took place in it
    item_label  what is counted in the charts, in the reader's language: dialogues, or what stands in for them
    people  participants who have begun something
    work    what is done beside dialogues, in the order of the visit
    size    how much of its declared size the study has; flow: where visits have come; health: of each system
    """

    at: datetime
    talks: bool
    item_label: str
    people: int
    work: list[WorkProgress]
    systems: list[SystemProgress]
    all: SystemProgress
    spread: list[Bar]
    days: list[Bar]
    visits: dict[str, int]
    active: int
    failures: dict[str, int]
    incidents: list[Incident]
    size: StudySize
    flow: VisitFlow
    health: list[SystemHealth]
    position: int


def progress(board: Board) -> TrialProgress:
    """Current state of the trial; days are in UTC."""
    now = board.log.clock.now()
    cards = list(board.dialogues.values())
    names = [*board.study.systems, *sorted({card.system for card in cards} - set(board.study.systems))]
    of_system: dict[str, list[DialogueCard]] = {name: [] for name in names}
    for card in cards:
        of_system[card.system].append(card)
    outcomes = Counter(visit.outcome or "running" for visit in board.visits.values())
    work, talks = _work(board, now), talks_in(board)
    counted = _dialogues(cards) if talks else _pieces(board, work[0].noun if work else "")
    return TrialProgress(
        at=now,
        talks=talks,
        item_label=_things(work, talks=talks),
        people=len({item.participant_id for item in (*cards, *board.deeds.values())}),
        work=work,
        systems=[_row(name, board.study.system_titles.get(name, ""), of_system[name], now) for name in names],
        all=_row("all systems", "", cards, now),
        spread=_spread([who for who, _ in counted], in_steps=not talks),
        days=_days([at for _, at in counted], now, listed=talks),
        visits={words: outcomes[name] for name, words in OUTCOMES.items() if outcomes[name]},
        active=sum(now - visit.last_at <= ACTIVE_FOR for visit in board.running_visits()),
        failures=dict(Counter(incident.failure for incident in board.incidents).most_common()),
        incidents=board.incidents[: -RECENT_INCIDENTS - 1 : -1],
        size=study_size(board),
        flow=visit_flow(board),
        health=healths(board),
        position=board.position,
    )


def _things(work: Sequence[WorkProgress], *, talks: bool) -> str:
    if talks:
        return ngettext("dialogue", "dialogues", 2)
    return work[0].pieces_named if work else ngettext("answer", "answers", 2)


def _row(name: str, title: str, cards: Sequence[DialogueCard], now: datetime) -> SystemProgress:
    statuses = Counter(card.outcome for card in cards)
    people = Counter(card.participant_id for card in cards)
    spread = concentration(card.participant_id for card in cards)
    return SystemProgress(
        system=name,
        title=title,
        dialogues=len(cards),
        today=sum(card.assigned_at.date() == now.date() for card in cards),
        by_status={status: statuses[status] for status in STATUSES},
        participants=spread.participants,
        mean=spread.mean,
        median=spread.median,
        largest=spread.largest,
        busiest=people.most_common(1)[0][0] if people else "",
    )


def talks_in(board: Board) -> bool:
    """True if the study is about dialogues, or has any."""
    return bool(board.dialogues) or any(dialogues_of(step) or battles_of(step) for step in board.study.visit)


def holdings(board: Board) -> str:
    """Contents of the board in one line, such as `3 visits, 60 judgements`."""
    parts = [plural(len(board.dialogues), "dialogue")] if talks_in(board) else []
    work = [_counted(work) for work in _work(board, board.log.clock.now()) if work.pieces]
    return ", ".join([plural(len(board.visits), "visit"), *parts, *work])


def _counted(work: WorkProgress) -> str:
    return f"{count(work.pieces)} {step_noun(work.step, work.noun, work.pieces)}"


def _work(board: Board, now: datetime) -> list[WorkProgress]:
    """Work of the visit's steps, and of former steps with work done."""
    done: dict[str, list[WorkItem]] = {}
    for deed in board.deeds.values():
        done.setdefault(deed.step, []).append(deed)
    steps = [step.kind for step in board.study.visit if step.kind in works()]
    return [_work_row(works()[step], done.get(step, []), now) for step in dict.fromkeys([*steps, *done])]


def _work_row(work: StepKind[Any], deeds: Sequence[WorkItem], now: datetime) -> WorkProgress:
    spread = concentration(deed.participant_id for deed in deeds for _ in range(deed.pieces))
    about = Counter(deed.about for deed in deeds if work.item_label)
    return WorkProgress(
        step=work.name,
        noun=work.counted,
        pieces_named=step_noun(work.name, work.counted, 2),
        pieces=sum(deed.pieces for deed in deeds),
        today=sum(deed.pieces for deed in deeds if deed.at.date() == now.date()),
        participants=spread.participants,
        mean=spread.mean,
        median=spread.median,
        largest=spread.largest,
        item_label=step_words(work.name, work.item_label),
        different=len(about),
        fewest=min(about.values(), default=0),
        most=max(about.values(), default=0),
    )


PluralCount = list[tuple[str, datetime]]


def _dialogues(cards: Sequence[DialogueCard]) -> PluralCount:
    return [(card.participant_id, card.assigned_at) for card in cards]


def _pieces(board: Board, noun: str) -> PluralCount:
    """Pieces of one kind of work: participant and time."""
    deeds = [deed for deed in board.deeds.values() if works()[deed.step].counted == noun]
    return [(deed.participant_id, deed.at) for deed in deeds for _ in range(deed.pieces)]


def _spread(people: Sequence[str], *, in_steps: bool) -> list[Bar]:
    """Participants by amount of work; large amounts in ranges, or pooled in the last bar."""
    sizes = concentration(people).histogram
    largest = max(sizes, default=0)
    width = -(-largest // MOST_STEPS)
    if in_steps and width > 1:
        lows = range(1, largest + 1, width)
        return [
            Bar(f"{low}–{low + width - 1}", sum(sizes.get(low + offset, 0) for offset in range(width)))
            for low in lows
        ]
    bars = [_held(str(size), sizes.get(size, 0)) for size in range(1, min(largest, MOST_BARS) + 1)]
    if largest > MOST_BARS:
        remainder = sum(people for size, people in sizes.items() if size >= MOST_BARS)
        bars[-1] = _held(f"{MOST_BARS}+", remainder)
    return bars if not in_steps else [replace(bar, address="") for bar in bars]


def _held(number: str, people: int) -> Bar:
    return Bar(number, people, VisitQuery(held=number).address)


def _days(instants: Sequence[datetime], now: datetime, *, listed: bool) -> list[Bar]:
    counts = Counter(at.date() for at in instants)
    days = [now.date() - timedelta(days=days_ago) for days_ago in range(DAYS - 1, -1, -1)]
    return [
        Bar(
            format_date(day, "d MMM", locale=language()),
            counts[day],
            f"/dialogues?since={day}&until={day}" if listed else "",
        )
        for day in days
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitWhereabouts:
    """Running visit: current step and time of the last activity.

    step, doing               a kind of step, and what is done there in the reader's language
    step_number, round        counted from 1; None where the visit's place is unknown, or has no rounds
    system, dialogue_id       of the dialogue under way, None where there is none; `dialogues`: held so far
    """

    visit_id: str
    participant_id: str
    simulated: bool
    opened_at: datetime
    last_at: datetime
    idle_minutes: float
    step: str
    step_number: int | None
    round: int | None
    doing: str
    system: str | None
    dialogue_id: str | None
    dialogues: int


def whereabouts(board: Board) -> tuple[list[VisitWhereabouts], list[VisitWhereabouts]]:
    """Running visits as (active, idle), latest first; idle after ten minutes without activity."""
    now = board.log.clock.now()
    rows = [_where(visit, now) for visit in board.running_visits()]
    rows.sort(key=lambda row: row.last_at, reverse=True)
    limit = ACTIVE_FOR.total_seconds() / 60
    return [row for row in rows if row.idle_minutes <= limit], [
        row for row in rows if row.idle_minutes > limit
    ]


def _doing(state: VisitState) -> str:
    if state.phase == "stimulus":
        return step_words(state.stimulus_kind.name, state.stimulus_kind.activity_label)
    return worded(PHASES[state.phase])


def _where(visit: VisitCard, now: datetime) -> VisitWhereabouts:
    state, dialogues = visit.state, visit.state.dialogues if visit.state is not None else []
    step = state.current_step if state is not None and visit.placed else None
    talking = dialogues[-1] if dialogues and dialogues[-1].running else None
    return VisitWhereabouts(
        visit_id=visit.visit_id,
        participant_id=visit.participant_id,
        simulated=visit.simulated,
        opened_at=visit.opened_at,
        last_at=visit.last_at,
        idle_minutes=max(0.0, (now - visit.last_at).total_seconds() / 60),
        step=step.kind if step is not None else gettext("unknown"),
        step_number=state.step + 1 if state is not None and step is not None else None,
        round=state.round + 1 if state is not None and dialogues_of(step) is not None else None,
        doing=_doing(state) if state is not None and step is not None else worded(CHANGED),
        system=talking.system if talking is not None else None,
        dialogue_id=talking.dialogue_id if talking is not None else None,
        dialogues=len(dialogues),
    )
