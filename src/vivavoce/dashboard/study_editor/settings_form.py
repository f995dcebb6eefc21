"""Form of a settings model: a field per key, with type, bounds, default and meaning.

What the form gives back are only the keys that somebody changed, so that a file says what differs from the
defaults and nothing else.
"""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from starlette.datastructures import FormData

from vivavoce.core.errors import InputError, sentences
from vivavoce.core.validation import complaints_of
from vivavoce.core.yaml_source import KeyPath, Source, parse_yaml
from vivavoce.dashboard.study_editor.study_text import Written, written
from vivavoce.study.steps import Range

MISSING: Final = object()  # value of an absent key
PREFIX: Final = "set-"  # prefix of field names
BETWEEN: Final = "."  # separates keys in field names
LONGEST_LABEL: Final = 75  # characters of a meaning that serves as a label


@dataclass(frozen=True, slots=True)
class FormField:
    """One key of a model as a field of a form.

    path      of the key in the settings
    kind      text, whole, number, choice, flag, lines (a list with an entry in each), ticks (a list of some
              of the choices) or yaml
    shown     what the field holds: what was typed, else what is written or the default
    default   as it would be written; "" where the key must be given or nothing stands there
    choices   of a choice or of ticks; titles: what people read in their place, where that is another word;
              under "" for none of them
    title     what the model calls the key, in English; "": it has no name but the key's
    group_title  what it calls the mapping that the key stands in
    """

    path: KeyPath
    kind: str
    meaning: str
    shown: str
    default: str
    required: bool
    choices: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    low: str = ""
    high: str = ""
    optional: bool = False
    problem: str = ""
    title: str = ""
    group_title: str = ""

    @property
    def name(self) -> str:
        return BETWEEN.join(map(str, self.path))

    @property
    def label(self) -> str:
        return str(self.path[-1]).replace("_", " ")

    def caption(self, meaning: str) -> tuple[str, str]:
        """Label and hint of a translated meaning such as `channel: text, voice`; label "": use the key."""
        if self.title:
            return "", meaning
        head, help_text = [*re.split(r"[:;](?![^(]*\))", meaning, maxsplit=1), ""][:2]
        if not head or len(head) > LONGEST_LABEL or head.strip() in self.choices:
            return "", meaning
        return head.strip().removesuffix("."), help_text.strip()

    @property
    def group(self) -> str:
        """Mapping that contains the key; "" at the top."""
        return ": ".join(str(key).replace("_", " ") for key in self.path[:-1])


@dataclass(frozen=True, slots=True)
class FilledForm:
    """Result of a submitted form.

    settings  as they are to be written, where nothing is wrong
    problems  by the name of the field
    """

    settings: dict[str, Any]
    problems: dict[str, str] = field(default_factory=dict)


def as_mapping(model: type[BaseModel], value: Any) -> Written:
    """Settings as a mapping; a shorthand value becomes its key."""
    short = getattr(model, "shorthand", None)
    if short is not None and isinstance(value, str):
        return {short: value}
    return dict(value) if isinstance(value, Mapping) else {}


def as_short(model: type[BaseModel], settings: Mapping[str, Any]) -> Any:
    """Settings in shorthand where the model has one that says all."""
    short = getattr(model, "shorthand", None)
    if short is not None and set(settings) == {short} and isinstance(settings[short], str):
        return settings[short]
    return dict(settings)


def fields_of(
    model: type[BaseModel],
    settings: Mapping[str, Any],
    typed: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
    offered: Mapping[str, Mapping[str, str]] | None = None,
) -> list[FormField]:
    """Fields of a form, in the order of the model.

    Input   settings: as written; typed: what was sent, which is shown again; problems: by name of the field;
            only: keys of the model that the form is about; all where none is named; offered: by name of
            the field what may be chosen there, with what people read in its place
    """
    return [
        replace(
            _field(path, info, value_at(settings, path), typed or {}, problems or {}, offered or {}),
            group_title=_title_of(model, path[:-1]),
        )
        for path, info in _keys(model)
        if not only or path[0] in only
    ]


def read_form(
    model: type[BaseModel],
    settings: Mapping[str, Any],
    typed: Mapping[str, str],
    below: Mapping[str, Any] | None = None,
) -> FilledForm:
    """Settings after the input: unchanged keys stay, defaults are removed.

    Input   below: what a protocol says where the file does not, so that a default must be written to count
    """
    result, problems = _copied(settings), dict[str, str]()
    for path, info in _keys(model):
        name = BETWEEN.join(map(str, path))
        kind = _kind(info)
        if name not in typed:
            continue
        try:
            value = _value(kind, typed[name].strip(), _optional(info))
        except InputError as error:
            problems[name] = error.problem
            continue
        before, default = value_at(settings, path), _default(info)
        beneath = value_at(below or {}, path) is not MISSING
        if value is MISSING:
            if before is not MISSING and beneath and before is not None:
                _put(result, path, [] if kind == "lines" else None)
            elif before is not MISSING and not beneath:
                _remove(result, path)
        elif _same(value, before, default):
            continue
        elif value == default and not beneath:
            _remove(result, path)
        else:
            _put(result, path, value)
    if not problems:
        problems = check_settings(model, result)
    return FilledForm(result, problems)


def typed_settings(form: FormData) -> dict[str, str]:
    """Input of a submitted form by field name; ticks one per line."""
    values_by_name: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if name.startswith(PREFIX) and isinstance(value, str):
            values_by_name.setdefault(name.removeprefix(PREFIX), []).append(value.replace("\r\n", "\n"))
    return {name: "\n".join(values) for name, values in values_by_name.items()}


def check_settings(model: type[BaseModel], settings: Mapping[str, Any]) -> dict[str, str]:
    """Problems of settings by nearest field; "" for all of them."""
    try:
        model.model_validate(dict(settings))
    except ValidationError as error:
        names = {BETWEEN.join(map(str, path)) for path, _ in _keys(model)}
        problems: dict[str, str] = {}
        for place, problem in complaints_of(error, Source(""), model):
            message = sentences(problem.problem, problem.hint)
            problems.setdefault(_nearest(place, names), message)
        return problems
    return {}


def _nearest(place: tuple[int | str, ...], names: set[str]) -> str:
    for end in range(len(place), 0, -1):
        if (name := BETWEEN.join(map(str, place[:end]))) in names:
            return name
    return ""


def _keys(model: type[BaseModel], above: KeyPath = ()) -> Iterator[tuple[KeyPath, FieldInfo]]:
    """Keys with their own field; mappings with known keys are expanded.

    A mapping that may be left out is gone through as well: it is there as soon as one of its keys is.
    """
    for name, info in model.model_fields.items():
        path = (*above, info.alias or name)
        below = _bare(info.annotation)
        nested = isinstance(below, type) and issubclass(below, BaseModel) and not issubclass(below, Range)
        if nested:
            yield from _keys(below, path)
        else:
            yield path, info


def _field(
    path: KeyPath,
    info: FieldInfo,
    before: Any,
    typed: Mapping[str, str],
    problems: Mapping[str, str],
    offered: Mapping[str, Mapping[str, str]],
) -> FormField:
    name, kind, default = BETWEEN.join(map(str, path)), _kind(info), _default(info)
    value = _words(kind, default if before is MISSING else before)
    bounds = {type(limit): limit for limit in info.metadata}
    low = bounds[Ge].ge if Ge in bounds else bounds[Gt].gt if Gt in bounds else ""
    high = bounds[Le].le if Le in bounds else bounds[Lt].lt if Lt in bounds else ""
    choices = tuple(map(str, get_args(_bare(info.annotation)))) if kind == "choice" else ()
    value = typed.get(name, value)
    titles = offered.get(name, {})
    if titles and kind != "choice":
        kind = "ticks" if kind == "lines" else "choice"
        lines = [line.strip() for line in value.splitlines() if line.strip()]
        choices = (
            *titles,
            *(line for line in lines if line not in titles),
        )  # keeps values written in the file
        value = "\n".join(lines)
    return FormField(
        path=path,
        kind=kind,
        meaning=info.description or "",
        shown=value,
        titles=titles,
        default="" if default is MISSING else _words(kind, default),
        required=info.is_required(),
        choices=choices,
        low=str(low),
        high=str(high),
        optional=_optional(info),
        problem=problems.get(name, ""),
        title=info.title or "",
    )


def _title_of(model: type[BaseModel], path: KeyPath) -> str:
    """Title of a mapping of keys; "" at the top and without a title."""
    if len(path) != 1:
        return ""
    info = next(field for name, field in model.model_fields.items() if (field.alias or name) == path[0])
    return info.title or ""


def _kind(info: FieldInfo) -> str:
    bare = _bare(info.annotation)
    if get_origin(bare) is Literal:
        return "choice"
    if bare is bool:
        return "flag"
    if bare is int:
        return "whole"
    if bare is float:
        return "number"
    if bare is str or (isinstance(bare, type) and issubclass(bare, Range)):
        return "text"
    if get_origin(bare) in (list, tuple) and _bare((get_args(bare) or (None,))[0]) is str:
        return "lines"
    return "yaml"


def _bare(annotation: Any) -> Any:
    """Annotation without Annotated and `| None`; `Any` for several types."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        choices = [choice for choice in get_args(annotation) if choice is not types.NoneType]
        return _bare(choices[0]) if len(choices) == 1 else Any
    return annotation


def _optional(info: FieldInfo) -> bool:
    return types.NoneType in get_args(info.annotation)


def _default(info: FieldInfo) -> Any:
    """Default as written in a file; MISSING if the key is required."""
    default = info.get_default(call_default_factory=True)
    return MISSING if default is PydanticUndefined else _plainly(default)


def _plainly(value: Any) -> Any:
    if isinstance(value, Range):
        return value.min if value.min == value.max else str(value)
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, list | tuple):
        return [_plainly(item) for item in value]
    return value


def _words(kind: str, value: Any) -> str:
    """Value as shown in its field."""
    if value is None or value is MISSING:
        return ""
    if kind == "flag":
        return "true" if value is True else "false" if value is False else str(value)
    if kind == "lines" and isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, dict | list):
        return written(value).rstrip() if value else ""
    return str(value)


def _value(kind: str, typed: str, optional: bool) -> Any:
    """Input as a value for the file; MISSING: empty, so the default applies.

    Raises  InputError: it is none of its kind
    """
    if not typed:
        return MISSING
    if kind == "flag":
        return typed == "true"
    if kind == "lines":
        return [line.strip() for line in typed.splitlines() if line.strip()]
    if kind == "text":
        return int(typed) if typed.isdecimal() and not optional and len(typed) < 10 else typed
    if kind == "choice":
        return typed
    if kind == "yaml":
        source = parse_yaml(typed, "value")
        if source.problems:
            raise InputError(source.problems[0].problem)
        return source.data
    try:
        number = float(typed.replace(",", "."))
    except ValueError:
        raise InputError(f"{typed!r} is not a number") from None
    if kind == "whole" and number.is_integer():
        return int(number)
    return int(number) if number.is_integer() and "." not in typed else number


def _same(value: Any, before: Any, default: Any) -> bool:
    """True if the input equals the current or default value."""
    now = default if before is MISSING else before
    return value == now or str(value) == str(now)


def value_at(settings: Any, path: KeyPath) -> Any:
    """Value at a path of keys; MISSING if absent."""
    for key in path:
        if not isinstance(settings, Mapping) or key not in settings:
            return MISSING
        settings = settings[key]
    return settings


def _copied(settings: Mapping[str, Any]) -> Written:
    return {key: _copied(value) if isinstance(value, Mapping) else value for key, value in settings.items()}


def _put(settings: dict[str, Any], path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(settings.get(str(key)), dict):
            settings[str(key)] = {}
        settings = settings[str(key)]
    settings[str(path[-1])] = value


def _remove(settings: dict[str, Any], path: KeyPath) -> None:
    *way, last = path
    above = value_at(settings, tuple(way))
    if isinstance(above, dict):
        above.pop(str(last), None)
        if not above and way:
            _remove(settings, tuple(way))


def beyond(settings: Mapping[str, Any], below: Mapping[str, Any], settings_now: Mapping[str, Any]) -> Written:
    """Settings that a file needs on top of a protocol; keys that it has already stay."""
    differing: dict[str, Any] = {}
    for key, value in settings.items():
        under, own_value = below.get(key), settings_now.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            if inner := beyond(value, under, own_value if isinstance(own_value, Mapping) else {}):
                differing[key] = inner
        elif key in settings_now or key not in below or value != under:
            differing[key] = value
    return differing
