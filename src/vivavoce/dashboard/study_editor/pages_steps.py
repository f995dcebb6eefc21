"""The visit of a study as cards, and a settings form for each step."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from fastapi import HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from vivavoce.dashboard.app_shell import AppShell
from vivavoce.dashboard.language import NP_, gettext, step_words, worded
from vivavoce.dashboard.security import OwnForm, Steers, field
from vivavoce.dashboard.study_editor.edited_study import EditedStudy, step_model, step_parts
from vivavoce.dashboard.study_editor.editing import Shell, edited, router, save_and_return
from vivavoce.dashboard.study_editor.settings_form import (
    MISSING,
    FormField,
    as_mapping,
    as_short,
    fields_of,
    read_form,
    typed_settings,
    value_at,
)
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.study.channel import CHANNELS
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import StepEntry


def step_names() -> list[str]:
    """Kinds of steps that can be written in a visit."""
    return sorted({*STEPS.names(), *StepEntry.model_fields})


@router.post("/study/visit", dependencies=[Steers])
def arrange(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Reorder or remove steps.

    `order` has the positions of all steps, as a script sends them; else `move` says `up`, `down` or `remove`
    of the step `number`.
    """
    study = edited(desk)
    steps = study.steps
    places = _arranged(len(steps), form)
    return save_and_return(
        request,
        desk,
        study,
        lambda: study.with_visit([steps[place] for place in places]),
        form,
        "/study?saved=study#visit",
    )


def _arranged(count: int, form: FormData) -> list[int]:
    places = list(range(count))
    order = [int(part) for part in field(form, "order", most=2000).split(",") if part.isdecimal()]
    if sorted(order) == places and order:
        return order
    move, number = field(form, "move").partition("-")[::2]
    if not number.isdecimal() or int(number) >= count:
        raise HTTPException(404, gettext("This step does not exist."))
    place = int(number)
    moved = places.pop(place)
    if move != "remove":
        places.insert(max(0, place + (-1 if move == "up" else 1)), moved)
    return places


@router.get("/study/step")
def step(request: Request, desk: Shell, number: int | None = None, kind: str = "") -> Response:
    """Form of a step of the visit, or of a new one."""
    study = edited(desk)
    if number is None:
        _known(kind)
        return _form(request, desk, study, None, kind, _usual(kind))
    if not 0 <= number < len(study.steps):
        raise HTTPException(404, gettext("This step does not exist."))
    kind, settings = step_parts(study.steps[number])
    _known(kind)
    return _form(request, desk, study, number, kind, as_mapping(step_model(kind), settings))


@router.post("/study/step", dependencies=[Steers])
def save_step(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Save a step's settings without defaults."""
    study, kind, written_number = edited(desk), field(form, "kind"), field(form, "number")
    _known(kind)
    number = int(written_number) if written_number.isdecimal() else None
    model = step_model(kind)
    before: dict[str, Any] = {}
    if number is not None:
        stored = step_parts(study.steps[number]) if number < len(study.steps) else ("", {})
        if stored[0] != kind:
            raise HTTPException(409, gettext("Not saved: this step no longer exists."))
        before = as_mapping(model, stored[1])
    typed = typed_settings(form)
    filled = read_form(model, before, typed)
    if filled.problems:
        return _form(request, desk, study, number, kind, before, 422, typed, filled.problems)

    def change() -> str:
        if number is not None:
            return study.with_step(number, kind, filled.settings)
        place = field(form, "place")
        steps = list(study.steps)
        short = as_short(model, filled.settings)
        new_step: Any = {kind: short} if short else kind
        steps.insert(min(int(place), len(steps)) if place.isdecimal() else len(steps), new_step)
        return study.with_visit(steps)

    return save_and_return(request, desk, study, change, form, "/study?saved=study#visit")


def _form(
    request: Request,
    desk: AppShell,
    study: EditedStudy,
    number: int | None,
    kind: str,
    settings: dict[str, Any],
    status: int = 200,
    typed: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
) -> Response:
    model = step_model(kind)
    messages = (
        problems if problems is not None else study.problems_of_step(number) if number is not None else {}
    )
    channels = {channel: channel for channel in ("text", *CHANNELS.names())}
    fields = fields_of(model, settings, typed, messages, offered={"channel": channels})
    names = {field.name for field in fields}
    return desk.page(
        request,
        "study_step.html",
        status,
        study=study,
        number=number,
        kind=kind,
        fields=fields,
        meaning=about_step(kind),
        said=partial(step_words, kind),
        others=[problem for name, problem in messages.items() if name not in names],
        suggestions={"use": INSTRUMENTS.names()},
    )


def about_step(kind: str) -> str:
    """Description of a kind of step, in one line of its settings."""
    return (step_model(kind).__doc__ or "").strip().split("\n")[0]


# translated keys and values on step cards; others are shown as written
KEYS_AND_VALUES: Final = (
    NP_("key", "about"),
    NP_("value", "dialogue"),
    NP_("value", "visit"),
    NP_("value", "code"),
    NP_("value", "none"),
    NP_("value", "text"),
    NP_("value", "voice"),
    NP_("value", "phone"),
    NP_("value", "whole"),
    NP_("value", "streamed"),
    NP_("value", "speech"),
    NP_("key", "by"),
    NP_("step", "screen"),
)


def told_settings(kind: str, settings: Any) -> str:
    """Settings of a step in the words of its form; unknown keys as written."""
    if not kind or kind not in step_names():
        return settings if isinstance(settings, str) else ""
    model = step_model(kind)
    remaining = as_mapping(model, settings)
    parts: list[str] = []
    for form_field in fields_of(model, remaining):
        value = value_at(remaining, form_field.path)
        if value is not MISSING:
            parts.append(_told_value(kind, form_field, value))
    field_names = {known_field.path[0] for known_field in fields_of(model, {})}
    parts += [
        f"{worded(key, 'key')}: {worded(value, 'value')}"
        for key, value in remaining.items()
        if key not in field_names
    ]
    return "; ".join(parts)


def _told_value(kind: str, form_field: FormField, value: Any) -> str:
    """Setting with its value, such as "conversations per participant: 3 to 40"."""
    head = re.split(r"[:;,]", form_field.meaning, maxsplit=1)[0].strip()
    is_name = bool(head) and head not in form_field.choices  # a list of choices is not a name
    words = (
        re.split(r"[:;,]", step_words(kind, form_field.meaning), maxsplit=1)[0].strip()
        if is_name
        else worded(form_field.label, "key")
    )
    if isinstance(value, bool):
        text = gettext("yes") if value else gettext("no")
    elif isinstance(value, list):
        text = ", ".join(map(str, value))
    else:
        between = re.fullmatch(r"(\d+)\.\.(\d+)", str(value))
        text = between_words(*between.groups()) if between else worded(value, "value")
    return f"{words}: {text}"


def between_words(low: str, high: str) -> str:
    return gettext("%(low)s to %(high)s", low=low, high=high)


def form_words() -> list[str]:
    """Texts of the forms of all steps."""
    fields = [field for kind in step_names() for field in fields_of(step_model(kind), {})]
    return list(dict.fromkeys([*map(about_step, step_names()), *(field.meaning for field in fields)]))


def _usual(kind: str) -> dict[str, Any]:
    """Initial settings of a new step."""
    model_fields = step_model(kind).model_fields
    return {"file": f"{kind}.md"} if "file" in model_fields else {}


def _known(kind: str) -> None:
    if kind not in step_names():
        raise HTTPException(404, gettext("This type of step does not exist."))
