"""Annotation: progress, agreement and open decisions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.annotation.workplace import JudgementRefused, Workplace, annotator_key
from vivavoce.core.i18n import N_
from vivavoce.dashboard.agreement import AgreementLine, agreement
from vivavoce.dashboard.app_shell import FOLDER, Desk, ThisDesk, desk_of
from vivavoce.dashboard.label_choosing import judged_of
from vivavoce.dashboard.language import gettext, language, ngettext, told
from vivavoce.dashboard.page import DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.security import OwnForm, Steers, field, who_of
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Annotated as AnnotatedDialogue
from vivavoce.log.annotation_state import AnnotationState, Choice, Place
from vivavoce.log.models import SIMULATED
from vivavoce.log.stimulus_rows import TranscribedVisit, transcriptions, word_accuracy
from vivavoce.study.judgement_kind import JudgementKind
from vivavoce.study.model import Study
from vivavoce.study.schemes import Scheme, said
from vivavoce.study.step_kind import written_down_in

router = APIRouter()
Made = TypeVar("Made")


@router.get("/static/decide.js")
def script() -> Response:
    return FileResponse(FOLDER / "static" / "decide.js", media_type="text/javascript")


def open_workplace(request: Request, kind: JudgementKind) -> Any:
    """The study's workplace of a kind, shared while the dashboard runs."""
    desk, state = desk_of(request), request.app.state
    if not hasattr(state, "workplaces"):
        state.workplaces = {}
    if kind.name not in state.workplaces:
        state.workplaces[kind.name] = kind.open(desk.study, desk.log)
    return state.workplaces[kind.name]


def kinds_here(study: Study) -> list[JudgementKind]:
    """Kinds of judgement without their own page."""
    return [
        judgement_kind
        for judgement_kind in study.judgement_kinds
        if judgement_kind.dashboard.partition("?")[0] == "/annotation"
    ]


def workplace_of(request: Request, kind: str = "") -> Workplace | None:
    """The study's workplace of a kind, or else of the first; None if all have their own pages."""
    study = desk_of(request).study
    if not (kinds := kinds_here(study)):
        return None
    return open_workplace(
        request, next((candidate for candidate in kinds if candidate.name == kind), kinds[0])
    )


ThisWorkplace = Annotated[Workplace | None, Depends(workplace_of)]


@dataclass(frozen=True, slots=True)
class LabelDispute:
    """One place with different labels by annotators."""

    dialogue_id: str
    place: Place
    decided: bool


def disputes(state: AnnotationState) -> list[LabelDispute]:
    """Disagreements by dialogue and scheme."""
    return [
        LabelDispute(dialogue_id, place, place in annotated.adjudicated)
        for dialogue_id, annotated in state.dialogues.items()
        for scheme in annotated.schemes()
        for place in annotated.disagreements(scheme)
    ]


def due_decisions(request: Request, desk: Desk) -> list[DueAction]:
    """Pending action for undecided disagreements."""
    counts = []
    for kind in kinds_here(desk.study):
        state = _state(desk, open_workplace(request, kind))
        n = sum(not dispute.decided for dispute in disputes(state))
        counts.append((n, decisions_of(kind) if who_of(request).may("researcher") else kind.dashboard))
    return [due_disagreements(n, address) for n, address in counts if n]


def due_disagreements(n: int, address: str) -> DueAction:
    """Pending action for a number of disagreements."""
    text = ngettext(
        "%(num)s annotator disagreement to decide",
        "%(num)s annotator disagreements to decide",
        n,
    )
    return DueAction(text, address)


PAGE: Final = DashboardPage(
    name="annotation",
    router=router,
    menu=(MenuItem("/annotation", N_("Annotation"), 600),),
    help="how-to/annotate-dialogues",
    due=due_decisions,
    shown=lambda study: (
        bool(study.judgement_kinds) or any(source.unknown for source in written_down_in(study))
    ),
)


@router.get("/annotation")
def overview(request: Request, desk: ThisDesk, workplace: ThisWorkplace) -> Response:
    recordings = _recordings(desk)
    other_kinds = [
        judgement_kind
        for judgement_kind in desk.study.judgement_kinds
        if workplace is None or judgement_kind is not workplace.kind
    ]
    if workplace is None:
        return desk.page(
            request, "annotation.html", plan=None, kind=None, others=other_kinds, recordings=recordings
        )
    state, names = _state(desk, workplace), annotator_names(desk)
    chosen = _drawn(state, workplace) if workplace.chooses else None
    disagreements = disputes(state)
    return desk.page(
        request,
        "annotation.html",
        plan=workplace.section,
        others=other_kinds,
        kind=workplace.kind,
        recordings=recordings,
        people=people(state, names),
        chosen=chosen,
        choosing_problem=desk.labels.problem,
        counts=_counts(state, len(workplace.ended(desk.scope))),
        open=sum(not dispute.decided for dispute in disagreements),
        decided=sum(dispute.decided for dispute in disagreements),
        may_steer=who_of(request).may("researcher"),
        agreement=_agreement(request, desk, workplace, state),
        titles={scheme.scheme: said(scheme.title, language()) for scheme in workplace.schemes},
    )


def _drawn(state: AnnotationState, workplace: Workplace) -> dict[str, int]:
    """Number of selected dialogues, and of those that are not finished."""
    choosing = workplace.section.choose
    drawn_ids = [dialogue_id for dialogue_id, draw in state.draws.items() if draw.drawn]
    done = judged_of(drawn_ids, state, choosing.layer) if choosing else 0
    return {"drawn": len(drawn_ids), "wait": len(drawn_ids) - done}


def decisions_of(kind: JudgementKind) -> str:
    """Address of the decisions of a kind."""
    return "/annotation/decide" + kind.dashboard.removeprefix("/annotation")


def _state(desk: Desk, workplace: Workplace) -> AnnotationState:
    """Annotation of the dialogues on the page."""
    return desk.board.see(lambda board: workplace.see().only(board.dialogues))


def _agreement(
    request: Request, desk: Desk, workplace: Workplace, state: AnnotationState
) -> dict[str, list[AgreementLine]]:
    """Coefficients of this state, cached until it changes."""
    data = f"{workplace.stream}#{state.seq}/{desk.scope}"
    return memoized(request, "agreement", data, lambda: agreement(state, workplace.schemes, data=data))


def memoized(request: Request, name: str, data: str, compute: Callable[[], Made]) -> Made:
    """Cached result for these data."""
    cached: tuple[str, Made] | None = getattr(request.app.state, name, None)
    if cached is None or cached[0] != data:
        cached = data, compute()
        setattr(request.app.state, name, cached)
    return cached[1]


def _recordings(desk: Desk) -> dict[str, Any] | None:
    """Progress of transcribed recordings and accuracy of the transcribers."""
    unknown = {name for source in written_down_in(desk.study) for name in source.unknown}
    if not unknown:
        return None
    scope = desk.board.scope
    simulated = None if scope is None else scope == SIMULATED
    with desk.log.reading() as connection:
        transcripts = transcriptions(connection, desk.study.name, simulated=simulated)
    accepted = {response.item.audio for response in transcripts.accepted()} & unknown
    by_participant: dict[str, list[TranscribedVisit]] = {}
    for visit in transcripts.visits:
        by_participant.setdefault(visit.participant_id, []).append(visit)
    return {
        "all": len(unknown),
        "accepted": len(accepted),
        "held": len((transcripts.taken() & unknown) - accepted),
        "people": [
            {
                "participant_id": who,
                "written": sum(len(visit.answered) for visit in visits),
                "accuracies": [accuracy for visit in visits if (accuracy := _accuracy(visit)) is not None],
                "state": N_("refused")
                if who in transcripts.refused
                else N_("accepted")
                if all(visit.accepted for visit in visits)
                else N_("in progress"),
            }
            for who, visits in by_participant.items()
        ],
    }


def _accuracy(visit: TranscribedVisit) -> float | None:
    """Accuracy on the known recordings of a judged visit."""
    return word_accuracy(answer.response for answer in visit.answered) if visit.accepted is not None else None


def annotator_names(desk: Desk) -> dict[str, str]:
    """Account names behind the annotators' pseudonyms, shown only on the dashboard."""
    return {annotator_key(account.account_id): account.name for account in desk.access.accounts()}


@dataclass(frozen=True, slots=True)
class AnnotatorWork:
    """Finished, double-annotated and unfinished dialogues of an annotator."""

    name: str
    key: str
    finished: int
    double: int
    under_way: list[str]


def people(state: AnnotationState, names: Mapping[str, str]) -> list[AnnotatorWork]:
    keys = dict.fromkeys(who for dialogue in state.dialogues.values() for who in dialogue.work)
    rows = []
    for key in keys:
        work = state.of_annotator(key)
        finished = [item for item in work.values() if item.finished_at is not None]
        open_ = [dialogue for dialogue, item in work.items() if item.finished_at is None]
        rows.append(
            AnnotatorWork(
                names.get(key, key), key, len(finished), sum(item.double for item in finished), open_
            )
        )
    return sorted(rows, key=lambda row: row.name)


def _counts(state: AnnotationState, held: int) -> dict[str, int]:
    finished = [
        sum(item.finished_at is not None for item in dialogue.work.values())
        for dialogue in state.dialogues.values()
    ]
    return {"held": held, "once": sum(n > 0 for n in finished), "twice": sum(n > 1 for n in finished)}


@router.post("/annotation/release", dependencies=[Steers])
def release(request: Request, workplace: ThisWorkplace, form: OwnForm) -> Response:
    """Release an unfinished dialogue for another annotator."""
    if workplace is not None:
        try:
            workplace.release(field(form, "annotator"), field(form, "dialogue"), by=who_of(request).name)
        except JudgementRefused as refusal:
            raise HTTPException(409, told(refusal)) from None
    return RedirectResponse(workplace.kind.dashboard if workplace is not None else "/annotation", 303)


@router.get("/annotation/decide", dependencies=[Steers])
def decide(
    request: Request,
    desk: ThisDesk,
    workplace: ThisWorkplace,
    dialogue: str = "",
    scheme: str = "",
    turn: int | None = None,
    problem: str = "",
) -> Response:
    """Page of the requested dispute, or of the first open one."""
    if workplace is None:
        raise HTTPException(404, gettext("This study has no annotation."))
    disagreements = disputes(_state(desk, workplace))
    selected = next(
        (
            dispute
            for dispute in disagreements
            if (dispute.dialogue_id, dispute.place) == (dialogue, Place(scheme, turn))
        ),
        None,
    )
    at = selected or next((dispute for dispute in disagreements if not dispute.decided), None)
    if at is None:
        return desk.page(request, "decide.html", at=None, disputes=disagreements, kind=workplace.kind)
    number = disagreements.index(at)
    return desk.page(
        request,
        "decide.html",
        at=at,
        disputes=disagreements,
        kind=workplace.kind,
        number=number + 1,
        problem=problem[:200],
        before=disagreements[number - 1] if number else None,
        after=disagreements[number + 1] if number + 1 < len(disagreements) else None,
        **_shown(workplace, at),
    )


def _shown(workplace: Workplace, at: LabelDispute) -> dict[str, Any]:
    """Both sides of a dispute in the words of the scheme, without names of annotators."""
    state = workplace.see()
    annotated, scheme = state.dialogues[at.dialogue_id], workplace.scheme(at.place.scheme)
    finishers = annotated.finished(at.place.scheme)
    sides = []
    for number, (who, chosen) in enumerate(sorted(annotated.choices(at.place).items())):
        labels = _logged(chosen)
        sides.append(
            {
                "name": gettext("Annotator %(number)s", number=number + 1),
                "labels": labels,
                "told": _told(scheme, labels),
                "asked": at.place in finishers[who].judged,
            }
        )
    decided = annotated.adjudicated.get(at.place)
    return {
        "dialogue": workplace.dialogue(at.dialogue_id),
        "scheme": scheme,
        "sides": sides,
        "heading": said(scheme.title, language()) if scheme else at.place.scheme,
        "question": said(scheme.question, language()) if scheme else "",
        "labels": _labels(scheme),
        "gathers": scheme is not None and (scheme.several or scheme.value is not None),
        "candidates": _candidates(scheme, annotated, at.place),
        "decided": _told(scheme, decided.labels) if decided else None,
        "decided_by": annotated.adjudicators.get(at.place),
    }


def _logged(chosen: Choice) -> list[LoggedLabel]:
    return [LoggedLabel(label=label, value=value) for label, value in sorted(chosen, key=str)]


def _labels(scheme: Scheme | None) -> list[dict[str, str]]:
    if scheme is None:
        return []
    return [
        {
            "label": label.label,
            "key": label.key,
            "text": said(label.text, language()),
            "help": said(label.help, language()),
        }
        for label in scheme.labels
    ]


def _candidates(
    scheme: Scheme | None, annotated: AnnotatedDialogue, place: Place
) -> list[tuple[str, str, str]]:
    """Labels chosen by annotators, and all others without a value, each with its text."""
    chosen_pairs = {
        (label, value or "") for chosen in annotated.choices(place).values() for label, value in chosen
    }
    unchosen = (
        [(label.label, "") for label in scheme.labels if not scheme.needs_value(label.label)]
        if scheme
        else []
    )
    listed = dict.fromkeys([*sorted(chosen_pairs), *unchosen])
    return [
        (label, value, _told(scheme, [LoggedLabel(label=label, value=value or None)]))
        for label, value in listed
    ]


def _told(scheme: Scheme | None, labels: list[LoggedLabel] | tuple[LoggedLabel, ...]) -> str:
    texts = []
    for choice in labels:
        label = scheme.label(choice.label) if scheme else None
        text = said(label.text, language()) if label else choice.label
        texts.append(f"{text} ({choice.value})" if choice.value else text)
    return ", ".join(texts)


@router.post("/annotation/decide", dependencies=[Steers])
def store(request: Request, workplace: ThisWorkplace, form: OwnForm) -> Response:
    """Save the decision of a dispute (one label, one side or several labels), then go to the next."""
    if workplace is None:
        raise HTTPException(404, gettext("This study has no annotation."))
    dialogue_id, turn = field(form, "dialogue"), field(form, "turn")
    place = Place(field(form, "scheme"), int(turn) if turn.isdecimal() else None)
    try:
        labels = _chosen(workplace, dialogue_id, place, form)
        workplace.adjudicate(dialogue_id, place, labels, by=who_of(request).name)
    except JudgementRefused as refusal:
        raise HTTPException(409, told(refusal)) from None
    return RedirectResponse(decisions_of(workplace.kind), 303)


def _chosen(workplace: Workplace, dialogue_id: str, place: Place, form: FormData) -> list[LoggedLabel]:
    side = field(form, "side")
    if side.isdecimal():
        annotated = workplace.see().dialogues.get(dialogue_id)
        sides = sorted(annotated.choices(place).items()) if annotated else []
        if int(side) < len(sides):
            return [
                LoggedLabel(label=label, value=value) for label, value in sorted(sides[int(side)][1], key=str)
            ]
    choice = field(form, "choice")
    if choice:
        return [LoggedLabel(label=choice)]
    ticked = [value for value in form.getlist("tick") if isinstance(value, str)]
    pairs = [pair.partition("\t") for pair in ticked]
    return [LoggedLabel(label=label, value=value or None) for label, _, value in pairs]
