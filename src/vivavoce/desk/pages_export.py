"""Downloads of everything, for researchers."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import Desk, ThisDesk
from vivavoce.desk.downloads import DOWNLOADS, offered
from vivavoce.desk.language import gettext
from vivavoce.desk.page import DashboardPage, MenuItem
from vivavoce.desk.progress import holdings
from vivavoce.desk.security import takes_out

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
    named = [(one, _file_name(desk, one.name)) for one in offered()]
    return desk.page(request, "export.html", downloads=named, held=desk.board.see(holdings))


@router.get("/api/export/{name}", dependencies=[Depends(takes_out)])
@router.get("/export/{name}", dependencies=[Depends(takes_out)])
def download(name: str, desk: ThisDesk) -> Response:
    """One download, made from a snapshot of this moment."""
    if name not in DOWNLOADS:
        raise HTTPException(404, gettext("There is no such download."))
    wanted = DOWNLOADS[name]
    desk.work_dir.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="desk-download-", dir=desk.work_dir))
    try:
        desk.snapshots.make(lambda snapshot: wanted.make(snapshot, folder / name))
    except VivavoceError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise HTTPException(409, str(error)) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return FileResponse(
        folder / name, media_type=wanted.media_type, filename=_file_name(desk, name),
        headers={"Content-Security-Policy": "sandbox; default-src 'none'"},
        background=BackgroundTask(shutil.rmtree, folder, ignore_errors=True),
    )  # fmt: skip


def _file_name(desk: Desk, name: str) -> str:
    """What a download is called: the study, whose visits it holds, what it is."""
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', desk.study.name)}-{desk.scope}-{name}"
