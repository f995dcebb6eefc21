"""The shelf of connectors, and from the raw settings of a system in a study file to a connector."""

import inspect
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from vivavoce.connectors.base import Connector, ConnectorKind, ConnectorSettings
from vivavoce.connectors.rate_limit import LimitedConnector
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import Problem, Source


class SettingsError(InputError):
    """Settings of a system are wrong; `problems` holds all that is, the message the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = [replace(problem, place=problem.place.strip()) for problem in problems]
        first = self.problems[0]
        super().__init__(first.problem, place=first.place, hint=first.hint)


def _is_connector(kind: Any) -> bool:
    settings = getattr(kind, "settings", None)
    declared = inspect.isclass(settings) and issubclass(settings, ConnectorSettings)
    return declared and callable(getattr(kind, "make", None))


CONNECTORS: Final[Registry[ConnectorKind]] = Registry(
    "connector", fits=_is_connector, needs="settings (a ConnectorSettings), make"
)


def make_connector(
    raw: Mapping[str, Any],
    secrets: Mapping[str, str] = os.environ,
    *,
    place: str = "",
    folder: Path | None = None,
) -> LimitedConnector:
    """The connector that the settings describe; nothing is contacted yet.

    Input   raw: `connect` and the connector's own settings; place: where they stand, for messages;
            folder: the study's, to which folders in the settings are relative
    Raises  InputError: names the first wrong setting by its path, and the nearest known name; SettingsError:
            holds all of them
    """
    if not isinstance(raw, Mapping):
        raise InputError(
            "a system must be a mapping of settings", place=place, hint="begin with connect: http"
        )
    if not isinstance(raw.get("connect"), str):
        names = ", ".join(CONNECTORS.names())
        raise InputError("'connect' is missing", place=place, hint=f"add connect: NAME. Known: {names}")
    kind = CONNECTORS.get(raw["connect"], place=f"{place} connect".strip())
    try:
        settings = kind.settings.model_validate(_placed(raw, kind.settings, folder))
    except ValidationError as error:
        raise SettingsError(problems_of(error, Source(place), kind.settings)) from None
    try:
        connector: Any = kind.make(settings, secrets)
    except InputError as error:
        where = f"{place} {error.place}".strip()
        raise InputError(error.problem, place=where, hint=error.hint) from None
    behind = getattr(settings, "behind", None)
    if behind is not None:  # a connector that stands before another system
        where = f"{place} behind".strip()
        connector.stand_before(make_connector(behind, secrets, place=where, folder=folder))
    return LimitedConnector(connector, settings, vault=Vault.of(settings.model_dump(), secrets))


def _placed(raw: Mapping[str, Any], model: type[ConnectorSettings], folder: Path | None) -> dict[str, Any]:
    """The settings with their folders made absolute."""
    placed = dict(raw)
    for name in model.folders:
        if folder is not None and isinstance(placed.get(name), (str, type(None))):
            placed[name] = str(folder / (placed.get(name) or ""))
    return placed


def try_connectors(
    systems: Mapping[str, Mapping[str, Any]],
    folder: Path,
    source: Source,
    secrets: Mapping[str, str] = os.environ,
) -> tuple[dict[str, Connector], list[Problem]]:
    """The connectors that can be made of systems' settings, and what is wrong with the others.

    Input   folder: the study's; source: its file, which knows where the settings stand; secrets: by
            name, of the environment
    """
    connectors: dict[str, Connector] = {}
    problems: list[Problem] = []
    for system, settings in systems.items():
        try:
            connectors[system] = make_connector(settings, secrets, folder=folder)
        except SettingsError as error:
            errors = error.problems
        except InputError as error:
            errors = [Problem(error.place, error.problem, error.hint)]
        else:
            continue
        for problem in errors:
            inside = [int(key) if key.isdigit() else key for key in re.findall(r"[^.\[\]]+", problem.place)]
            problems.append(
                Problem(source.place(("systems", system, *inside)), problem.problem, problem.hint)
            )
    return connectors, problems
