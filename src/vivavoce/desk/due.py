"""What waits for a person, and what the study costs: asked of every page of the dashboard that knows some."""

from datetime import date
from typing import Final, TypeVar

import structlog
from fastapi import Request

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.desk.app_shell import Desk, fixed
from vivavoce.desk.board import Board
from vivavoce.desk.dialogue_query import DialogueQuery
from vivavoce.desk.language import gettext, ngettext, told, worded
from vivavoce.desk.page import CostLine, DashboardPage, DueAction
from vivavoce.desk.security import who_of
from vivavoce.desk.systems import healths, standings
from vivavoce.stats.pace import FEWEST

FAILS: Final = 3  # turns in a row that a system did not give
Found = TypeVar("Found")
_report = structlog.get_logger("vivavoce.desk")


def due_actions(request: Request, desk: Desk) -> list[DueAction]:
    """What waits for whoever looks, on the pages that they may open; what is urgent first."""
    found = list[DueAction]()
    for page in _pages(request, desk):
        try:
            found += page.due(request, desk)
        except VivavoceError as error:
            reason = told(error) if isinstance(error, InputError) else str(error)
            found.append(DueAction(f"{_title(page)}: {reason}", _address(page), urgent=True))
        except Exception:
            _report.exception("due_actions_failed", page=page.name)
            text = gettext(
                "%(page)s: what waits there cannot be told; what the dashboard printed says why",
                page=_title(page),
            )
            found.append(DueAction(text, _address(page), urgent=True))
    return sorted(found, key=lambda one: not one.urgent)


def cost_lines(request: Request, desk: Desk) -> list[CostLine]:
    """What the pages that somebody may open know of the study's cost."""
    return [line for page in _pages(request, desk) for line in page.costs(request, desk)]


def _pages(request: Request, desk: Desk) -> list[DashboardPage]:
    who = who_of(request)
    return [one for one in desk.pages if who.may(one.role) and one.shown(desk.study)]


def _title(page: DashboardPage) -> str:
    return worded(page.menu[0].title) if page.menu else page.name


def _address(page: DashboardPage) -> str:
    return page.menu[0].address if page.menu else "/"


def due_of_systems(request: Request, desk: Desk) -> list[DueAction]:
    """Systems that were suspended or do not answer, and the dialogues of today in which turns failed."""
    return desk.board.see(_due_of_systems)


def _due_of_systems(board: Board) -> list[DueAction]:
    found = list[DueAction]()
    if n := len(board.suspended):
        text = ngettext(
            "%(num)s system is suspended and gets no new dialogue",
            "%(num)s systems are suspended and get no new dialogue", n,
        )  # fmt: skip
        found.append(DueAction(text, "/systems", urgent=True))
    for one in healths(board):
        if one.in_a_row >= FAILS and not one.suspended:
            text = gettext(
                "%(system)s does not answer: %(n)s failed turns since its last answer",
                system=one.system, n=one.in_a_row,
            )  # fmt: skip
            found.append(DueAction(text, f"/dialogues?{one.dialogues}", urgent=True))
    return [*found, *_failed_today(board, board.log.clock.now().date())]


def _failed_today(board: Board, today: date) -> list[DueAction]:
    failed = [one for one in board.dialogues.values() if one.errors and one.assigned_at.date() == today]
    if not failed:
        return []
    kinds = tuple(dict.fromkeys(kind for one in failed for kind in one.errors))
    query = DialogueQuery({"errors": kinds}, since=today.isoformat(), until=today.isoformat())
    text = ngettext(
        "%(num)s dialogue of today has failed turns",
        "%(num)s dialogues of today have failed turns",
        len(failed),
    )
    return [DueAction(text, f"/dialogues?{query.address}")]


def costs_of_systems(request: Request, desk: Desk) -> list[CostLine]:
    """What the turns of systems with a price have cost in the dialogues that are shown."""
    return desk.board.see(lambda board: _costs_of_systems(board))


def _costs_of_systems(board: Board) -> list[CostLine]:
    priced = [(one, one.price_per_turn) for one in standings(board) if one.price_per_turn is not None]
    if not priced:
        return []
    from vivavoce.desk.study_size import study_size

    size, turns = study_size(board), sum(one.user_turns for one, _ in priced)
    so_far = sum(one.user_turns * price for one, price in priced)
    known = size.declared is not None and size.reached >= FEWEST
    at_size = fixed(so_far / size.reached * size.declared, 2) if known and size.declared else ""
    about = ngettext(
        "%(num)s user turn times its system's price, in the currency of the study file.",
        "%(num)s user turns times their system's price, in the currency of the study file.", turns,
    )  # fmt: skip
    return [CostLine(gettext("Turns of systems"), fixed(so_far, 2), at_size, about, "/systems")]
