"""Pairs of transcripts: the study's own, and an editor that marks the difference as one types."""

from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import FOLDER, Desk, ThisDesk
from vivavoce.desk.language import gettext
from vivavoce.desk.page import DashboardPage, MenuItem
from vivavoce.desk.pages_dialogues import history_of
from vivavoce.desk.pairs import CHANGES, VERDICTS, PairDraft, draft_of_dialogue, draft_of_pair, judge
from vivavoce.desk.security import OnlyAsks, OwnForm, field
from vivavoce.study.pairs import Change

router = APIRouter()
PAGE: Final = DashboardPage(name="pairs", router=router, menu=(MenuItem("/pairs", N_("Pairs"), 500),))
LONGEST = 20_000


@router.get("/static/pairs.js")
def script() -> FileResponse:
    return FileResponse(FOLDER / "static" / "pairs.js", media_type="text/javascript")


@router.get("/pairs")
def pairs(request: Request, desk: ThisDesk) -> Response:
    language, balance = desk.study.default_language, desk.study.balance
    rows = [(pair, judge(draft_of_pair(pair, language), balance)) for pair in desk.study.pairs]
    return desk.page(request, "pairs.html", rows=rows, languages=desk.study.languages)


@router.get("/pairs/edit")
def edit(
    request: Request, desk: ThisDesk, pair: str = "", dialogue: str = "", language: str | None = None
) -> Response:
    """An empty draft, a pair of the study, or a dialogue of the log with a copy of it."""
    return _editor(request, desk, _begun(desk, pair, dialogue, desk.study.language(language)))


def _begun(desk: Desk, pair_id: str, dialogue_id: str, language: str) -> PairDraft:
    if pair_id:
        found = next((pair for pair in desk.study.pairs if pair.pair_id == pair_id), None)
        if found is None or language not in found.text:
            raise HTTPException(404, gettext("There is no such pair in this study."))
        return draft_of_pair(found, language)
    if dialogue_id:
        return draft_of_dialogue(history_of(desk, dialogue_id), language)
    return PairDraft(language=language)


@router.post("/pairs/edit", dependencies=[OnlyAsks])
def show(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """The page again with the difference of what was typed, for browsers without scripts."""
    return _editor(request, desk, _typed(desk, form))


@router.post("/pairs/difference", dependencies=[OnlyAsks])
def live(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Only the part of the page that tells the difference."""
    return desk.page(request, "pair_difference.html", **_facts(desk, _typed(desk, form)))


def _typed(desk: Desk, form: FormData) -> PairDraft:
    changes: dict[str, Change] = {known: known for known in CHANGES}
    return PairDraft(
        pair_id=field(form, "pair_id") or "new-pair", variable=field(form, "variable"),
        change=changes.get(field(form, "change"), CHANGES[0]),
        language=desk.study.language(field(form, "language")), outcome=field(form, "outcome", most=500),
        equivalent=field(form, "equivalent", most=1000),
        control=field(form, "control", most=LONGEST), experimental=field(form, "experimental", most=LONGEST),
    )  # fmt: skip


def _facts(desk: Desk, draft: PairDraft) -> dict[str, Any]:
    balance = desk.study.balance
    return {"draft": draft, "verdict": judge(draft, balance), "balance": balance, "VERDICTS": VERDICTS}


def _editor(request: Request, desk: Desk, draft: PairDraft) -> Response:
    facts = _facts(desk, draft)
    return desk.page(request, "pair_edit.html", **facts, changes=CHANGES, languages=desk.study.languages)
