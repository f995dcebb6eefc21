"""Rules for flags from a separate file or a study file."""

from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from vivavoce.core.errors import InputError
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.flags import FlagRules

CURE: Final = "write `flags: {SYSTEM: {question: [...]}}`, or name a study file whose systems have flags"


def read_flag_rules(path: Path) -> dict[str, FlagRules]:
    """The rules by system.

    Input   YAML with `flags: {system: {flag: [rules]}}`, or a study file with `systems: {name: {flags: ...}}`
    Raises  InputError: the first mistake, with its place
    """
    source = read_yaml(path)
    if source.problems:
        raise source.problems[0].error()
    found: dict[str, FlagRules] = {}
    for system, (at, written) in _written(source.data).items():
        try:
            found[system] = FlagRules.model_validate(written)
        except ValidationError as error:
            raise problems_of(error, source, FlagRules, at)[0].error() from None
    if not found:
        raise InputError("contains no flag rules", place=source.shown, hint=CURE)
    return found


def _written(data: Any) -> dict[str, tuple[tuple[str | int, ...], Any]]:
    if not isinstance(data, dict):
        return {}
    if isinstance(own := data.get("flags"), dict):
        return {system: (("flags", system), rules) for system, rules in own.items()}
    systems = data.get("systems")
    return {
        name: (("systems", name, "flags"), system["flags"])
        for name, system in (systems.items() if isinstance(systems, dict) else ())
        if isinstance(system, dict) and system.get("flags") is not None
    }
