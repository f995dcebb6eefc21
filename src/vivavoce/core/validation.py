"""Complaints of pydantic as problems of a file: place, what is wrong, and the hint in one line."""

import re
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from vivavoce.core.errors import nearest
from vivavoce.core.secrets import literal_secrets, texts_in
from vivavoce.core.yaml_source import KeyPath, Problem, RenamedKeys, Source, read_yaml

Model = TypeVar("Model", bound=BaseModel)

ROUNDS: Final = 6  # of reading what is left of a file; each leaves out more
_TYPES = {
    "string_type": "text (put it in quotes)",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def mistake(problem: str, hint: str) -> PydanticCustomError:
    """An error for validators that carries its hint."""
    return PydanticCustomError("mistake", "{problem}", {"problem": problem, "hint": hint})


@dataclass(frozen=True, slots=True)
class Fits:
    """Annotation of text that must match a pattern as a whole.

    problem  with {value} for the text; `hint`: the next step
    """

    pattern: str
    problem: str
    hint: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        fitting = core_schema.str_schema(pattern=rf"^(?:{self.pattern})$")
        context: dict[str, Any] = {"problem": self.problem, "hint": self.hint}
        checked = core_schema.custom_error_schema(
            fitting, "misfit", custom_error_message="{problem}", custom_error_context=context
        )
        return core_schema.chain_schema([handler(source), checked])


def as_key(key: str) -> Callable[[Any], Any]:
    """A validator that reads text as a mapping with this key; other values stay."""

    def expand(value: Any) -> Any:
        return {key: value} if isinstance(value, str) else value

    return expand


def read_model(source: Source, model: type[Model], *, empty: Any = None) -> Model | None:
    """A file's content as a model; None if invalid, with problems in the source.

    Input   empty: value of a file without content
    """
    if source.problems:
        return None
    return read_part(source, model, empty if source.data is None else source.data)


def read_part(source: Source, model: type[Model], written: Any, at: KeyPath = ()) -> Model | None:
    """What stands at a place of a file as a model; None if invalid, with problems in the source."""
    try:
        return model.model_validate(written)
    except ValidationError as error:
        source.problems += problems_of(error, source, model, at)
        return None


def read_sound_parts(
    source: Source,
    model: type[Model],
    whole: Callable[[dict[str, Any], set[KeyPath]], dict[str, Any]] = lambda data, lost: data,
) -> tuple[Model | None, list[Problem], set[KeyPath]]:
    """Valid part of a file's mapping as a model, with the problems of the rest and their places.

    Input   whole: puts stand-ins for what is required into what is left, knowing what was left out
    Output  None where the rest makes no model; a list goes whole when something in it is wrong
    Note    checks that take several keys together run once each of these is sound, so what is left is read
            again; what is then said of a key that lost something may come of that, and is not told
    """
    data, lost, problems = dict(source.data), set[KeyPath](), list[Problem]()
    for _ in range(ROUNDS):
        try:
            return model.model_validate(whole(data, lost) if lost else data), problems, lost
        except ValidationError as error:
            missing = {
                detail["loc"] for detail in error.errors(include_url=False) if detail["type"] == "missing"
            }
            complaints = complaints_of(error, source, model)
        unsound = [
            (path[:-1] if path in missing and path[1:] else path, problem) for path, problem in complaints
        ]
        problems += [
            problem for path, problem in unsound if not any(was[: len(path)] == path for was in lost)
        ]
        lost |= {path for path, _ in unsound}
        data = _without(source.data, lost)
    return None, problems, lost


def _without(data: Any, lost: set[KeyPath], above: KeyPath = ()) -> Any:
    """A mapping without what stands at these places; of a list that loses something nothing is left."""
    if not isinstance(data, dict):
        return data
    remaining: dict[Any, Any] = {}
    for key, value in data.items():
        path = (*above, key)
        inside = {lost_path for lost_path in lost if lost_path[: len(path)] == path}
        if path in inside or (inside and not isinstance(value, dict)):
            continue
        remaining[key] = _without(value, inside, path) if inside else value
    return remaining


def load_model(
    path: Path,
    model: type[Model],
    shown: str | None = None,
    *,
    empty: Any = None,
    renamed: RenamedKeys | None = None,
) -> Model:
    """A file as a model; shown: what the file is called where it is wrong.

    Raises  InputError: the first thing that is wrong, with its place
    """
    source = read_yaml(path, shown, renamed)
    loaded = read_model(source, model, empty=empty)
    if loaded is None:
        raise source.first_error()
    return loaded


def problems_of(
    error: ValidationError, source: Source, model: type[BaseModel], at: KeyPath = ()
) -> list[Problem]:
    """Each complaint as one problem, unknown keys first; `at` is where in the file the value stands."""
    return [problem for _, problem in complaints_of(error, source, model, at)]


def complaints_of(
    error: ValidationError, source: Source, model: type[BaseModel], at: KeyPath = ()
) -> list[tuple[KeyPath, Problem]]:
    """Each complaint as a problem, with where in the value it stands.

    Note    unknown keys come first, and a key that is missing where its misspelt name stands is not told
            again; of a value that may be of several kinds, what the kind says that fits best
    """
    best_branches = _best_branches([_placed(detail, model) for detail in error.errors(include_url=False)])
    unknown = [
        best_branch for best_branch in best_branches if best_branch.detail["type"] == "extra_forbidden"
    ]
    known_complaints = [
        best_branch
        for best_branch in best_branches
        if best_branch not in unknown and not _is_misspelt(best_branch, unknown)
    ]
    return [
        (complaint.path, _without_secrets(_problem(complaint, source, model, at), complaint))
        for complaint in (*unknown, *known_complaints)
    ]


class _Complaint(NamedTuple):
    """One complaint of pydantic: where it stands as the file has it, and the kinds of value that were tried.

    branches  where a value may be of several kinds, and which of them complains
    expected  what would have fitted, where the value is of a wrong kind
    """

    path: KeyPath
    branches: dict[KeyPath, str]
    detail: ErrorDetails
    expected: tuple[str, ...] = ()


def _placed(detail: ErrorDetails, model: type[BaseModel]) -> _Complaint:
    path: list[str | int] = []
    branches: dict[KeyPath, str] = {}
    current: Any = model
    for key in detail["loc"]:
        choices = _choices(current)
        if len(choices) > 1:
            branches[tuple(path)] = str(key)
            current = next((choice for choice in choices if _named(choice, str(key))), None)
        elif key != "[key]":
            current = _below(choices[0] if choices else None, key)
            path.append(key)
    return _Complaint(tuple(path), branches, detail)


def _best_branches(complaints: list[_Complaint]) -> list[_Complaint]:
    """For each value of several possible kinds, keep the complaints of the closest kind."""
    best: dict[KeyPath, tuple[int, str]] = {}
    for complaint in complaints:
        for place, branch in complaint.branches.items():
            depth = len(complaint.path) - len(place)
            if place not in best or depth > best[place][0]:
                best[place] = depth, branch
    relevant = [
        candidate
        for candidate in complaints
        if all(best[place][1] == branch for place, branch in candidate.branches.items())
    ]
    fits: dict[KeyPath, dict[str, None]] = {}
    for complaint in complaints:
        if (fitting := _TYPES.get(complaint.detail["type"])) is not None:
            fits.setdefault(complaint.path, {})[fitting] = None
    return [
        kept_complaint._replace(expected=tuple(fits.get(kept_complaint.path, ())))
        for kept_complaint in relevant
    ]


def _is_misspelt(unexpected: _Complaint, unknown: list[_Complaint]) -> bool:
    """True if a missing key stands beside it under a similar name."""
    beside = [str(complaint.path[-1]) for complaint in unknown if complaint.path[:-1] == unexpected.path[:-1]]
    return unexpected.detail["type"] == "missing" and bool(
        get_close_matches(str(unexpected.path[-1]), beside, n=1)
    )


def _problem(complaint: _Complaint, source: Source, model: type[BaseModel], at: KeyPath) -> Problem:
    loc, detail = complaint.path, complaint.detail
    place, name = source.place((*at, *loc)), str(loc[-1]) if loc else "value"
    kind, entered, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return Problem(place, f"{name!r} is missing", "add it")
    if kind == "extra_forbidden":
        return Problem(place, f"unknown key {name!r}", nearest(name, known_keys(model, loc[:-1])))
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        return Problem(place, f"unknown {_noun(loc)} {entered!r}", nearest(str(entered), choices))
    if kind == "mistake":
        return Problem(place, str(context["problem"]), str(context["hint"]))
    if kind == "misfit":
        problem = context["problem"].replace("{value}", shown_value(entered))
        return Problem(place, problem, context["hint"])
    if kind == "too_short":
        problem = f"{name!r} has {context['actual_length']} of at least {context['min_length']} entries"
        return Problem(place, problem, "add the missing entries")
    if kind in _TYPES:
        expected = " or ".join(complaint.expected)
        return Problem(place, f"{shown_value(entered)} where {expected} is expected", f"write {expected}")
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return Problem(place, f"{shown_value(entered)}: {message}", "change the value")


def _without_secrets(problem: Problem, complaint: _Complaint) -> Problem:
    """A problem without the secrets of the value that it may show."""
    text = problem.problem
    for literals in literal_secrets(texts_in(complaint.detail["input"], complaint.path)).values():
        for literal in literals:
            text = re.sub(rf"(?<!\w){re.escape(literal)}(?!\w)", "***", text)
    return replace(problem, problem=text)


def _noun(loc: KeyPath) -> str:
    names = [key for key in loc if isinstance(key, str)]
    return names[-1].replace("_", " ") if names else "value"


def shown_value(given: Any) -> str:
    """A short form of a value for a message."""
    if isinstance(given, Mapping):
        return "a mapping"
    if isinstance(given, Sequence) and not isinstance(given, str):
        return "a list"
    text = "nothing" if given is None else repr(given)
    return text if len(text) <= 60 else text[:57] + "..."


def known_keys(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys that the model allows at path; [] where anything goes."""
    current: Any = model
    for key in path:
        current = _below(_mapping(current), key)
    current = _mapping(current)
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    return []


def _below(here: Any, key: str | int) -> Any:
    """Type under a key, or at a place of a list, of this type; None: any."""
    if isinstance(here, type) and issubclass(here, BaseModel):
        return next((f.annotation for n, f in here.model_fields.items() if key in (n, f.alias)), None)
    parts = get_args(here)
    return parts[-1] if get_origin(here) is dict else parts[0] if parts else None


def _mapping(annotation: Any) -> Any:
    """The first kind of value that is a model, else the first."""
    choices = _choices(annotation)
    models = [choice for choice in choices if isinstance(choice, type) and issubclass(choice, BaseModel)]
    return next(iter(models or choices), None)


def _choices(annotation: Any) -> list[Any]:
    """The kinds of value that an annotation allows, without Annotated and without `| None`."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) not in (Union, types.UnionType):
        return [] if annotation is None else [annotation]
    return [choice for part in get_args(annotation) if part is not type(None) for choice in _choices(part)]


def _named(choice: Any, branch: str) -> bool:
    """Match pydantic's name of a type: `bool`, `function-before[expand(), Request]`."""
    name = getattr(get_origin(choice) or choice, "__name__", "")
    return bool(re.search(rf"\b{re.escape(name)}\b", branch)) if name else False
