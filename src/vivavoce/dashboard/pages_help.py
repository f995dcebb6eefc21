"""Help: the documentation of Vivavoce on the dashboard."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, HTTPException, Request
from markupsafe import Markup, escape
from starlette.responses import Response

from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.dashboard.app_shell import desk_of
from vivavoce.dashboard.language import language
from vivavoce.dashboard.page import HELP_FOLDERS, help_file, help_folder
from vivavoce.languages.base import language_of
from vivavoce.participant.documents import HtmlDocument, read_document

router = APIRouter()
_LINK: Final = re.compile(r'<a href="([^":#]+)\.md(#[^"]*)?"([^>]*)>')
_DEAD: Final = re.compile(r'<a href="(?![a-z]+:|/|#)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_HEADING: Final = re.compile(r"<h([2-4])>(.*?)</h\1>", re.DOTALL)
_INCLUDED: Final = re.compile(r"```\{literalinclude\} (\S+)\n")
_DEFINITION: Final = re.compile(r"\n: ")
_COMMENT: Final = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)


@router.get("/help")
def contents(request: Request, desk: Annotated[Any, Depends(desk_of)]) -> Response:
    """Contents: short pages in the reader's language, and the whole documentation by section."""
    folder = help_folder()
    short_folder = _own_folder()
    short = sorted(short_folder.rglob("*.md")) if short_folder else []
    folders = {
        name: [(f"{name}/{page.stem}", _read(page).title) for page in sorted((folder / name).glob("*.md"))]
        for name in HELP_FOLDERS
        if folder is not None
    }
    shorts = [
        (document.relative_to(short_folder).with_suffix("").as_posix(), _read(document).title)
        for document in short
        if short_folder
    ]
    return desk.page(request, "help.html", folders=folders, shorts=shorts, document=None)


@router.get("/help/{name}")
@router.get("/help/{folder}/{name}")
def page(request: Request, name: str, desk: Annotated[Any, Depends(desk_of)], folder: str = "") -> Response:
    """One page of the documentation, in its short version if the reader's language has one.

    With `?whole=1` the whole page, as it was written.
    """
    called = f"{folder}/{name}".removeprefix("/")
    file, short = help_file(called), _short(called)
    if file is None:
        raise HTTPException(404, "Not Found")
    full = bool(request.query_params.get("whole")) or short is None
    shown_file = file if full else short
    return desk.page(
        request,
        "help.html",
        folders={},
        shorts=[],
        document=_read(shown_file or file),
        called=called,
        whole=full,
        has_short=short is not None,
        tongue=SOURCE_LANGUAGE if full else language(),
    )


def _own_folder() -> Path | None:
    """Folder of short help in the reader's language; None if absent."""
    spoken = language_of(language())
    folder = spoken.folder / "help" if spoken is not None else None
    return folder if folder is not None and folder.is_dir() else None


def _short(called: str) -> Path | None:
    help_folder = _own_folder()
    file = help_folder / f"{called}.md" if help_folder is not None and help_file(called) is not None else None
    return file if file is not None and file.is_file() else None


@lru_cache(maxsize=256)
def _read(file: Path) -> HtmlDocument:
    """Page with links to help pages; links to files of the repository are removed."""
    text = _DEFINITION.sub("  \n", _COMMENT.sub("", file.read_text(encoding="utf-8")))
    text = _INCLUDED.sub(lambda match: "```\n" + (file.parent / match[1]).read_text(encoding="utf-8"), text)
    read = read_document(text)

    def linked(match: re.Match[str]) -> str:
        target, folder = (file.parent / f"{match[1]}.md").resolve(), help_folder()
        if folder is None or not target.is_relative_to(folder):
            return match[0]
        name = target.relative_to(folder).with_suffix("").as_posix()
        return f'<a href="/help/{name}{match[2] or ""}"{match[3]}>' if help_file(name) else match[0]

    body = _DEAD.sub(r"\1", _LINK.sub(linked, read.body))
    body = _HEADING.sub(lambda match: f'<h{match[1]} id="{_anchor(match[2])}">{match[2]}</h{match[1]}>', body)
    table = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(read.title)}"><table>'
    body = body.replace("<table>", table).replace("</table>", "</table></div>")
    return HtmlDocument(read.title, Markup(body), read.digest)


def _anchor(heading: str) -> str:
    """Anchor of a heading, as in the built documentation."""
    words = re.sub(r"<[^>]+>", "", heading).lower()
    return str(escape(re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")))
