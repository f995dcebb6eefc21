"""Pending actions and costs of a study, collected from all pages of the dashboard."""

from datetime import date
from typing import Final

import structlog
from fastapi import Request

from vivavoce.core.errors import InputError, VivavoceError
from vivavoce.desk.app_shell import Desk, fixed
from vivavoce.desk.board import Board
from vivavoce.desk.dialogue_query import DialogueQuery
from vivavoce.desk.language import gettext, ngettext, told, worded
from vivavoce.desk.page import CostLine, DashboardPage, DueAction
from vivavoce.desk.security import who_of
from vivavoce.desk.study_size import study_size
from vivavoce.desk.system_answers import prices_of
from vivavoce.desk.systems import healths, standings
from vivavoce.stats.pace import FEWEST

FAILS: Final = 3  # consecutive failed turns of a system
_report = structlog.get_logger("vivavoce.desk")


def due_actions(request: Request, desk: Desk) -> list[DueAction]:
    """Pending actions on the pages that this account may open, urgent ones first."""
    found = list[DueAction]()
    for page in _pages(request, desk):
        try:
            found += page.due(request, desk)
        except Exception as error:
            text = f"{_title(page)}: {_reason(page, error)}"
            found.append(DueAction(text, _address(page), urgent=True))
    return sorted(found, key=lambda one: not one.urgent)


def cost_lines(request: Request, desk: Desk) -> list[CostLine]:
    """Costs known to the pages that this account may open."""
    found = list[CostLine]()
    for page in _pages(request, desk):
        try:
            found += page.costs(request, desk)
        except Exception as error:
            found.append(CostLine(_title(page), "", "", _reason(page, error), _address(page)))
    return found


def _reason(page: DashboardPage, error: Exception) -> str:
    """Reason for a failed page: no page takes the overview down."""
    if isinstance(error, InputError):
        return told(error)
    if isinstance(error, VivavoceError):
        return str(error)
    _report.error("page_failed_on_the_overview", page=page.name, exc_info=error)
    return gettext("not available; see the terminal output for the reason")


def _pages(request: Request, desk: Desk) -> list[DashboardPage]:
    who = who_of(request)
    return [one for one in desk.pages if who.may(one.role) and one.shown(desk.study)]


def _title(page: DashboardPage) -> str:
    return worded(page.menu[0].title) if page.menu else page.name


def _address(page: DashboardPage) -> str:
    return page.menu[0].address if page.menu else "/"


def due_of_systems(request: Request, desk: Desk) -> list[DueAction]:
    """Suspended or unresponsive systems, and today's dialogues with failed turns."""
    return desk.board.see(_due_of_systems)


def _due_of_systems(board: Board) -> list[DueAction]:
    found = list[DueAction]()
    if n := len(board.suspended):
        text = ngettext(
            "%(num)s system suspended; no new dialogues",
            "%(num)s systems suspended; no new dialogues", n,
        )  # fmt: skip
        found.append(DueAction(text, "/systems", urgent=True))
    for one in healths(board):
        if one.in_a_row >= FAILS and not one.suspended:
            text = gettext(
                "%(system)s is not answering (%(n)s failed turns since its last answer)",
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
        "%(num)s dialogue with failed turns today",
        "%(num)s dialogues with failed turns today",
        len(failed),
    )
    return [DueAction(text, f"/dialogues?{query.address}")]


def costs_of_systems(request: Request, desk: Desk) -> list[CostLine]:
    """Costs of priced turns and of model calls in the shown dialogues."""
    return desk.board.see(lambda board: [*_cost_of_turns(board), *_cost_of_models(board)])


def _cost_of_turns(board: Board) -> list[CostLine]:
    priced = [(one, one.price_per_turn) for one in standings(board) if one.price_per_turn is not None]
    if not priced:
        return []
    turns = sum(one.user_turns for one, _ in priced)
    so_far = sum(one.user_turns * price for one, price in priced)
    about = ngettext(
        "%(num)s user turn × price per turn, in the currency of the study file.",
        "%(num)s user turns × price per turn, in the currency of the study file.", turns,
    )  # fmt: skip
    name = gettext("Turns of systems")
    return [CostLine(name, fixed(so_far, 2), _at_size(board, so_far, ""), about, "/systems")]


def _cost_of_models(board: Board) -> list[CostLine]:
    """Cost of model calls; empty without calls or prices."""
    prices, calls = prices_of(board.study), sum(one.model_calls for one in board.answers.values())
    if prices is None or not calls:
        return []
    so_far = sum(one.spent for one in board.answers.values())
    about = ngettext(
        "%(num)s model call, at the prices in the study file.",
        "%(num)s model calls, at the prices in the study file.", calls,
    )  # fmt: skip
    if unpriced := sum(one.unpriced for one in board.answers.values()):
        lacks = ngettext(
            "%(num)s has no price and is not included.",
            "%(num)s have no price and are not included.", unpriced,
        )  # fmt: skip
        about = f"{about} {lacks}"
    name, money = gettext("Models of systems"), f" {prices.currency}"
    return [CostLine(name, fixed(so_far, 2) + money, _at_size(board, so_far, money), about, "/systems")]


def _at_size(board: Board, so_far: float, currency: str) -> str:
    """Cost projected to the sample size; "" if unknown."""
    size = study_size(board)
    if size.declared is None or size.reached < FEWEST:
        return ""
    return fixed(so_far / size.reached * size.declared, 2) + currency
