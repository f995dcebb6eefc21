"""Pages of a study's dashboard, and the registry of pages offered by packages, including ours."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastapi import APIRouter, Request

import vivavoce
from vivavoce.core.registry import Registry
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset


class MenuItem(NamedTuple):
    """Menu entry: address, English title and order."""

    address: str
    title: str
    order: int


class DueAction(NamedTuple):
    """Pending action: one line in the reader's language with its number, and an address.

    urgent  the trial loses people, money or data until this is done
    """

    text: str
    address: str
    urgent: bool = False


class CostLine(NamedTuple):
    """Cost of one item so far and at the sample size, each as an amount; "": unknown.

    name, about  item and basis of the figures with n, in the reader's language
    address      page with details
    """

    name: str
    so_far: str
    at_size: str
    about: str
    address: str


@dataclass(frozen=True, kw_only=True)
class DashboardPage:
    """Page and its sub-pages, offered by a package in the group `vivavoce.dashboard_pages`.

    router     its addresses, reached signed in and with the role; a page without any only serves others
    menu       its menu entries; empty for a page that others link to
    role       minimum role: viewer, researcher or owner, in this order
    templates  its folder of templates, which extend the dashboard's `page.html`
    shown      function of the study: True if the page is in its menu
    due        function of the request and its `Desk`: pending actions for the overview, called every few
               seconds for each reader
    costs      function of the same: costs of the shown visits
    rates      function of a study and the shown dataset: successes by name and dialogue that no measure has;
               shown in the list of dialogues
    public     addresses readable without an account, if the study allows it; None: none
    help       a documentation page, such as `how-to/read-dialogues`, or an https address; "": the contents
    """

    name: str
    router: APIRouter = field(default_factory=APIRouter)
    menu: tuple[MenuItem, ...] = ()
    role: str = "viewer"
    templates: Path | None = None
    shown: Callable[[Study], bool] = lambda study: True
    due: Callable[[Request, Any], Sequence[DueAction]] = lambda request, desk: ()
    costs: Callable[[Request, Any], Sequence[CostLine]] = lambda request, desk: ()
    rates: Callable[[Study, "Dataset"], Mapping[str, Mapping[str, bool]]] = lambda study, dataset: {}
    public: Callable[[Study], APIRouter | None] = lambda study: None
    help: str = ""


HELP_FOLDERS: Final = ("tutorial", "how-to", "explanation", "reference")
_HERE: Final = Path(vivavoce.__file__).resolve()


def help_folder() -> Path | None:
    """Folder of the documentation, from a checkout or the installation; None if absent."""
    places = (_HERE.parents[2] / "docs", _HERE.parents[1] / "vivavoce_docs")
    return next((place for place in places if (place / "glossary.md").is_file()), None)


def help_file(name: str) -> Path | None:
    """File of a documentation page, such as `glossary` or `how-to/read-dialogues`; None if absent."""
    folder = help_folder()
    if folder is None or not re.fullmatch(rf"glossary|(?:{'|'.join(HELP_FOLDERS)})/[a-z0-9-]+", name):
        return None
    file = folder / f"{name}.md"
    return file if file.is_file() else None


def help_address(help: str) -> str | None:
    """Address of a page's help; None if no documentation is installed."""
    if help.startswith("https://"):
        return help
    if help_folder() is None:
        return None
    return f"/help/{help}" if help_file(help) else "/help"


DASHBOARD_PAGES: Final[Registry[DashboardPage]] = Registry("dashboard page", DashboardPage)
