"""List of dialogues, transcript of one dialogue, and its events."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from vivavoce.core.errors import MissingExtra
from vivavoce.core.i18n import N_
from vivavoce.core.result import as_json
from vivavoce.dashboard.app_shell import FOLDER, Desk, ThisDesk
from vivavoce.dashboard.dialogue_list import PER_PAGE, place_in_list
from vivavoce.dashboard.dialogue_query import DialogueQuery
from vivavoce.dashboard.domain_words import DomainWords
from vivavoce.dashboard.evidence import DialogueEvidence, evidence_of
from vivavoce.dashboard.language import gettext, told
from vivavoce.dashboard.page import DashboardPage, MenuItem, help_address
from vivavoce.dashboard.pages_notes import list_page, what_was_done
from vivavoce.dashboard.security import Needs, takes_out, who_of
from vivavoce.dashboard.snapshot import VERDICTS
from vivavoce.dashboard.transcript import make_transcript, raw_events
from vivavoce.log import events as log_events
from vivavoce.log.history import DialogueHistory, Turn, VisitHistory
from vivavoce.log.soundtrack import dialogue_recordings
from vivavoce.reports.language import duration

Lane = Literal["user", "system", "tools"]


class AxisSpan(NamedTuple):
    """Span on the axis; begin and length in per cent.

    kind  turn; wait: before the first word of it; failure; tool
    """

    lane: Lane
    kind: Literal["turn", "wait", "failure", "tool"]
    begin: float
    length: float


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Spans of a dialogue with its duration in seconds, ticks of the scale, and a summary."""

    length_s: float
    spans: list[AxisSpan]
    marks: list[tuple[float, float]]
    words: str

    @property
    def lanes(self) -> list[Lane]:
        """Lanes with spans."""
        met = {span.lane for span in self.spans}
        lanes: tuple[Lane, ...] = ("user", "system", "tools")
        return [lane for lane in lanes if lane in met]


STEPS_S: Final = (
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    20,
    30,
    60,
    120,
    300,
    600,
    1800,
    3600,
    86400,
)
_Raw = tuple[Lane, Literal["turn", "wait", "failure", "tool"], float, float]


def time_axis(dialogue: DialogueHistory) -> TimeAxis | None:
    """Timeline of a dialogue; None if its times are unknown."""
    raw = [span for line in dialogue.lines for span in _spans(dialogue, line) if span[2] is not None]
    length_s = max([span[3] for span in raw] + [dialogue.duration_s or 0.0], default=0.0)
    if not raw or length_s <= 0:
        return None
    spans = [
        AxisSpan(
            lane, kind, round(100 * begin / length_s, 2), round(max(100 * (end - begin) / length_s, 0.4), 2)
        )
        for lane, kind, begin, end in raw
    ]
    step = next((seconds for seconds in STEPS_S if length_s / seconds <= 8), STEPS_S[-1])
    marks = [(n * step, round(100 * n * step / length_s, 2)) for n in range(int(length_s / step) + 1)]
    return TimeAxis(length_s, spans, marks[:200], _words(raw, length_s))


def _words(raw: list[_Raw], length_s: float) -> str:
    def total(lane: Lane, kind: str) -> tuple[int, str]:
        lengths = [end - begin for of, what, begin, end in raw if of == lane and what == kind]
        return len(lengths), duration(sum(lengths))

    waits = [end - begin for _, what, begin, end in raw if what == "wait"]
    turns, typed = total("user", "turn")
    answers, spoken = total("system", "turn")
    sentence = gettext(
        "Total: %(length)s. Participant turns: %(turns)s, %(typed)s. System turns: %(answers)s, %(spoken)s.",
        length=duration(length_s),
        turns=turns,
        typed=typed,
        answers=answers,
        spoken=spoken,
    )
    if waits:
        longest = duration(max(waits))
        sentence += " " + gettext("Longest wait for first output: %(longest)s.", longest=longest)
    return sentence


def _spans(dialogue: DialogueHistory, line: "Turn | object") -> Iterator[_Raw]:
    stored = getattr(line, "stored", line)
    event, at_s = stored.event, dialogue.elapsed_s(stored)  # type: ignore[attr-defined]
    if isinstance(event, log_events.UserTurnSent):
        if event.onset_s is not None and event.offset_s is not None:
            yield "user", "turn", event.onset_s, event.offset_s
        elif at_s is not None:
            shown_s = at_s - (event.response_delay_s or 0.0)
            first = shown_s + (event.first_key_delay_s or 0.0)
            if event.first_key_delay_s:
                yield "user", "wait", max(0.0, shown_s), max(0.0, first)
            yield "user", "turn", max(0.0, first), at_s
    elif isinstance(event, log_events.SystemTurnReceived):
        end = event.complete_s if event.complete_s is not None else at_s
        if end is not None:
            sent = event.sent_s if event.sent_s is not None else end
            first = event.first_output_s if event.first_output_s is not None else end
            if first > sent:
                yield "system", "wait", max(0.0, sent), first
            yield "system", "turn", max(0.0, first), max(first, end)
    elif isinstance(event, log_events.SystemTurnFailed) and at_s is not None:
        yield "system", "failure", at_s, at_s
    for call in getattr(getattr(event, "agent", None), "tools", None) or ():
        if call.started_s is not None:
            yield "tools", "tool", call.started_s, call.started_s + (call.duration_s or 0.0)


DOMAIN_HELP: Final = "reference/domain-files"
router = APIRouter()
PAGE: Final = DashboardPage(
    name="dialogues",
    router=router,
    menu=(MenuItem("/dialogues", N_("Dialogues"), 300),),
    help="how-to/read-dialogues",
)

REMOVALS: Final = (N_("redone"), N_("withdrawal"), N_("erasure"), N_("retention"))


@router.get("/static/lab.js")
def script() -> FileResponse:
    return FileResponse(FOLDER / "static" / "lab.js", media_type="text/javascript")


@router.get("/static/lab.css")
def style() -> FileResponse:
    return FileResponse(FOLDER / "static" / "lab.css", media_type="text/css")


@router.get("/dialogues")
def dialogues(request: Request, desk: ThisDesk) -> Response:
    query = DialogueQuery.read(request.query_params.multi_items())
    return list_page(request, desk, query, request.query_params.get("page", "1"))


@router.get("/dialogues/state")
def dialogues_state(desk: ThisDesk) -> JSONResponse:
    """State of the success labels: computing or ready."""
    return JSONResponse({"computing": desk.snapshots.computing(VERDICTS)})


@router.get("/dialogues/keys")
def keys(request: Request, desk: ThisDesk) -> Response:
    return desk.page(request, "dialogue_keys.html", here=request.url.query)


@router.get("/dialogues/beside")
def beside(request: Request, desk: ThisDesk, a: str = "", b: str = "") -> Response:
    """Two dialogues side by side."""
    cards = desk.board.see(lambda board: [board.dialogues.get(dialogue_id) for dialogue_id in (a, b)])
    first, right = cards
    if first is None or right is None:
        raise HTTPException(404, gettext("This dialogue does not exist in this study."))
    query = DialogueQuery.read(request.query_params.multi_items())
    sides = []
    for card in (first, right):
        visit = desk.log.history(card.visit_id)
        evidence, _ = _evidence(desk, visit, card.dialogue_id)
        transcript = make_transcript(desk.study, history_of(desk, card.dialogue_id))
        sides.append({"card": card, "made": transcript, "judged": evidence.judged if evidence else []})
    return desk.page(
        request,
        "dialogue_pair.html",
        sides=sides,
        domain=DomainWords(desk.study.ontology),
        one_task=first.task_id == right.task_id,
        here=query.address,
    )


@router.get("/dialogues/{dialogue_id}")
def transcript(request: Request, dialogue_id: str, desk: ThisDesk) -> Response:
    query = DialogueQuery.read(request.query_params.multi_items())
    verdicts, _ = desk.snapshots.verdicts() if query.judged else (None, False)
    place = desk.board.see(lambda board: place_in_list(board, dialogue_id, query, verdicts))
    if place is None:
        return _elsewhere(request, desk, dialogue_id)
    history = history_of(desk, dialogue_id)
    rendered = make_transcript(desk.study, history)
    visit = desk.log.history(place.card.visit_id)
    wire = bool(request.query_params.get("wire")) and who_of(request).may("researcher")
    stored = desk.log.recordings(dialogue_id=dialogue_id)
    found, lacks = _evidence(desk, visit, dialogue_id)
    return desk.page(
        request,
        "transcript.html",
        card=place.card,
        made=rendered,
        place=place,
        wire=wire,
        here=query.address,
        back=_back(query, place.number),
        listed=list(query.pairs()),
        recordings=dialogue_recordings(desk.log, dialogue_id),
        found=found,
        lacks=lacks,
        axis=time_axis(history),
        domain=DomainWords(desk.study.ontology),
        domain_help=help_address(DOMAIN_HELP),
        removed=[event for event in stored if event.removed_at is not None],
        done=what_was_done(desk, request),
    )


@router.get(
    "/dialogues/{dialogue_id}/events.json", dependencies=[Depends(Needs("researcher")), Depends(takes_out)]
)
def events(dialogue_id: str, desk: ThisDesk) -> Response:
    return JSONResponse(as_json(raw_events(history_of(desk, dialogue_id).events)))


def _evidence(desk: Desk, visit: VisitHistory, dialogue_id: str) -> tuple[DialogueEvidence | None, str]:
    """Evidence on a dialogue, or which extra computes it."""
    try:
        return evidence_of(desk.board, desk.study, visit, dialogue_id), ""
    except MissingExtra as error:
        return None, told(error)


def history_of(desk: Desk, dialogue_id: str) -> DialogueHistory:
    """History of a dialogue of this scope. Raises HTTPException: not in this study."""
    is_on_board = desk.board.see(lambda board: dialogue_id in board.dialogues)
    history = desk.log.dialogue_history(dialogue_id) if is_on_board else None
    if history is None:
        raise HTTPException(404, gettext("This dialogue does not exist in this study."))
    return history


def _elsewhere(request: Request, desk: Desk, dialogue_id: str) -> Response:
    """Redirect for a dialogue of another scope, so that old addresses work."""
    card = desk.board.see(lambda board: board.dialogue(dialogue_id))
    if card is None:
        raise HTTPException(404, gettext("This dialogue does not exist in this study."))
    query = "?" + request.url.query if request.url.query else ""
    return RedirectResponse(f"/{card.scope}{request.url.path}{query}", 303)


def _back(query: DialogueQuery, number: int | None) -> str:
    """Page of the list that contains a dialogue, by its position."""
    page = 1 if number is None else (number - 1) // PER_PAGE + 1
    return query.address if page == 1 else _address(query, page=page)


def _address(query: DialogueQuery, **more: object) -> str:
    return urlencode([*query.pairs(), *more.items()])
