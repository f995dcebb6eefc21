"""Requests built from templates: Jinja in a sandbox inside JSON values, so that no text can break the JSON.

A value that is one expression, such as "{{ number }}", keeps its type; other texts are rendered to text. A
key whose value is `{{ omit }}` is left out. What a participant wrote is only ever a value, never a template.
"""

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

from jinja2 import StrictUndefined, TemplateError, Undefined, UndefinedError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from vivavoce.core.errors import InputError, SystemUnderTestError, nearest
from vivavoce.core.secrets import REFERENCE

_NOT_YET: Final = "{text!r} has no value yet; write {{{{ NAME or omit }}}} to leave it out until then"
Rendered = Callable[[Mapping[str, Any]], Any]

_PLAIN: Final = re.compile(r"\s*(\w+)(\s+or\s+omit)?\s*")


class _Missing(StrictUndefined):
    """A name that has no value yet, such as one of `state`: false where it is tested, no text anywhere."""

    __bool__, __eq__, __ne__, __hash__ = (  # type: ignore[assignment]
        Undefined.__bool__,
        Undefined.__eq__,
        Undefined.__ne__,
        Undefined.__hash__,
    )


_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(undefined=_Missing, keep_trailing_newline=True)


class _Omit:
    """Value of an omitted key."""

    def __repr__(self) -> str:
        return "omit"

    def __bool__(self) -> bool:
        return False


OMIT: Final = _Omit()


def compile_template(value: Any, variable_names: set[str], *, place: str = "") -> Rendered:
    """A function from variables to the value with every template in it filled in.

    Input   value: JSON-like, from the study file; known: names of the variables it may use
    Raises  InputError: the template cannot be parsed or uses an unknown variable
    """
    parts = _compile(value, variable_names | {"secrets", "omit"}, place)

    def render(variables: Mapping[str, Any]) -> Any:
        try:
            return parts({**variables, "omit": OMIT})
        except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
            detail = f"the request's template failed: {error}"
            raise SystemUnderTestError("refused", detail, reached=False) from error

    return render


def _compile(value: Any, variable_names: set[str], place: str) -> Rendered:
    if isinstance(value, str):
        return _compile_text(value, variable_names, place)
    if isinstance(value, Mapping):
        pairs = {str(key): _compile(item, variable_names, f"{place}.{key}") for key, item in value.items()}
        return lambda variables: _filled({key: part(variables) for key, part in pairs.items()})
    if isinstance(value, (list, tuple)):
        items = [_compile(item, variable_names, f"{place}[{index}]") for index, item in enumerate(value)]
        return lambda variables: [item for part in items if (item := part(variables)) is not OMIT]
    return lambda _: value


def _filled(pairs: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in pairs.items() if value is not OMIT}


def _compile_text(text: str, variable_names: set[str], place: str) -> Rendered:
    source = REFERENCE.sub(r'{{ secrets["\1"] }}', text)
    if "{{" not in source and "{%" not in source and "{#" not in source:
        return lambda _: text
    try:
        unknown = meta.find_undeclared_variables(_ENVIRONMENT.parse(source)) - variable_names
        if unknown:
            name = min(unknown)
            names = sorted(variable_names - {"secrets"})
            raise InputError(f"unknown variable {name!r} in template", place=place, hint=nearest(name, names))
        expression = _single_expression(source)
        if (match := _PLAIN.fullmatch(expression or "")) is not None and match[1] in variable_names:
            name = match[1]  # most turns are made of these: looking a value up takes no environment
            return (lambda variables: variables[name] or OMIT) if match[2] else itemgetter(name)
        if expression is not None:
            return _filled_in(_ENVIRONMENT.compile_expression(expression, undefined_to_none=False), text)
        return _filled_in(_ENVIRONMENT.from_string(source).render, text)
    except TemplateError as error:
        raise InputError(f"invalid template: {error}", place=place, hint="see Jinja's syntax") from error


def _filled_in(part: Rendered, text: str) -> Rendered:
    """Renderer that names the expression when a variable has no value yet."""

    def render(variables: Mapping[str, Any]) -> Any:
        try:
            value = part(variables)
        except UndefinedError as error:
            raise UndefinedError(_NOT_YET.format(text=text)) from error
        if isinstance(value, Undefined):
            raise UndefinedError(_NOT_YET.format(text=text))
        return value

    return render


def _single_expression(source: str) -> str | None:
    """The expression of a text that is nothing but `{{ expression }}`."""
    stripped = source.strip()
    if not (stripped.startswith("{{") and stripped.endswith("}}")):
        return None
    inner = stripped[2:-2]
    return None if "{{" in inner or "}}" in inner else inner
