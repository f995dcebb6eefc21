"""The annotators' page for commands: an utterance in its recipe, and the predicates that it means."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.annotation.workplace import JudgementRefused
from vivavoce.core.errors import InputError
from vivavoce.log.annotation_state import Work
from vivavoce.participant.judging import key_of, progress_of, recording_key, to_next, workplace_of
from vivavoce.participant.sign_in import ThisExpert, expert_page
from vivavoce.participant.site import Site, ThisSite, site_of
from vivavoce_commands.annotation.draft import LONGEST, AnnotationDraft, Filled, examine, with_predicate
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import CommandSaid, CommandSequence, annotation_of, place_of
from vivavoce_commands.annotation.workplace import CommandWorkplace, next_command, predicates_of
from vivavoce_commands.command_templates import CommandTemplates
from vivavoce_commands.notation import NotationError, Predicate

router = APIRouter(include_in_schema=False)
ADDRESS: Final = COMMANDS.address
FIELDS: Final = 5
BLANK: Final = {"action": "", "unsaid": "", "arguments": [Filled("")] * FIELDS}
Words = Annotated[str, Form(max_length=LONGEST)]
Short = Annotated[str, Form(max_length=200)]


ThisWorkplace = Annotated[CommandWorkplace, Depends(workplace_of(COMMANDS))]


@router.get(ADDRESS)
def home(request: Request, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    """Progress of the work. Assigns nothing: only pressing the button does."""
    return expert_page(request, "commands_home", **progress_of(request, workplace, who))


@router.post(f"{ADDRESS}/next")
def next_sequence(site: ThisSite, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    return to_next(site, workplace, who)


@router.get(f"{ADDRESS}/work")
def work(
    request: Request,
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    at: int | None = None,
    stale: bool = False,
) -> Response:
    """The command that is due, whatever the browser believes; `at` goes back to an earlier one."""
    next_work = _due(workplace, key_of(who))
    if next_work is None:
        return site.to(ADDRESS)
    sequence, mine = next_work
    count = len(sequence.commands)
    nearest = next_command(mine, count)
    furthest = count if nearest is None else nearest
    at = at if at is not None and 0 <= at <= min(furthest, count - 1) else nearest
    text = ""
    if at is not None and (judged := mine.judged.get(place_of(at))) is not None:
        text = annotation_of(judged.labels) or ""
    return _page(request, workplace, sequence, mine, at, text, stale=stale)


def _sounds(site: Site, workplace: CommandWorkplace, sequence: CommandSequence) -> dict[str, CommandSaid]:
    """The spoken commands of a recipe that can be heard, by the names that the page gives their sound."""
    secret = f"{site.study.name}\0{site.engine.log.boot}"
    return {
        recording_key(secret, sequence.key, command.command_id): command
        for command in sequence.commands
        if workplace.sound(command) is not None
    }


@router.get(f"{ADDRESS}/sound/{{name}}")
def sound(site: ThisSite, workplace: ThisWorkplace, who: ThisExpert, name: str) -> Response:
    """A recording of the recipe that this annotator is at; of no other."""
    next_work = _due(workplace, key_of(who))
    command = _sounds(site, workplace, next_work[0]).get(name) if next_work is not None else None
    recording = workplace.sound(command) if command is not None else None
    if recording is None:
        raise HTTPException(404)
    return FileResponse(recording[0], media_type=recording[1])


def _due(workplace: CommandWorkplace, annotator_id: str) -> tuple[CommandSequence, Work] | None:
    key = workplace.current(annotator_id)
    if key is None:
        return None
    return workplace.sequence(key), workplace.see().of_annotator(annotator_id)[key]


def _page(
    request: Request,
    workplace: CommandWorkplace,
    sequence: CommandSequence,
    mine: Work,
    at: int | None,
    text: str,
    **more: Any,
) -> Response:
    """The page with a text as it stands; nothing that was entered is lost."""
    templates = workplace.commands.templates
    proposed = None
    if at is not None and place_of(at) not in mine.judged:
        proposed = workplace.draft(mine.annotator_id, sequence.key, at)
    sounds = {
        command.command_id: name for name, command in _sounds(site_of(request), workplace, sequence).items()
    }
    draft = AnnotationDraft(text) if at is None else examine(text, _before(mine, at), templates)
    lines = [
        {
            "at": number,
            "text": command.text,
            "here": number == at,
            "judged": place_of(number) in mine.judged,
            "annotation": _annotated(mine, number),
            "sound": sounds.get(command.command_id),
            "pointed": command.pointed,
        }
        for number, command in enumerate(sequence.commands)
    ]
    facts = {
        "lines": lines,
        "at": at,
        "proposed": proposed,
        "key": sequence.key,
        "draft": draft,
        "fields": FIELDS,
        "actions": _actions(templates),
        "language_of_words": sequence.commands[0].language,
        "filled": BLANK,
        "wrong": None,
        "unfit": False,
        "empty": False,
        "stale": False,
        "taken": False,
    }
    return expert_page(request, "commands", **facts | more)


def _annotated(mine: Work, number: int) -> str | None:
    judged = mine.judged.get(place_of(number))
    return annotation_of(judged.labels) if judged is not None else None


def _before(mine: Work, at: int) -> list[Predicate]:
    """The predicates of the commands before, as this annotator gave them: the context."""
    return [
        predicate for number in range(at) for predicate in predicates_of(mine.judged.get(place_of(number)))
    ]


def _actions(templates: CommandTemplates) -> list[dict[str, Any]]:
    """Every action with the names of its places; `?` marks one that may be absent."""
    return [
        {
            "name": name,
            "means": templates.actions[name].means,
            "places": [place.name + ("?" if place.optional else "") for place in places],
        }
        for name, places in sorted(templates.places.items())
    ]


@router.post(f"{ADDRESS}/work")
async def press(
    request: Request,
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    sequence: Annotated[str, Form(max_length=400)],
    at: Annotated[int, Form(ge=0, le=100_000)],
    annotation: Words = "",
    predicate: Short = "",
    unsaid: Short = "",
    take: Words = "",
    press: Short = "save",
) -> Response:
    """Check the text, add a predicate or an offer to it, or save it and go on."""
    next_work = _due(workplace, key_of(who))
    if next_work is None or next_work[0].key != sequence or at >= len(next_work[0].commands):
        return site.to(f"{ADDRESS}/work?stale=1")
    form = await request.form()
    filled = [
        Filled(str(form.get(f"argument_{n}", ""))[:200], bool(form.get(f"unsaid_{n}"))) for n in range(FIELDS)
    ]

    def shown(text: str, **more: Any) -> Response:
        return _page(request, workplace, *next_work, at, text, **more)

    if take:
        return shown(take, taken=True)
    if press == "none":
        return _save(site, workplace, key_of(who), sequence, at, None)
    if press == "draft" and (proposed := workplace.draft(key_of(who), sequence, at)) is not None:
        annotation, predicate = proposed.annotation, ""
    if press != "check" and predicate:
        templates = workplace.commands.templates
        try:
            return shown(with_predicate(annotation, predicate, filled, templates, unsaid=bool(unsaid)))
        except InputError as wrong:
            form_values = {"action": predicate, "unsaid": unsaid, "arguments": filled}
            return shown(
                annotation, filled=form_values, wrong=wrong if isinstance(wrong, NotationError) else None
            )
    draft = examine(annotation, (), workplace.commands.templates)
    if press == "check" or draft.mistake is not None or not draft.predicates:
        return shown(annotation, empty=press != "check" and not annotation.strip())
    if draft.remarks and press != "anyway":
        return shown(annotation, unfit=True)
    return _save(site, workplace, key_of(who), sequence, at, annotation)


def _save(
    site: ThisSite, workplace: CommandWorkplace, who: str, key: str, at: int, annotation: str | None
) -> Response:
    try:
        workplace.annotate(who, key, at, annotation)
    except JudgementRefused:
        return site.to(f"{ADDRESS}/work?stale=1")
    return site.to(f"{ADDRESS}/work")


@router.post(f"{ADDRESS}/finish")
def finish(
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    sequence: Annotated[str, Form(max_length=400)],
    pause: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """The recipe is done; the next one, unless the annotator wants a pause."""
    try:
        workplace.finish(key_of(who), sequence)
    except JudgementRefused:
        return site.to(f"{ADDRESS}/work?stale=1")
    return site.to(ADDRESS) if pause else to_next(site, workplace, who)
