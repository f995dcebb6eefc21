"""Tags, notes, saved views and dataset export of selected dialogues."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Final, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.background import BackgroundTask
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.core.errors import VivavoceError
from vivavoce.core.statement import statement
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.dialogue_list import make_list
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.dashboard.downloads import selection_zip
from vivavoce.dashboard.language import gettext, ngettext, told
from vivavoce.dashboard.page import DashboardPage
from vivavoce.dashboard.security import field, own_form, tell, who_of
from vivavoce.log.notes import (
    Author,
    Change,
    DialogueTagged,
    DialogueUntagged,
    NoteRemoved,
    NoteRestored,
    NoteWritten,
    RemarkRefused,
    ViewRemoved,
    ViewSaved,
    WrittenEvents,
    noting,
    read_tag,
    remark_stream,
    removing_note,
    removing_view,
    saving_view,
    tagging,
    undoing,
    written,
)

router = APIRouter()
PAGE: Final = DashboardPage(name="remarks", router=router, role="researcher", help="how-to/read-dialogues")
ALL: Final = "all"
RANGE: Final = re.compile(r"(\d{1,9})-(\d{1,9})")
Form = Annotated[FormData, Depends(own_form)]


class DoneStep(NamedTuple):
    """Last change in words, with the positions of its events for undo."""

    words: str
    first: int
    last: int


def what_was_done(desk: Desk, request: Request) -> DoneStep | None:
    """Last change named in a page's address; None without one in this study."""
    match = RANGE.fullmatch(request.query_params.get("done", ""))
    if match is None:
        return None
    first, last = int(match[1]), int(match[2])
    stored = [
        event for event in desk.log.events(remark_stream(desk.study.name), first - 1) if event.seq <= last
    ]
    if not stored:
        return None
    n = len(stored)
    match stored[0].event:
        case DialogueTagged() as event:
            words = ngettext(
                "Tag %(tag)s added to %(num)s dialogue.",
                "Tag %(tag)s added to %(num)s dialogues.",
                n,
                tag=event.tag,
            )
        case DialogueUntagged() as event:
            words = ngettext(
                "Tag %(tag)s removed from %(num)s dialogue.",
                "Tag %(tag)s removed from %(num)s dialogues.",
                n,
                tag=event.tag,
            )
        case NoteWritten() | NoteRestored():
            words = gettext("Note saved.")
        case NoteRemoved():
            words = gettext("Note removed.")
        case ViewSaved() as event:
            words = gettext("View %(name)s saved.", name=event.name)
        case ViewRemoved() as event:
            words = gettext("View %(name)s removed.", name=event.name)
        case _:
            return None
    return DoneStep(words, first, last)


def list_page(
    request: Request,
    desk: Desk,
    query: DialogueQuery,
    page: str,
    status: int = 200,
    *,
    problem: str = "",
    form: FormData | None = None,
) -> Response:
    """List of dialogues; with a problem, the selection and input are kept."""
    verdicts, computing = desk.snapshots.verdicts()
    number = int(page) if page.isdecimal() and len(page) < 9 else 1
    listing = desk.board.see(lambda board: make_list(board, query, number, verdicts))
    typed = form if form is not None else FormData()
    return desk.page(
        request,
        "dialogues.html",
        status,
        found=listing,
        verdicts=verdicts,
        computing=computing and verdicts is None,
        done=what_was_done(desk, request),
        here=query.address,
        page_of=lambda number: urlencode([*query.pairs(), ("page", number)]),
        problem=problem,
        ticked=set(typed.getlist("dialogue")),
        tag=field(typed, "tag"),
        which=field(typed, "which"),
    )


@router.post("/dialogues/tags")
def tag_dialogues(request: Request, desk: ThisDesk, form: Form) -> Response:
    """Add a tag to, or remove it from, the selected dialogues or all matches."""
    off, tag = field(form, "act") == "off", field(form, "tag")
    tell(request, tag=tag, dialogues=field(form, "which") or "ticked", query=_query(form).address[:500])
    try:
        change = tagging(read_tag(tag), _chosen(desk, form), _author(request), off=off)
    except RemarkRefused as error:
        if field(form, "to") == "/dialogues":
            return _list_again(request, desk, form, told(error) + ".")
        return _refused(request, desk, error)
    return _do(desk, form, change)


@router.post("/dialogues/{dialogue_id}/notes")
def write_note(request: Request, dialogue_id: str, desk: ThisDesk, form: Form) -> Response:
    """Save or remove a note on a dialogue."""
    _check_known(desk, dialogue_id)
    tell(request, dialogue=dialogue_id)
    note_id = field(form, "remove")
    try:
        change = (
            removing_note(note_id, dialogue_id, _author(request))
            if note_id
            else noting(field(form, "text", most=20_000), dialogue_id, _author(request))
        )
    except RemarkRefused as error:
        return _refused(request, desk, error)
    return _do(desk, form, change)


@router.post("/dialogues/views")
def save_view(request: Request, desk: ThisDesk, form: Form) -> Response:
    """Save or remove a view."""
    name, gone = field(form, "name"), field(form, "remove")
    tell(request, view=gone or name)
    try:
        change = (
            removing_view(gone, _author(request))
            if gone
            else saving_view(name, _query(form).address, _author(request))
        )
        return _do(desk, form, change)
    except RemarkRefused as error:
        return _refused(request, desk, error)


@router.post("/dialogues/undo")
def undo(request: Request, desk: ThisDesk, form: Form) -> Response:
    """Undo the last change."""
    match = RANGE.fullmatch(field(form, "done"))
    if match is None:
        raise HTTPException(404, gettext("Nothing to undo."))
    tell(request, done=match[0])
    return _do(desk, form, undoing(int(match[1]), int(match[2]), _author(request)))


@router.post("/dialogues/two")
def two_ticked(request: Request, desk: ThisDesk, form: Form) -> Response:
    """Two selected dialogues side by side."""
    chosen = _chosen(desk, form)
    if len(chosen) != 2:
        detail = ngettext(
            "Select two dialogues to show side by side; %(num)s is selected.",
            "Select two dialogues to show side by side; %(num)s are selected.",
            len(chosen),
        )
        return _list_again(request, desk, form, detail)
    pair = [("a", chosen[0]), ("b", chosen[1])]
    return RedirectResponse("/dialogues/beside?" + urlencode([*pair, *_query(form).pairs()]), 303)


@router.post("/dialogues/export")
def export_selection(request: Request, desk: ThisDesk, form: Form) -> Response:
    """Dataset of the selected dialogues, or of all matches."""
    chosen, query = set(_chosen(desk, form)), _query(form)
    tell(request, dialogues=str(len(chosen)), query=query.address[:500])
    if not chosen:
        detail = gettext("No dialogues selected. Select some, or choose all matches.")
        return _list_again(request, desk, form, detail)
    desk.work_dir.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="desk-selection-", dir=desk.work_dir))
    note = statement(
        "A selection of {n} dialogues from the list, by {query}",
        n=len(chosen),
        query=query.address or "hand",
    )
    try:
        desk.snapshots.make(lambda snapshot: selection_zip(snapshot, chosen, note, folder / "selection.zip"))
    except VivavoceError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise HTTPException(409, str(error)) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", desk.study.name)
    return FileResponse(
        folder / "selection.zip",
        media_type="application/zip",
        filename=f"{name}-{desk.scope}-selection-{len(chosen)}.zip",
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


def _author(request: Request) -> Author:
    who = who_of(request)
    return Author(who.name, who.account_id)


def _query(form: FormData) -> DialogueQuery:
    return DialogueQuery.parse(field(form, "query", most=8000))


def _chosen(desk: Desk, form: FormData) -> list[str]:
    """Selected dialogues of this scope, or all matches of the list."""
    if field(form, "which") == ALL:
        query = _query(form)
        verdicts = desk.snapshots.verdicts()[0] if query.judged else None
        return desk.board.see(
            lambda board: [
                board.index.cards[place].dialogue_id
                for place in board.index.places(query, board.scope, verdicts)
            ]
        )
    ticked = [value for value in form.getlist("dialogue") if isinstance(value, str)]
    return desk.board.see(
        lambda board: [dialogue_id for dialogue_id in ticked if dialogue_id in board.dialogues]
    )


def _check_known(desk: Desk, dialogue_id: str) -> None:
    if not desk.board.see(lambda board: dialogue_id in board.dialogues):
        raise HTTPException(404, gettext("This dialogue does not exist in this study."))


def _do(desk: Desk, form: FormData, change: Change) -> RedirectResponse:
    """Apply a change and return to the page of the form."""
    appended: WrittenEvents | None = desk.log.transact_now(written(change, desk.study.name))
    to = field(form, "to")
    to = to if re.fullmatch(r"/dialogues(/[\w.-]+)?", to) else "/dialogues"
    query = _query(form).address
    parts = [query] if query else []
    if appended is not None:
        parts.append(f"done={appended.first}-{appended.last}")
    return RedirectResponse(to + ("?" + "&".join(parts) if parts else ""), 303)


def _list_again(request: Request, desk: Desk, form: FormData, problem: str) -> Response:
    """Return the same list with a problem."""
    return list_page(request, desk, _query(form), field(form, "page") or "1", 422, problem=problem, form=form)


def _refused(request: Request, desk: Desk, error: RemarkRefused) -> Response:
    """Error page; the browser keeps the input on going back."""
    heading, detail = gettext("Not possible"), told(error) + "."
    return desk.page(request, "mistake.html", 422, heading=heading, detail=detail)
