"""Texts, tasks, analysis plan and sample size."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from fastapi import HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.dashboard.app_shell import AppShell
from vivavoce.dashboard.language import gettext, reading, told, worded
from vivavoce.dashboard.security import OnlyAsks, OwnForm, Steers, field, tell
from vivavoce.dashboard.study_editor.creation import TASKS_FILE, task_lines, tasks_text
from vivavoce.dashboard.study_editor.edited_study import EditedStudy
from vivavoce.dashboard.study_editor.editing import (
    LONGEST,
    Shell,
    edited,
    router,
    save_and_return,
    visits_held,
)
from vivavoce.dashboard.study_editor.settings_form import (
    as_mapping,
    beyond,
    fields_of,
    read_form,
    typed_settings,
)
from vivavoce.dashboard.study_editor.study_text import (
    StudyFileChanged,
    changed,
    digest,
    merge,
    plain,
    read_text,
    write_text,
)
from vivavoce.languages.base import language_name
from vivavoce.participant.documents import read_document
from vivavoce.participant.site import information_sheet, visit_minutes
from vivavoce.study.analysis_file import Analysis, Stopping
from vivavoce.study.file import Allocation, StudyFile
from vivavoce.study.model import Study

# titles of values in the analysis form; "" is none
CHOICES: Final[dict[str, dict[str, str]]] = {
    "correction": {
        "holm": "Holm",
        "benjamini_hochberg": N_("Benjamini-Hochberg"),
        "bonferroni": "Bonferroni",
        "none": N_("no correction"),
    },
    "stopping.rule": {
        "": N_("none (no automatic pause)"),
        "obrien_fleming": N_("O’Brien-Fleming, planned interim analyses"),
        "pocock": N_("Pocock, planned interim analyses"),
        "anytime": N_("e-values, after every visit"),
    },
}
# titles of the assignment methods
ALLOCATIONS: Final[dict[str, str]] = {
    "least-used-by-participant": N_("Balanced within each participant"),
    "balanced": N_("Balanced across all participants"),
    "random": N_("Random"),
}
DECLARED: Final = ("primary", "correction", "margin", "stopping")  # keys of the analysis in the form


@router.get("/study/texts")
def texts(request: Request, desk: Shell, name: str = "", saved: str = "") -> Response:
    """Texts of the visit in each language, as source and as preview."""
    study = edited(desk)
    return _texts(request, desk, study, name, saved=saved)


def _texts(
    request: Request,
    desk: AppShell,
    study: EditedStudy,
    name: str,
    status: int = 200,
    *,
    saved: str = "",
    problem: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    names = study.texts()
    name = name if name in names else next(iter(names), "")
    stored_texts = {tag: _document(study, name, tag) if name else "" for tag in study.languages}
    current = {**stored_texts, **(typed or {})}
    sheet = None
    if study.study is not None:
        sheet = {tag: _sheet(study.study, tag) for tag in study.languages}
    return desk.page(
        request,
        "study_texts.html",
        status,
        study=study,
        names=names,
        name=name,
        shown=current,
        saved=saved,
        bases={tag: digest(read_text(study.text_file(name, tag))) if name else "" for tag in study.languages},
        previews={tag: read_document(text) for tag, text in current.items()},
        problem=problem,
        sheet=sheet,
        tongues={tag: language_name(tag) for tag in study.languages},
    )


def _sheet(study: Study, tag: str) -> dict[str, Any]:
    """Information sheet in a language, with the minutes of the visit in words."""
    told_there = information_sheet(study, tag)
    with reading(tag):
        return told_there | {"lasts": gettext("About %(minutes)s minutes", minutes=told_there["minutes"])}


def _document(study: EditedStudy, name: str, language: str) -> str:
    try:
        return study.read_document(name, language)
    except InputError:
        return ""  # its problem is in the study's list


@router.post("/study/texts/look", dependencies=[Steers, OnlyAsks])
def look(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Page with a preview of the entered text."""
    study, name = edited(desk), field(form, "name")
    return _texts(request, desk, study, name, typed=_typed_texts(study, form))


@router.post("/study/texts", dependencies=[Steers])
def save_texts(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Save the text in each changed language."""
    study, name = edited(desk), field(form, "name")
    if name not in study.texts():
        raise HTTPException(404, gettext("This text is not part of the visit."))
    typed = _typed_texts(study, form)
    try:
        for tag, text in typed.items():
            if text.strip() and text.strip() != study.read_document(name, tag).strip():
                write_text(study.text_file(name, tag), text.rstrip() + "\n", base=field(form, f"base-{tag}"))
    except StudyFileChanged as error:
        problem = gettext(
            "Not saved: the file has changed in the meantime. Current content: %(text)s",
            text=error.theirs,
        )
        return _texts(request, desk, study, name, 409, problem=problem, typed=typed)
    except InputError as error:
        return _texts(request, desk, study, name, 422, problem=told(error), typed=typed)
    tell(request, text=name)
    return _texts(request, desk, edited(desk), name, saved=name)


def _typed_texts(study: EditedStudy, form: FormData) -> dict[str, str]:
    texts = {tag: form.get(f"text-{tag}") for tag in study.languages}
    return {tag: text.replace("\r\n", "\n") for tag, text in texts.items() if isinstance(text, str)}


@router.get("/study/tasks")
def tasks(request: Request, desk: Shell) -> Response:
    """Tasks of the study in a form with one task per line."""
    study = edited(desk)
    task_list = _known_tasks(study)
    lines = {
        tag: "\n".join(str((task.get("text") or {}).get(tag, "")).replace("\n", " ") for task in task_list)
        for tag in study.languages
    }
    return _tasks(request, desk, study, lines)


def _tasks(
    request: Request,
    desk: AppShell,
    study: EditedStudy,
    lines: Mapping[str, str],
    status: int = 200,
    problem: str = "",
) -> Response:
    setting = study.says.get("tasks")
    examples = study.study.tasks[:5] if study.study is not None else ()
    return desk.page(
        request,
        "study_tasks.html",
        status,
        study=study,
        lines=lines,
        problem=problem,
        given=setting,
        generated=isinstance(setting, dict) and "generate" in setting,
        some=examples,
        file=_tasks_file(study),
        base=digest(read_text(study.folder / _tasks_file(study))),
        tongues={tag: language_name(tag) for tag in study.languages},
    )


def _tasks_file(study: EditedStudy) -> str:
    setting = study.says.get("tasks")
    file = setting.get("file") if isinstance(setting, dict) else setting
    inside = isinstance(file, str) and (study.folder / file).resolve().is_relative_to(study.folder.resolve())
    return str(file) if inside else TASKS_FILE


def _known_tasks(study: EditedStudy) -> list[dict[str, Any]]:
    """Tasks of the study's file as written; [] if generated or unreadable."""
    if isinstance(study.says.get("tasks"), dict) and "file" not in study.says["tasks"]:
        return []
    data = parse_yaml(read_text(study.folder / _tasks_file(study)), TASKS_FILE).data
    entries = data.get("tasks") if isinstance(data, dict) else None
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


@router.post("/study/tasks", dependencies=[Steers])
def save_tasks(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Save the tasks file, and name it in the study file if needed."""
    study, file = edited(desk), _tasks_file(edited(desk))
    lines = {tag: field(form, f"tasks-{tag}", most=LONGEST) for tag in study.languages}
    try:
        text = tasks_text(task_lines(lines, study.languages), _known_tasks(study))
        write_text(study.folder / file, text, base=field(form, "tasks_base"))
    except StudyFileChanged as error:
        return _tasks(request, desk, study, lines, 409, f"{told(error)}\n{error.theirs}")
    except InputError as error:
        return _tasks(request, desk, study, lines, 422, told(error))
    if not isinstance(study.says.get("tasks"), dict) and study.says.get("tasks") == file:
        return RedirectResponse("/study?saved=tasks", 303)

    def change() -> str:
        text = changed(study.text, "tasks", lambda data: data.update(tasks=file))
        if study.says.get("ontology"):  # the ontology does not match these tasks
            text = changed(text, "ontology", lambda data: data.update(ontology=None))
        return text

    return save_and_return(request, desk, study, change, form, "/study?saved=tasks")


@router.get("/study/analysis")
def analysis(request: Request, desk: Shell) -> Response:
    """Analysis plan and sample size."""
    return _analysis(request, desk, edited(desk))


def _analysis(
    request: Request,
    desk: AppShell,
    study: EditedStudy,
    status: int = 200,
    *,
    typed: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    size: "Size | None" = None,
    asked: Mapping[str, str] | None = None,
    problem: str = "",
) -> Response:
    from vivavoce.analysis.planning import ASSUMED_RATES

    fields = fields_of(Analysis, _declared(study), typed, problems, DECLARED, _offered(study))
    names = {field.name for field in fields}
    rates = {"first": f"{ASSUMED_RATES[0]:g}", "second": f"{ASSUMED_RATES[1]:g}", "hourly": ""}
    return desk.page(
        request,
        "study_analysis.html",
        status,
        study=study,
        came=visits_held(desk),
        fields=fields,
        problem=problem,
        size=size,
        others=[problem for name, problem in (problems or {}).items() if name not in names]
        or ([] if problems else study.problems_below("analysis")),
        suggestions={},
        said=worded,
        asked={**rates, **(asked or {})},
        allocations={
            allocation: ALLOCATIONS.get(allocation, allocation) for allocation in get_args(Allocation)
        },
        allocation=study.says.get("allocation") or StudyFile.model_fields["allocation"].default,
    )


def _offered(study: EditedStudy) -> dict[str, dict[str, str]]:
    """Choices of the form: measures with their titles, success first, and the study's systems."""
    from vivavoce.measures import MEASURES
    from vivavoce.reports.rate_tables import title
    from vivavoce.stats.declared_results import HEADLINES

    other_measures = sorted((name for name in MEASURES.names() if name not in HEADLINES), key=title)
    systems = study.says.get("systems")
    return {
        "primary.measure": {measure: title(measure) for measure in (*HEADLINES, *other_measures)},
        "primary.compare": {str(system): str(system) for system in systems}
        if isinstance(systems, dict)
        else {},
        **{
            name: {value: worded(words) for value, words in options.items()}
            for name, options in CHOICES.items()
        },
    }


def analysis_words() -> list[str]:
    """Texts of the analysis form: titles, meanings, names of values."""
    fields = fields_of(Analysis, {}, only=DECLARED, offered=CHOICES)
    choices = [
        field.titles.get(value, "") for field in fields if field.kind == "choice" for value in field.choices
    ]
    groups = [field.group_title for field in fields if field.group]
    return [*(field.title for field in fields), *groups, *choices, *(field.meaning for field in fields)]


def _declared(study: EditedStudy) -> dict[str, Any]:
    declared = study.says.get("analysis")
    settings = dict(declared) if isinstance(declared, dict) else {}
    if "stopping" in settings:
        settings["stopping"] = as_mapping(Stopping, settings["stopping"])
    return settings


@router.post("/study/analysis", dependencies=[Steers])
def save_analysis(request: Request, desk: Shell, form: OwnForm) -> Response:
    study = edited(desk)
    before, below = _declared(study), study.below("analysis")
    typed = typed_settings(form)
    filled = read_form(Analysis, before, typed, below)
    if filled.problems:
        return _analysis(request, desk, study, 422, typed=typed, problems=filled.problems)
    settings = beyond(filled.settings, below, study.own("analysis"))

    def change(data: Any) -> None:
        if isinstance(data.get("analysis"), dict):
            merge(data["analysis"], settings)
        elif settings:
            data["analysis"] = plain(settings)

    return save_and_return(
        request, desk, study, lambda: changed(study.text, "analysis", change), form, "/study?saved=analysis"
    )


@router.post("/study/allocation", dependencies=[Steers])
def save_allocation(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Save the assignment of systems to dialogues."""
    study, chosen = edited(desk), field(form, "allocation")
    if chosen not in get_args(Allocation):
        raise HTTPException(
            422, f"unknown allocation {chosen!r}; use one of {', '.join(get_args(Allocation))}"
        )

    def change(data: Any) -> None:
        data["allocation"] = chosen

    return save_and_return(
        request, desk, study, lambda: changed(study.text, "allocation", change), form, "/study?saved=analysis"
    )


@dataclass(frozen=True)
class Size:
    """Sample size of the declared comparison, from the statistics of `vivavoce power`.

    minutes  of one participant's visit, at least; money: what all are paid, in the currency of the question
    """

    participants: int
    dialogues: int
    minutes: int
    money: float | None
    assumptions: tuple[str, ...]


@router.post("/study/analysis/size", dependencies=[Steers, OnlyAsks])
def size(request: Request, desk: Shell, form: OwnForm) -> Response:
    """Number of participants for the primary comparison, and their cost."""
    study = edited(desk)
    typed = {name: field(form, name, most=20) for name in ("first", "second", "hourly")}
    try:
        if study.study is None:
            raise InputError(
                gettext("the study file has problems"),
                hint=gettext("fix them first; the study page lists them"),
            )
        sample_size = size_of(study.study, typed)
    except InputError as error:
        return _analysis(request, desk, study, 422, asked=typed, problem=told(error))
    return _analysis(request, desk, study, asked=typed, size=sample_size)


def size_of(study: Study, typed: Mapping[str, str]) -> Size:
    """Computed sample size. Raises  InputError: no comparison declared, or an invalid number"""
    from vivavoce.analysis.planning import answer, plan_of_study

    rates = [_number(typed[name], name) for name in ("first", "second")]
    hourly = _number(typed["hourly"], "hourly") if typed["hourly"] else None
    power = answer("two-rates", rates, plan=plan_of_study(study))
    people, minutes = power.clustered.size.participants, visit_minutes(study)
    return Size(
        participants=people,
        dialogues=power.clustered.size.dialogues,
        minutes=minutes,
        money=None if hourly is None else people * minutes / 60 * hourly,
        assumptions=power.assumptions,
    )


def _number(typed: str, place: str) -> float:
    try:
        return float(typed.replace(",", "."))
    except ValueError:
        raise InputError(
            f"{typed!r} is not a number", place=place, hint="write a number, such as 0.45"
        ) from None
