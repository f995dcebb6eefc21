"""Complaints of pydantic as problems of a file: place, what is wrong, and the hint in one line."""

import re
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from vivavoce.core.errors import nearest
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml

Model = TypeVar("Model", bound=BaseModel)

_TYPES = {
    "string_type": "text (put it in quotes)",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def mistake(problem: str, hint: str) -> PydanticCustomError:
    """An error for validators that carries its hint."""
    return PydanticCustomError("mistake", "{problem}", {"problem": problem, "hint": hint})


def read_model(source: Source, model: type[Model], *, empty: Any = None) -> Model | None:
    """What a file says, as a model; None where it does not fit, and the source then has the problems.

    Input   empty: what a file without content stands for
    """
    if not source.problems:
        try:
            return model.model_validate(empty if source.data is None else source.data)
        except ValidationError as error:
            source.problems += problems_of(error, source, model)
    return None


def load_model(path: Path, model: type[Model], shown: str | None = None) -> Model:
    """A file as a model; shown: what the file is called where it is wrong.

    Raises  InputError: the first thing that is wrong, with its place
    """
    source = read_yaml(path, shown)
    made = read_model(source, model)
    if made is None:
        raise source.problems[0].error()
    return made


def problems_of(
    error: ValidationError, source: Source, model: type[BaseModel], at: KeyPath = ()
) -> list[Problem]:
    """Each complaint as one problem; `at` is where in the file the validated value stands."""
    return [_problem(detail, source, model, at) for detail in error.errors(include_url=False)]


def _problem(detail: ErrorDetails, source: Source, model: type[BaseModel], at: KeyPath) -> Problem:
    loc: KeyPath = tuple(key for key in detail["loc"] if key != "[key]")
    place, name = source.place((*at, *loc)), str(loc[-1]) if loc else "value"
    kind, given, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return Problem(source.place((*at, *loc)), f"{name!r} is missing", "add it")
    if kind == "extra_forbidden":
        return Problem(place, f"unknown key {name!r}", nearest(name, known_keys(model, loc[:-1])))
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        return Problem(place, f"unknown {_noun(loc)} {given!r}", nearest(str(given), known))
    if kind == "mistake":
        return Problem(place, str(context["problem"]), str(context["hint"]))
    if kind == "too_short":
        problem = f"{name!r} holds {context['actual_length']} of at least {context['min_length']}"
        return Problem(place, problem, "add what is missing")
    if kind in _TYPES:
        return Problem(
            place, f"{shown_value(given)} where {_TYPES[kind]} is expected", f"write {_TYPES[kind]}"
        )
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return Problem(place, f"{shown_value(given)}: {message}", "change the value")


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
    here: Any = model
    for key in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            here = next((f.annotation for n, f in here.model_fields.items() if key in (n, f.alias)), None)
        else:
            here = get_args(here)[-1] if get_origin(here) is dict else (get_args(here) or (None,))[0]
        here = _bare(here)
    if isinstance(here, type) and issubclass(here, BaseModel):
        return [field.alias or name for name, field in here.model_fields.items()]
    return []


def _bare(annotation: Any) -> Any:
    """The annotation without Annotated and without `| None`."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        choices = [choice for choice in get_args(annotation) if choice is not type(None)]
        return _bare(choices[0])
    return annotation
