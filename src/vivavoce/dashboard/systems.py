"""Systems under test on the dashboard: status, suspensions and cost."""

from dataclasses import dataclass
from datetime import datetime
from statistics import quantiles

from vivavoce.dashboard.board import Board
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.dashboard.system_answers import SystemAnswers
from vivavoce.log.events import SystemSuspended


@dataclass(frozen=True, slots=True)
class Standing:
    """One system. cost and ceiling are in the currency of the study and include programs' turns;
    null where it names none.
    """

    system: str
    title: str
    connector: str
    dialogues: int
    user_turns: int
    failures: int
    suspended_at: datetime | None
    reason: str
    cost: float | None
    ceiling: float | None
    price_per_turn: float | None


@dataclass(frozen=True, slots=True)
class SystemHealth:
    """Response statistics of a system.

    answers   turns that it gave; waits: those that answer a turn whose times are known
    median_s, p95_s  of the waiting times, from a user's turn handed over to the whole answer; null: none
    failed    turns that it failed to give, of `turns` that were due; in_a_row: since it last answered
    dialogues  the part of an address behind the question mark that lists those with failed turns; "": none
    """

    system: str
    last_at: datetime | None
    turns: int
    failed: int
    in_a_row: int
    waits: int
    median_s: float | None
    p95_s: float | None
    suspended: bool
    dialogues: str

    @property
    def failed_share(self) -> float | None:
        return self.failed / self.turns if self.turns else None


@dataclass(frozen=True, slots=True)
class SystemChange:
    """Suspension of a system with its reason, or restoration with the duration."""

    at: datetime
    system: str
    suspended: bool
    reason: str
    rested_s: float | None


def standings(board: Board) -> list[Standing]:
    """Status of every system, in the order of the study."""
    return [_standing(board, system, dict(settings)) for system, settings in board.study.systems.items()]


def _standing(board: Board, system: str, settings: dict[str, object]) -> Standing:
    cards = [card for card in board.dialogues.values() if card.system == system]
    turns, resting = sum(card.user_turns for card in cards), board.suspended.get(system)
    charged = sum(card.user_turns for card in board.whole.dialogues.values() if card.system == system)
    price, ceiling = settings.get("price_per_turn"), settings.get("budget")
    return Standing(
        system=system,
        title=board.study.system_titles.get(system, ""),
        connector=str(settings.get("connect", "")),
        dialogues=len(cards),
        user_turns=turns,
        failures=sum(card.failures for card in cards),
        suspended_at=resting.at if resting else None,
        reason=getattr(resting.event, "reason", "") if resting else "",
        cost=charged * float(price) if isinstance(price, (int, float)) else None,
        price_per_turn=float(price) if isinstance(price, (int, float)) else None,
        ceiling=float(ceiling) if isinstance(ceiling, (int, float)) else None,
    )


def healths(board: Board) -> list[SystemHealth]:
    """Response statistics of every system of the study, then of former ones; unit: system turn."""
    names = dict.fromkeys([*board.study.systems, *sorted(board.answers)])
    none = SystemAnswers()
    return [_health(board, name, board.answers.get(name, none)) for name in names]


def _health(board: Board, system: str, answers: SystemAnswers) -> SystemHealth:
    waits = answers.waits_s
    kinds = tuple(
        dict.fromkeys(incident.failure for incident in board.incidents if incident.system == system)
    )
    listed = DialogueQuery({"system": (system,), "errors": kinds}).address if kinds else ""
    twentieths = quantiles(waits, n=20, method="inclusive") if len(waits) > 1 else list(waits) * 19
    return SystemHealth(
        system=system,
        last_at=answers.last_at,
        turns=answers.answered + answers.failed,
        failed=answers.failed,
        in_a_row=answers.in_a_row,
        waits=len(waits),
        median_s=twentieths[9] if waits else None,
        p95_s=twentieths[18] if waits else None,
        suspended=system in board.suspended,
        dialogues=listed,
    )


def changes(board: Board) -> list[SystemChange]:
    """Suspensions and restorations, latest first."""
    system_changes: list[SystemChange] = []
    since: dict[str, datetime] = {}
    for stored in board.suspensions:
        event = stored.event
        if isinstance(event, SystemSuspended):
            since[event.system] = stored.at
            system_changes.append(SystemChange(stored.at, event.system, True, event.reason, None))
            continue
        system = getattr(event, "system", "")
        opened_at = since.pop(system, None)
        rested_s = (stored.at - opened_at).total_seconds() if opened_at is not None else None
        system_changes.append(SystemChange(stored.at, system, False, "", rested_s))
    return system_changes[::-1]
