"""A page of a study's dashboard, and the shelf of those that packages offer, ours like anybody's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from fastapi import APIRouter, Request

from vivavoce.core.shelf import Shelf
from vivavoce.study.model import Study


class MenuItem(NamedTuple):
    """A place in the menu: its address, its name in English, its order; ours are at 100, 200, ..."""

    address: str
    title: str
    order: int


class DueAction(NamedTuple):
    """What waits for a person: in a line in the reader's language, with its number, and where it is done.

    urgent  the trial loses people, money or data as long as nobody does it
    """

    text: str
    address: str
    urgent: bool = False


class CostLine(NamedTuple):
    """What one thing has cost so far, and costs at the declared size, each as an amount; "": not known.

    name, about  in the reader's language: what it is for, and on what the figures rest, with n
    address      where more of it is told
    """

    name: str
    so_far: str
    at_size: str
    about: str
    address: str


@dataclass(frozen=True, kw_only=True)
class DashboardPage:
    """A page with what lies below it, as a package offers it in the group `vivavoce.dashboard_pages`.

    router     its addresses; a request gets there signed in, and with the role
    menu       its places in the menu; a page that others lead to has none
    role       who may open it: viewer, researcher or owner, each of whom may what those before may
    templates  its folder of templates; they extend the dashboard's `page.html`
    shown      whether a study has it in its menu
    due        what waits for a person on it, of the request and the `Desk` that serves it, for the overview;
               asked every few seconds by each reader
    costs      what of the study's cost it knows, likewise, of the visits that are shown
    """

    name: str
    router: APIRouter
    menu: tuple[MenuItem, ...] = ()
    role: str = "viewer"
    templates: Path | None = None
    shown: Callable[[Study], bool] = lambda study: True
    due: Callable[[Request, Any], Sequence[DueAction]] = lambda request, desk: ()
    costs: Callable[[Request, Any], Sequence[CostLine]] = lambda request, desk: ()


DASHBOARD_PAGES: Final[Shelf[DashboardPage]] = Shelf("dashboard page", DashboardPage)
