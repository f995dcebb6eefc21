"""From settings to a recogniser or a synthesiser: by registered name, or by an installed package's."""

import os
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.registry import Registry
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import Source

Settings = TypeVar("Settings", bound=BaseModel, covariant=True)
Made = TypeVar("Made", covariant=True)


class MadeBySettings(Protocol[Settings, Made]):
    """What a registry holds of one kind: its name, its settings model and its maker."""

    name: str
    summary: str
    settings: Any

    def make(self, settings: Any, secrets: Mapping[str, str]) -> Made: ...


def make_kind(
    registry: Registry[MadeBySettings[Settings, Made]], group: str, raw: Mapping[str, Any] | str, *,
    secrets: Mapping[str, str] | None = None, folder: Path | None = None, place: str = "",
) -> Made:  # fmt: skip
    """The object that the settings describe; a bare name is short for `{use: name}`.

    Raises  InputError: names the first wrong setting by its path
    """
    written = {"use": raw} if isinstance(raw, str) else dict(raw)
    if not isinstance(written.get("use"), str):
        known = ", ".join(registry.names())
        raise InputError("'use' is missing", place=place, hint=f"add use: NAME; known: {known}")
    kind = _kind(registry, group, written["use"], f"{place} use".strip())
    for name in kind.settings.files:
        if folder is not None and isinstance(written.get(name), str):
            written[name] = str(folder / written[name])
    try:
        settings = kind.settings.model_validate(written)
    except ValidationError as error:
        found = problems_of(error, Source(place), kind.settings)[0]
        raise InputError(found.problem, place=found.place.strip(), hint=found.hint) from None
    try:
        return kind.make(settings, os.environ if secrets is None else secrets)
    except InputError as error:
        where = f"{place} {error.place}".strip()
        raise InputError(error.problem, place=where, hint=error.hint) from None


def _kind(
    registry: Registry[MadeBySettings[Settings, Made]], group: str, name: str, place: str
) -> MadeBySettings[Settings, Made]:  # fmt: skip
    if name in registry:
        return registry.get(name)
    offered = {point.name: point for point in entry_points(group=group)}
    if name in offered:
        return registry.add(name, offered[name].load())
    raise UnknownName(registry.kind, name, [*registry.names(), *offered], place=place)
