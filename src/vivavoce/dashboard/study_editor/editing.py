"""Shared parts of the study editor: the edited study, and saving without overwriting others' changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.dashboard.app_shell import AppShell, Desk, desk_of
from vivavoce.dashboard.language import told
from vivavoce.dashboard.security import field
from vivavoce.dashboard.study_editor.edited_study import EditedStudy
from vivavoce.dashboard.study_editor.study_text import StudyFileChanged
from vivavoce.log.models import PEOPLE, SIMULATED

LONGEST: Final = 60_000  # characters of a text field; forms are limited to 64 KiB
Shell = Annotated[AppShell, Depends(desk_of)]
router = APIRouter()


def folder_of(desk: AppShell) -> Path:
    """Folder of the edited or new study."""
    return desk.study.folder if isinstance(desk, Desk) else desk.folder  # pyright: ignore[reportAttributeAccessIssue]


def visits_held(desk: AppShell) -> int:
    """Number of visits by people or programs, without the team's."""
    if not isinstance(desk, Desk):
        return 0
    visits = desk.board.see(lambda board: board.visits_by_scope)
    return visits[PEOPLE] or visits[SIMULATED]


def edited(desk: AppShell) -> EditedStudy:
    """Study as it is on disk."""
    return EditedStudy.of(folder_of(desk))


def save_and_return(
    request: Request,
    desk: AppShell,
    study: EditedStudy,
    change: Callable[[], str],
    form: FormData,
    to: str = "/study?saved=study",
) -> Response:
    """Write a change and redirect; on a concurrent change show the conflict."""
    text = ""
    try:
        text = change()
        study.save(text, field(form, "base"))
    except StudyFileChanged as error:
        return conflict(request, desk, error, text)
    except InputError as error:
        return desk.page(
            request, "study_file.html", 422, study=study, text=study.text, theirs=None, problem=told(error)
        )
    return RedirectResponse(to, 303)


def conflict(request: Request, desk: AppShell, error: StudyFileChanged, mine: str) -> Response:
    """Page with both versions of the file: the saved one, and the same with this change."""
    study = EditedStudy(folder_of(desk), error.theirs)
    return desk.page(request, "study_file.html", 409, study=study, text=mine, theirs=error.theirs, problem="")
