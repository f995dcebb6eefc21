"""Transcript pairs of the study, and an editor with live differences."""

from typing import Any, Final, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.core.errors import InputError, sentences
from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import FOLDER, Desk, ThisDesk
from vivavoce.dashboard.language import gettext
from vivavoce.dashboard.page import DashboardPage, MenuItem
from vivavoce.dashboard.pages_dialogues import history_of
from vivavoce.dashboard.pairs import (
    CHANGES,
    VERDICTS,
    PairDraft,
    draft_of_dialogue,
    draft_of_pair,
    judge,
    laboratory_of,
    pair_of_draft,
)
from vivavoce.dashboard.pairs_laboratory import KeptPair, PairChanged, PairsLaboratory
from vivavoce.dashboard.pairs_model import ask_for_version, model_of, read_model_file
from vivavoce.dashboard.security import OnlyAsks, OwnForm, Steers, field, tell, who_of
from vivavoce.steps.pairwise_preference.material import ComparedTranscripts
from vivavoce.study.pairs import Attention, Change, UnreadableTranscript, read_transcript, write_transcript
from vivavoce.study.steps import OfferedStep

router = APIRouter()
PAGE: Final = DashboardPage(
    name="pairs",
    router=router,
    menu=(MenuItem("/pairs", N_("Pairs"), 500),),
    help="how-to/compare-transcripts",
    shown=lambda study: bool(study.pairs) or laboratory_of(study) is not None,
)
LONGEST = 20_000


@router.get("/static/pairs.js")
def script() -> FileResponse:
    return FileResponse(FOLDER / "static" / "pairs.js", media_type="text/javascript")


@router.get("/pairs")
def pairs(request: Request, desk: ThisDesk) -> Response:
    return _list(request, desk)


def _list(request: Request, desk: Desk, status: int = 200, problem: str = "") -> Response:
    """Pairs from the files, one row per pair and language."""
    laboratory, balance = laboratory_of(desk.study), desk.study.balance
    stored_pairs = _kept(desk, laboratory)
    rows = [
        (stored, language, judge(draft_of_pair(stored.pair, language), balance))
        for stored in stored_pairs
        for language in stored.pair.text
    ]
    saved = request.query_params.get("saved", "")
    return desk.page(
        request,
        "pairs.html",
        status,
        rows=rows,
        VERDICTS=VERDICTS,
        problem=problem,
        may_save=laboratory is not None and who_of(request).may("researcher"),
        versions=laboratory.versions() if laboratory else [],
        is_newer=tuple(stored.pair for stored in stored_pairs if not stored.is_draft) != desk.study.pairs,
        saved=saved,
        saved_is_draft=any(stored.is_draft and stored.pair.pair_id == saved for stored in stored_pairs),
        languages=desk.study.languages,
        compares=_compares(desk),
    )


def _compares(desk: Desk) -> bool:
    """True if judges choose between transcripts, so that a pilot is possible."""
    return any(
        isinstance(step, OfferedStep) and isinstance(step.material, ComparedTranscripts)
        for step in desk.study.visit
    )


def _kept(desk: Desk, laboratory: PairsLaboratory | None) -> list[KeptPair]:
    """All pairs; if a file cannot be read, those loaded by the service."""
    try:
        stored_pairs = laboratory.pairs() if laboratory is not None else []
    except InputError:
        stored_pairs = []
    return stored_pairs or [KeptPair(pair, False) for pair in desk.study.pairs]


@router.post("/pairs/save", dependencies=[Steers])
def save(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Save the pair to the study's files; on failure the page keeps the input."""
    laboratory, draft = laboratory_of(desk.study), _typed(desk, form)
    if laboratory is None:
        raise HTTPException(404, gettext("This study has no pairs file."))
    if not draft.pair_id or not draft.variable:
        return _editor(request, desk, draft, 422, gettext("Enter a name and a variable for the pair."))
    try:
        existing = laboratory.pair(draft.pair_id)
        pair = pair_of_draft(draft, existing)
        laboratory.save(
            pair, by=who_of(request).name, base=draft.base if draft.opened == draft.pair_id else ""
        )
    except UnreadableTranscript as error:
        return _editor(request, desk, draft, 422, sentences(error.problem, error.hint))
    except PairChanged as error:
        draft.opened, draft.base = draft.pair_id, laboratory.digest(draft.pair_id)
        advice = gettext("Not saved. Save again to overwrite the other version.")
        return _editor(request, desk, draft, 409, f"{_conflict(error)} {advice}")
    except InputError as error:
        return _editor(request, desk, draft, 422, str(error))
    tell(request, pair=draft.pair_id, language=draft.language, version=str(laboratory.versions()[0].number))
    return RedirectResponse(f"/pairs?{urlencode({'saved': draft.pair_id})}", 303)


def _conflict(error: PairChanged) -> str:
    if error.by:
        return gettext("%(who)s saved a pair with this name after you opened it.", who=error.by)
    return gettext("A pair with this name already exists.")


@router.post("/pairs/restore", dependencies=[Steers])
def restore(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Restore a version of the files as a new version."""
    laboratory, number = laboratory_of(desk.study), field(form, "number")
    if laboratory is None or not number.isdecimal():
        raise HTTPException(404, gettext("This version does not exist."))
    try:
        laboratory.restore(int(number), by=who_of(request).name)
    except InputError as error:
        return _list(request, desk, 422, str(error))
    tell(request, restored=number, version=str(laboratory.versions()[0].number))
    return RedirectResponse("/pairs", 303)


@router.post("/pairs/draft-by-model", dependencies=[OnlyAsks, Steers])
async def drafted_by_model(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Page with a version drafted by the study's language model, checked like any other."""
    draft, path = _typed(desk, form), model_of(desk.study)
    strategy = field(form, "brief", most=500) or draft.variable
    if path is None:
        raise HTTPException(404, gettext("This study has no language model."))
    if not strategy:
        return _editor(request, desk, draft, 422, gettext("Enter a name and a variable for the pair."))
    try:
        control = read_transcript(draft.control)
        version = await ask_for_version(
            read_model_file(path), control, strategy, draft.language, desk.study.balance.changed
        )
    except UnreadableTranscript as error:
        return _editor(request, desk, draft, 422, sentences(error.problem, error.hint))
    except InputError as error:
        return _editor(request, desk, draft, 422, str(error))
    draft.experimental = write_transcript(version)
    return _editor(request, desk, draft)


@router.get("/pairs/edit")
def edit(
    request: Request, desk: ThisDesk, pair: str = "", dialogue: str = "", language: str | None = None
) -> Response:
    """Editor for an empty draft, a pair of the study, or a copy of a logged dialogue."""
    return _editor(request, desk, _begun(desk, pair, dialogue, desk.study.language(language)))


def _begun(desk: Desk, pair_id: str, dialogue_id: str, language: str) -> PairDraft:
    if pair_id:
        stored_pairs = _kept(desk, laboratory_of(desk.study))
        pair = next(
            (stored.pair for stored in reversed(stored_pairs) if stored.pair.pair_id == pair_id), None
        )
        if pair is None:
            raise HTTPException(404, gettext("This pair does not exist in this study."))
        draft, laboratory = draft_of_pair(pair, language), laboratory_of(desk.study)
        draft.opened, draft.base = pair_id, laboratory.digest(pair_id) if laboratory else ""
        return draft
    if dialogue_id:
        return draft_of_dialogue(history_of(desk, dialogue_id), language)
    return PairDraft(language=language)


@router.post("/pairs/edit", dependencies=[OnlyAsks])
def show(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Page with the difference, for browsers without scripts."""
    return _editor(request, desk, _typed(desk, form))


@router.post("/pairs/difference", dependencies=[OnlyAsks])
def live(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Fragment with the difference."""
    return desk.page(request, "pair_difference.html", **_facts(desk, _typed(desk, form)))


def _typed(desk: Desk, form: FormData) -> PairDraft:
    kinds: dict[str, Attention] = {kind: kind for kind in get_args(Attention)}
    changes: dict[str, Change] = {change: change for change in CHANGES}
    return PairDraft(
        pair_id=field(form, "pair_id"),
        variable=field(form, "variable"),
        change=changes.get(field(form, "change"), CHANGES[0]),
        language=desk.study.language(field(form, "language")),
        outcome=field(form, "outcome", most=500),
        equivalent=field(form, "equivalent", most=1000),
        base=field(form, "base"),
        opened=field(form, "opened"),
        attention=kinds.get(field(form, "attention")),
        control=field(form, "control", most=LONGEST),
        experimental=field(form, "experimental", most=LONGEST),
    )


def _facts(desk: Desk, draft: PairDraft) -> dict[str, Any]:
    balance = desk.study.balance
    return {"draft": draft, "verdict": judge(draft, balance), "balance": balance, "VERDICTS": VERDICTS}


def _editor(request: Request, desk: Desk, draft: PairDraft, status: int = 200, problem: str = "") -> Response:
    laboratory = laboratory_of(desk.study)
    return desk.page(
        request,
        "pair_edit.html",
        status,
        **_facts(desk, draft),
        changes=CHANGES,
        problem=problem,
        languages=desk.study.languages,
        asks_model=model_of(desk.study) is not None and who_of(request).may("researcher"),
        may_save=laboratory is not None and who_of(request).may("researcher"),
    )
