"""The list of dialogues, one dialogue's transcript, and its events as they stand in the log."""

from typing import Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.core.result import as_json
from vivavoce.desk.app_shell import Desk, ThisDesk
from vivavoce.desk.board import Board, DialogueCard
from vivavoce.desk.language import gettext
from vivavoce.desk.page import DashboardPage, MenuItem
from vivavoce.desk.progress import STATUSES
from vivavoce.desk.security import Needs, takes_out, who_of
from vivavoce.desk.transcript import make_transcript, raw_events
from vivavoce.log.history import DialogueHistory
from vivavoce.log.scope import scope_of
from vivavoce.log.soundtrack import dialogue_recordings

router = APIRouter()
PAGE: Final = DashboardPage(
    name="dialogues", router=router, menu=(MenuItem("/dialogues", N_("Dialogues"), 300),)
)

PER_PAGE: Final = 50
REMOVALS: Final = (N_("redone"), N_("withdrawal"), N_("erasure"), N_("retention"))
FILTERS: Final = ("system", "participant", "status", "q")


@router.get("/dialogues")
def dialogues(request: Request, desk: ThisDesk) -> Response:
    wanted = {name: request.query_params.get(name, "").strip()[:200] for name in FILTERS}
    systems, found = desk.board.see(lambda board: (_systems(board), _matching(board, wanted)))
    pages = max(1, -(-len(found) // PER_PAGE))
    page = min(max(1, _whole(request.query_params.get("page", "1"))), pages)
    given = {name: value for name, value in wanted.items() if value}
    return desk.page(
        request, "dialogues.html", rows=found[(page - 1) * PER_PAGE : page * PER_PAGE], total=len(found),
        page=page, pages_count=pages, wanted=wanted, systems=systems, statuses=STATUSES,
        link_to=lambda number: urlencode({**given, "page": number}),
    )  # fmt: skip


@router.get("/dialogues/{dialogue_id}")
def transcript(request: Request, dialogue_id: str, desk: ThisDesk) -> Response:
    card, before, after = desk.board.see(lambda board: _neighbours(board, dialogue_id))
    if card is None:
        return _elsewhere(request, desk, dialogue_id)
    made = make_transcript(desk.study, history_of(desk, dialogue_id))
    wire = bool(request.query_params.get("wire")) and who_of(request).may("researcher")
    stored = desk.log.recordings(dialogue_id=dialogue_id)
    return desk.page(
        request, "transcript.html", card=card, made=made, before=before, after=after, wire=wire,
        recordings=dialogue_recordings(desk.log, dialogue_id),
        removed=[one for one in stored if one.removed_at is not None],
    )  # fmt: skip


@router.get(
    "/dialogues/{dialogue_id}/events.json", dependencies=[Depends(Needs("researcher")), Depends(takes_out)]
)
def events(dialogue_id: str, desk: ThisDesk) -> Response:
    return JSONResponse(as_json(raw_events(history_of(desk, dialogue_id).events)))


def history_of(desk: Desk, dialogue_id: str) -> DialogueHistory:
    """What happened in a dialogue of this scope. Raises HTTPException: it is none of the study's."""
    known = desk.board.see(lambda board: dialogue_id in board.dialogues)
    found = desk.log.dialogue_history(dialogue_id) if known else None
    if found is None:
        raise HTTPException(404, gettext("There is no such dialogue in this study."))
    return found


def _elsewhere(request: Request, desk: Desk, dialogue_id: str) -> Response:
    """Where a dialogue of the other scope is shown: an address that was kept leads there."""
    found = desk.board.see(lambda board: board.whole.dialogues.get(dialogue_id))
    if found is None:
        raise HTTPException(404, gettext("There is no such dialogue in this study."))
    query = "?" + request.url.query if request.url.query else ""
    return RedirectResponse(f"/{scope_of(simulated=found.simulated)}{request.url.path}{query}", 303)


def _systems(board: Board) -> list[str]:
    met = {card.system for card in board.dialogues.values()}
    return [*board.study.systems, *sorted(met - set(board.study.systems))]


def _matching(board: Board, wanted: dict[str, str]) -> list[DialogueCard]:
    """The dialogues that pass every filter, the latest first."""
    text = wanted["q"].casefold()
    return [
        card
        for card in reversed(board.dialogues.values())
        if wanted["system"] in ("", card.system)
        and wanted["participant"] in ("", card.participant_id)
        and wanted["status"] in ("", card.outcome)
        and (not text or text in card.dialogue_id or card.says(text))
    ]


def _neighbours(board: Board, dialogue_id: str) -> tuple[Any, str | None, str | None]:
    """A dialogue with this participant's dialogues before and after it."""
    card = board.dialogues.get(dialogue_id)
    if card is None:
        return None, None, None
    of_person = [
        one.dialogue_id for one in board.dialogues.values() if one.participant_id == card.participant_id
    ]
    place = of_person.index(dialogue_id)
    return (
        card,
        of_person[place - 1] if place else None,
        of_person[place + 1] if place + 1 < len(of_person) else None,
    )


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 1
