"""Reference pages: one a shelf, and tables of settings models: every key with its type, default, meaning."""

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from vivavoce.core.shelf import Shelf

_NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", Decimal: "number"}


@dataclass(frozen=True)
class ReferencePage:
    """The page about a shelf, as a package offers it in the group `vivavoce.reference_pages`.

    add   what its guide tells, such as `add a connector`
    lead  the first sentence
    make  what follows, Markdown
    """

    name: str
    title: str
    add: str
    lead: str
    make: Callable[[], str]


REFERENCE_PAGES: Final[Shelf[ReferencePage]] = Shelf("reference page", ReferencePage)


def table_cell(text: str) -> str:
    """Text as it may stand in a table of Markdown."""
    return text.replace("|", "\\|").replace("<", "\\<")


def model_tables(model: type[BaseModel], heading: str, level: int = 2) -> str:
    """A Markdown section for the model and one for every model inside it, each once."""
    seen: dict[type[BaseModel], list[str]] = {}
    _collect(model, heading, seen)
    return "\n".join(_section(each, titles, level) for each, titles in seen.items())


def _section(model: type[BaseModel], titles: list[str], level: int) -> str:
    summary = (model.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
    if short := getattr(model, "shorthand", None):
        summary += f" A text alone stands for `{short}`."
    heading = f"{'#' * level} {', '.join(f'`{title}`' for title in titles)}"
    if issubclass(model, RootModel):
        root = model.model_fields["root"]
        return "\n".join([heading, "", f"{summary} A {type_name(root.annotation)}: {root.description}.", ""])
    lines = [heading, "", summary, "", "| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        cells = (
            f"`{field.alias or name}`",
            type_name(field.annotation),
            _default(field),
            field.description or "",
        )
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join([*lines, ""])


def _collect(model: type[BaseModel], title: str, seen: dict[type[BaseModel], list[str]]) -> None:
    if model in seen:
        seen[model] += [title] if title not in seen[model] else []
        return
    seen[model] = [title]
    for name, field in model.model_fields.items():
        for inner in _models(field.annotation):
            if not documented_as(inner):
                _collect(inner, field.alias or name, seen)


def documented_as(annotation: Any) -> str | None:
    """The short name of a type that needs no section of its own (`documented` on the class)."""
    return getattr(annotation, "documented", None)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def type_name(annotation: Any) -> str:
    """The type in plain words: `list of text`, `text or nothing`, `code, dialogue or none`."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(parts[0])
    if origin is Literal:
        return _or([f"`{part}`" for part in parts])
    if origin in (Union, types.UnionType):
        return _or([type_name(part) for part in parts if part is not type(None)])
    if origin in (list, tuple):
        return f"list of {type_name(parts[0])}"
    if origin is dict:
        return f"{type_name(parts[1])} by name"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return documented_as(annotation) or "mapping"
    return _NAMES.get(annotation) or getattr(annotation, "written_as", "anything")


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if field.is_required() or value is PydanticUndefined:
        return "required"
    if value is None or value in ((), [], {}, ""):
        return "none"
    if isinstance(value, BaseModel):
        return f"`{value}`" if documented_as(type(value)) else "as below"
    if isinstance(value, list | tuple):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
