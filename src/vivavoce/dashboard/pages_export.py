"""Downloads for researchers."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, JSONResponse, Response

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.disclosure import EARLY, disclosure, refuse_withheld
from vivavoce.dashboard.downloads import DOWNLOADS, Download, offered
from vivavoce.dashboard.language import gettext, worded
from vivavoce.dashboard.page import DashboardPage, MenuItem
from vivavoce.dashboard.progress import holdings
from vivavoce.dashboard.security import OnlyAsks, OwnForm, takes_out

router = APIRouter()
PAGE: Final = DashboardPage(
    name="export",
    router=router,
    menu=(MenuItem("/export", N_("Export"), 900),),
    role="researcher",
    help="how-to/pass-on-a-dataset",
)


@router.get("/export")
def export(request: Request, desk: ThisDesk) -> Response:
    downloads = [(download, _file_name(desk, download.name)) for download in offered()]
    policy = disclosure(request, desk)
    return desk.page(
        request,
        "export.html",
        downloads=downloads,
        held=desk.board.see(holdings),
        disclosure=policy,
        early=EARLY,
        took=desk.preparations.took_s,
        empty=desk.board.see(lambda board: not board.visits),
    )


@router.post("/export/{name}/begin", dependencies=[OnlyAsks])
def begin(request: Request, name: str, desk: ThisDesk, form: OwnForm) -> JSONResponse:
    """Start a download in the background; `key` identifies it later."""
    chosen = _wanted(request, desk, name)
    return JSONResponse({"key": desk.preparations.begin(desk.snapshots, name, chosen.make)})


@router.get("/export/{name}/state")
def state(name: str, desk: ThisDesk, key: str = "") -> JSONResponse:
    """State of a download: in progress, ready or failed."""
    prepared = desk.preparations.of(key, name)
    if prepared is None:
        raise HTTPException(404, gettext("This download does not exist."))
    computing = not prepared.done.done()
    if prepared.problem:
        desk.preparations.forget(key)
    return JSONResponse({"computing": computing, "problem": worded(prepared.problem)})


@router.get("/api/export/{name}", dependencies=[Depends(takes_out)])
@router.get("/export/{name}", dependencies=[Depends(takes_out)])
def download(request: Request, name: str, desk: ThisDesk, key: str = "") -> Response:
    """One download from a current snapshot; key: of one made in the background."""
    chosen = _wanted(request, desk, name)
    if key and desk.preparations.of(key, name) and (prepared := desk.preparations.take(key)) is not None:
        return _file(desk, name, prepared.folder)
    desk.work_dir.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="desk-download-", dir=desk.work_dir))
    try:
        desk.snapshots.make(lambda snapshot: chosen.make(snapshot, folder / name))
    except VivavoceError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise HTTPException(409, str(error)) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return _file(desk, name, folder)


def _wanted(request: Request, desk: Desk, name: str) -> Download:
    """Download by name. Raises HTTPException: unknown, or hidden until the trial ends."""
    if name not in DOWNLOADS:
        raise HTTPException(404, gettext("This download does not exist."))
    if DOWNLOADS[name].compares:
        refuse_withheld(request, desk)
    return DOWNLOADS[name]


def _file(desk: Desk, name: str, folder: Path) -> FileResponse:
    return FileResponse(
        folder / name,
        media_type=DOWNLOADS[name].media_type,
        filename=_file_name(desk, name),
        headers={"Content-Security-Policy": "sandbox; default-src 'none'"},
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )


def _file_name(desk: Desk, name: str) -> str:
    """File name of a download: study, scope, kind."""
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', desk.study.name)}-{desk.scope}-{name}"
