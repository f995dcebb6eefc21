"""Reference pages of shelves, and tables of settings models: every key with its type, default and meaning."""

import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from vivavoce.core.registry import Registry

_NAMES = {str: "text", int: "integer", float: "number", bool: "boolean", Decimal: "number"}


@dataclass(frozen=True)
class ReferencePage:
    """The page about a shelf, as a package offers it in the group `vivavoce.reference_pages`.

    lead  the first sentence
    make  the rest of the page, Markdown
    """

    name: str
    title: str
    lead: str
    make: Callable[[], str]


REFERENCE_PAGES: Final[Registry[ReferencePage]] = Registry("reference page", ReferencePage)


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table with `|` and tags other than `<br>` escaped; "" without rows."""
    first, *lines = (f"| {' | '.join(map(_escaped, row))} |\n" for row in (head, *rows))
    return "".join([first, "|---" * len(head), "|\n", *lines]) if lines else ""


def _escaped(cell: str) -> str:
    tagless = re.sub(r"(`[^`]*`)|<(?!br>)(?=[a-z])", lambda match: match[1] or "\\<", cell)
    return tagless.replace("|", "\\|")


def key_table(model: type[BaseModel], names: Iterable[str] | None = None) -> str:
    """The keys of a model as a table, or only those in `names`."""
    fields = {name: model.model_fields[name] for name in (model.model_fields if names is None else names)}
    rows = (
        (f"`{field.alias or name}`", _type(field), field.description or "") for name, field in fields.items()
    )
    return markdown_table(("key", "type", "meaning"), rows)


def model_tables(models: Mapping[str, type[BaseModel]], level: int = 2) -> str:
    """A Markdown section for each model, by its heading, and for each model inside them, each once."""
    seen: dict[type[BaseModel], list[str]] = {}
    for heading, model in models.items():
        _collect(model, heading, seen)
    return "\n".join(_section(model, titles, level) for model, titles in seen.items())


def _section(model: type[BaseModel], titles: list[str], level: int) -> str:
    summary = (model.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")
    if short := getattr(model, "shorthand", None):
        summary += f" Short form: a text sets `{short}`."
    if issubclass(model, RootModel):
        root = model.model_fields["root"]
        summary += f" A {type_name(root.annotation)}: {root.description}."
    heading = f"{'#' * level} {', '.join(f'`{title}`' for title in titles)}\n\n{summary}\n"
    return heading if issubclass(model, RootModel) else f"{heading}\n{key_table(model)}"


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
    """The type in plain words: `list of text`, `text by name`, `code, dialogue or none`."""
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
        return "mapping" if parts[1] is Any else f"{type_name(parts[1])} by name"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return documented_as(annotation) or "mapping"
    return _NAMES.get(annotation) or getattr(annotation, "written_as", "anything")


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _type(field: FieldInfo) -> str:
    """The type, with the default where there is one."""
    name = type_name(field.annotation)
    value = field.get_default(call_default_factory=True, validated_data={})
    if field.is_required() or value is PydanticUndefined:
        return f"{name} (required)"
    if value is None or value in ((), [], {}, ""):
        return name
    if isinstance(value, BaseModel) and not documented_as(type(value)):
        return name
    if isinstance(value, list | tuple):
        value = f"[{', '.join(map(str, value))}]"
    return f"{name} (default `{str(value).lower() if isinstance(value, bool) else value}`)"
