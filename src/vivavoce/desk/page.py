"""A page of a study's dashboard, and the shelf of those that packages offer, ours like anybody's."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from fastapi import APIRouter

from vivavoce.core.shelf import Shelf
from vivavoce.study.model import Study


class MenuItem(NamedTuple):
    """A place in the menu: its address, its name in English, its order; ours are at 100, 200, ..."""

    address: str
    title: str
    order: int


@dataclass(frozen=True, kw_only=True)
class DashboardPage:
    """A page with what lies below it, as a package offers it in the group `vivavoce.dashboard_pages`.

    router     its addresses; a request gets there signed in, and with the role
    menu       its places in the menu; a page that others lead to has none
    role       who may open it: viewer, researcher or owner, each of whom may what those before may
    templates  its folder of templates; they extend the dashboard's `page.html`
    shown      whether a study has it in its menu
    """

    name: str
    router: APIRouter
    menu: tuple[MenuItem, ...] = ()
    role: str = "viewer"
    templates: Path | None = None
    shown: Callable[[Study], bool] = lambda study: True


DASHBOARD_PAGES: Final[Shelf[DashboardPage]] = Shelf("dashboard page", DashboardPage)
