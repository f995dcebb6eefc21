"""The systems under test on the dashboard: in use or resting, since when and why, and what they have cost."""

from dataclasses import dataclass
from datetime import datetime

from vivavoce.desk.board import Board
from vivavoce.log.events import SystemSuspended


@dataclass(frozen=True, slots=True)
class Standing:
    """One system. cost and ceiling are in the currency of the study, programs' turns cost as people's do;
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


@dataclass(frozen=True, slots=True)
class SystemChange:
    """A system was suspended, with the reason, or restored, with how long it had rested."""

    at: datetime
    system: str
    suspended: bool
    reason: str
    rested_s: float | None


def standings(board: Board) -> list[Standing]:
    """Every system of the study, in its order."""
    return [_standing(board, system, dict(settings)) for system, settings in board.study.systems.items()]


def _standing(board: Board, system: str, settings: dict[str, object]) -> Standing:
    cards = [card for card in board.dialogues.values() if card.system == system]
    turns, resting = sum(card.user_turns for card in cards), board.suspended.get(system)
    charged = sum(card.user_turns for card in board.whole.dialogues.values() if card.system == system)
    price, ceiling = settings.get("price_per_turn"), settings.get("spend_at_most")
    return Standing(
        system=system, title=board.study.system_titles.get(system, ""),
        connector=str(settings.get("connect", "")), dialogues=len(cards), user_turns=turns,
        failures=sum(card.failures for card in cards), suspended_at=resting.at if resting else None,
        reason=getattr(resting.event, "reason", "") if resting else "",
        cost=charged * float(price) if isinstance(price, (int, float)) else None,
        ceiling=float(ceiling) if isinstance(ceiling, (int, float)) else None,
    )  # fmt: skip


def changes(board: Board) -> list[SystemChange]:
    """When systems were suspended and restored, the latest first."""
    found: list[SystemChange] = []
    since: dict[str, datetime] = {}
    for stored in board.suspensions:
        event = stored.event
        if isinstance(event, SystemSuspended):
            since[event.system] = stored.at
            found.append(SystemChange(stored.at, event.system, True, event.reason, None))
            continue
        system = getattr(event, "system", "")
        begun = since.pop(system, None)
        rested_s = (stored.at - begun).total_seconds() if begun is not None else None
        found.append(SystemChange(stored.at, system, False, "", rested_s))
    return found[::-1]
