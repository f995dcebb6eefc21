"""A page of a study's dashboard, and the shelf of those that packages offer, ours like anybody's."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fastapi import APIRouter, Request

import vivavoce
from vivavoce.core.shelf import Shelf
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.log.dataset import Dataset


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

    router     its addresses; a request gets there signed in, and with the role. One without any only tells
               others what it knows
    menu       its places in the menu; a page that others lead to has none
    role       who may open it: viewer, researcher or owner, each of whom may what those before may
    templates  its folder of templates; they extend the dashboard's `page.html`
    shown      whether a study has it in its menu
    due        what waits for a person on it, of the request and the `Desk` that serves it, for the overview;
               asked every few seconds by each reader
    costs      what of the study's cost it knows, likewise, of the visits that are shown
    rates      successes of dialogues that it knows and no measure does, by name and dialogue, of a study and
               the dataset shown; they stand in the list of dialogues
    public     addresses that anybody may read, without an account, where the study wants that; None: none
    help       what explains it: a page of the documentation that comes with Vivavoce, such as
               `how-to/read-dialogues`, or an address (https); "": the documentation's contents
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
    """The documentation: of a checkout, else as it was installed; None where neither is there."""
    places = (_HERE.parents[2] / "docs", _HERE.parents[1] / "vivavoce_docs")
    return next((one for one in places if (one / "glossary.md").is_file()), None)


def help_file(name: str) -> Path | None:
    """A page of the documentation, such as `glossary` or `how-to/read-dialogues`; None: there is none."""
    folder = help_folder()
    if folder is None or not re.fullmatch(rf"glossary|(?:{'|'.join(HELP_FOLDERS)})/[a-z0-9-]+", name):
        return None
    file = folder / f"{name}.md"
    return file if file.is_file() else None


def help_address(help: str) -> str | None:
    """Where the help of a page is read; None where nothing is installed that could be read."""
    if help.startswith("https://"):
        return help
    if help_folder() is None:
        return None
    return f"/help/{help}" if help_file(help) else "/help"


DASHBOARD_PAGES: Final[Shelf[DashboardPage]] = Shelf("dashboard page", DashboardPage)
