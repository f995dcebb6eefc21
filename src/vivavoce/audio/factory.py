"""From settings to a recogniser or a synthesiser: by name, as installed packages offer them."""

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import Source

Settings = TypeVar("Settings", bound=BaseModel, covariant=True)
Made = TypeVar("Made", covariant=True)


class MadeBySettings(Protocol[Settings, Made]):
    """Entry of a registry: its name, its settings model and its maker."""

    name: str
    summary: str
    settings: Any

    def make(self, settings: Any, secrets: Mapping[str, str]) -> Made: ...


def is_made_by_settings(kind: Any) -> bool:
    """True if an entry point has the attributes of `MadeBySettings`."""
    settings = getattr(kind, "settings", None)
    declared = inspect.isclass(settings) and issubclass(settings, BaseModel)
    return declared and callable(getattr(kind, "make", None))


def make_kind(
    shelf: Registry[MadeBySettings[Settings, Made]],
    raw: Mapping[str, Any] | str,
    *,
    secrets: Mapping[str, str] | None = None,
    folder: Path | None = None,
    place: str = "",
) -> Made:
    """The object that the settings describe; a bare name is short for `{use: name}`.

    Raises  InputError: names the first wrong setting by its path
    """
    fields = {"use": raw} if isinstance(raw, str) else dict(raw)
    if not isinstance(fields.get("use"), str):
        kinds = ", ".join(shelf.names())
        raise InputError("'use' is missing", place=place, hint=f"add use: NAME. Known: {kinds}")
    kind = shelf.get(fields["use"], place=f"{place} use".strip())
    for name in kind.settings.files:
        if folder is not None and isinstance(fields.get(name), str):
            fields[name] = str(folder / fields[name])
    try:
        settings = kind.settings.model_validate(fields)
    except ValidationError as error:
        problem = problems_of(error, Source(place), kind.settings)[0]
        raise InputError(problem.problem, place=problem.place.strip(), hint=problem.hint) from None
    try:
        return kind.make(settings, os.environ if secrets is None else secrets)
    except InputError as error:
        where = f"{place} {error.place}".strip()
        raise InputError(error.problem, place=where, hint=error.hint) from None
