"""Annotated commands on the dashboard: who has done how much, how far they agree, what is to be decided."""

from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.annotation.workplace import JudgementRefused
from vivavoce.dashboard.app_shell import Desk, ThisDesk, desk_of
from vivavoce.dashboard.language import gettext, told
from vivavoce.dashboard.page import DashboardPage, DueAction
from vivavoce.dashboard.pages_annotation import (
    annotator_names,
    due_disagreements,
    memoized,
    open_workplace,
    people,
)
from vivavoce.dashboard.security import OwnForm, Steers, field, who_of
from vivavoce.log.annotation_state import AnnotationState
from vivavoce_commands.agreement import CommandAgreement, command_agreement
from vivavoce_commands.annotation.draft import LONGEST, examine
from vivavoce_commands.annotation.drafts import Effort, efforts
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import SCHEME, annotation_of, chosen, place_of, standing
from vivavoce_commands.annotation.workplace import CommandWorkplace

router = APIRouter()
ADDRESS: Final = "/annotation/commands"


def workplace_of(request: Request) -> CommandWorkplace:
    """The study's workplace for commands; a study that annotates none has no such page."""
    if COMMANDS not in desk_of(request).study.judgement_kinds:
        raise HTTPException(404, gettext("This study does not annotate commands."))
    return open_workplace(request, COMMANDS)


ThisWorkplace = Annotated[CommandWorkplace, Depends(workplace_of)]


class CommandDispute(NamedTuple):
    """One command that annotators understood differently."""

    key: str
    number: int
    decided: bool


def disputes(state: AnnotationState) -> list[CommandDispute]:
    """Every disagreement, in the order of recipes and commands."""
    return [
        CommandDispute(key, place.turn_index or 0, place in annotated.adjudicated)
        for key, annotated in state.dialogues.items()
        for place in annotated.disagreements(SCHEME)
    ]


def due_decisions(request: Request, desk: Desk) -> list[DueAction]:
    """Commands that annotators understood differently, and nobody has decided."""
    if COMMANDS not in desk.study.judgement_kinds:
        return []
    workplace: CommandWorkplace = open_workplace(request, COMMANDS)
    all_disputes = disputes(workplace.see().only(workplace.sequences(desk.scope)))
    n = sum(not dispute.decided for dispute in all_disputes)
    at = f"{ADDRESS}/decide" if who_of(request).may("researcher") else ADDRESS
    return [due_disagreements(n, at)] if n else []


PAGE: Final = DashboardPage(
    name="commands",
    router=router,
    templates=Path(__file__).parent / "templates",
    help="how-to/annotate-commands",
    due=due_decisions,
)


@router.get(ADDRESS)
def overview(request: Request, desk: ThisDesk, workplace: ThisWorkplace) -> Response:
    sequences = workplace.sequences(desk.scope)
    state = workplace.see().only(sequences)
    all_disputes = disputes(state)
    return desk.page(
        request,
        "commands.html",
        plan=workplace.section,
        sequences=len(sequences),
        commands=sum(len(sequence.commands) for sequence in sequences.values()),
        standing=len(standing(state, sequences)),
        open=sum(not dispute.decided for dispute in all_disputes),
        decided=sum(dispute.decided for dispute in all_disputes),
        may_steer=who_of(request).may("researcher"),
        people=people(state, annotator_names(desk)),
        agreement=_agreement(request, desk, workplace, state),
        efforts=_efforts(request, desk, workplace, state),
        drafts=len(workplace.commands.drafts),
    )


def _efforts(
    request: Request, desk: Desk, workplace: CommandWorkplace, state: AnnotationState
) -> tuple[Effort, Effort]:
    """Annotation times of commands; cached until something is added."""
    data = f"{workplace.stream}#{state.seq}/{desk.scope}"

    def compute() -> tuple[Effort, Effort]:
        return efforts((time for time in workplace.times() if time.key in state.dialogues), data=data)

    return memoized(request, "command_efforts", data, compute)


def _agreement(
    request: Request, desk: Desk, workplace: CommandWorkplace, state: AnnotationState
) -> CommandAgreement:
    """The figures of this state; computed once for as long as nothing is added to it."""
    data = f"{workplace.stream}#{state.seq}/{desk.scope}"
    return memoized(request, "command_agreement", data, lambda: command_agreement(state, data=data))


@router.post(f"{ADDRESS}/release", dependencies=[Steers])
def release(request: Request, form: OwnForm, workplace: ThisWorkplace) -> Response:
    """Take an unfinished recipe back from somebody, so that another gets it."""
    try:
        workplace.release(field(form, "annotator"), field(form, "dialogue"), by=who_of(request).name)
    except JudgementRefused as refusal:
        raise HTTPException(409, told(refusal)) from None
    return RedirectResponse(ADDRESS, 303)


@router.get(f"{ADDRESS}/decide", dependencies=[Steers])
def decide(
    request: Request, desk: ThisDesk, workplace: ThisWorkplace, recipe: str = "", number: int = -1
) -> Response:
    """The dispute that is asked for, else the first that is open; a page that says so when there is none."""
    return _dispute(request, desk, workplace, recipe, number)


def _dispute(
    request: Request,
    desk: Desk,
    workplace: CommandWorkplace,
    recipe: str,
    number: int,
    *,
    text: str | None = None,
    status: int = 200,
) -> Response:
    state = workplace.see().only(workplace.sequences(desk.scope))
    all_disputes = disputes(state)
    at = next(
        (dispute for dispute in all_disputes if (dispute.key, dispute.number) == (recipe, number)), None
    )
    at = at or next((dispute for dispute in all_disputes if not dispute.decided), None)
    if at is None:
        return desk.page(request, "decide_command.html", at=None, disputes=all_disputes)
    place, annotated = place_of(at.number), state.dialogues[at.key]
    sides = [chosen(choice) for _, choice in sorted(annotated.choices(place).items())]
    decided = annotated.adjudicated.get(place)
    draft = examine(sides[0] or "" if text is None else text, (), workplace.commands.templates)
    return desk.page(
        request,
        "decide_command.html",
        status=status,
        at=at,
        disputes=all_disputes,
        number=all_disputes.index(at) + 1,
        sequence=workplace.sequence(at.key),
        sides=sides,
        draft=draft,
        entered=text is not None,
        decided_by=annotated.adjudicators.get(place),
        longest=LONGEST,
        decided=None if decided is None else annotation_of(decided.labels) or gettext("no command"),
    )


@router.post(f"{ADDRESS}/decide", dependencies=[Steers])
def store(request: Request, desk: ThisDesk, form: OwnForm, workplace: ThisWorkplace) -> Response:
    """Settle a dispute by one side, by an annotation of one's own, or by saying that it is no command."""
    recipe, number = field(form, "recipe"), field(form, "number")
    at = int(number) if number.isdecimal() else -1
    annotation: str | None = field(form, "annotation").strip()[:LONGEST]
    sides = _sides(workplace, recipe, at)
    side = field(form, "side")
    if side.isdecimal() and int(side) < len(sides):
        annotation = sides[int(side)]
    elif field(form, "none"):
        annotation = None
    elif not annotation or examine(annotation, (), workplace.commands.templates).mistake is not None:
        return _dispute(request, desk, workplace, recipe, at, text=annotation, status=422)
    try:
        workplace.settle(recipe, at, annotation, by=who_of(request).name)
    except JudgementRefused as refusal:
        raise HTTPException(409, told(refusal)) from None
    return RedirectResponse(f"{ADDRESS}/decide", 303)


def _sides(workplace: CommandWorkplace, key: str, number: int) -> list[Any]:
    annotated = workplace.see().dialogues.get(key)
    if annotated is None:
        return []
    return [chosen(choice) for _, choice in sorted(annotated.choices(place_of(number)).items())]
