"""Page of the annotator: a dialogue, one place after another, and the labels to choose from."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.annotation.dialogues import ShownDialogue, next_place, recordings_of
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import JudgementRefused, Workplace
from vivavoce.core.errors import InputError
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place, Work
from vivavoce.log.soundtrack import DialogueRecording, soundtrack
from vivavoce.participant.judging import key_of, progress_of, recording_key, to_next, workplace_of
from vivavoce.participant.sign_in import HOME, ThisExpert, expert_language, expert_page
from vivavoce.participant.site import ThisSite
from vivavoce.study.schemes import Scheme, said

router = APIRouter(include_in_schema=False)
ThisWorkplace = Annotated[Workplace, Depends(workplace_of(LABELS))]


@dataclass(frozen=True, slots=True)
class Due:
    """An annotator's dialogue, their work on it, its places, and the one shown."""

    dialogue: ShownDialogue
    work: Work
    places: list[Place]
    at: int | None

    @property
    def place(self) -> Place | None:
        return None if self.at is None else self.places[self.at]


def due(workplace: Workplace, annotator_id: str, at: int | None = None) -> Due | None:
    """Current place of an annotator, or the one they went back to; None between two dialogues."""
    dialogue_id = workplace.current(annotator_id)
    if dialogue_id is None:
        return None
    dialogue = workplace.dialogue(dialogue_id)
    work = workplace.see().of_annotator(annotator_id)[dialogue_id]
    listed = workplace.places(dialogue, work)
    nearest = next_place(listed, work)
    furthest = listed.index(nearest) if nearest is not None else len(listed)
    if at is not None and 0 <= at <= furthest and at < len(listed):
        return Due(dialogue, work, listed, at)
    return Due(dialogue, work, listed, None if nearest is None else furthest)


@router.get(HOME)
def home(request: Request, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    """Progress of the work. Assigns nothing: only pressing the button does."""
    schemes = [said(scheme.title, expert_language(request)) for scheme in workplace.schemes]
    return expert_page(request, "annotate_home", schemes=schemes, **progress_of(request, workplace, who))


@router.post(f"{HOME}/next")
def next_dialogue(site: ThisSite, workplace: ThisWorkplace, who: ThisExpert) -> Response:
    return to_next(site, workplace, who)


@router.get(f"{HOME}/work")
def work(
    request: Request,
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    at: int | None = None,
    problem: str | None = None,
) -> Response:
    """Place to annotate now; `at` goes back to an earlier one."""
    item = due(workplace, key_of(who), at)
    if item is None:
        return site.to(HOME)
    language = expert_language(request)
    return expert_page(
        request,
        "annotate",
        due=item,
        language_of_words=item.dialogue.language,
        lines=_lines(workplace, item, language),
        judged=_judged(workplace, item, language),
        recordings=_recordings(site, workplace, item.dialogue.dialogue_id),
        problem=problem if problem in ("label", "value", "stale") else None,
    )


def _lines(workplace: Workplace, item: Due, language: str) -> list[dict[str, Any]]:
    """Transcript with this annotator's labels so far and links to go back."""
    lines = []
    for turn in item.dialogue.turns:
        chips = []
        for number, place in enumerate(item.places):
            scheme = workplace.scheme(place.scheme)
            judgement = item.work.judged.get(place)
            if place.turn_index == turn.turn_index and scheme is not None and judgement is not None:
                chips.append(
                    {
                        "at": number,
                        "scheme": said(scheme.title, language),
                        "text": _told(scheme, judgement.labels, language),
                    }
                )
        is_current = item.place is not None and item.place.turn_index == turn.turn_index
        lines.append({"turn": turn, "chips": chips, "here": is_current})
    return lines


def _told(scheme: Scheme, labels: tuple[LoggedLabel, ...], language: str) -> str:
    """Labels as the page says them; "" for none."""
    texts = []
    for choice in labels:
        label = scheme.label(choice.label)
        text = said(label.text, language) if label else choice.label
        texts.append(f"{text} ({choice.value})" if choice.value else text)
    return ", ".join(texts)


def _judged(workplace: Workplace, item: Due, language: str) -> dict[str, Any] | None:
    """The place that is shown: its scheme in the reader's language, and what stands there already."""
    place = item.place
    scheme = workplace.scheme(place.scheme) if place is not None else None
    if place is None or scheme is None:
        return None
    judgement = item.work.judged.get(place)
    return {
        "scheme": scheme,
        "turn": item.dialogue.turn(place.turn_index),
        "title": said(scheme.title, language),
        "question": said(scheme.question, language),
        "decision": scheme.decision.get(language) or next(iter(scheme.decision.values()), []),
        "value": said(scheme.value, language) if scheme.value is not None else None,
        "labels": [
            {
                "label": label.label,
                "key": label.key,
                "text": said(label.text, language),
                "help": said(label.help, language),
                "needs": scheme.needs_value(label.label),
                "given": judgement is not None and any(had.label == label.label for had in judgement.labels),
            }
            for label in scheme.labels
        ],
        "given": [
            {"number": number, "text": _told(scheme, (choice,), language)}
            for number, choice in enumerate(judgement.labels if judgement else ())
        ],
        "gathers": gathers(scheme),
    }


def gathers(scheme: Scheme) -> bool:
    """True if labels at a place are collected until the annotator continues."""
    return scheme.several or scheme.value is not None


@dataclass(frozen=True, slots=True)
class Pressed:
    """Input of the page about one place."""

    choice: str = ""
    value: str = ""
    remove: int | None = None
    go: bool = False
    none: bool = False


def answer(
    scheme: Scheme, before: tuple[LoggedLabel, ...], pressed: Pressed
) -> tuple[list[LoggedLabel], bool]:
    """State of a place after input, and whether the annotator continues.

    One label of an exclusive scheme continues at once. Where labels are collected, a second press removes a
    label, and only the button continues; but a label without a value, in a scheme with one label, continues
    if
    no value was written.
    """
    if pressed.none:
        return [], True
    if pressed.go:
        return list(before), True
    if pressed.remove is not None:
        return [choice for number, choice in enumerate(before) if number != pressed.remove], False
    label = LoggedLabel(label=pressed.choice, value=pressed.value or None)
    if not gathers(scheme):
        return [label], True
    if label in before:
        return [choice for choice in before if choice != label], False
    if scheme.several:
        return [*before, label], False
    if label.value is None and not scheme.needs_value(label.label):
        return [*(choice for choice in before if choice.value is not None), label], True
    same_value = [choice for choice in before if choice.value != label.value]
    return [*(same_value if scheme.exclusive else before), label], False


@router.post(f"{HOME}/label")
def label(
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    dialogue: Annotated[str, Form(max_length=200)],
    at: Annotated[int, Form(ge=0, le=100_000)],
    scheme: Annotated[str, Form(max_length=80)],
    turn: Annotated[str, Form(max_length=10)] = "",
    choice: Annotated[str, Form(max_length=80)] = "",
    value: Annotated[str, Form(max_length=200)] = "",
    remove: Annotated[str, Form(max_length=6)] = "",
    go: str = Form("", max_length=5),
    none: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Say something of the place that the page showed; then the next one that is due."""
    item = due(workplace, key_of(who), at)
    place = Place(scheme, int(turn) if turn.isascii() and turn.isdigit() else None)
    if item is None or item.dialogue.dialogue_id != dialogue or item.place != place:
        return site.to(f"{HOME}/work?problem=stale")
    of_scheme = workplace.scheme(scheme)
    before = item.work.judged.get(place)
    pressed = Pressed(
        choice, " ".join(value.split()), int(remove) if remove.isdecimal() else None, bool(go), bool(none)
    )
    if of_scheme is None:
        return site.to(f"{HOME}/work?problem=stale")
    labels, done = answer(of_scheme, before.labels if before else (), pressed)
    try:
        workplace.give(key_of(who), dialogue, place, labels, done=done)
    except JudgementRefused as refusal:
        kind = "value" if "value" in refusal.problem else "label"
        return site.to(f"{HOME}/work?at={at}&problem={kind}")
    return site.to(f"{HOME}/work" if done else f"{HOME}/work?at={at}")


@router.post(f"{HOME}/finish")
def finish(
    site: ThisSite,
    workplace: ThisWorkplace,
    who: ThisExpert,
    dialogue: Annotated[str, Form(max_length=200)],
    pause: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """The dialogue is done; the next one, unless the annotator wants a pause."""
    try:
        workplace.finish(key_of(who), dialogue)
    except JudgementRefused:
        return site.to(f"{HOME}/work?problem=stale")
    if pause:
        return site.to(HOME)
    return to_next(site, workplace, who)


# --- recordings -------------------------------------------------------------------------------------


def _recordings(site: ThisSite, workplace: Workplace, dialogue_id: str) -> dict[str, DialogueRecording]:
    """Recordings of a dialogue, by their names on pages."""
    secret = f"{site.study.name}\0{site.engine.log.boot}"
    recordings = recordings_of(site.engine.log, workplace.section.recordings, dialogue_id)
    return {recording_key(secret, dialogue_id, recording.recording_id): recording for recording in recordings}


def _heard(
    site: ThisSite, workplace: ThisWorkplace, who: ThisExpert, key: str
) -> tuple[str, DialogueRecording]:
    """The dialogue that this annotator is at, and its recording of this name; of no other dialogue."""
    dialogue_id = workplace.current(key_of(who))
    recording = _recordings(site, workplace, dialogue_id).get(key) if dialogue_id else None
    if dialogue_id is None or recording is None:
        raise HTTPException(404)
    return dialogue_id, recording


Heard = Annotated[tuple[str, DialogueRecording], Depends(_heard)]


@router.get(f"{HOME}/recording/{{key}}")
def recording(heard: Heard) -> Response:
    return FileResponse(heard[1].path, media_type=heard[1].media_type)


@router.get(f"{HOME}/recording/{{key}}/track.json")
def track(site: ThisSite, heard: Heard) -> Response:
    """Waveform, and times of the speakers."""
    try:
        return JSONResponse(soundtrack(site.engine.log, *heard))
    except InputError:
        raise HTTPException(404) from None
