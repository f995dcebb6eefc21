"""Pages of the study: bots, visit, study file and the form for a new study."""

import asyncio
from collections.abc import Container, Mapping
from typing import Any, Final

from fastapi import HTTPException, Request
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.connectors.discovery import NotFound, discover
from vivavoce.connectors.input_dependence import Discovery
from vivavoce.connectors.urls import is_private
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import FOLDER, AppShell, Desk
from vivavoce.dashboard.language import gettext, language, ngettext, told
from vivavoce.dashboard.page import DashboardPage, DueAction, MenuItem, help_address
from vivavoce.dashboard.pages_annotation import memoized
from vivavoce.dashboard.security import OnlyAsks, OwnForm, Steers, field, tell
from vivavoce.dashboard.study_editor import pages_materials, pages_steps
from vivavoce.dashboard.study_editor.creation import (
    EXAMPLE,
    LANGUAGES_PLACE,
    NAME_TAKEN,
    NO_SYSTEM_NAME,
    OTHER_NAME,
    OWN,
    STUDY_PLACE,
    SYSTEM_PLACE,
    TASK_SOURCES,
    TASKS_PLACE,
    NewStudy,
    create_study,
    tasks_needed,
)
from vivavoce.dashboard.study_editor.edited_study import EditedStudy
from vivavoce.dashboard.study_editor.editing import (
    LONGEST,
    Shell,
    conflict,
    edited,
    folder_of,
    router,
    save_and_return,
    visits_held,
)
from vivavoce.dashboard.study_editor.request_form import RequestForm, check_system, read_block, with_private
from vivavoce.dashboard.study_editor.study_text import StudyFileChanged, changed, check_text, digest, written
from vivavoce.languages.base import language_name, languages_with
from vivavoce.study.file import NAME_CURE, is_name
from vivavoce.study.presets import PROTOCOLS, protocol_names
from vivavoce.study.scaffold import name_of_title, study_name_of

OTHERS: Final = (pages_materials, pages_steps)  # imported because they add routes to the same router
BY_HAND_HELP: Final = "how-to/connect-a-bot"
READ_ANEW_S: Final = 60.0  # other files of the study may have changed


def due_problems(request: Request, desk: Desk) -> list[DueAction]:
    """Pending action for problems of the study, checked when its file changes and once a minute."""
    study = edited(desk)
    data = f"{study.base} {desk.log.clock.now().timestamp() // READ_ANEW_S}"
    n = memoized(request, "study_problems", data, lambda: len(study.problems)) if study.text else 0
    text = ngettext(
        "%(num)s problem in the study file; fix it before the next start",
        "%(num)s problems in the study file; fix them before the next start",
        n,
    )
    return [DueAction(text, "/study", urgent=True)] if n else []


# editing the file decides which programs this machine starts and which addresses it calls
PAGE: Final = DashboardPage(
    name="study",
    router=router,
    menu=(MenuItem("/study", N_("Study"), 150),),
    role="owner",
    help="reference/study-file",
    due=due_problems,
)


@router.get("/static/study.js")
def script() -> FileResponse:
    return FileResponse(FOLDER / "static" / "study.js", media_type="text/javascript")


@router.get("/study")
def overview(request: Request, desk: Shell, saved: str = "") -> Response:
    """Study page; without a study, the form for a new one."""
    study = edited(desk)
    if not study.text:
        return _begun(request, desk, _blank(desk))
    return study_page(request, desk, study, saved=saved)


def study_page(
    request: Request, desk: AppShell, study: EditedStudy, status: int = 200, **facts: Any
) -> Response:
    around = {
        "saved": "",
        "problem": "",
        "found": None,
        "url": "",
        "name": "",
        "asked": None,
        "refused": {},
        "blocks": {},
    }
    return desk.page(
        request,
        "study.html",
        status,
        study=study,
        starts=not isinstance(desk, Desk),
        served=getattr(desk, "participant_url", None),
        step_names=pages_steps.step_names(),
        came=visits_held(desk),
        told_settings=pages_steps.told_settings,
        by_hand=help_address(BY_HAND_HELP),
        private=needs_private,
        written=written,
        **{**around, **facts},
    )


def needs_private(settings: Any) -> bool:
    """True if a system's address is private and `allow_private` is not set."""
    return isinstance(settings, dict) and with_private(settings) != settings


def _blank(desk: AppShell) -> NewStudy:
    name, tongue = study_name_of(folder_of(desk)), language()
    return NewStudy(name=name, languages=[tongue if tongue in languages_with("participant.po") else "en"])


def _begun(
    request: Request,
    desk: AppShell,
    new: NewStudy,
    status: int = 200,
    *,
    problem: str = "",
    wrong: str = "",
    found: Discovery | None = None,
    url: str = "",
    name: str = "mine",
    asked: RequestForm | None = None,
    draft: str = "",
) -> Response:
    """Form for a new study.

    Input   wrong: field of the problem; draft: digest of untested systems
    """
    protocols = [(protocol_name, about_protocol(protocol_name)) for protocol_name in protocol_names()]
    needed = [
        (protocol_name, least) for protocol_name in protocol_names() if (least := tasks_needed(protocol_name))
    ]
    return desk.page(
        request,
        "study_new.html",
        status,
        new=new,
        protocols=protocols,
        problem=problem,
        found=found,
        url=url,
        name=name,
        sources=TASK_SOURCES,
        written=written,
        wrong=wrong,
        asked=asked,
        draft=draft,
        needed=needed,
        by_hand=help_address(BY_HAND_HELP),
        tongues=[(tag, language_name(tag)) for tag in languages_with("participant.po")],
    )


def about_protocol(name: str) -> str:
    """Description of a protocol, from the first sentence of its file; "" without one."""
    lines = PROTOCOLS.get(name).file.read_text(encoding="utf-8").splitlines()
    comment_lines: list[str] = []
    for line in lines:
        if not line.startswith("#"):
            break
        comment_lines.append(line.removeprefix("#").strip())
    return " ".join(comment_lines).partition(" A study with `protocol:")[0]


def _typed(form: Any) -> NewStudy:
    tags = languages_with("participant.po")
    source = field(form, "source")
    if source == EXAMPLE and any(field(form, f"tasks-{tag}", most=LONGEST).strip() for tag in tags):
        source = OWN  # entered tasks take precedence
    called = field(form, "study")
    return NewStudy(
        name=_named(called),
        title="" if is_name(called) else called,
        protocol=field(form, "protocol"),
        languages=[tag for tag in tags if field(form, f"language-{tag}")],
        systems=field(form, "systems", most=LONGEST).replace("\r\n", "\n"),
        source=source if source in TASK_SOURCES else EXAMPLE,
        tasks={tag: field(form, f"tasks-{tag}", most=LONGEST) for tag in tags},
    )


def _named(called: str) -> str:
    """Name made from a title; unchanged if nothing of it is valid in a name."""
    return called if is_name(called) else name_of_title(called) or called


def greet(url: str, name: str, systems: Mapping[str, Any]) -> Discovery:
    """Test the bot at an address, known systems first. Raises InputError: one line."""
    _check_name(name)
    like = [settings for settings in systems.values() if isinstance(settings, dict)]
    return asyncio.run(discover(url, language=language(), private=is_private(url), like=like))


def _check_name(name: str, taken_names: Container[str] = ()) -> None:
    """Check a system's name. Raises  InputError: invalid or taken"""
    if not is_name(name):
        raise InputError(NO_SYSTEM_NAME, place=SYSTEM_PLACE, hint=NAME_CURE, values={"name": name})
    if name in taken_names:
        raise InputError(NAME_TAKEN, place=SYSTEM_PLACE, hint=OTHER_NAME, values={"name": name})


def _said(error: InputError) -> tuple[str, str]:
    """Text of a problem, and the field that it belongs to."""
    at = error.place.partition(".")[0]
    if at in (STUDY_PLACE, TASKS_PLACE, SYSTEM_PLACE, LANGUAGES_PLACE):
        return told(error).removeprefix(f"{error.place}: "), at
    return told(error), at


@router.post("/study/new/hello", dependencies=[Steers, OnlyAsks])
def hello_before(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Form with the tested bot among its systems.

    Where nothing was, it asks for the fields of the request; so described, the system is tried as it is.
    """
    new, url, name = _typed(form), field(form, "url", most=2000), _named(field(form, "name") or "mine")
    request_form = RequestForm.typed(form) if field(form, "with") else None
    _take_out_draft(new, field(form, "draft"))
    try:
        systems = new.read_systems()
        _check_name(name, systems if request_form is None else ())
        discovery = greet(url, name, systems) if request_form is None else request_form.greet(url)
        new.systems = new.with_system(name, discovery.settings)
    except InputError as error:
        request_form = _described(error, request_form)
        draft = "" if request_form is None else _draft(new, name, request_form, url)
        problem, wrong = _said(error)
        return _begun(
            request,
            desk,
            new,
            422,
            problem=problem,
            url=url,
            name=name,
            asked=request_form,
            draft=draft,
            wrong=wrong if wrong == SYSTEM_PLACE else "url",
        )
    return _begun(request, desk, new, found=discovery, name=f"{name}-2")


def _described(error: InputError, request_form: RequestForm | None) -> RequestForm | None:
    """Request form after a failed test; None if the bot is unreachable."""
    return RequestForm.of_refusal(error) if isinstance(error, NotFound) else request_form


def _draft(new: NewStudy, name: str, request_form: RequestForm, url: str) -> str:
    """Add the described request to the systems as a draft; returns its name and digest."""
    try:
        if name in new.read_systems():
            return ""
        new.systems = new.with_system(name, request_form.draft(url))
    except InputError:
        return ""
    return f"{name} {digest(new.systems.strip())}"


def _is_draft(new: NewStudy, draft: str) -> bool:
    """True if a system is an untested request without manual changes."""
    return bool(draft) and draft.rpartition(" ")[2] == digest(new.systems)


def _take_out_draft(new: NewStudy, draft: str) -> None:
    """Remove an untested request, so that the next test replaces it."""
    if _is_draft(new, draft):
        remaining = {
            name: settings
            for name, settings in new.read_systems().items()
            if name != draft.rpartition(" ")[0]
        }
        new.systems = written(remaining) if remaining else ""


@router.post("/study/new", dependencies=[Steers])
def create(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Create the study; on failure the page keeps the input."""
    new, folder = _typed(form), folder_of(desk)
    url, name = field(form, "url", most=2000), _named(field(form, "name") or "mine")
    draft = field(form, "draft")
    request_form = RequestForm.typed(form) if draft else None
    try:
        if field(form, "private"):
            new.permit_private()
        if _is_draft(new, draft):
            raise InputError(
                gettext("The bot has not replied yet. Test it again, or edit its configuration below.")
            )
        if url and not new.systems.strip():  # address entered without pressing Test bot
            new.systems = new.with_system(name, greet(url, name, {}).settings)
        create_study(folder, new)
    except InputError as error:
        request_form = _described(error, request_form)
        draft = (
            _draft(new, name, request_form, url) if isinstance(error, NotFound) and request_form else draft
        )
        problem, wrong = _said(error)
        return _begun(
            request,
            desk,
            new,
            422,
            problem=problem,
            wrong=wrong,
            url=url,
            name=name,
            asked=request_form,
            draft=draft,
        )
    tell(request, study=new.name)
    return RedirectResponse("/study?saved=new", 303)


@router.post("/study/systems", dependencies=[Steers])
def add_system(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Test the bot at an address and add it to the study."""
    study, url, name = edited(desk), field(form, "url", most=2000), _named(field(form, "name"))
    request_form = RequestForm.typed(form) if field(form, "with") else None
    text = ""
    try:
        systems = study.says.get("systems") or {}
        _check_name(name, systems)
        discovery = greet(url, name, systems) if request_form is None else request_form.greet(url)
        text = study.with_system(name, discovery.settings)
        study.save(text, field(form, "base"))
    except StudyFileChanged as error:
        return conflict(request, desk, error, text)
    except InputError as error:
        return study_page(
            request,
            desk,
            study,
            422,
            problem=told(error),
            url=url,
            name=name,
            asked=_described(error, request_form),
        )
    tell(request, system=name)
    return study_page(request, desk, edited(desk), found=discovery, name="")


@router.post("/study/systems/edit", dependencies=[Steers])
def edit_system(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Save a bot's configuration; invalid ones stay on the page with the problem."""
    study, name, block = edited(desk), field(form, "system"), field(form, "block", most=LONGEST)
    if name not in (study.says.get("systems") or {}):
        raise HTTPException(404, gettext("This bot does not exist."))
    try:
        settings = read_block(block.replace("\r\n", "\n"), name)
        if field(form, "private"):
            settings = with_private(settings)
        check_system(name, settings, study.folder)
    except InputError as error:
        problem = error.problem if error.place == name else told(error)
        return study_page(request, desk, study, 422, refused={name: problem}, blocks={name: block})
    tell(request, system=name)
    return save_and_return(request, desk, study, lambda: study.with_system(name, settings), form)


@router.post("/study/systems/remove", dependencies=[Steers])
def remove_system(request: Request, desk: Shell, form: OwnForm) -> Response:
    study, name = edited(desk), field(form, "system")

    def change(data: Any) -> None:
        if not isinstance(data.get("systems"), dict) or name not in data["systems"]:
            raise HTTPException(404, gettext("This bot does not exist."))
        del data["systems"][name]
        if not data["systems"]:
            del data["systems"]

    tell(request, removed=name)
    return save_and_return(request, desk, study, lambda: changed(study.text, "systems", change), form)


@router.get("/study/file")
def file(request: Request, desk: Shell) -> Response:
    """Study file as text."""
    study = edited(desk)
    return desk.page(request, "study_file.html", study=study, text=study.text, theirs=None, problem="")


@router.post("/study/file", dependencies=[Steers])
def save_file(request: Request, desk: Shell, form: OwnForm) -> Response:
    study, typed = edited(desk), form.get("text")
    text = typed.replace("\r\n", "\n") if isinstance(typed, str) else ""
    text = text if not text or text.endswith("\n") else text + "\n"
    try:
        check_text(text)  # invalid YAML must not replace a valid file
        study.save(text, field(form, "base"))
    except StudyFileChanged as error:
        return conflict(request, desk, error, text)
    except InputError as error:
        return desk.page(
            request, "study_file.html", 422, study=study, text=text, theirs=None, problem=told(error)
        )
    return RedirectResponse("/study?saved=file", 303)


@router.get("/study/state")
def state() -> dict[str, bool]:
    """Ready signal of the trial for the waiting page."""
    return {"computing": False}
